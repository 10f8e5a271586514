// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/typed"
)

// TestMeaninglessSchemas checks schemas that NewParser accepts although they have no meaning.
// Every use of such a schema must return an error, as documented for NewParser.
func TestMeaninglessSchemas(t *testing.T) {
	for field, want := range map[string]string{
		"scalar: numerc":   "unexpected scalar type in schema: numerc",
		"namedType: nobdy": "no type found matching: nobdy",
		"list: {elementRelationship: asociative, keys: [k], elementType: {map: {elementType: {scalar: numeric}}}}": "invalid indexing of non-associative list",
	} {
		p, err := typed.NewParser(typed.YAMLObject("types: [{name: t, map: {fields: [{name: f, type: {" + field + "}}]}}]"))
		if err != nil {
			t.Fatal(err)
		}
		told := func(what string, err error) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: got %v, want %q", field, what, err, want)
			}
		}
		one, err := p.Type("t").FromYAML("f: [{k: 1}]")
		if !strings.HasPrefix(field, "list") {
			told("a value", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		other, err := p.Type("t").FromYAML("f: [{k: 2}]")
		if err != nil {
			t.Fatal(err)
		}
		_, err = one.Merge(other)
		told("Merge", err)
		_, err = one.Compare(other)
		told("Compare", err)
	}
}
