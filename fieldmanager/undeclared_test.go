// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

func carrying(t testing.TB) *fieldmanager.FieldManager {
	return objects.NewManager(t, fieldmanager.Options{CarryUnknown: true, Converter: fieldmanager.NoneConverter})
}

func TestUnknownLiveFieldIsCarried(t *testing.T) {
	live := objects.Object(t, `"type":"ClusterIP","newField":true,"ports":[{"port":80,"appProtocol":"h2"}]`)
	config := objects.Object(t, `"type":"NodePort","ports":[{"port":80,"name":"http"}]`)
	if _, err := objects.NewManager(t, fieldmanager.Options{}).Apply(live, config, "a", true); err == nil || !strings.Contains(err.Error(), ".spec.newField: field not declared") {
		t.Fatalf("without the option: %v", err)
	}
	r, err := carrying(t).Apply(live, config, "a", true)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"newField":true,"ports":[{"appProtocol":"h2","name":"http","port":80}],"type":"NodePort"}`
	if got := objects.AsJSON(r.Object["spec"]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var got []string
	for _, w := range r.Warnings {
		got = append(got, fmt.Sprint(w.Live, w.Path, ": ", w.Message))
	}
	wantWarnings := []string{
		`true.spec.newField: the live object has this field, but the schema of v1 Service does not declare it; the field is kept as a boolean`,
		`true.spec.ports[port=80,protocol="TCP"].appProtocol: the live object has this field, but the schema of v1 Service does not declare it; the field is kept as a string`,
	}
	if !slices.Equal(got, wantWarnings) {
		t.Errorf("warnings %q", got)
	}
}

func TestUnknownFieldOfAConfigIsRefused(t *testing.T) {
	live := objects.Object(t, `"newField":true`)
	_, err := carrying(t).Apply(live, objects.Object(t, `"newField":true`), "a", true)
	if err == nil || !strings.Contains(err.Error(), ".spec.newField: field not declared in schema") {
		t.Errorf("apply: %v", err)
	}
	_, err = carrying(t).Apply(nil, objects.Object(t, `"newField":true`), "a", true)
	if err == nil || !strings.Contains(err.Error(), ".spec.newField: field not declared in schema") {
		t.Errorf("create: %v", err)
	}
}

// TestUnknownLiveFieldHidesNoError checks that other validation errors of the live object are
// still reported.
func TestUnknownLiveFieldHidesNoError(t *testing.T) {
	_, err := carrying(t).Apply(objects.Object(t, `"newField":true,"type":1`), objects.Object(t, ``), "a", true)
	if err == nil || !strings.Contains(err.Error(), ": .spec.type: expected string") || strings.Contains(err.Error(), "newField") {
		t.Error(err)
	}
}

func TestUnknownFieldOfAnUpdate(t *testing.T) {
	live := objects.Object(t, `"newField":true,"ports":[{"port":80,"appProtocol":"h2"}]`)
	r, err := carrying(t).Update(live, objects.Object(t, `"newField":false,"ports":[{"port":81,"appProtocol":"h2"}]`), "u")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`u Update v1 03:04:05 {"f:spec":{"f:newField":{},"f:ports":{"k:{\"port\":81,\"protocol\":\"TCP\"}":{".":{},"f:appProtocol":{},"f:port":{}}}}}`}
	if got := objects.Owners(r.Managed); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	_, err = carrying(t).Update(live, objects.Object(t, `"newField":true,"nwField":true`), "u")
	if err == nil || !strings.Contains(err.Error(), ".spec.nwField: field not declared") || strings.Contains(err.Error(), ".spec.newField") {
		t.Errorf("of a field that nobody has: %v", err)
	}
}

// TestUnknownFieldBesideAnError checks the warning if a field of the stored object has a wrong type.
// An update does not validate an object whose managed fields are not tracked.
func TestUnknownFieldBesideAnError(t *testing.T) {
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u"},"spec":{"newField":true}}`)
	object := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u"},"spec":{"newField":true,"type":1}}`)
	r, err := carrying(t).Update(live, object, "u")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || !strings.HasSuffix(r.Warnings[0].Message, "does not declare it; the field is kept as a boolean") {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// TestUntrackedUpdateOfUnknownField checks updates of an object that is not tracked and has an undeclared
// field, without CarryUnknown. They succeed, but if duplicates are removed, the new object must not have the
// field.
func TestUntrackedUpdateOfUnknownField(t *testing.T) {
	with := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u"},"spec":{"newField":true}}`)
	without := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","uid":"u"},"spec":{"replicas":1}}`)
	for _, c := range []struct {
		duplicates typed.Duplicates
		object     map[string]any
		ok         bool
	}{
		{typed.RefuseDuplicates, with, true},
		{typed.RefuseDuplicates, without, true},
		{typed.KeepLast, with, false},
		{typed.KeepLast, without, true},
	} {
		m := objects.NewManager(t, fieldmanager.Options{Duplicates: c.duplicates})
		if _, err := m.Update(with, c.object, "u"); (err == nil) != c.ok {
			t.Errorf("%v, %s: %v", c.duplicates, objects.AsJSON(c.object), err)
		}
	}
}

// TestUnknownFieldInManagedFields checks that a manager can give up a field that the schema
// no longer declares, like any other field. Fields of other managers must stay.
func TestUnknownFieldInManagedFields(t *testing.T) {
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","managedFields":[
		{"manager":"a","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:type":{},"f:mine":{},"f:ours":{}}}},
		{"manager":"b","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:gone":{},"f:list":{"k:{\"name\":\"x\"}":{".":{},"f:name":{}}},"f:ours":{}}}}]},
		"spec":{"type":"ClusterIP","mine":1,"ours":{"x":2},"list":[{"name":"x"}],"unowned":3}}`)
	r, err := carrying(t).Apply(live, objects.Object(t, `"type":"ClusterIP"`), "a", false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := objects.AsJSON(r.Object["spec"]), `{"list":[{"name":"x"}],"ours":{"x":2},"type":"ClusterIP","unowned":3}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := []string{
		`a Apply v1 03:04:05 {"f:spec":{"f:type":{}}}`,
		`b Apply v1 - {"f:spec":{"f:gone":{},"f:list":{"k:{\"name\":\"x\"}":{".":{},"f:name":{}}},"f:ours":{}}}`,
	}
	got := objects.Owners(r.Managed)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	found := false
	for _, w := range r.Warnings {
		found = found || w.Path == ".spec.mine" && w.Message == "the live object has this field, but the schema of v1 Service does not declare it; this request removes the field"
	}
	if !found {
		t.Errorf("no word of .spec.mine in %v", r.Warnings)
	}
}

// TestUnknownFieldOfAnotherVersion checks that undeclared fields stay if they appear only in
// another version. Without the option, they are rejected.
func TestUnknownFieldOfAnotherVersion(t *testing.T) {
	convert := func(object map[string]any, version string) (map[string]any, error) {
		converted, err := fieldmanager.NoneConverter(object, version)
		spec := maps.Clone(converted["spec"].(map[string]any))
		delete(spec, "newField")
		if version == "v1beta1" {
			spec["newField"] = true
		}
		converted["spec"] = spec
		return converted, err
	}
	live := objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","managedFields":[
		{"manager":"b","operation":"Apply","apiVersion":"v1beta1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:newField":{},"f:type":{}}}}]},
		"spec":{"type":"NodePort"}}`)
	config := objects.Object(t, `"replicas":1`)
	_, err := objects.NewManager(t, fieldmanager.Options{Converter: convert}).Apply(live, config, "a", false)
	if err == nil || !strings.Contains(err.Error(), ".spec.newField: field not declared in schema") {
		t.Errorf("without the option: %v", err)
	}
	r, err := objects.NewManager(t, fieldmanager.Options{Converter: convert, CarryUnknown: true}).Apply(live, config, "a", false)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`a Apply v1 03:04:05 {"f:spec":{"f:replicas":{}}}`,
		`b Apply v1beta1 - {"f:spec":{"f:newField":{},"f:type":{}}}`,
	}
	got := objects.Owners(r.Managed)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("owners %q", got)
	}
}

// TestUnknownFieldInAnAtomic checks that atomic values are treated as equal if they differ
// only in undeclared fields.
func TestUnknownFieldInAnAtomic(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: A
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {fields: [{name: name, type: {scalar: string}}]}}}
    - {name: ref, type: {map: {elementRelationship: atomic, fields: [{name: a, type: {scalar: string}}, {name: b, type: {scalar: string}, default: d}]}}}
    - {name: list, type: {list: {elementRelationship: atomic, elementType: {map: {fields: [{name: a, type: {scalar: string}}]}}}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	p.Schema.DeclarativeDefaults = true
	fm := objects.NewManager(t, fieldmanager.Options{CarryUnknown: true, Types: func(string, string) (typed.ParseableType, error) { return p.Type("A"), nil }})
	with := func(fields string) map[string]any {
		return objects.Object(t, `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},`+fields+`}`)
	}
	live := objects.Apply(t, fm, nil, "one", `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"ref":{"a":"x"},"list":[{"a":"x"}]}`).Object
	live["ref"] = objects.Object(t, `{"a":"x","b":"d","new":1}`)
	live["list"] = objects.Object(t, `{"l":[{"a":"x","new":1}]}`)["l"]

	same, err := fm.Apply(live, with(`"ref":{"a":"x"},"list":[{"a":"x"}]`), "two", false)
	if err != nil {
		t.Fatal(err)
	}
	if objects.AsJSON(same.Object["ref"]) != objects.AsJSON(live["ref"]) || objects.AsJSON(same.Object["list"]) != objects.AsJSON(live["list"]) {
		t.Errorf("got %s", objects.AsJSON(same.Object))
	}
	_, err = fm.Apply(live, with(`"ref":{"a":"y"},"list":[{"a":"x"},{"a":"y"}]`), "two", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 2 {
		t.Errorf("got %v", err)
	}
	other, err := fm.Apply(live, with(`"ref":{"a":"y"},"list":[{"a":"x"}]`), "one", false)
	if err != nil {
		t.Fatal(err)
	}
	if got := objects.AsJSON(other.Object["ref"]) + objects.AsJSON(other.Object["list"]); got != `{"a":"y"}[{"a":"x","new":1}]` {
		t.Errorf("got %s", got)
	}
}

// undeclaredPrefix is the prefix of the names of undeclared fields in the random tests.
const undeclaredPrefix = "zzNew"

// addUndeclaredFields returns a copy of v with undeclared fields at random places. It adds no
// field to a map that may have any key. It increases n by the number of added fields.
func addUndeclaredFields(rnd *rand.Rand, s *schema.Schema, ref schema.TypeRef, v any, n *int) any {
	atom, ok := s.Resolve(ref)
	if !ok {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map == nil {
			return v
		}
		out := maps.Clone(v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := atom.Map.ElementType
			if f, ok := atom.Map.FindField(name); ok {
				below = f.Type
			}
			out[name] = addUndeclaredFields(rnd, s, below, v[name], n)
		}
		for atom.Map.ElementType == (schema.TypeRef{}) && rnd.Intn(3) == 0 {
			*n++
			values := []any{nil, "x", int64(1), true, 0.5, []any{}, []any{"a", map[string]any{"name": "b"}}, map[string]any{}, map[string]any{"deep": map[string]any{"er": "x"}}}
			out[fmt.Sprint(undeclaredPrefix, rnd.Intn(4))] = values[rnd.Intn(len(values))]
		}
		return out
	case []any:
		if atom.List == nil {
			return v
		}
		out := slices.Clone(v)
		for i := range out {
			out[i] = addUndeclaredFields(rnd, s, atom.List.ElementType, out[i], n)
		}
		return out
	}
	return v
}

// known returns v without undeclared fields and without empty values. Empty values are
// omitted because the merge does not remove a container that has an undeclared field.
func known(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range v {
			if strings.HasPrefix(name, undeclaredPrefix) {
				continue
			}
			if c = known(c); c != nil {
				out[name] = c
			}
		}
		if len(out) > 0 {
			return out
		}
		return nil
	case []any:
		var out []any
		for _, c := range v {
			out = append(out, known(c))
		}
		if len(out) > 0 {
			return out
		}
		return nil
	}
	return v
}

// knownOwners returns the owners of the declared fields.
func knownOwners(m *managedfields.Managed) []string {
	var lines []string
	for _, e := range m.Entries() {
		left := fieldpath.NewSet()
		for p := range e.Set.All() {
			if !strings.Contains(p.String(), "."+undeclaredPrefix) {
				left.Insert(p.Copy())
			}
		}
		text, err := left.ToJSON()
		if err != nil {
			panic(err)
		}
		if left.Empty() {
			continue
		}
		lines = append(lines, fmt.Sprint(e.Owner, " ", string(text)))
	}
	return lines
}

// changed returns a copy of v. It removes some fields and items, and changes some scalars.
// keep reports whether a field stays unchanged.
func changed(rnd *rand.Rand, v any, keep func(name string) bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if keep(name) {
				out[name] = v[name]
			} else if rnd.Intn(5) > 0 || strings.Contains(objects.AsJSON(v[name]), undeclaredPrefix) {
				out[name] = changed(rnd, v[name], keep)
			}
		}
		return out
	case []any:
		var out []any
		for _, c := range v {
			if rnd.Intn(5) > 0 {
				out = append(out, changed(rnd, c, keep))
			}
		}
		return out
	case string:
		if rnd.Intn(6) == 0 {
			return v + "x"
		}
	case int64:
		if rnd.Intn(6) == 0 {
			return v + 1
		}
	}
	return v
}

// TestUnknownFieldsChangeNothingElse checks that undeclared fields do not affect other
// fields. Results, owners and conflicts must be the same as for the object without undeclared
// fields.
func TestUnknownFieldsChangeNothingElse(t *testing.T) {
	all := objects.OwnedObjects(t)
	rounds, undeclared, requests, conflicts, warned := 40, 0, 0, 0, 0
	if testing.Short() {
		rounds = 4
	}
	identity := func(name string) bool {
		return name == "apiVersion" || name == "kind" || name == "metadata" || name == "name" || name == "key"
	}
	for i, o := range all {
		if o.Typ.Schema == typed.DeducedParseableType.Schema {
			continue
		}
		options := o.Options
		options.Clock = objects.At("2026-01-02T03:04:05Z")
		strict := objects.NewManager(t, options)
		options.CarryUnknown = true
		carry := objects.NewManager(t, options)
		for round := range rounds {
			rnd := rand.New(rand.NewSource(int64(i*1000 + round)))
			n := 0
			dirty := addUndeclaredFields(rnd, o.Typ.Schema, o.Typ.TypeRef, o.Live, &n).(map[string]any)
			if metadata, ok := o.Live["metadata"].(map[string]any); ok {
				// Keep the metadata, which has the managed fields and the name.
				dirty["metadata"] = metadata
			}
			if err := errorsExceptUndeclared(o.Typ, dirty); err != nil {
				continue // the object has other errors, such as an item without an identity
			}
			config := changed(rnd, o.Live, identity).(map[string]any)
			metadata := map[string]any{}
			for name, v := range o.Live["metadata"].(map[string]any) {
				if name == "name" || name == "namespace" || name == "labels" && rnd.Intn(2) == 0 {
					metadata[name] = v
				}
			}
			config["metadata"] = metadata
			manager := "somebody"
			if managed, err := managedfields.Decode(o.Live); err == nil && managed.Len() > 0 && rnd.Intn(3) > 0 {
				manager = managed.Entries()[rnd.Intn(managed.Len())].Manager
			}
			force := rnd.Intn(2) == 0
			want, wantErr := strict.Apply(o.Live, config, manager, force)
			got, gotErr := carry.Apply(dirty, config, manager, force)
			at := fmt.Sprintf("%s round %d: apply of %s by %s, force %v, to %s", o.Name, round, objects.AsJSON(config), manager, force, objects.AsJSON(dirty))
			if withoutItems(wantErr) != withoutItems(gotErr) {
				t.Fatalf("%s: got error\n%v\nwant\n%v", at, gotErr, wantErr)
			}
			undeclared += n
			requests++
			if wantErr != nil {
				conflicts++
				continue
			}
			if n > 0 && len(got.Warnings) > 0 {
				warned++
			}
			if g, w := objects.AsJSON(known(withoutManaged(got.Object))), objects.AsJSON(known(withoutManaged(want.Object))); g != w {
				t.Fatalf("%s:\ngot  %s\nwant %s", at, g, w)
			}
			if g, w := knownOwners(got.Managed), knownOwners(want.Managed); !slices.Equal(g, w) {
				t.Fatalf("%s: owners\ngot  %q\nwant %q", at, g, w)
			}
		}
	}
	t.Logf("%d requests with %d unknown fields, %d of them refused, %d with warnings", requests, undeclared, conflicts, warned)
	if requests < 300 || undeclared < 1000 || conflicts < 50 || warned < 100 {
		t.Error("the test covers no case")
	}
}

// itemsShown matches the part of an error about duplicates that shows the two items. They may
// contain undeclared fields.
var itemsShown = regexp.MustCompile(`(items \d+ and \d+): .*?(; item|\))`)

func withoutItems(err error) string {
	return itemsShown.ReplaceAllString(fmt.Sprint(err), "$1$2")
}

// TestUnknownFieldsChangeNothingElseOfUpdates checks that undeclared fields in the live
// object do not change what an update does to other fields. The updates send back the
// undeclared fields.
func TestUnknownFieldsChangeNothingElseOfUpdates(t *testing.T) {
	all := objects.OwnedObjects(t)
	rounds, undeclared, requests := 20, 0, 0
	if testing.Short() {
		rounds = 4
	}
	keep := func(name string) bool {
		return name == "apiVersion" || name == "kind" || name == "metadata" || name == "name" || name == "key" || strings.HasPrefix(name, undeclaredPrefix)
	}
	for i, o := range all {
		if o.Typ.Schema == typed.DeducedParseableType.Schema {
			continue
		}
		options := o.Options
		options.Clock = objects.At("2026-01-02T03:04:05Z")
		strict := objects.NewManager(t, options)
		options.CarryUnknown = true
		carry := objects.NewManager(t, options)
		for round := range rounds {
			rnd := rand.New(rand.NewSource(int64(i*1000 + round)))
			n := 0
			dirty := addUndeclaredFields(rnd, o.Typ.Schema, o.Typ.TypeRef, o.Live, &n).(map[string]any)
			dirty["metadata"] = o.Live["metadata"]
			if errorsExceptUndeclared(o.Typ, dirty) != nil {
				continue
			}
			object := changed(rnd, dirty, keep).(map[string]any)
			want, wantErr := strict.Update(o.Live, clean(object).(map[string]any), "somebody")
			got, gotErr := carry.Update(dirty, object, "somebody")
			at := fmt.Sprintf("%s round %d: update to %s of %s", o.Name, round, objects.AsJSON(object), objects.AsJSON(dirty))
			if withoutItems(wantErr) != withoutItems(gotErr) {
				t.Fatalf("%s: got error\n%v\nwant\n%v", at, gotErr, wantErr)
			}
			undeclared += n
			requests++
			if wantErr != nil {
				continue
			}
			if g, w := objects.AsJSON(clean(withoutManaged(got.Object))), objects.AsJSON(withoutManaged(want.Object)); g != w {
				t.Fatalf("%s:\ngot  %s\nwant %s", at, g, w)
			}
			if g, w := objects.AsJSON(withoutManaged(got.Object)), objects.AsJSON(withoutManaged(object)); g != w {
				t.Fatalf("%s: unknown fields:\ngot  %s\nwant %s", at, g, w)
			}
			if g, w := knownOwners(got.Managed), knownOwners(want.Managed); !slices.Equal(g, w) {
				t.Fatalf("%s: owners\ngot  %q\nwant %q", at, g, w)
			}
		}
	}
	t.Logf("%d updates with %d unknown fields", requests, undeclared)
	if requests < 300 || undeclared < 1000 {
		t.Error("the test covers no case")
	}
}

// clean returns v without undeclared fields.
func clean(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, c := range v {
			if !strings.HasPrefix(name, undeclaredPrefix) {
				out[name] = clean(c)
			}
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i := range out {
			out[i] = clean(out[i])
		}
		return out
	}
	return v
}

func errorsExceptUndeclared(t typed.ParseableType, object map[string]any) error {
	_, err := t.FromUnstructured(withoutManaged(object), typed.AllowDuplicates)
	var all typed.ValidationErrors
	if !errors.As(err, &all) {
		return err
	}
	for _, e := range all {
		if !strings.Contains(e.Path, "."+undeclaredPrefix) {
			return e
		}
	}
	return nil
}

func withoutManaged(object map[string]any) map[string]any {
	out := maps.Clone(object)
	if metadata, ok := out["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		out["metadata"] = metadata
	}
	return out
}
