// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

// TestDefaultOfBuiltinKinds runs the command default with an object of every stored built-in kind.
// It checks that
//   - without --zero, the result lacks exactly the fields that --zero fills in
//   - filling in defaults a second time changes nothing
//   - without --zero, only Go code of the server fills in zero values
//   - the report lists exactly the fields that were filled in
func TestDefaultOfBuiltinKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	types := openapi.Builtin(openapi.Options{})
	var in strings.Builder
	var objects []map[string]any
	for _, k := range types.Kinds() {
		if k.Resource == "" || k.Scope == openapi.ScopeUnknown {
			continue // the kind is not stored
		}
		s, ref, _ := types.Lookup(k.APIVersion, k.Kind)
		object, _ := someObject(s, ref, 6).(map[string]any)
		object["apiVersion"], object["kind"] = k.APIVersion, k.Kind
		object["metadata"] = map[string]any{"name": "x", "creationTimestamp": nil}
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&in, "---\n%s\n", data)
		objects = append(objects, object)
	}
	plain := defaulted(t, in.String())
	all := defaulted(t, in.String(), "--zero")
	if len(plain) != len(objects) || len(all) != len(objects) || len(objects) < 80 {
		t.Fatalf("%d objects became %d and %d", len(objects), len(plain), len(all))
	}
	var once strings.Builder
	for _, r := range plain {
		data, _ := json.Marshal(r.Object)
		fmt.Fprintf(&once, "---\n%s\n", data)
	}
	twice := defaulted(t, once.String())
	refilled := defaulted(t, once.String(), "--zero")
	filled := 0
	for i, object := range objects {
		name := fmt.Sprint(object["apiVersion"], " ", object["kind"])
		delete(object["metadata"].(map[string]any), "creationTimestamp")
		if !reflect.DeepEqual(twice[i].Object, plain[i].Object) || twice[i].Changed || len(twice[i].Defaulted) > 0 {
			t.Errorf("%s: filling in twice gives\n%v\nnot\n%v", name, twice[i], plain[i].Object)
		}
		if !reflect.DeepEqual(refilled[i].Object, all[i].Object) {
			t.Errorf("%s: --zero gives\n%v\nand after a run without it\n%v", name, all[i].Object, refilled[i].Object)
		}
		n, zeroes := added(t, name, object, plain[i].Object)
		if n != len(plain[i].Defaulted) {
			t.Errorf("%s: %d values came in, reported are %q", name, n, plain[i].Defaulted)
		}
		if zeroes > len(plain[i].Origins) {
			t.Errorf("%s: %d zero values came in, of Go code are %q", name, zeroes, plain[i].Origins)
		}
		filled += len(plain[i].Defaulted)
	}
	if filled < 30 {
		t.Errorf("%d defaults were filled in: that is no test", filled)
	}
}

type defaultReport struct {
	Object    map[string]any
	Changed   bool
	Defaulted []string
	Origins   map[string]string
}

func defaulted(t *testing.T, in string, flags ...string) []defaultReport {
	t.Helper()
	status, stdout, stderr := run(in, false, append([]string{"default", "-f", "-", "-o", "report", "--time", "2026-03-01T10:00:00Z"}, flags...)...)
	if status != command.StatusDone {
		t.Fatalf("status %d: %s", status, stderr)
	}
	all, err := reportedObjects[defaultReport](stdout)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// added returns the number of leaves of after that before lacks, and how many of these leaves
// are zero values. It fails if a leaf of before is missing in after.
func added(t *testing.T, name string, before, after any) (n, zeroes int) {
	switch a := after.(type) {
	case map[string]any:
		b, had := before.(map[string]any)
		for field := range b {
			// The server removes the configuration of session affinity if there is no session
			// affinity.
			if _, ok := a[field]; !ok && field != "sessionAffinityConfig" {
				t.Errorf("%s: %s is gone", name, field)
			}
		}
		if !had && len(a) == 0 {
			return 1, 1
		}
		for field, v := range a {
			m, z := added(t, name, b[field], v)
			n, zeroes = n+m, zeroes+z
		}
		return n, zeroes
	case []any:
		b, had := before.([]any)
		for i, v := range a {
			if i < len(b) {
				m, z := added(t, name, b[i], v)
				n, zeroes = n+m, zeroes+z
			}
		}
		if len(b) == 0 && len(a) > 0 || !had {
			return 1, zeroes
		}
		return n, zeroes
	}
	if before == nil {
		if reflect.ValueOf(after).IsZero() {
			zeroes = 1
		}
		return 1, zeroes
	}
	return 0, 0
}

// someObject returns a value of the type that ref names. The value contains only maps, lists
// and the keys of list items, down to the given depth. For a scalar, someObject returns nil.
func someObject(s *schema.Schema, ref schema.TypeRef, depth int) any {
	atom, _ := s.Resolve(ref)
	switch {
	case atom.Scalar != nil || depth == 0:
		return nil
	case atom.List != nil:
		item := someObject(s, atom.List.ElementType, depth-1)
		m, ok := item.(map[string]any)
		if !ok {
			return []any{}
		}
		elem, _ := s.Resolve(atom.List.ElementType)
		for _, key := range atom.List.Keys {
			if f, _ := elem.Map.FindField(key); f.Default == nil || f.Default == "" {
				m[key] = "k"
			}
		}
		return []any{m}
	case atom.Map != nil:
		object := map[string]any{}
		for _, f := range atom.Map.Fields {
			if v := someObject(s, f.Type, depth-1); v != nil {
				object[f.Name] = v
			}
		}
		return object
	}
	return nil
}
