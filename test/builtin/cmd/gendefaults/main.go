// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Gendefaults determines the defaults of the linked Kubernetes release. It compares random
// objects of all kinds before and after Kubernetes' defaulting. It writes a table, which
// package kube/defaults embeds.
//
//	go run ./builtin/cmd/gendefaults -o ../kube/internal/releases/1.37/defaults.txt
//
// The command fails if the default of a field depends on other fields and package defaults has
// no rule for this field. It also fails if package defaults has a rule for a field without a
// default. With -v, the command prints the observations of fields whose defaults depend on
// other fields.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/builtin"
)

func main() {
	out := flag.String("o", "", "file to write")
	n := flag.Int("n", 1500, "objects of each kind")
	verbose := flag.Bool("v", false, "print the observations of each field that depends on others")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	// Drop the kinds without defaults. Look at each kind separately, because two kinds can use
	// the same Go type, and only one of them may have a defaulting function.
	var kinds []builtin.Kind
	gaining := map[builtin.At]bool{}
	for i, k := range builtin.Kinds() {
		o := builtin.NewObservations(nil)
		observe(o, k, i, *n)
		if found := o.Gaining(); len(found) > 0 {
			kinds = append(kinds, k)
			maps.Copy(gaining, found)
		}
	}
	second := builtin.NewObservations(gaining)
	for i, k := range kinds {
		observe(second, k, i, *n)
	}
	constants, dependent := second.Constants()
	if *verbose {
		for _, at := range dependent {
			fmt.Fprintf(os.Stderr, "%s %s: %s\n", at.Type, at.Path, second.Of(at))
		}
	}
	release, err := defaults.New(builtin.Kubernetes())
	if err != nil {
		fail(err)
	}
	t := newTable(kinds, constants, release.Rules())
	t.check(dependent, gaining)
	var text bytes.Buffer
	t.write(&text)
	if err := os.WriteFile(*out, text.Bytes(), 0o644); err != nil {
		fail(err)
	}
	fmt.Fprintf(os.Stderr, "%s: %d constants, %d fields that depend on others, %d types, %d kinds\n",
		builtin.Kubernetes(), len(constants), len(dependent), len(t.needed), len(kinds))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gendefaults:", err)
	os.Exit(1)
}

func observe(o *builtin.Observations, k builtin.Kind, number, n int) {
	for j := range n {
		data, err := json.Marshal(builtin.Random(k, uint64(number)<<32+uint64(j)))
		if err != nil {
			fail(err)
		}
		before, err := k.Decode(data)
		if err != nil {
			fail(fmt.Errorf("%w\n%s", err, data))
		}
		after := before.DeepCopyObject()
		builtin.SetDefaults(after)
		o.Observe(before, after)
	}
}

// table is the output of the command.
type table struct {
	kinds []builtin.Kind
	// types contains all types of the kinds by name. needed contains the names of the types that
	// have defaults, and of all types that contain such a type.
	types     map[string]reflect.Type
	needed    map[string]bool
	constants map[string][]builtin.Constant
	rules     []defaults.DefaultingRule
}

func newTable(kinds []builtin.Kind, constants []builtin.Constant, rules []defaults.DefaultingRule) *table {
	t := &table{kinds, map[string]reflect.Type{}, map[string]bool{}, map[string][]builtin.Constant{}, rules}
	for _, k := range kinds {
		t.reach(k.Type)
	}
	filled := t.filled()
	for _, c := range constants {
		if at, ok := t.deepest(t.types[c.Type], c.Path); ok && filled[at] != nil && !filled[at].Changes {
			continue // the rule determines the default
		}
		t.constants[c.Type] = append(t.constants[c.Type], c)
		t.needed[c.Type] = true
		// The types that contain this type are also needed.
		at := t.types[c.Type]
		for _, name := range names(c.Path) {
			if _, below := structIn(at, name); below != nil {
				at = below
				t.needed[builtin.Definition(at)] = true
			}
		}
	}
	for _, r := range rules {
		for _, name := range r.Types {
			if t.types[name] != nil {
				t.needed[name] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for name, typ := range t.types {
			for _, f := range fieldsOf(typ) {
				if _, below := structIn(typ, f); below != nil && t.needed[builtin.Definition(below)] && !t.needed[name] {
					t.needed[name], changed = true, true
				}
			}
		}
	}
	return t
}

// filled returns the fields that get their default from a rule. The result maps each field to
// its rule.
func (t *table) filled() map[builtin.At]*defaults.DefaultingRule {
	all := map[builtin.At]*defaults.DefaultingRule{}
	for i := range t.rules {
		r := &t.rules[i]
		if r.Converts {
			continue
		}
		for _, name := range r.Types {
			for _, path := range r.Fields {
				if at, ok := t.deepest(t.types[name], path); ok {
					all[at] = r
				}
			}
		}
	}
	return all
}

// check fails if the default of a field depends on other fields and no rule fills in the field.
// It also fails if a rule fills in a field without a default.
func (t *table) check(dependent []builtin.At, gaining map[builtin.At]bool) {
	filled, bad := t.filled(), false
	for _, at := range dependent {
		_, below := structIn(t.types[at.Type], at.Path)
		if filled[at] == nil && (below == nil || filled[builtin.At{Type: builtin.Definition(below), Path: "{}"}] == nil) {
			fmt.Fprintf(os.Stderr, "gendefaults: %s %s depends on other fields, and no rule fills it in\n", at.Type, at.Path)
			bad = true
		}
	}
	for at, rule := range filled {
		if !gaining[at] && at.Path != "{}" {
			fmt.Fprintf(os.Stderr, "gendefaults: rule %s fills in %s %s, which has no default\n", rule.Name, at.Type, at.Path)
			bad = true
		}
	}
	if bad {
		os.Exit(1)
	}
}

// deepest follows a path from a type. It returns the type of the last struct on the path, and the
// name of the field in this struct. The second result is false if the path does not exist.
func (t *table) deepest(typ reflect.Type, path string) (builtin.At, bool) {
	if typ == nil {
		return builtin.At{}, false // the linked release does not have this API version
	}
	all := names(path)
	for _, name := range all[:len(all)-1] {
		_, below := structIn(typ, strings.TrimSuffix(name, "[]"))
		if below == nil || below.Kind() != reflect.Struct {
			return builtin.At{}, false
		}
		typ = below
	}
	return builtin.At{Type: builtin.Definition(typ), Path: all[len(all)-1]}, true
}

func names(path string) []string { return strings.Split(path, ".") }

func fieldsOf(t reflect.Type) []string {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var all []string
	for _, f := range builtin.Fields(t) {
		all = append(all, f.Name)
	}
	return all
}

// reach records a type and all types of its fields, recursively.
func (t *table) reach(typ reflect.Type) {
	name := builtin.Definition(typ)
	if t.types[name] != nil {
		return
	}
	t.types[name] = typ
	for _, f := range fieldsOf(typ) {
		if _, below := structIn(typ, f); below != nil {
			t.reach(below)
		}
	}
}

// structIn returns the struct or named map that a field contains, or nil. The first result says
// how the field contains it: "" means that the field is a struct, "*" a pointer or a named map,
// "[]" a slice, and "{}" a map.
func structIn(in reflect.Type, name string) (shape string, below reflect.Type) {
	if in.Kind() != reflect.Struct {
		return "", nil
	}
	for _, f := range builtin.Fields(in) {
		if f.Name != name {
			continue
		}
		typ := f.Type
		switch {
		case typ.Kind() == reflect.Pointer:
			shape, typ = "*", typ.Elem()
		case typ.Kind() == reflect.Slice:
			shape, typ = "[]", typ.Elem()
		case typ.Kind() == reflect.Map && typ.Name() != "" && typ.PkgPath() != "":
			return "*", typ
		case typ.Kind() == reflect.Map:
			shape, typ = "{}", typ.Elem()
		}
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || builtin.IsLeaf(typ) {
			return "", nil
		}
		return shape, typ
	}
	return "", nil
}

func (t *table) write(w *bytes.Buffer) {
	fmt.Fprintf(w, "# Made by test/builtin/cmd/gendefaults.\nrelease %s\n", builtin.Kubernetes())
	for _, k := range t.kinds {
		if name := builtin.Definition(k.Type); t.needed[name] {
			fmt.Fprintf(w, "%s %s\n", k, name)
		}
	}
	documented, err := openapi.BuiltinRelease(builtin.Kubernetes(), openapi.Options{})
	if err != nil {
		panic(err) // cannot happen, because the linked release is a known one
	}
	for _, name := range slices.Sorted(maps.Keys(t.needed)) {
		fmt.Fprintf(w, "\n%s\n", name)
		for _, f := range fieldsOf(t.types[name]) {
			if shape, below := structIn(t.types[name], f); below != nil && t.needed[builtin.Definition(below)] {
				fmt.Fprintf(w, " %s %s%s\n", f, shape, builtin.Definition(below))
			}
		}
		for _, c := range t.constants[name] {
			fmt.Fprintf(w, " %s =%s", c.Path, c.Value)
			if c.Zero {
				fmt.Fprint(w, " zero")
			}
			if isDocumented(documented, c) {
				fmt.Fprint(w, " documented")
			}
			fmt.Fprintln(w)
		}
	}
}

// isDocumented reports whether the OpenAPI documents contain the default.
func isDocumented(c *openapi.Catalog, constant builtin.Constant) bool {
	s, ref, ok := c.LookupType(constant.Type)
	if !ok {
		return false
	}
	atom, ok := s.Resolve(ref)
	if !ok || atom.Map == nil {
		return false
	}
	f, ok := atom.Map.FindField(constant.Path)
	if !ok || f.Default == nil {
		return false
	}
	data, err := json.Marshal(f.Default)
	return err == nil && string(data) == constant.Value
}
