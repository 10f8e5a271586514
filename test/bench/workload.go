// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"encoding/json"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// object is the content of an unstructured object, as Kubernetes decodes it.
type object = map[string]any

// Workload is one Kubernetes object. It also has the configs and objects that requests send to
// change it.
type Workload struct {
	Name string
	GVK  schema.GroupVersionKind

	Config     object // config of the applier
	ConfigOne  object // Config with one leaf changed
	ConfigDrop object // Config without one field
	Live       object // live object
	LiveNext   object // Live with one value of status or data changed

	newStruct func() runtime.Object // creates an object of the Go type; nil for a custom resource
	typ       typed.ParseableType
	stored    map[int][]metav1.ManagedFieldsEntry // managed fields, by the number of managers
	fm        func() *managedfields.FieldManager  // a field manager for unstructured objects
	structFM  func() *managedfields.FieldManager
}

// change describes how the configs and objects of requests differ from the workload's Config and
// Live. ConfigOne has the value oneTo at the path "one". ConfigDrop has no field at the path
// "drop". LiveNext has the value nextTo at the path "next".
type change struct {
	one, drop, next place
	oneTo, nextTo   any
}

// place is a path to a value in an object. A string selects a field by name, and an int selects
// a list item by index.
type place []any

func newWorkload(name string, gvk schema.GroupVersionKind, config, live object, c change, newStruct func() runtime.Object) *Workload {
	w := &Workload{
		Name: name, GVK: gvk, Config: config, Live: live, newStruct: newStruct,
		ConfigOne:  set(config, c.one, c.oneTo),
		ConfigDrop: drop(config, c.drop),
		LiveNext:   set(live, c.next, c.nextTo),
		stored:     map[int][]metav1.ManagedFieldsEntry{},
	}
	w.fm, w.structFM = sync.OnceValue(w.fieldManager), sync.OnceValue(w.structFieldManager)
	tv, err := converter(w.GVK).ObjectToTyped(&unstructured.Unstructured{Object: w.empty()})
	must(err)
	w.typ = typed.ParseableType{Schema: tv.Schema(), TypeRef: tv.TypeRef()}
	return w
}

func (w *Workload) empty() object {
	return object{"apiVersion": w.GVK.GroupVersion().String(), "kind": w.GVK.Kind}
}

func (w *Workload) version() fieldpath.APIVersion {
	return fieldpath.APIVersion(w.GVK.GroupVersion().String())
}

// typed returns a copy of an object with its type.
func (w *Workload) typed(o object) *typed.TypedValue {
	tv, err := w.typ.FromUnstructured(decoded(o), typed.AllowDuplicates)
	must(err)
	return tv
}

// structured returns a copy of an object as a value of the kind's Go type.
func (w *Workload) structured(o object) runtime.Object {
	s := w.newStruct()
	must(runtime.DefaultUnstructuredConverter.FromUnstructured(decoded(o), s))
	s.GetObjectKind().SetGroupVersionKind(w.GVK)
	return s
}

func (w *Workload) typedStruct(o object) *typed.TypedValue {
	tv, err := w.typ.FromStructured(w.structured(o), typed.AllowDuplicates)
	must(err)
	return tv
}

func clone(o object) object { return runtime.DeepCopyJSON(o) }

// decoded encodes an object as JSON and decodes it again, as a server decodes a request. The copy
// shares no memory with the object.
func decoded(o object) object {
	text, err := json.Marshal(o)
	must(err)
	var c object
	must(utiljson.Unmarshal(text, &c))
	return c
}

// set returns a copy of an object with a new value at an existing path.
func set(o object, at place, to any) object {
	o = clone(o)
	switch parent := lookup(o, at[:len(at)-1]).(type) {
	case object:
		if _, ok := parent[at[len(at)-1].(string)]; !ok {
			panic(fmt.Sprintf("nothing at %v", at))
		}
		parent[at[len(at)-1].(string)] = to
	case []any:
		parent[at[len(at)-1].(int)] = to
	}
	return o
}

// drop returns a copy of an object without the field at a path.
func drop(o object, at place) object {
	o = clone(o)
	parent := lookup(o, at[:len(at)-1]).(object)
	field := at[len(at)-1].(string)
	if _, ok := parent[field]; !ok {
		panic(fmt.Sprintf("nothing at %v", at))
	}
	delete(parent, field)
	return o
}

func lookup(v any, at place) any {
	for _, p := range at {
		switch p := p.(type) {
		case string:
			v = v.(object)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
