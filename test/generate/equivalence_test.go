// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"

	v1 "github.com/dovetail-ssa/dovetail/examples/proxy/api/v1"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/kinds"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/lists"
	"github.com/dovetail-ssa/dovetail/test/generate/kep/maps"
	"github.com/dovetail-ssa/dovetail/typed"
)

var (
	objects = flag.Int("objects", 4000, "total number of objects")
	first   = flag.Int64("seed", 1, "seed of the first object")
)

// subject is a type whose defaults the test sets in all possible ways.
type subject struct {
	name  string
	new   func() any
	typed typed.ParseableType
	// set returns an object as JSON after the generated function has set its defaults. It is
	// nil if the type needs no function.
	set func(t *testing.T, sent []byte) []byte
	// inQuotes is set if the type has scalars with the JSON option string. Typed values do not
	// support this option: structured-merge-diff ignores it, and so does Dovetail.
	inQuotes bool
	// hand calls the hand-written functions, whose defaults are not in schemas.
	hand func(any)
}

// allowed lists the accepted differences between typed objects and plain data, with reasons.
// The key is the type and the path without indexes. The test fails if a listed difference does
// not occur.
var allowed = map[string]string{
	"lists.Object .list[]":   "Go cannot distinguish null from an empty text in items that are not pointers",
	"maps.Object .mapping.*": "Go cannot distinguish null from an empty text in values that are not pointers",

	"an empty map":            "the null values of a map are removed, and Go leaves out an empty map",
	"a zero .name":            "LocalObjectReference.name is omitempty and has the marker +default=\"\": plain data gets it, Go leaves it out",
	"a zero .minReadySeconds": "ReplicationControllerSpec.minReadySeconds: omitempty and +default=0",
}

// TestEquivalence sets defaults in random objects as a Go client sends them. It does so in
// several ways: in plain data with the schema, and in Go values with the generated function and
// with the schema. All results must have the same fields and values.
//
// The comparison ignores null fields. The reason is that Go writes a nil list or map without
// omitempty as null. In plain data, such nulls are removed, as on a server. In a Go value, they
// stay.
func TestEquivalence(t *testing.T) {
	all := subjects(t)
	if len(all) < 200 {
		t.Errorf("%d types; too little was tested", len(all))
	}
	busy := slices.DeleteFunc(slices.Clone(all), func(s subject) bool { return s.set == nil })
	seen := map[string]bool{}
	defaulted, generated, keyless := 0, 0, 0
	for n := range *objects {
		// Only a few types have defaults. So a quarter of the objects have types of the
		// examples, half of the objects have built-in types with functions, and the other
		// objects have any type.
		var s subject
		switch n % 4 {
		case 0:
			s = all[len(all)-1-(n/4)%6]
		case 1, 2:
			s = busy[(n/2)%len(busy)]
		default:
			s = all[(n/4)%len(all)]
		}
		seed := *first + int64(n)
		object := s.new()
		filler(seed).Fill(object)
		if s.hand != nil {
			s.hand(object)
		}
		sent, err := json.Marshal(object)
		if err != nil {
			t.Fatalf("%s, seed %d: %v", s.name, seed, err)
		}
		asData := s.asData(t, sent)
		if !cmp.Equal(withoutNulls(decoded(t, sent)), withoutNulls(asData)) {
			defaulted++
		}
		ways := map[string]func(*testing.T, []byte) []byte{}
		if !s.inQuotes {
			ways["by the schema"] = s.asGo(func(o any) {
				if _, err := s.typed.Default(o); err != nil {
					t.Fatalf("%s, seed %d: %v", s.name, seed, err)
				}
			})
		}
		if s.set != nil {
			generated++
			ways["by the function"] = s.set
		}
		for way, set := range ways {
			want, got := withoutNulls(asData), withoutNulls(decoded(t, set(t, sent)))
			for _, d := range differences("", want, got) {
				what := s.name + " " + d.path
				if d.emptied {
					what = "an empty map"
				}
				if d.zero {
					what = "a zero " + d.path[strings.LastIndexByte(d.path, '.'):]
				}
				if _, ok := allowed[what]; !ok {
					t.Errorf("%s, seed %d, typed, %s: %s", what, seed, way, d.text)
				}
				seen[what] = true
			}
			if cmp.Equal(want, got) {
				if a, b := s.fields(t, want), s.fields(t, got); a == nil || b == nil {
					// If the items of a list lack their keys, both forms report the fields of these
					// items as unknown.
					keyless++
				} else if !a.Equals(b) {
					t.Errorf("%s, seed %d, %s: fields only in plain data: %s; only in typed objects: %s", s.name, seed, way, a.Difference(b), b.Difference(a))
				}
			}
		}
		if t.Failed() && n > 100 {
			t.FailNow()
		}
	}
	for what, why := range allowed {
		if !seen[what] && *objects >= 2000 {
			t.Errorf("the accepted difference at %s does not occur: %s", what, why)
		}
	}
	t.Logf("%d objects of %d types; %d had something to default, %d by a generated function, %d comparisons had items without keys", *objects, len(all), defaulted, generated, keyless)
	if keyless > *objects/10 || defaulted < *objects/10 || generated < *objects/2 {
		t.Error("too little was tested")
	}
}

// subjects returns the types of k8s.io/api, followed by the types of the examples.
func subjects(t *testing.T) (all []subject) {
	doc := filepath.Join(t.TempDir(), "openapi.json")
	c := exec.Command("go", "tool", "dovetail-gen", "-q", "--defaults=false", "--openapi=false", "--crds=", "--openapi-json="+doc, "k8s.io/api/...")
	c.Env = append(os.Environ(), "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	program := startBuiltin(t)
	types := catalog(t, doc)
	for gvk := range scheme.Scheme.AllKnownTypes() {
		pt, ok := types.Type(gvk.GroupVersion().String(), gvk.Kind)
		if !ok {
			continue
		}
		s := subject{name: gvk.GroupVersion().String() + "." + gvk.Kind, typed: pt, new: func() any {
			object, err := scheme.Scheme.New(gvk)
			if err != nil {
				t.Fatal(err)
			}
			return object
		}}
		if program.defaults(s.new()) {
			s.set = func(t *testing.T, sent []byte) []byte { return program.set(t, gvk, sent) }
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b subject) int { return strings.Compare(a.name, b.name) })
	kep := catalog(t, "testdata/kep.json")
	quoted := example(t, kep, "kinds.Quoted", kepTypes+"kinds.Quoted", kinds.SetObjectDefaults_Quoted, nil)
	quoted.inQuotes = true
	proxies := catalog(t, "../../examples/proxy/config/openapi.json")
	return append(all, quoted,
		example(t, kep, "lists.Object", kepTypes+"lists.Object", lists.SetObjectDefaults_Object, nil),
		example(t, kep, "maps.Object", kepTypes+"maps.Object", maps.SetObjectDefaults_Object, nil),
		example(t, kep, "kinds.Every", kepTypes+"kinds.Every", kinds.SetObjectDefaults_Every, nil),
		example(t, kep, "kinds.Named", kepTypes+"kinds.Named", kinds.SetObjectDefaults_Named, nil),
		example(t, proxies, "v1.Proxy", "com.github.dovetail-ssa.dovetail.examples.proxy.api.v1.Proxy", v1.SetObjectDefaults_Proxy, func(p *v1.Proxy) {
			v1.SetDefaults_Proxy(p)
			for i := range p.Spec.Ports {
				v1.SetDefaults_Port(&p.Spec.Ports[i])
			}
		}),
	)
}

func example[T any](t *testing.T, c *openapi.Catalog, name, definition string, set, hand func(*T)) subject {
	s := subject{name: name, new: func() any { return new(T) }, typed: lookup(t, c, definition)}
	s.set = s.asGo(anyObject(set))
	if hand != nil {
		s.hand = anyObject(hand)
	}
	return s
}

// asGo returns a function that decodes JSON to a Go value, calls set with the value, and
// encodes it again.
func (s subject) asGo(set func(any)) func(*testing.T, []byte) []byte {
	return func(t *testing.T, sent []byte) []byte {
		t.Helper()
		object := s.new()
		if err := json.Unmarshal(sent, object); err != nil {
			t.Fatal(err)
		}
		set(object)
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

// asData sets the defaults of an object as plain data, and returns the result.
func (s subject) asData(t *testing.T, sent []byte) any {
	t.Helper()
	out, err := s.typed.Default(decoded(t, sent))
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return out
}

// fields returns the field set of an object. It returns nil if an item of a list lacks all its
// keys.
func (s subject) fields(t *testing.T, object any) *fieldpath.Set {
	t.Helper()
	v, err := s.typed.FromUnstructured(object, typed.AllowDuplicates)
	if err != nil && strings.Contains(err.Error(), "omits all key fields") {
		return nil
	}
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	set, err := v.ToFieldSet()
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return set
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := utiljson.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// withoutNulls returns a copy of v without fields whose value is null.
func withoutNulls(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, c := range x {
			if c != nil {
				out[k] = withoutNulls(c)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = withoutNulls(x[i])
		}
		return out
	}
	return v
}

// difference is a difference between two values.
type difference struct {
	path, text string
	// emptied is set if plain data has an empty map and the typed object has none. zero is set
	// if the plain data has a zero value that the typed object does not have.
	zero, emptied bool
}

// differences returns the differences between two values. In paths, a star stands for the key
// of a map with data.
func differences(path string, a, b any) (all []difference) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			if len(x) == 0 && b == nil {
				return []difference{{path: path, text: "as plain data {}, typed nothing", emptied: true}}
			}
			break
		}
		keys := map[string]bool{}
		for k := range x {
			keys[k] = true
		}
		for k := range y {
			keys[k] = true
		}
		for k := range keys {
			step := "." + k
			if path == ".mapping" {
				step = ".*"
			}
			all = append(all, differences(path+step, x[k], y[k])...)
		}
		return all
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			all = append(all, differences(path+"[]", x[i], y[i])...)
		}
		return all
	}
	if !cmp.Equal(a, b) {
		zero := b == nil && (a == "" || a == int64(0) || a == false)
		return []difference{{path, fmt.Sprintf("as plain data %v, typed %v", a, b), zero, false}}
	}
	return nil
}
