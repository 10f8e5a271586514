// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/generate/kep/kinds"
)

// TestDefaultsOfEveryKind checks the defaults of an empty object that has fields of every kind.
func TestDefaultsOfEveryKind(t *testing.T) {
	const want = `{"inEmbedded":"embedded","inPointed":"pointed","innerOfPointed":{"name":"inner","count":1},"asField":{"inField":"field"},
		"flag":true,"small":-7,"huge":18446744073709551615,"ratio":1.5,"text":"quote\"d\n","pointer":8,"deep":"deep",
		"bytes":"aGVsbG8=","pair":[1,2],"nested":[[1],[]],"named":{"a":{"name":"x","count":1},"b":{"name":"inner","count":1}},
		"numbered":{"1":"one"},"pointers":{"x":{"name":"p","count":1}},"items":[{"name":"a","count":1},null],"any":{"any":[1,2.5,{"thing":true}]},
		"anonymous":{"first":"f","inner":{"name":"inner","count":3}},"plain":{"inside":"inside"},
		"array":[{"name":"inner","count":1},{"name":"inner","count":1}],"box":{"size":2,"value":{"name":"inner","count":1}},
		"duration":"1h0m0s","time":"2020-01-02T03:04:05Z","std":"2020-01-02T03:04:05Z","quantity":"10m","quantities":{"cpu":"1","memory":"1Gi"},
		"port":"http","otherPort":80,"raw":{"kind":"X"},"json":{"a":1},"omitZero":"zero"}`
	var first, second kinds.Every
	kinds.SetObjectDefaults_Every(&first)
	checkEqual(t, "the first", jsonOf(t, first), parseJSON(t, want))
	// A change of the defaults in one object must not affect another object.
	scramble(reflect.ValueOf(&first).Elem())
	kinds.SetObjectDefaults_Every(&second)
	checkEqual(t, "the second", jsonOf(t, second), parseJSON(t, want))
	var quoted kinds.Quoted
	kinds.SetObjectDefaults_Quoted(&quoted)
	checkEqual(t, "in quotes", jsonOf(t, quoted), parseJSON(t, `{"quoted":"5","quotedFlag":"false","text":"text"}`))
	var named kinds.Named
	kinds.SetObjectDefaults_Named(&named)
	checkEqual(t, "with names", jsonOf(t, named), parseJSON(t, `{"one":"a","two":"b","struct":{"name":"c","count":1},"fruit":"apple"}`))

	n := testing.AllocsPerRun(100, func() { kinds.SetObjectDefaults_Every(&second) })
	if n != 0 {
		t.Errorf("defaulting allocates %v times although it changes nothing", n)
	}
}

// scramble writes to all memory to which a value refers.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Elem().Kind() != reflect.Struct || v.Kind() == reflect.Pointer && !v.IsNil() {
			scramble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scramble(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scramble(v.Index(i))
			if e := v.Index(i); e.CanSet() && e.Kind() != reflect.Pointer {
				e.SetZero()
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			scramble(v.MapIndex(k))
			v.SetMapIndex(k, reflect.Value{})
		}
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint64, reflect.Float32:
		if v.CanSet() {
			v.SetZero()
		}
	}
}

// TestGenericNames checks the names of definitions for generic types. A recursive type must
// have only one definition.
func TestGenericNames(t *testing.T) {
	c := catalog(t, "testdata/kep.json")
	for _, name := range []string{"Box_Inner", "Box_string", "Recursive", "Every"} {
		lookup(t, c, kepTypes+"kinds."+name)
	}
}
