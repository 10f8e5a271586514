// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/test/bench"
	"github.com/dovetail-ssa/dovetail/test/internal/cputime"
	"github.com/dovetail-ssa/dovetail/typed"
)

// measured are the objects of test/bench with which the benchmarks measure requests.
var measured = map[string]bool{"Pod": true, "Deployment": true, "Service": true, "Fleet200": true}

// BenchmarkFieldManager measures complete requests with both field managers. The objects are
// plain data of test/bench.
func BenchmarkFieldManager(b *testing.B) {
	for _, r := range measuredRequests(b, fieldmanager.Options{}) {
		b.Run(r.name+"/theirs", func(b *testing.B) { measure(b, r.Theirs()) })
		b.Run(r.name+"/ours", func(b *testing.B) { measure(b, r.ours(b)) })
	}
}

// BenchmarkRememberLive measures the requests of BenchmarkFieldManager with a field manager that
// caches live objects. All requests have the same live object, as from the cache of an informer.
// For comparison, the benchmark measures a copy of this object without its managed fields.
func BenchmarkRememberLive(b *testing.B) {
	for _, r := range measuredRequests(b, fieldmanager.Options{RememberLive: 8}) {
		b.Run(r.name+"/copy", func(b *testing.B) { measure(b, r.copyLive()) })
		b.Run(r.name+"/remembers", func(b *testing.B) { measure(b, r.ours(b)) })
	}
}

// BenchmarkConflicts measures an apply of 500 fields that another manager owns, with and
// without force.
func BenchmarkConflicts(b *testing.B) {
	m, live, config := conflicting(b)
	for _, force := range []bool{true, false} {
		b.Run(map[bool]string{true: "forced", false: "refused"}[force], func(b *testing.B) {
			measure(b, func() map[string]any {
				r, err := m.Apply(live, config, "other", force)
				if force && err == nil {
					return r.Object
				}
				if refused, ok := err.(*fieldmanager.ConflictError); force || !ok || len(refused.Conflicts) != 500 {
					b.Fatalf("force %v: %v", force, err)
				}
				return nil
			})
		})
	}
}

// conflicting returns an object with 500 fields and an owner, and a config with another value
// for each field.
func conflicting(t testing.TB) (m *fieldmanager.FieldManager, live, config map[string]any) {
	t.Helper()
	for _, w := range bench.Workloads() {
		if w.Name != "ConfigMap500" {
			continue
		}
		m = managerOf(t, w, fieldmanager.Options{})
		config = map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "many", "namespace": "default"}}
		mine, theirs := map[string]any{}, map[string]any{}
		for i := range 500 {
			mine[fmt.Sprint("key-", i)], theirs[fmt.Sprint("key-", i)] = "mine", "theirs"
		}
		config["data"] = mine
		r, err := m.Apply(nil, config, "owner", false)
		if err != nil {
			t.Fatal(err)
		}
		config = maps.Clone(config)
		config["data"] = theirs
		return m, r.Object, config
	}
	t.Fatal("no ConfigMap500")
	return nil, nil, nil
}

// TestMeasuredRequestsAgree checks that both field managers give the same results for the
// measured requests.
func TestMeasuredRequestsAgree(t *testing.T) {
	all := measuredRequests(t, fieldmanager.Options{})
	for _, r := range all {
		want, got := r.Theirs()(), r.ours(t)()
		if diff := cmp.Diff(withoutManagedFields(want), withoutManagedFields(got)); diff != "" {
			t.Errorf("%s (-apimachinery +Dovetail):\n%s", r.name, diff)
		}
		a, err := managedfields.Decode(want)
		if err != nil {
			t.Fatal(err)
		}
		b, err := managedfields.Decode(got)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Entries()) != len(b.Entries()) {
			t.Fatalf("%s: apimachinery has %d managers, Dovetail %d", r.name, len(a.Entries()), len(b.Entries()))
		}
		for _, e := range a.Entries() {
			if o, ok := b.Find(e.Owner.ID()); !ok || !o.Set.Equals(e.Set) {
				t.Errorf("%s: with apimachinery, %v owns\n%v\nwith Dovetail\n%v", r.name, e.Owner, e.Set, o.Set)
			}
		}
	}
	if want := 6 * len(measured); len(all) != want {
		t.Errorf("%d requests, want %d", len(all), want)
	}
	for _, r := range measuredRequests(t, fieldmanager.Options{RememberLive: 8}) {
		want, ours := withoutManagedFields(r.Theirs()()), r.ours(t)
		for range 2 { // in the second run, the live object is in the cache
			if diff := cmp.Diff(want, withoutManagedFields(ours())); diff != "" {
				t.Errorf("%s, with a cached live object (-apimachinery +Dovetail):\n%s", r.name, diff)
			}
		}
	}
}

// measuredRequest is a request of test/bench with a field manager of Dovetail.
type measuredRequest struct {
	bench.Request
	name, workload string // for example ApplyNoop/Pod and Pod
	m              *fieldmanager.FieldManager
}

// measuredRequests returns the requests to measure, for a field manager with the given options.
func measuredRequests(t testing.TB, o fieldmanager.Options) []measuredRequest {
	t.Helper()
	var all []measuredRequest
	for _, w := range bench.Workloads() {
		if !measured[w.Name] {
			continue
		}
		m := managerOf(t, w, o)
		for _, r := range w.Requests() {
			all = append(all, measuredRequest{r, strings.TrimPrefix(r.Name, "k/FM") + "/" + w.Name, w.Name, m})
		}
	}
	return all
}

// ours returns a function that runs the request with Dovetail's field manager.
func (r measuredRequest) ours(t testing.TB) func() map[string]any {
	return r.runOn(t, r.Live(), r.Next())
}

// repeated returns a function that sends the request to its own result, so that it changes
// nothing.
func (r measuredRequest) repeated(t testing.TB) func() map[string]any {
	settled := r.ours(t)()
	run := r.runOn(t, settled, settled)
	if got := run(); !reflect.DeepEqual(got, settled) {
		t.Fatalf("%s again changes the object (-before +after):\n%s", r.name, cmp.Diff(settled, got))
	}
	return run
}

// runOn returns a function that sends the request for a live object. An update writes next.
func (r measuredRequest) runOn(t testing.TB, live, next map[string]any) func() map[string]any {
	return func() map[string]any {
		var result *fieldmanager.Result
		var err error
		if r.Config != nil {
			result, err = r.m.Apply(live, r.Config, r.Manager(), true)
		} else {
			result, err = r.m.Update(live, next, r.Manager())
		}
		if err != nil {
			t.Fatal(err)
		}
		return result.Object
	}
}

// copyLive returns a function that copies the live object without its managed fields.
func (r measuredRequest) copyLive() func() map[string]any {
	object := withoutManagedFields(r.Live())
	return func() map[string]any { return runtime.DeepCopyJSON(object) }
}

// managerOf returns Dovetail's field manager for the type of a workload.
func managerOf(t testing.TB, w *bench.Workload, o fieldmanager.Options) *fieldmanager.FieldManager {
	t.Helper()
	theirs := w.Type()
	of := parserOf(t, theirs.Schema).Type(*theirs.TypeRef.NamedType)
	o.Types = func(string, string) (typed.ParseableType, error) { return of, nil }
	m, err := fieldmanager.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// parsers maps each schema of structured-merge-diff to Dovetail's parser. All built-in types
// share one schema.
var parsers = map[*schema.Schema]*typed.Parser{}

func parserOf(t testing.TB, theirs *schema.Schema) *typed.Parser {
	t.Helper()
	if p, ok := parsers[theirs]; ok {
		return p
	}
	text, err := yaml.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	p, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	parsers[theirs] = p
	return p
}

func withoutManagedFields(object map[string]any) map[string]any {
	out := maps.Clone(object)
	metadata := maps.Clone(object["metadata"].(map[string]any))
	delete(metadata, "managedFields")
	out["metadata"] = metadata
	return out
}

// measure also reports the CPU time of the process, including garbage collection. On a busy
// machine, use this time.
func measure(b *testing.B, run func() map[string]any) {
	run()
	b.ReportAllocs()
	start, _ := cputime.Used()
	for b.Loop() {
		run()
	}
	end, _ := cputime.Used()
	b.ReportMetric(float64(end-start)/float64(b.N), "cpu-ns/op")
}
