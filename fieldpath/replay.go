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

// Replaying is slow and simple, and shares nothing with the decoder, which leaves all
// liberties and mistakes to it: tests run both on the same documents.

// replaySet reads a whole document. The set is what was understood, also when
// there is an error.
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

// replayBelow reads an object. It returns what is below it, nil if nothing, and whether
// it makes its own path a member.
func replayBelow(r *jsoniter.Reader) (set *Set, member bool) {
	r.Object(jsoniter.MapObject, func(key string) bool {
		if key == "." {
			member = true
			r.Skip()
			return true
		}
		pe, err := DeserializePathElement(key)
		if err == ErrUnknownPathElementType {
			r.Skip() // for a later version to know
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

// replayElement is DeserializePathElement for everything unusual.
func replayElement(s string) (PathElement, error) {
	if len(s) < 2 {
		//lint:ignore ST1005 the text is the one that callers know
		return PathElement{}, errors.New("key must be 2 characters long:")
	}
	if s[1] != ':' {
		return PathElement{}, fmt.Errorf("missing colon: %v", s)
	}
	text := s[2:]
	r := jsoniter.NewReader(text)
	switch s[0] {
	case 'f', 'i':
		return replayPlain(s[0], text)
	case 'v':
		v := value.NewValueInterface(r.Any())
		if err := r.End(); err != nil {
			return PathElement{}, err
		}
		return PathElement{Value: &v}, nil
	case 'k':
		fields := value.FieldList{}
		r.Object(jsoniter.PlainObject, func(name string) bool {
			v := value.NewValueInterface(r.Any())
			fields = append(fields, value.Field{Name: name, Value: v})
			return !r.Failed()
		})
		if err := r.End(); err != nil {
			return PathElement{}, err
		}
		fields.Sort()
		return PathElement{Key: &fields}, nil
	}
	return PathElement{}, ErrUnknownPathElementType
}

// replayPlain is of the kinds without JSON, a field name or an index.
func replayPlain(kind byte, text string) (PathElement, error) {
	if kind == 'f' {
		return PathElement{FieldName: &text}, nil
	}
	i, err := strconv.Atoi(text)
	if err != nil {
		return PathElement{}, err
	}
	return PathElement{Index: &i}, nil
}
