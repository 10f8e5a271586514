// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package amount

import (
	"reflect"
	"testing"
)

func TestSum(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"1", "500m", "1500m"}, {"512Mi", "512Mi", "1Gi"}, {"0", "1Gi", "1Gi"}, {"1G", "1Ki", "1000001024"}, {"1Ki", "1m", "1024001m"},
		{"1e3", "1e3", "2e3"}, {"0", "0", "0"}, {"1E", "1E", "2E"}, {"1", "-1", "0"}, {"1", "x", "1"},
	} {
		if got := sum([]any{c.a, c.b}); got != c.want {
			t.Errorf("%s and %s: got %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if got := sum([]any{"1536Mi", "1G", "1G"}); got != "3525989Ki" {
		t.Errorf("got %s", got)
	}
	if got := sum([]any{"1.500"}); got != "1.500" {
		t.Errorf("one alone is %s", got)
	}
	if n := Number("100Ei"); n == nil || n.Num().Int64() != 1<<63-1 {
		t.Errorf("100Ei is %v", n)
	}
	if n := Number(true); n != nil {
		t.Errorf("true is %v", n)
	}
}

func TestRoundToThousandths(t *testing.T) {
	for in, want := range map[any]string{
		"1u": "1m", "1.5001": "1501m", "-1n": "-1m", "1.0001Ki": "1024103m", "0.0001Mi": "104858m", "12e-4": "2e-3", 0.0001: "1m",
		// The following values need no rounding.
		"1": "", "1500m": "", "1.5": "", "1Ki": "", "0": "", "x": "", true: "",
	} {
		got, ok := RoundToThousandths(in)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%v: got %s, %v, want %s", in, got, ok, want)
		}
	}
}

func TestPodTotal(t *testing.T) {
	container := func(cpu any, restart string) any {
		return map[string]any{"restartPolicy": restart, "cpu": cpu}
	}
	for _, c := range []struct {
		what             string
		containers, init []any
		want             map[string]any
	}{
		{"nothing", nil, nil, map[string]any{}},
		{"together", []any{container("1", ""), container("500m", "")}, nil, map[string]any{"cpu": "1500m"}},
		{"an init container is more", []any{container("1", "")}, []any{container("2", ""), container("1", "")}, map[string]any{"cpu": "2"}},
		{"and less", []any{container("3", "")}, []any{container("2", "")}, map[string]any{"cpu": "3"}},
		{"a sidecar goes on", []any{container("1", "")}, []any{container("1", "Always")}, map[string]any{"cpu": "2"}},
		{"a sidecar before an init container", []any{container("1", "")}, []any{container("1", "Always"), container("3", "")}, map[string]any{"cpu": "4"}},
		{"a sidecar after it", []any{container("1", "")}, []any{container("3", ""), container("1", "Always")}, map[string]any{"cpu": "3"}},
		{"no quantity", []any{container("x", ""), container("1", ""), nil}, nil, map[string]any{"cpu": "1"}},
	} {
		got := PodTotal(map[string]any{"containers": c.containers, "initContainers": c.init}, func(c map[string]any) map[string]any {
			if c["cpu"] == nil {
				return nil
			}
			return map[string]any{"cpu": c["cpu"]}
		})
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}
