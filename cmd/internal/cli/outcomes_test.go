// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
)

type reported struct {
	Object    map[string]any
	Conflicts []struct {
		Path     string
		Outcomes map[string]reportedOutcome
	}
	Outcomes map[string]reportedOutcome
}

type reportedOutcome struct {
	Flag           string
	Config, Object map[string]any
	YAML           string
	Left           []string
	Error          string
}

// TestReportedOutcomes lets another manager apply recorded objects with other values. For each way
// to resolve the conflicts, the outcome in the report must equal the result of the command with the
// corresponding flag.
func TestReportedOutcomes(t *testing.T) {
	conflicts, several := 0, 0
	for i, live := range liveObjects(t) {
		g := rand.New(rand.NewPCG(uint64(i), 3))
		config := otherValues(g, live)
		liveFile := write(t, "live.json", asText(t, live))
		applyText := func(config string, flags ...string) (int, reported) {
			t.Helper()
			args := append([]string{"apply", "-f", "-", "--live", liveFile, "--field-manager", "you", "--untyped", "--time", "2026-03-01T10:00:00Z", "-o", "report"}, flags...)
			status, out, messages := run(config, false, args...)
			r, err := reportedObject[reported](out)
			if err != nil {
				t.Fatalf("%d: %q: %v\n%s", i, flags, err, messages)
			}
			return status, r
		}
		apply := func(config map[string]any, flags ...string) (int, reported) {
			t.Helper()
			return applyText(asText(t, config), flags...)
		}
		status, r := apply(config)
		if status != command.StatusConflict {
			continue
		}
		conflicts += len(r.Conflicts)
		if len(r.Conflicts) > 1 {
			several++
		}
		check := func(what string, o reportedOutcome) {
			t.Helper()
			how := map[string]func() (int, reported){"config": func() (int, reported) { return apply(o.Config) }}
			if o.Flag != "" {
				how["flag"] = func() (int, reported) { return apply(config, o.Flag) }
			}
			if o.YAML != "" {
				how["yaml"] = func() (int, reported) { return applyText(o.YAML) }
			}
			if o.Config == nil { // this way is impossible
				delete(how, "config")
			}
			if strings.HasSuffix(what, "force") {
				delete(how, "config")
				delete(how, "yaml")
			}
			for by, f := range how {
				status, got := f()
				if (status == command.StatusDone) != (len(o.Left) == 0 && o.Error == "") || !reflect.DeepEqual(got.Object, o.Object) {
					t.Errorf("%d: %s by %s: status %d\n%s\nwant %+v", i, what, by, status, asText(t, got.Object), o)
				}
				var left []string
				for _, c := range got.Conflicts {
					left = append(left, c.Path)
				}
				if fmt.Sprint(left) != fmt.Sprint(o.Left) {
					t.Errorf("%d: %s by %s leaves %q, want %q", i, what, by, left, o.Left)
				}
			}
		}
		for name, o := range r.Outcomes {
			if o.YAML == "" && o.Config != nil {
				t.Errorf("%d: %s has no YAML", i, name)
			}
			check(name, o)
		}
		for _, c := range r.Conflicts {
			for name, o := range c.Outcomes {
				check(c.Path+" "+name, o)
			}
		}
	}
	t.Logf("%d conflicts, %d applies with several", conflicts, several)
	if conflicts < 100 || several < 20 {
		t.Errorf("%d conflicts, %d applies with several: the test says little", conflicts, several)
	}
}

func asText(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// otherValues returns an object with some other values, for the apply by another manager.
func otherValues(g *rand.Rand, live map[string]any) map[string]any {
	config := map[string]any{}
	for _, k := range slices.Sorted(maps.Keys(live)) {
		v := live[k]
		switch k {
		case "apiVersion", "kind":
			config[k] = v
		case "metadata":
			from, to := v.(map[string]any), map[string]any{}
			for _, name := range []string{"name", "namespace"} {
				if from[name] != nil {
					to[name] = from[name]
				}
			}
			for _, name := range []string{"labels", "annotations"} {
				if from[name] != nil {
					to[name] = changedValue(g, from[name])
				}
			}
			config[k] = to
		case "status":
		default:
			config[k] = changedValue(g, v)
		}
	}
	return config
}

func changedValue(g *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out[k] = changedValue(g, v[k])
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, c := range v {
			out[i] = changedValue(g, c)
		}
		return out
	case string:
		if g.IntN(2) == 0 {
			return v + "x"
		}
	case int64:
		if g.IntN(2) == 0 {
			return v + 1
		}
	}
	return v
}
