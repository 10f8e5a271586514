// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestFilled sets defaults in random objects of all kinds in all versions. For comparison,
// Kubernetes decodes the same objects and sets its defaults. The test converts both results to
// the Go type and back before it compares them. So it ignores unknown fields, and fields that
// Go omits or writes in another form.
func TestFilled(t *testing.T) {
	release, err := defaults.New(Minor)
	if err != nil {
		t.Fatal(err)
	}
	all := Kinds()
	choose := rand.New(rand.NewPCG(uint64(*first), 2))
	tested, filled, same, byKind := 0, 0, 0, map[string]int{}
	for tested < *total {
		k := all[tested%len(all)]
		if tested >= 2*len(all) && !release.Knows(k.GroupVersion().String(), k.Kind) && choose.IntN(8) > 0 {
			k = all[choose.IntN(len(all))] // choose kinds with defaults more often
		}
		tested++
		seed := uint64(*first)<<32 + uint64(tested)
		c := check(t, release, k, seed)
		if c.changed {
			filled++
			byKind[k.String()]++
		} else {
			same++
		}
		if t.Failed() && *quick {
			t.FailNow()
		}
	}
	t.Logf("%s: %d objects of %d kinds; %d objects of %d kinds get defaults", release.Version(), tested, len(all), filled, len(byKind))
	if filled < tested/5 {
		t.Error("too little was tested")
	}
}

// verdict is the result of a check.
type verdict struct{ changed bool }

// now is the time of all requests. It replaces the current times that Kubernetes sets.
var now = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func check(t *testing.T, release *defaults.Release, k Kind, seed uint64) verdict {
	t.Helper()
	sent := Random(k, seed)
	data, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	want, err := k.Decode(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	started := time.Now().Truncate(time.Second)
	SetDefaults(want)
	wanted := clocked(plain.Text(want), started)

	before := runtime.DeepCopyJSONValue(sent)
	var notes []defaults.Default
	got := release.Fill(sent, defaults.Options{Now: now, Decoded: true, Filled: func(d defaults.Default) { notes = append(notes, d) }})
	if !reflect.DeepEqual(before, sent) {
		t.Errorf("%s, seed %d: the input was modified\n%s", k, seed, data)
	}
	out, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := k.Decode(out)
	if err != nil {
		t.Errorf("%s, seed %d: the object with defaults cannot be decoded: %v\n%s", k, seed, err, data)
		return verdict{}
	}
	if filled := plain.Text(decoded); filled != wanted {
		t.Errorf("%s, seed %d:\nsent %s\n%s", k, seed, data, differences(filled, wanted))
	}
	if (len(notes) == 0) != (reflect.ValueOf(got).Pointer() == reflect.ValueOf(sent).Pointer()) {
		t.Errorf("%s, seed %d: %d notes about defaults, but the object has changed: %v", k, seed, len(notes), len(notes) == 0)
	}
	if again := release.Fill(got, defaults.Options{Now: now, Decoded: true}); reflect.ValueOf(again).Pointer() != reflect.ValueOf(got).Pointer() {
		// A second run must change nothing. For example, it must not round a quantity that is
		// negative and already rounded.
		t.Errorf("%s, seed %d: a second run sets more defaults\nsent %s", k, seed, data)
	}
	return verdict{len(notes) > 0}
}

// TestConverted converts objects through the internal version of their kind, as a server does.
// The rules for that version must fill in the same fields as the server.
func TestConverted(t *testing.T) {
	release, err := defaults.New(Minor)
	if err != nil {
		t.Fatal(err)
	}
	gained := 0
	for _, k := range Kinds() {
		paths := map[string][]string{
			"apps/v1 StatefulSet":                    {"spec", "volumeClaimTemplates"},
			"autoscaling/v1 HorizontalPodAutoscaler": {"spec", "targetCPUUtilizationPercentage"},
			"v1 Node":                                {"spec"},
		}[k.String()]
		if paths == nil {
			continue
		}
		for n := range *total / 20 {
			sent := Random(k, uint64(*first)<<32+uint64(n))
			data, err := json.Marshal(sent)
			if err != nil {
				t.Fatal(err)
			}
			want, err := k.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			SetDefaults(want)
			spelled := plain.Text(want)
			internal, err := legacyscheme.Scheme.ConvertToVersion(want, schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal})
			if err != nil {
				continue // the annotation cannot be decoded
			}
			if want, err = legacyscheme.Scheme.ConvertToVersion(internal, k.GroupVersion()); err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(release.Fill(sent, defaults.Options{Now: now}))
			if err != nil {
				t.Fatal(err)
			}
			got, err := k.Decode(out)
			if err != nil {
				t.Fatal(err)
			}
			g, w := valueAt(plain.Text(got), paths), valueAt(plain.Text(want), paths)
			if g != w {
				t.Errorf("%s, %d: got\n%s\nwant\n%s\nsent %s", k, n, g, w, data)
			}
			if valueAt(spelled, paths) != w {
				gained++
			}
		}
	}
	if gained < 100 {
		t.Errorf("%d objects gained something: too little was tested", gained)
	}
}

// valueAt returns the value at a path of an object, as JSON.
func valueAt(object string, path []string) string {
	var v any
	_ = json.Unmarshal([]byte(object), &v)
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	data, _ := json.Marshal(v)
	return string(data)
}

// clocked replaces current times, which Kubernetes took from the clock, by the time of all
// requests.
func clocked(text string, started time.Time) string {
	for at := started; !at.After(time.Now()); at = at.Add(time.Second) {
		text = strings.ReplaceAll(text, at.UTC().Format(time.RFC3339), now.Format(time.RFC3339))
	}
	return text
}

func differences(got, want string) string {
	var g, w any
	_ = json.Unmarshal([]byte(got), &g)
	_ = json.Unmarshal([]byte(want), &w)
	var lines []string
	differ("", g, w, &lines)
	return strings.Join(lines, "\n")
}

func differ(path string, got, want any, lines *[]string) {
	if reflect.DeepEqual(got, want) {
		return
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			for name := range w {
				differ(path+"."+name, g[name], w[name], lines)
			}
			for name := range g {
				if _, ok := w[name]; !ok {
					differ(path+"."+name, g[name], nil, lines)
				}
			}
			return
		}
	case []any:
		if g, ok := got.([]any); ok && len(g) == len(w) {
			for i := range w {
				differ(path+"[]", g[i], w[i], lines)
			}
			return
		}
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	*lines = append(*lines, path+": got "+string(g)+", want "+string(w))
}
