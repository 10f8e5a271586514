// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dovetail-ssa/dovetail/internal/legacy"
	"github.com/dovetail-ssa/dovetail/value"
)

// replaySet reads a whole document. The set is what was understood, also when
// there is an error.
func replaySet(src source) (Set, error) {
	r := replay{in: src.text, from: &src}
	var s Set
	if set, _ := r.set(); set != nil {
		s = *set
	}
	if r.err != nil {
		return s, r.err
	}
	if legacy.On() {
		return s, nil
	}
	r.trailing()
	if r.failed() {
		return s, r.err
	}
	return s, nil
}

// set reads an object. It returns what is below it, nil if nothing, and whether
// it makes its own path a member.
func (r *replay) set() (set *Set, member bool) {
	r.object(mapObject, func(key string) bool {
		if key == "." {
			member = true
			r.skip()
			return true
		}
		pe, err := DeserializePathElement(key)
		if err == ErrUnknownPathElementType {
			r.skip() // for a later version to know
			return true
		}
		if err != nil {
			r.report("parsing key as path element", err.Error())
			r.skip()
			return true
		}
		below, isMember := r.set()
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
	r := replay{in: text, high: len(text)}
	switch s[0] {
	case 'f':
		return PathElement{FieldName: &text}, nil
	case 'i':
		i, err := strconv.Atoi(text)
		if err != nil {
			return PathElement{}, err
		}
		return PathElement{Index: &i}, nil
	case 'v':
		v := value.NewValueInterface(r.any())
		if err := r.end(); err != nil {
			return PathElement{}, err
		}
		return PathElement{Value: &v}, nil
	case 'k':
		fields := value.FieldList{}
		r.object(plainObject, func(name string) bool {
			v := value.NewValueInterface(r.any())
			fields = append(fields, value.Field{Name: name, Value: v})
			return !r.failed()
		})
		if err := r.end(); err != nil {
			return PathElement{}, err
		}
		fields.Sort()
		return PathElement{Key: &fields}, nil
	}
	return PathElement{}, ErrUnknownPathElementType
}

// end returns the mistake there was, if only that something follows.
func (r *replay) end() error {
	if !r.failed() && !legacy.On() {
		r.trailing()
	}
	if r.failed() {
		return r.err
	}
	return nil
}

// any reads any JSON value as plain Go data.
func (r *replay) any() any {
	c := r.token()
	r.back()
	switch c {
	case '"':
		return r.string()
	case 'n':
		r.literal("null")
		return nil
	case 't', 'f':
		return r.bool()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.float(64)
	case '[':
		list := []any{}
		r.array(func() { list = append(list, r.any()) })
		return list
	case '{':
		m := map[string]any{}
		r.object(mapObject, func(key string) bool {
			m[key] = r.any()
			return true
		})
		return m
	}
	r.report("Read", "unexpected value type: 0")
	return nil
}

func (r *replay) bool() bool {
	switch c := r.token(); c {
	case 't':
		r.literal("rue")
		return true
	case 'f':
		r.literal("alse")
	default:
		r.report("ReadBool", "expect t or f, but found "+string([]byte{c}))
	}
	return false
}

// skip reads any JSON value that nobody needs.
func (r *replay) skip() {
	switch c := r.token(); c {
	case '"':
		r.skipString()
	case 'n':
		r.literal("ull")
	case 't':
		r.literal("rue")
	case 'f':
		r.literal("alse")
	case '0':
		r.back()
		r.float(32)
	case '-', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		r.skipNumber()
	case '[':
		r.back()
		r.array(r.skip)
	case '{':
		r.back()
		r.object(plainObject, func(string) bool {
			r.skip()
			return true
		})
	default:
		r.report("Skip", fmt.Sprintf("do not know how to skip: %d", c))
	}
}
