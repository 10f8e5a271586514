// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"strconv"

	"github.com/dovetail-ssa/dovetail/value"
)

// PathElement is one step down: it picks a child of a map or of a list.
// Exactly one field is set in a valid element. Elements are treated as
// immutable once they are part of a Path or a Set.
type PathElement struct {
	// FieldName picks a field of a map or struct.
	FieldName *string

	// Key picks the item of a list of maps whose fields have these values.
	// The fields are sorted by name.
	Key *value.FieldList

	// Value picks the item of a list of scalars that equals this value.
	Value *value.Value

	// Index picks an item of a list by its position.
	Index *int
}

// FieldNameElement returns the element for the field called name.
func FieldNameElement(name string) PathElement {
	return PathElement{FieldName: &name}
}

// KeyElement returns the element for the list item with the given key fields,
// which must be sorted by name. The slice is kept.
func KeyElement(fields ...value.Field) PathElement {
	list := value.FieldList(fields)
	return PathElement{Key: &list}
}

// KeyElementByFields returns the element for the list item with the given key
// fields. The arguments are those of KeyByFields, and so are the panics.
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

// KeyByFields builds a list key, sorted by name, from alternating names
// (strings) and plain Go values. It is meant for literals in code: it panics
// when a name lacks a value or is not a string.
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

// Compare orders elements: field names, then keys, values and indices, each by
// content. Integers and floats compare as numbers. The result is -1, 0 or 1.
func (e PathElement) Compare(rhs PathElement) int {
	return compareElements(&e, &rhs)
}

// Equals reports whether both elements pick the same child.
func (e PathElement) Equals(rhs PathElement) bool {
	return equalElements(&e, &rhs)
}

// Copy returns an element that shares names and values with e, but not the
// slice of key fields.
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

// String renders the element as it appears in conflict messages:
// .name, [key="a",port=80], [="value"] or [3].
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
