// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestParserRejectsDefaultsOfWrongType checks that NewParser rejects a default of the wrong
// type for a list key. Such a default would become part of the identity of items.
// The methods that read an object return an error for a missing type, and for the zero ParseableType.
func TestMissingType(t *testing.T) {
	p, err := typed.NewParser("types: [{name: a, map: {}}]")
	if err != nil {
		t.Fatal(err)
	}
	for want, missing := range map[string]typed.ParseableType{
		"schema error: no type found matching: b":            p.Type("b"),
		"schema error: no type found matching: inlined type": {},
	} {
		object := map[string]any{"c": int64(1)}
		for name, call := range map[string]func() (any, error){
			"FromYAML":         func() (any, error) { return missing.FromYAML("c: 1") },
			"FromUnstructured": func() (any, error) { return missing.FromUnstructured(object) },
			"FromStructured":   func() (any, error) { return missing.FromStructured(&struct{ C int }{}) },
			"Default":          func() (any, error) { return missing.Default(object) },
			"Prune":            func() (any, error) { return missing.Prune(object) },
			"UnknownFields":    func() (any, error) { return missing.UnknownFields(object) },
		} {
			if _, err := call(); err == nil || err.Error() != want {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
}

func TestParserRejectsDefaultsOfWrongType(t *testing.T) {
	const ports = `%stypes:
- name: svc
  map:
    fields:
    - name: ports
      type:
        list:
          elementRelationship: associative
          keys: [port, protocol]
          elementType:
            map:
              fields:
              - name: port
                type: {scalar: numeric}
              - name: protocol
                type: {scalar: string}
                default: %s
              - name: name
                type: {scalar: string}
                default: %s
`
	const declarative = "declarativeDefaults: true\n"
	const where = `type "svc", .ports[]`
	for _, c := range []struct{ gate, key, other, want string }{
		{"", "TCP", "http", ""},
		{"", "5", "{}", ""}, // NewParser accepts these defaults of the wrong type, like structured-merge-diff
		{declarative, "null", "http", ""},
		{declarative, "TCP", "[a]", where + `.name: default is a list; expected a string: change the default or the type`},
		{declarative, "TCP", "http", ""},
		{declarative, "5", "http", where + `.protocol: default is the number 5; expected a string: write "5", in quotes, or change the type`},
		{declarative, "TCP", "yes", where + `.name: default is the boolean true; expected a string: write "true", in quotes, or change the type`},
	} {
		_, err := typed.NewParser(typed.YAMLObject(fmt.Sprintf(ports, c.gate, c.key, c.other)))
		got := ""
		if err != nil {
			got = err.Error()
		}
		var all schema.Errors
		if got != c.want || errors.As(err, &all) != (c.want != "") {
			t.Errorf("%sprotocol %s, name %s:\ngot  %v\nwant %s", c.gate, c.key, c.other, err, c.want)
		}
	}
}
