// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"maps"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v2"

	"github.com/dovetail-ssa/dovetail/conformance/bench"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// measured are the objects of conformance/bench that requests are measured on.
var measured = map[string]bool{"Pod": true, "Deployment": true, "Service": true, "Fleet200": true}

// BenchmarkFieldManager measures whole requests on plain data through both field
// managers, on the objects of conformance/bench.
func BenchmarkFieldManager(b *testing.B) {
	eachRequest(b, func(name string, theirs, ours func() map[string]any) {
		b.Run(name+"/theirs", func(b *testing.B) { measure(b, theirs) })
		b.Run(name+"/ours", func(b *testing.B) { measure(b, ours) })
	})
}

// What is measured is the same on both sides.
func TestMeasuredRequestsAgree(t *testing.T) {
	n := 0
	eachRequest(t, func(name string, theirs, ours func() map[string]any) {
		n++
		want, got := theirs(), ours()
		if diff := cmp.Diff(withoutManagedFields(want), withoutManagedFields(got)); diff != "" {
			t.Errorf("%s (-theirs +ours):\n%s", name, diff)
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
			t.Fatalf("%s: %d managers, ours %d", name, len(a.Entries()), len(b.Entries()))
		}
		for _, e := range a.Entries() {
			if o, ok := b.Find(e.Owner.ID()); !ok || !o.Set.Equals(e.Set) {
				t.Errorf("%s: %v owns\n%v\nours\n%v", name, e.Owner, e.Set, o.Set)
			}
		}
	})
	if want := 6 * len(measured); n != want {
		t.Errorf("%d requests, want %d", n, want)
	}
}

// eachRequest calls f with each request, as both sides serve it.
func eachRequest(t testing.TB, f func(name string, theirs, ours func() map[string]any)) {
	t.Helper()
	for _, w := range bench.Workloads() {
		if !measured[w.Name] {
			continue
		}
		theirs := w.Type()
		text, err := yaml.Marshal(theirs.Schema)
		if err != nil {
			t.Fatal(err)
		}
		parser, err := typed.NewParser(typed.YAMLObject(text))
		if err != nil {
			t.Fatal(err)
		}
		of := parser.Type(*theirs.TypeRef.NamedType)
		m, err := fieldmanager.New(fieldmanager.Options{
			Types: func(string, string) (typed.ParseableType, error) { return of, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range w.Requests() {
			live, next := r.Live(), r.Next()
			f(strings.TrimPrefix(r.Name, "k/FM")+"/"+w.Name, r.Theirs(), func() map[string]any {
				var result *fieldmanager.Result
				if r.Config != nil {
					result, err = m.Apply(live, r.Config, r.Manager(), true)
				} else {
					result, err = m.Update(live, next, r.Manager())
				}
				if err != nil {
					t.Fatal(err)
				}
				return result.Object
			})
		}
	}
}

func withoutManagedFields(object map[string]any) map[string]any {
	out := maps.Clone(object)
	metadata := maps.Clone(object["metadata"].(map[string]any))
	delete(metadata, "managedFields")
	out["metadata"] = metadata
	return out
}

// measure reports the CPU time of the process too, the collector's included: on a
// busy machine that is the number to read.
func measure(b *testing.B, run func() map[string]any) {
	run()
	b.ReportAllocs()
	start := cpuTime(b)
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(cpuTime(b)-start)/float64(b.N), "cpu-ns/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
