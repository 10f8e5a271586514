// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Gengoform writes a table of the Go types of the linked release of Kubernetes. Package
// kube/goform embeds the table.
//
//	go run ./builtin/cmd/gengoform -o ../kube/internal/releases/1.37/goform.txt
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/builtin"
)

func main() {
	out := flag.String("o", "", "file to write")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	t := table{types: map[string]string{}}
	text := t.write()
	if err := os.WriteFile(*out, text, 0o644); err != nil {
		fail(err)
	}
	fmt.Fprintf(os.Stderr, "%s: %d types, %d bytes\n", builtin.Kubernetes(), len(t.types), len(text))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gengoform:", err)
	os.Exit(1)
}

// table maps the name of each type to the lines that describe it.
type table struct{ types map[string]string }

func (t *table) write() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# Made by test/builtin/cmd/gengoform.\nrelease %s\n", builtin.Kubernetes())
	kinds := map[string][]string{}
	for _, k := range builtin.Kinds() {
		name := builtin.Definition(k.Type)
		in, isNamed := strings.CutSuffix(name, "."+k.Kind)
		if !isNamed {
			fail(fmt.Errorf("the type of %s is %s", k, name))
		}
		t.reach(k.Type)
		in = k.GroupVersion().String() + " " + in
		kinds[in] = append(kinds[in], k.Kind)
	}
	for _, in := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintln(&w, in, strings.Join(kinds[in], " "))
	}
	for _, name := range slices.Sorted(maps.Keys(t.types)) {
		fmt.Fprintf(&w, "\n%s\n%s", name, t.types[name])
	}
	return w.Bytes()
}

// reach records a struct and all structs of its fields, recursively.
func (t *table) reach(typ reflect.Type) {
	name := builtin.Definition(typ)
	if _, ok := t.types[name]; ok {
		return
	}
	t.types[name] = ""
	var lines strings.Builder
	for _, f := range builtin.Fields(typ) {
		fmt.Fprintf(&lines, " %s", f.Name)
		_, options, _ := strings.Cut(typ.FieldByIndex(f.Index).Tag.Get("json"), ",")
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "":
			case "omitempty":
				lines.WriteByte('?')
			case "omitzero":
				if f.Type.String() != "v1.Time" {
					fail(fmt.Errorf("%s of %s has omitzero, which package goform supports only for times", f.Name, name))
				}
				lines.WriteByte('!')
			default:
				fail(fmt.Errorf("%s of %s has %s in its tag", f.Name, name, option))
			}
		}
		fmt.Fprintf(&lines, " %s\n", t.spell(f.Type, typ))
	}
	t.types[name] = lines.String()
}

// leaves maps each type that has its own JSON methods to the word that stands for the type in the
// table.
var leaves = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                          "time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                     "microtime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                      "duration",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                      "json",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                      "quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                    "intorstring",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                       "json",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":      "json",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON": "json",
	"k8s.io/apiextensions-api/pkg/apis/apiextensions/v1.JSON":            "json", // since 1.38
	"k8s.io/apiextensions-api/pkg/apis/apiextensions/v1beta1.JSON":       "json",
}

// alternatives lists the types that hold either a schema or a value of another kind, such as a
// boolean. It maps each type to the prefix that marks the type in the table.
var alternatives = map[string]string{
	"JSONSchemaPropsOrBool":        "bool|",
	"JSONSchemaPropsOrArray":       "list|",
	"JSONSchemaPropsOrStringArray": "texts|",
}

// spell returns the text that the table contains for a field's type. The second argument is the
// struct that contains the field.
func (t *table) spell(typ, in reflect.Type) string {
	if builtin.IsLeaf(typ) && typ.Kind() != reflect.Pointer {
		if mark, ok := alternatives[typ.Name()]; ok {
			schema, _ := typ.FieldByName("Schema")
			return mark + t.spell(schema.Type.Elem(), in)
		}
		name, ok := leaves[typ.PkgPath()+"."+typ.Name()]
		if !ok {
			fail(fmt.Errorf("%s decodes its JSON itself, and package goform has no code for it", typ))
		}
		return name
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return "*" + t.spell(typ.Elem(), in)
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + t.spell(typ.Elem(), in)
	case reflect.Map:
		if typ.Key().Kind() != reflect.String {
			fail(fmt.Errorf("%s has keys that are not strings", typ))
		}
		return "{}" + t.spell(typ.Elem(), in)
	case reflect.Struct:
		t.reach(typ)
		name := builtin.Definition(typ)
		if typ.PkgPath() == in.PkgPath() {
			name = "." + typ.Name()
		}
		return name
	case reflect.String, reflect.Bool, reflect.Float64, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return typ.Kind().String()
	}
	fail(fmt.Errorf("package goform does not support %s", typ))
	return ""
}
