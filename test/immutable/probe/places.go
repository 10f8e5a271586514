// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Place is a position in the objects of a kind: the whole object, a field, the items of a
// list, or the values of a map.
type Place struct {
	// Path has the names of fields, Item for the items of a list, and Value for the values of a
	// map.
	Path []string
	// Type is the Go type, without pointers.
	Type reflect.Type
	// Pointer is true if the field is a pointer, so that a zero value differs from a missing
	// value.
	Pointer bool
	// Owner is the Go struct that declares the field. It is nil for items and values.
	Owner reflect.Type
	// Below has the fields, items and values directly below this place.
	Below []*Place

	root, above *Place
}

// These are the steps of a path that are not field names.
const (
	Item  = "[]"
	Value = "{}"
)

func (p *Place) String() string {
	var b strings.Builder
	for _, step := range p.Path {
		if step != Item && step != Value {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

// Places returns the place of a whole object, with all places below it. It expands a recursive
// type only once.
func Places(t reflect.Type) *Place {
	root := &Place{Type: t}
	root.root = root
	root.expand([]reflect.Type{t})
	return root
}

// served lists the metadata fields that identify the object or that only a server sets.
var served = []string{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
	"deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"}

func (p *Place) expand(open []reflect.Type) {
	switch {
	case leafKind(p.Type) != noLeaf:
		return
	case p.Type.Kind() == reflect.Struct:
		p.fields(p.Type, open)
	case p.Type.Kind() == reflect.Slice:
		p.add(Item, p.Type.Elem(), nil, open)
	case p.Type.Kind() == reflect.Map:
		p.add(Value, p.Type.Elem(), nil, open)
	}
}

func (p *Place) fields(t reflect.Type, open []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == reflect.TypeFor[metav1.TypeMeta]() && len(p.Path) == 0, name == "-", !f.IsExported():
		case f.Anonymous && (strings.Contains(options, "inline") || name == ""):
			p.fields(f.Type, open)
		case len(p.Path) == 1 && p.Path[0] == "metadata" && slices.Contains(served, name):
		default:
			p.add(name, f.Type, p.Type, open)
		}
	}
}

func (p *Place) add(step string, t, owner reflect.Type, open []reflect.Type) {
	c := &Place{Path: append(slices.Clone(p.Path), step), Type: t, Owner: owner, root: p.root, above: p}
	for c.Type.Kind() == reflect.Pointer {
		c.Type, c.Pointer = c.Type.Elem(), true
	}
	p.Below = append(p.Below, c)
	if leafKind(c.Type) == noLeaf && !slices.Contains(open, c.Type) {
		c.expand(append(slices.Clip(open), c.Type))
	}
}

// below returns the place that a step leads to, or nil.
func (p *Place) below(step string) *Place {
	for _, c := range p.Below {
		if c.Path[len(c.Path)-1] == step {
			return c
		}
	}
	return nil
}

// All calls f for this place and for all places below it.
func (p *Place) All(f func(*Place)) {
	f(p)
	for _, c := range p.Below {
		c.All(f)
	}
}

// leaf is the kind of a value that has no fields.
type leaf int

const (
	noLeaf leaf = iota
	textLeaf
	numberLeaf
	boolLeaf
	bytesLeaf
	quantityLeaf
	intOrStringLeaf
	timeLeaf
	microTimeLeaf
	durationLeaf
	anyLeaf
)

func leafKind(t reflect.Type) leaf {
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return quantityLeaf
	case reflect.TypeFor[intstr.IntOrString]():
		return intOrStringLeaf
	case reflect.TypeFor[metav1.Time]():
		return timeLeaf
	case reflect.TypeFor[metav1.MicroTime]():
		return microTimeLeaf
	case reflect.TypeFor[metav1.Duration]():
		return durationLeaf
	case reflect.TypeFor[[]byte]():
		return bytesLeaf
	}
	switch t.Kind() {
	case reflect.String:
		return textLeaf
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64, reflect.Uint32:
		return numberLeaf
	case reflect.Bool:
		return boolLeaf
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return anyLeaf
	}
	return noLeaf
}

// sample returns a value for the place that looks valid. Even and odd numbers give different
// values.
func (p *Place) sample(n int) any {
	pick := func(a, b any) any {
		if n%2 == 0 {
			return a
		}
		return b
	}
	switch leafKind(p.Type) {
	case textLeaf:
		return pick("alpha", "beta")
	case numberLeaf:
		return pick(int64(1), int64(2))
	case boolLeaf:
		return pick(true, false)
	case bytesLeaf:
		return pick("YWxwaGE=", "YmV0YQ==")
	case quantityLeaf:
		return pick("1", "2")
	case intOrStringLeaf:
		return pick(int64(1), int64(2))
	case timeLeaf:
		return pick("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z")
	case microTimeLeaf:
		return pick("2026-01-02T03:04:05.000006Z", "2026-01-02T03:04:05.000007Z")
	case durationLeaf:
		return pick("1m0s", "2m0s")
	case anyLeaf:
		if p.Type.Kind() == reflect.Struct && p.Type.NumField() == 2 && strings.Contains(p.Type.Name(), "OrBool") {
			return pick(true, false)
		}
		return pick(map[string]any{"a": "alpha"}, map[string]any{"a": "beta"})
	}
	switch p.Type.Kind() {
	case reflect.Slice:
		if len(p.Below) == 1 {
			return []any{p.Below[0].sample(n)}
		}
		return []any{}
	case reflect.Map:
		if len(p.Below) == 1 {
			return map[string]any{pick("alpha", "beta").(string): p.Below[0].sample(n)}
		}
	case reflect.Struct:
		// The first string field usually identifies the item.
		for _, c := range p.Below {
			if leafKind(c.Type) == textLeaf && !c.Pointer {
				return map[string]any{c.Path[len(c.Path)-1]: c.sample(n)}
			}
		}
	}
	return map[string]any{}
}
