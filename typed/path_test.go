// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

func TestParsePathOfType(t *testing.T) {
	app := richType(true)
	field := fieldpath.FieldNameElement
	port := fieldpath.KeyElementByFields("port", 80, "protocol", "TCP")
	for _, tc := range []struct {
		text string
		want fieldpath.Path
	}{
		{"", nil},
		{".text", fieldpath.Path{field("text")}},
		{".labels.example.com/a", fieldpath.Path{field("labels"), field("example.com/a")}},
		{`.labels."example.com/a"`, fieldpath.Path{field("labels"), field("example.com/a")}},
		{".apps.a.b.text", fieldpath.Path{field("apps"), field("a.b"), field("text")}},
		{".apps.a.labels.b.c", fieldpath.Path{field("apps"), field("a"), field("labels"), field("b.c")}},
		{`.apps."a.labels".labels.b`, fieldpath.Path{field("apps"), field("a.labels"), field("labels"), field("b")}},
		{".apps.a", fieldpath.Path{field("apps"), field("a")}},
		{".ports[port=80].name", fieldpath.Path{field("ports"), port, field("name")}},
		{`.ports[protocol="TCP",port=80.0].name`, fieldpath.Path{field("ports"), port, field("name")}},
		{`.ports[port=80].tags[="x"]`, fieldpath.Path{field("ports"), port, field("tags"), fieldpath.ValueElement(value.NewValueInterface("x"))}},
		{`.optional[a="x"].value`, fieldpath.Path{field("optional"), fieldpath.KeyElementByFields("a", "x"), field("value")}},
		{".free.a.b", fieldpath.Path{field("free"), field("a"), field("b")}},
		{".selector", fieldpath.Path{field("selector")}},
	} {
		got, err := app.ParsePath(tc.text)
		if err != nil || !got.Equals(tc.want) {
			t.Errorf("%s: got %v, %v", tc.text, got, err)
		}
	}
}

// TestParsePathToUnknownFields checks that ParsePath accepts a path to an undeclared field if
// the type keeps undeclared fields.
func TestParsePathToUnknownFields(t *testing.T) {
	for policy, read := range map[string]bool{"preserve": true, "shallow": true, "prune": false} {
		p, err := typed.NewParser(typed.YAMLObject(`types:
- name: object
  map: {fields: [{name: known, type: {scalar: string}}], unknownFields: ` + policy + `}
`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Type("object").ParsePath(".new.a")
		if want := fieldpath.MakePathOrDie("new", "a"); (err == nil) != read || read && !got.Equals(want) {
			t.Errorf("%s: got %v, %v", policy, got, err)
		}
	}
}

func TestParsePathOfTypeErrors(t *testing.T) {
	app := richType(true)
	for _, tc := range []struct{ text, at, want string }{
		{".txt", "", "the object has no field txt"},
		{`.apps."a.b".txt`, ".apps.a.b", `path .apps."a.b".txt: .apps.a.b has no field txt`},
		{".apps.x.y[0]", ".apps.x", "has no field y"}, // the other reading, .apps."x.y", is a map, which has no index
		{".text.a", ".text", "is a scalar, which has no fields or items, found .a"},
		{".text[=1]", ".text", "is a scalar, which has no fields or items, found [=1]"},
		{".ports.port", ".ports", "is a list: want [port=...,protocol=...], found .port"},
		{".ports[0]", ".ports", "is a list with keys: want [port=...,protocol=...], found [0]"},
		{".ports[prot=1]", ".ports", "has no key prot: want [port=...,protocol=...], found [prot=1]"},
		{`.set[a="x"]`, ".set", "is a set: want [=value], found [a=\"x\"]"},
		{".labels[=1]", ".labels", "is a mapping: want .name, found [=1]"},
		{".selector.a", ".selector", "is atomic: a manager owns it as a whole, and not its fields"},
		{".args[0]", ".args", "is an atomic list: a manager owns it as a whole, and not its items"},
		{".free.a[0]", ".free.a", "is an atomic list: a manager owns it as a whole, and not its items"},
	} {
		got, err := app.ParsePath(tc.text)
		var bad *typed.PathError
		if !errors.As(err, &bad) {
			t.Errorf("%s: got %v, %v", tc.text, got, err)
			continue
		}
		if bad.At.String() != tc.at || !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("%s: got %v: %v", tc.text, bad.At, err)
		}
		if (bad.Name != "") != (len(bad.Fields) > 0) || bad.Name != "" && (!slices.IsSorted(bad.Fields) || !slices.Contains(bad.Fields, "text")) {
			t.Errorf("%s: name %q, fields %q", tc.text, bad.Name, bad.Fields)
		}
		if bad.Atomic != strings.Contains(tc.want, "owns it as a whole") {
			t.Errorf("%s: atomic %v", tc.text, bad.Atomic)
		}
	}
	if _, err := app.ParsePath(".a b"); err == nil || !strings.Contains(err.Error(), "want .name") {
		t.Errorf("a text that is not a path: %v", err)
	}
	long := ".apps" + strings.Repeat(".apps.a", 300) + ".b"
	if _, err := app.ParsePath(long + "[0]"); err == nil {
		t.Error("an invalid path is accepted")
	}
}

// FuzzParsePathOfType checks that ParsePath reads the text of all paths of random values.
func FuzzParsePathOfType(f *testing.F) {
	f.Add([]byte("abcdefghijklmnop"))
	f.Add([]byte{9, 3, 1, 14, 2, 12, 15, 4, 13, 7, 8, 3, 200, 11, 5, 16, 2})
	app := richType(true)
	f.Fuzz(func(t *testing.T, data []byte) {
		tv, err := app.FromUnstructured((&maker{data: data}).app(3), typed.AllowDuplicates)
		if err != nil {
			return
		}
		set, err := tv.ToFieldSet()
		if err != nil {
			return
		}
		for path := range set.All() {
			if slices.ContainsFunc(path, func(e fieldpath.PathElement) bool { return e.FieldName != nil && *e.FieldName == "" }) {
				continue
			}
			got, err := app.ParsePath(path.String())
			if err != nil || !got.Equals(path) {
				t.Fatalf("%v is read as %v, %v", path, got, err)
			}
		}
	})
}
