// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/value"
)

// The functions in this file read FieldsV1 exactly as structured-merge-diff does. They are simple
// and slow, and are used only if the decoder cannot read a document because it has errors or is
// unusual JSON. They share no code with the decoder, and tests compare the results of both.

// replaySet reads a whole document. If it returns an error, the set has the paths that were read
// before the error.
func replaySet(src jsoniter.Source) (Set, error) {
	r := jsoniter.NewSourceReader(&src)
	var s Set
	if set, _ := replayBelow(r); set != nil {
		s = *set
	}
	if err := r.Err(); err != nil {
		return s, err
	}
	return s, r.End()
}

// replayBelow reads a FieldsV1 object, and returns the set of the paths in it, or nil if there are
// no paths. member is true if the path of the object itself is also owned. This is the case if the
// object has the key ".", or if it has no path elements.
func replayBelow(r *jsoniter.Reader) (set *Set, member bool) {
	r.Object(jsoniter.MapObject, func(key string) bool {
		if key == "." {
			member = true
			r.Skip()
			return true
		}
		pe, err := DeserializePathElement(key)
		if err == ErrUnknownPathElementType {
			r.Skip() // an unknown kind is skipped, because a later version may define it
			return true
		}
		if err != nil {
			r.Report("parsing key as path element", err.Error())
			r.Skip()
			return true
		}
		below, isMember := replayBelow(r)
		if set == nil {
			set = &Set{}
		}
		if isMember {
			set.Members.Insert(pe)
		}
		if below != nil {
			*set.Children.Descend(pe) = *below
		}
		return true
	})
	if set == nil {
		return nil, true
	}
	set.Members.members = slices.Clip(set.Members.members)
	set.Children.members = slices.Clip(set.Children.members)
	return set, member
}

// replayElement implements DeserializePathElement for keys in an unusual form.
func replayElement(s string) (PathElement, error) {
	return replayKinds(s, "key must be 2 characters long:", func(text string) (value.Value, error) {
		r := jsoniter.NewReader(text)
		v := r.Any()
		return value.NewValueInterface(v), r.End()
	}, func(text string) (fields value.FieldList, err error) {
		r := jsoniter.NewReader(text)
		r.Object(jsoniter.PlainObject, func(name string) bool {
			v := value.NewValueInterface(r.Any())
			fields = append(fields, value.Field{Name: name, Value: v})
			return !r.Failed()
		})
		fields.Sort()
		return fields, r.End()
	})
}

// replayKinds parses a FieldsV1 key, which can be a path element of any kind. It calls valueOf and
// keyOf to parse the JSON after "v:" and "k:". If s is too short to be an element, the parameter
// short is the message of the error.
func replayKinds(s, short string, valueOf func(string) (value.Value, error), keyOf func(string) (value.FieldList, error)) (PathElement, error) {
	if len(s) < 2 {
		return PathElement{}, errors.New(short)
	}
	if s[1] != ':' {
		return PathElement{}, fmt.Errorf("missing colon: %v", s)
	}
	pe, err := PathElement{}, ErrUnknownPathElementType
	switch text := s[2:]; s[0] {
	case 'f':
		return FieldNameElement(text), nil
	case 'i':
		var i int
		i, err = strconv.Atoi(text)
		pe = IndexElement(i)
	case 'v':
		var v value.Value
		v, err = valueOf(text)
		pe = ValueElement(v)
	case 'k':
		var key value.FieldList
		key, err = keyOf(text)
		pe.Key = new(arena).key(key)
	}
	if err != nil {
		return PathElement{}, err
	}
	return pe, nil
}
