// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package quantity

import "testing"

func TestSum(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"1", "500m", "1500m"}, {"512Mi", "512Mi", "1Gi"}, {"0", "1Gi", "1Gi"}, {"1G", "1Ki", "1000001024"}, {"1Ki", "1m", "1024001m"},
		{"1e3", "1e3", "2e3"}, {"0", "0", "0"}, {"1E", "1E", "2E"}, {"1", "-1", "0"},
	} {
		if got, ok := Sum(c.a, c.b); !ok || got != c.want {
			t.Errorf("%s and %s: got %s, want %s", c.a, c.b, got, c.want)
		}
	}
	if got, _ := Sum("1536Mi", "1G", "1G"); got != "3525989Ki" {
		t.Errorf("got %s", got)
	}
	if got, ok := Sum("1", "x"); ok {
		t.Errorf("x is read: %s", got)
	}
	if n := Number("100Ei"); n == nil || n.Num().Int64() != 1<<63-1 {
		t.Errorf("100Ei is %v", n)
	}
	if n := Number(true); n != nil {
		t.Errorf("true is %v", n)
	}
}
