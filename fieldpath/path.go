// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/value"
)

// Path leads from the root of an object to a field or item.
type Path []PathElement

// String returns the path as text, for example .spec.containers[name="app"].image. It does not
// quote names that contain dots or brackets. Only typed.ParseableType.ParsePath can parse such
// paths, because it uses the type to find the end of a name.
func (fp Path) String() string {
	return string(appendPathText(nil, fp))
}

func appendPathText(b []byte, fp Path) []byte {
	for i := range fp {
		b = appendElementText(b, &fp[i])
	}
	return b
}

// Equals reports whether both paths have equal elements.
func (fp Path) Equals(fp2 Path) bool {
	return slices.EqualFunc(fp, fp2, PathElement.Equals)
}

// Compare orders paths element by element, and returns -1, 0 or 1. A path comes before the paths
// below it.
func (fp Path) Compare(rhs Path) int {
	return slices.CompareFunc(fp, rhs, PathElement.Compare)
}

// Copy returns a new slice with the same elements.
func (fp Path) Copy() Path {
	return append(make(Path, 0, len(fp)), fp...)
}

// MakePath returns the path that consists of the given parts. A part is a PathElement, a string
// (the name of a field), an int (the index of an item), a *value.FieldList (the key of an item,
// with at least one field) or a value.Value (the value of an item). Any other part is an error.
func MakePath(parts ...interface{}) (Path, error) {
	var fp Path
	for _, part := range parts {
		pe, err := makeElement(part, "unable to make %#v into a path element")
		if err != nil {
			return nil, err
		}
		fp = append(fp, pe)
	}
	return fp, nil
}

// MakePathOrDie is like MakePath, but panics instead of returning an error. It is for
// literals in code.
func MakePathOrDie(parts ...interface{}) Path {
	fp, err := MakePath(parts...)
	if err != nil {
		panic(err)
	}
	return fp
}

var errEmptyKey = errors.New("associative list key type path elements must have at least one key (got zero)")

// makeElement converts one argument of MakePath or PrefixMatcher to an element. If the type of the
// argument is not allowed, makeElement returns an error. The parameter unknown is the format string
// of this error, with one verb for the argument.
func makeElement(part interface{}, unknown string) (PathElement, error) {
	switch t := part.(type) {
	case PathElement:
		return t, nil
	case string:
		return FieldNameElement(t), nil
	case int:
		return IndexElement(t), nil
	case *value.FieldList:
		if t == nil || len(*t) == 0 {
			return PathElement{}, errEmptyKey
		}
		return PathElement{Key: t}, nil
	case value.Value:
		return ValueElement(t), nil
	}
	return PathElement{}, fmt.Errorf(unknown, part)
}
