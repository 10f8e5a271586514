// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// faulty is a Converter that returns objects unchanged. It knows only some versions.
type faulty struct{}

var errMissing = errors.New("no such version")

func (faulty) Convert(o *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	switch version {
	case "gone":
		return nil, errMissing
	case "broken":
		return nil, errors.New("broken version")
	}
	return o, nil
}

func (faulty) IsMissingVersionError(err error) bool { return err == errMissing }

// TestUpdateOfManagers checks that an update changes the managers as expected, and does not
// modify the stored managers.
func TestUpdateOfManagers(t *testing.T) {
	p, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	object := func(yaml typed.YAMLObject) *typed.TypedValue {
		tv, err := p.Type("app").FromYAML(yaml)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	live := object(`{name: a, labels: {k: v, l: v}, spec: {selector: {x: z}}}`)
	next := object(`{name: b, labels: {k: v}, spec: {selector: {x: z}}}`)
	set := func(paths ...string) *fieldpath.Set {
		s := fieldpath.NewSet()
		for _, path := range paths {
			var parts []any
			for _, part := range strings.Split(path, ".") {
				parts = append(parts, part)
			}
			s.Insert(fieldpath.MakePathOrDie(parts...))
		}
		return s
	}
	owned := func(version fieldpath.APIVersion, applied bool, paths ...string) fieldpath.VersionedSet {
		return fieldpath.NewVersionedSet(set(paths...), version, applied)
	}
	stored := fieldpath.ManagedFields{
		"loses a part": owned("v1", true, "name", "labels.k"),
		"loses all":    owned("v1", false, "name", "labels.l"),
		"keeps":        owned("v2", true, "labels.k"),
		"gone":         owned("gone", true, "labels.k"),
		"empty":        owned("v1", false),
		"reconciled":   owned("v2", true, "spec.selector.x", "name"),
		"writer":       owned("v1", false, "labels.k", "labels.l"),
	}
	before := stored.String()
	u := &Updater{Converter: faulty{}}
	for _, manager := range []string{"writer", "new"} {
		want := fieldpath.ManagedFields{
			"loses a part": owned("v1", true, "labels.k"),
			"keeps":        owned("v2", true, "labels.k"),
			"reconciled":   owned("v2", true, "spec.selector"),
			"writer":       owned("v1", false, "labels.k", "name"),
		}
		if manager == "new" {
			want["writer"] = owned("v1", false, "labels.k")
			want["new"] = owned("v1", false, "name")
		}
		_, got, err := u.Update(live, next, "v1", stored, manager)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equals(want) {
			t.Errorf("%s: got %v, want %v", manager, got, want)
		}
		for name, of := range maps.Clone(got) {
			if name != "keeps" { // an unchanged set may be the same object as before
				of.Set().Insert(fieldpath.MakePathOrDie("written by", name))
			}
			got[name+" too"] = of
		}
		if after := stored.String(); after != before {
			t.Errorf("%s: stored managers are now %s, were %s", manager, after, before)
		}
	}
}

// fading is a Converter for which objects with the name b do not exist in the version
// "fades".
type fading struct{ faulty }

func (fading) Convert(o *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if name, _ := o.AsValue().AsMap().Get("name"); version == "fades" && name.AsString() == "b" {
		return nil, errMissing
	}
	return o, nil
}

// TestUpdateInRemovedVersion checks an update whose new object cannot be converted to a
// version. All managers of this version must be removed, including managers that come later
// in the iteration order.
func TestUpdateInRemovedVersion(t *testing.T) {
	p, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	var objects [2]*typed.TypedValue
	for i, yaml := range []typed.YAMLObject{`{name: a}`, `{name: b}`} {
		if objects[i], err = p.Type("app").FromYAML(yaml); err != nil {
			t.Fatal(err)
		}
	}
	name := fieldpath.NewSet(fieldpath.MakePathOrDie("name"))
	stored := fieldpath.ManagedFields{}
	for i := range 4 {
		stored[fmt.Sprint("fades", i)] = fieldpath.NewVersionedSet(name, "fades", true)
		stored[fmt.Sprint("loses", i)] = fieldpath.NewVersionedSet(name, "v1", true)
	}
	_, got, err := (&Updater{Converter: fading{}}).Update(objects[0], objects[1], "v1", stored, "writer")
	want := fieldpath.ManagedFields{"writer": fieldpath.NewVersionedSet(name, "v1", false)}
	if err != nil || !got.Equals(want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestManagerErrorsComeFirst checks requests with two errors. The error about stored managers
// must be returned, in any iteration order of managers.
func TestManagerErrorsComeFirst(t *testing.T) {
	p, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	other, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	from := func(p *typed.Parser) *typed.TypedValue {
		tv, err := p.Type("app").FromYAML(`{name: a}`)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	owned := func(version fieldpath.APIVersion) fieldpath.VersionedSet {
		return fieldpath.NewVersionedSet(fieldpath.NewSet(fieldpath.MakePathOrDie("name")), version, true)
	}
	u := &Updater{Converter: faulty{}}
	stored := fieldpath.ManagedFields{"a": owned("v1")}
	if _, _, err := u.Update(from(p), from(other), "v1", stored, "m"); err == nil || !strings.Contains(err.Error(), "failed to compare objects") {
		t.Errorf("got %v", err)
	}
	for i := range 20 {
		stored[fmt.Sprint("v2 ", i)] = owned("v2")
	}
	stored["broken"] = owned("broken")
	for range 10 {
		if _, _, err := u.Update(from(p), from(other), "v1", stored, "m"); err == nil || err.Error() != "broken version" {
			t.Errorf("got %v", err)
		}
	}
}

// crooked is a Converter that returns a different error for each version except the first.
type crooked struct{}

func (crooked) Convert(o *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if version == "v1" {
		return o, nil
	}
	return nil, fmt.Errorf("%s is broken", version)
}

func (crooked) IsMissingVersionError(error) bool { return false }

// half is a Converter that converts the live object, which has no labels. For other objects
// it returns the errors of crooked.
type half struct{ crooked }

func (h half) Convert(o *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if !o.AsValue().AsMap().Has("labels") {
		return o, nil
	}
	return h.crooked.Convert(o, version)
}

// TestVersionErrorsAreSorted checks objects that cannot be converted to several versions.
// Each call must return the error of the manager whose name comes first. An update does not
// compare objects in the version that its own manager wrote last.
func TestVersionErrorsAreSorted(t *testing.T) {
	p, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	object := func(text typed.YAMLObject) *typed.TypedValue {
		tv, err := p.Type("app").FromYAML(text)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	stored := fieldpath.ManagedFields{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		stored[name] = fieldpath.NewVersionedSet(fieldpath.NewSet(fieldpath.MakePathOrDie("name")), fieldpath.APIVersion("of "+name), true)
	}
	live, next := object(`{name: a}`), object(`{name: b, labels: {k: v}}`)
	for _, test := range []struct {
		converter Converter
		want, own string // the expected errors for manager m and for manager a
	}{
		{crooked{}, "of a is broken", "of a is broken"},
		{half{}, "failed to convert new object: of a is broken", "failed to convert new object: of b is broken"},
	} {
		u := &Updater{Converter: test.converter}
		for range 20 {
			if _, _, err := u.Update(live, next, "v1", stored, "m"); err == nil || err.Error() != test.want {
				t.Errorf("update: got %v, want %s", err, test.want)
			}
			if _, _, err := u.Update(live, next, "v1", stored, "a"); err == nil || err.Error() != test.own {
				t.Errorf("update by a: got %v, want %s", err, test.own)
			}
			if _, _, err := u.Apply(live, next, "v1", stored, "m", true); err == nil || err.Error() != test.want {
				t.Errorf("apply: got %v, want %s", err, test.want)
			}
		}
	}
}

// breaking is a Converter to the first version only. For any other version, it returns
// an error that names the version.
type breaking struct{ faulty }

func (breaking) Convert(o *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if version == "v1" {
		return o, nil
	}
	return nil, fmt.Errorf("%s is broken", version)
}

// TestIgnoring checks that an Updater may have IgnoredFields or IgnoreFilter, and that both
// together are an error.
func TestIgnoring(t *testing.T) {
	p, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	live, err := p.Type("app").FromYAML(`{name: a}`)
	if err != nil {
		t.Fatal(err)
	}
	name := fieldpath.NewSet(fieldpath.MakePathOrDie("name"))
	fields := map[fieldpath.APIVersion]*fieldpath.Set{"v1": name}
	filter := map[fieldpath.APIVersion]fieldpath.Filter{"v1": fieldpath.NewExcludeSetFilter(name)}
	for _, c := range []struct {
		u       *Updater
		refused bool
	}{
		{&Updater{Converter: breaking{}}, false},
		{&Updater{Converter: breaking{}, IgnoredFields: fields}, false},
		{&Updater{Converter: breaking{}, IgnoreFilter: filter}, false},
		{&Updater{Converter: breaking{}, IgnoredFields: fields, IgnoreFilter: filter}, true},
	} {
		_, _, err := c.u.Apply(live, live, "v1", fieldpath.ManagedFields{}, "a", false)
		_, _, updated := c.u.Update(live, live, "v1", fieldpath.ManagedFields{}, "a")
		if (err != nil) != c.refused || (updated != nil) != c.refused {
			t.Errorf("fields %v, filter %v: apply %v, update %v", c.u.IgnoredFields != nil, c.u.IgnoreFilter != nil, err, updated)
		}
	}
}

// TestSameErrors checks that a request with errors about several managers always returns the
// same error, although Go's map iteration order differs each time.
func TestSameErrors(t *testing.T) {
	p, err := typed.NewParser(twinSchema)
	if err != nil {
		t.Fatal(err)
	}
	object := func(yaml typed.YAMLObject) *typed.TypedValue {
		tv, err := p.Type("app").FromYAML(yaml)
		if err != nil {
			t.Fatal(err)
		}
		return tv
	}
	live, next := object(`{name: a, labels: {k: v}}`), object(`{name: b, labels: {k: w}}`)
	requests := map[string]func(fieldpath.ManagedFields) error{
		"update": func(stored fieldpath.ManagedFields) error {
			_, _, err := (&Updater{Converter: breaking{}}).Update(live, next, "v1", stored, "writer")
			return err
		},
		"apply": func(stored fieldpath.ManagedFields) error {
			_, _, err := (&Updater{Converter: breaking{}}).Apply(live, next, "v1", stored, "writer", false)
			return err
		},
		"conflicts": func(stored fieldpath.ManagedFields) error {
			for name, vs := range stored {
				stored[name] = fieldpath.NewVersionedSet(vs.Set(), "v1", true)
			}
			_, _, err := (&Updater{Converter: breaking{}}).Apply(live, next, "v1", stored, "writer", false)
			return err
		},
	}
	for name, request := range requests {
		first := ""
		for range 50 {
			stored := fieldpath.ManagedFields{}
			for i := range 20 {
				set := fieldpath.NewSet(fieldpath.MakePathOrDie("name"), fieldpath.MakePathOrDie("labels", "k"))
				stored[fmt.Sprint("m", i)] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(fmt.Sprint("w", i)), i%2 == 0)
			}
			err := request(stored)
			if err == nil {
				t.Fatalf("%s: no error", name)
			}
			if first == "" {
				first = err.Error()
			} else if err.Error() != first {
				t.Fatalf("%s: now %v, then %s", name, err, first)
			}
		}
	}
}

// TestFirstError checks that an error is never lost: if the check of each manager succeeds,
// firstError returns the error that occurred before.
func TestFirstError(t *testing.T) {
	managers := fieldpath.ManagedFields{"a": nil, "b": nil, "c": nil}
	found, later := errors.New("found"), errors.New("later")
	for _, tc := range []struct {
		fails string // the managers whose check fails
		want  error
	}{{"", found}, {"b", later}, {"cb", later}} {
		var checked []string
		err := firstError(managers, found, func(manager string, _ fieldpath.VersionedSet) error {
			checked = append(checked, manager)
			if strings.Contains(tc.fails, manager) {
				return later
			}
			return nil
		})
		if err != tc.want {
			t.Errorf("the checks of %q fail: the error is %v, want %v", tc.fails, err, tc.want)
		}
		if want := "a b"; tc.fails != "" && strings.Join(checked, " ") != want {
			t.Errorf("the checks of %q fail: checked %v, want %v", tc.fails, checked, want)
		}
	}
	if err := (&Updater{Converter: faulty{}}).firstChangesError(&write{manager: "a", version: "v1"}, fieldpath.ManagedFields{"a": nil}, found); err != found {
		t.Errorf("no other manager fails: the error is %v, want %v", err, found)
	}
}
