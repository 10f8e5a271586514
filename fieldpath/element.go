// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/value"
)

// PathElement is one step of a path: it selects a field of a map or an item of a list.
// Exactly one field is set in a valid element. An element must not change once it is part
// of a Path or a Set.
type PathElement struct {
	// FieldName selects a field of a map or struct.
	FieldName *string

	// Key selects the item whose key fields have these values, in a list of maps. The fields are
	// sorted by name.
	Key *value.FieldList

	// Value selects the item that equals this value, in a set of scalars.
	Value *value.Value

	// Index selects an item of a list by its position.
	Index *int
}

// FieldNameElement returns the element for the field with the given name.
func FieldNameElement(name string) PathElement {
	return PathElement{FieldName: &name}
}

// KeyElement returns the element for the list item with the given key fields. The fields must be
// sorted by name. The element keeps the slice, so do not modify the slice afterwards.
func KeyElement(fields ...value.Field) PathElement {
	list := value.FieldList(fields)
	return PathElement{Key: &list}
}

// KeyElementByFields returns the element for the list item with the given key fields. It
// accepts the same arguments as KeyByFields, and panics in the same cases.
func KeyElementByFields(nameValues ...any) PathElement {
	return PathElement{Key: KeyByFields(nameValues...)}
}

// ValueElement returns the element for the list item that equals value.
func ValueElement(value value.Value) PathElement {
	return PathElement{Value: &value}
}

// IndexElement returns the element for the list item at position index.
func IndexElement(index int) PathElement {
	return PathElement{Index: &index}
}

// KeyByFields returns a list of key fields, sorted by name. The arguments are names and values
// in turn: a name is a string, and its value is plain Go data. KeyByFields is for literals in
// code: it panics if a name has no value or is not a string.
func KeyByFields(nameValues ...interface{}) *value.FieldList {
	if len(nameValues)%2 != 0 {
		panic("must have a value for every name")
	}
	list := make(value.FieldList, 0, len(nameValues)/2)
	for i := 0; i < len(nameValues); i += 2 {
		list = append(list, value.Field{
			Name:  nameValues[i].(string),
			Value: value.NewValueInterface(nameValues[i+1]),
		})
	}
	list.Sort()
	return &list
}

// Less reports whether e comes before rhs in the order of Compare.
func (e PathElement) Less(rhs PathElement) bool {
	return compareElements(&e, &rhs) < 0
}

// Compare orders elements and returns -1, 0 or 1. Field names come first, then keys, values and
// indexes. Elements of the same kind are ordered by content. Integers and floats are compared as
// numbers.
func (e PathElement) Compare(rhs PathElement) int {
	return compareElements(&e, &rhs)
}

// Equals reports whether both elements select the same field or item.
func (e PathElement) Equals(rhs PathElement) bool {
	return equalElements(&e, &rhs)
}

// Copy returns a copy of e. The copy shares names and values with e, but has its own slice
// of key fields.
func (e PathElement) Copy() PathElement {
	switch {
	case e.FieldName != nil:
		return PathElement{FieldName: e.FieldName}
	case e.Key != nil:
		list := e.Key.Copy()
		return PathElement{Key: &list}
	case e.Value != nil:
		return PathElement{Value: e.Value}
	}
	return PathElement{Index: e.Index}
}

// String returns the element as conflict messages show it: .name, [key="a",port=80], [="value"]
// or [3].
func (e PathElement) String() string {
	if e.FieldName != nil {
		return "." + *e.FieldName
	}
	return string(appendElementText(nil, &e))
}

func appendElementText(b []byte, e *PathElement) []byte {
	switch {
	case e.FieldName != nil:
		return append(append(b, '.'), *e.FieldName...)
	case e.Key != nil:
		b = append(b, '[')
		for i, field := range *e.Key {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, field.Name...), '=')
			b = appendValueText(b, field.Value)
		}
		return append(b, ']')
	case e.Value != nil:
		return append(appendValueText(append(b, '[', '='), *e.Value), ']')
	case e.Index != nil:
		return append(strconv.AppendInt(append(b, '['), int64(*e.Index), 10), ']')
	}
	return append(b, "{{invalid path element}}"...)
}

func appendValueText(b []byte, v value.Value) []byte {
	if v.IsString() && !v.IsNull() {
		return strconv.AppendQuote(b, v.AsString())
	}
	return append(b, value.ToString(v)...)
}

// compareElements implements PathElement.Compare. It takes pointers to avoid copying elements.
func compareElements(a, b *PathElement) int {
	if a.FieldName != nil && b.FieldName != nil {
		if a.FieldName == b.FieldName {
			return 0
		}
		return strings.Compare(*a.FieldName, *b.FieldName)
	}
	return compareItems(a, b)
}

// compareItems orders two elements. At most one of them may be a field name.
func compareItems(a, b *PathElement) int {
	kind := a.kind()
	if c := cmp.Compare(kind, b.kind()); c != 0 {
		return c
	}
	switch {
	case kind == keyElement && a.Key != b.Key:
		return a.Key.Compare(*b.Key)
	case kind == valueElement && a.Value != b.Value:
		return value.Compare(*a.Value, *b.Value)
	case kind == indexElement:
		return cmp.Compare(*a.Index, *b.Index)
	}
	return 0
}

// equalElements implements PathElement.Equals. It takes pointers to avoid copying elements.
func equalElements(a, b *PathElement) bool {
	if a.FieldName == nil || b.FieldName == nil {
		return equalItems(a, b)
	}
	return a.FieldName == b.FieldName || *a.FieldName == *b.FieldName
}

// equalItems reports whether two elements are equal. At most one of them may be a field name.
func equalItems(a, b *PathElement) bool {
	kind := a.kind()
	if kind != b.kind() {
		return false
	}
	switch kind {
	case keyElement:
		return a.Key == b.Key || a.Key.Equals(*b.Key)
	case valueElement:
		return a.Value == b.Value || value.Equals(*a.Value, *b.Value)
	case indexElement:
		return *a.Index == *b.Index
	}
	return true
}

// These are the kinds of elements, in the order of PathElement.Compare.
const (
	nameElement = iota
	keyElement
	valueElement
	indexElement
	noElement
)

func (e *PathElement) kind() int {
	switch {
	case e.FieldName != nil:
		return nameElement
	case e.Key != nil:
		return keyElement
	case e.Value != nil:
		return valueElement
	case e.Index != nil:
		return indexElement
	}
	return noElement
}

// interchangeable reports whether two equal elements are also identical. For example, the integer 1
// and the float 1.0 are equal but not identical. The difference matters for a union: of two equal
// elements, it must keep the same one as structured-merge-diff. interchangeable may return false
// for identical elements.
func interchangeable(a, b *PathElement) bool {
	switch {
	case a.Key != nil && a.Key != b.Key:
		if len(*a.Key) == 0 {
			return (*a.Key == nil) == (*b.Key == nil)
		}
		return slices.EqualFunc(*a.Key, *b.Key, func(f, g value.Field) bool { return sameScalar(f.Value, g.Value) })
	case a.Value != nil && a.Value != b.Value:
		return sameScalar(*a.Value, *b.Value)
	}
	return true
}

// sameScalar reports whether two equal values are identical scalars. It may return false
// for identical scalars.
func sameScalar(a, b value.Value) bool {
	if a.IsMap() || a.IsList() {
		return false
	}
	switch x := a.Unstructured().(type) {
	case string, bool, nil:
		return true
	case float64:
		y, ok := b.Unstructured().(float64)
		return ok && math.Float64bits(x) == math.Float64bits(y)
	case int64:
		_, ok := b.Unstructured().(int64)
		return ok
	}
	return false
}
