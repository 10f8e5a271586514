// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build go1.27

package fieldpath

import (
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/value"
)

// The code in this file reads and writes FieldsV1 as structured-merge-diff v7 does, with
// encoding/json/v2 (see schema.Version7). Like the code in replay.go, it is simple and slow. It
// runs only if the fast decoder or encoder finds an error, or data that v7 treats differently
// from v6.

var (
	invalidUTF8 = jsontext.AllowInvalidUTF8(true)
	duplicates  = jsontext.AllowDuplicateNames(true)
)

// setContentsV1 is a set that is read and written in the FieldsV1 format. Error messages
// contain the name of this type, so it must be the name that structured-merge-diff uses.
type setContentsV1 Set

func set7ToJSON(s *Set) ([]byte, error) {
	return json.Marshal((*setContentsV1)(s), invalidUTF8)
}

// MarshalJSONTo writes the set in the FieldsV1 format.
func (s *setContentsV1) MarshalJSONTo(enc *jsontext.Encoder) error {
	return write7(enc, (*Set)(s), false)
}

// write7 writes the FieldsV1 object for s, which is the set of the paths below an element. If self
// is true, the path of the element itself is also owned, and the object gets the key ".". The
// object omits this key if it has no other keys.
func write7(enc *jsontext.Encoder, s *Set, self bool) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	entry := func(key string, below *Set, self bool) error {
		if err := enc.WriteToken(jsontext.String(key)); err != nil {
			return err
		}
		return write7(enc, below, self)
	}
	if self && !s.Empty() {
		if err := entry(".", &Set{}, false); err != nil {
			return err
		}
	}
	members, nodes := s.Members.members, s.Children.members
	for len(members)+len(nodes) > 0 {
		side := compareNext(members, nodes)
		var pe *PathElement
		below := &Set{}
		if side <= 0 {
			pe, members = &members[0], members[1:]
		}
		if side >= 0 {
			pe, below, nodes = &nodes[0].PathElement, nodes[0].Set, nodes[1:]
		}
		key, err := serializeElement7(*pe)
		if err != nil {
			return err
		}
		if err := entry(key, below, side == 0); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// writeError7 wraps an error of an io.Writer in the same way as the encoder of v7.
func writeError7(err error) error {
	return json.MarshalWrite(failingWriter{err}, (*setContentsV1)(&Set{}))
}

// failingWriter is an io.Writer whose Write always returns err.
type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

func serializeElement7(pe PathElement) (string, error) {
	var b strings.Builder
	var err error
	switch {
	case pe.FieldName != nil:
		return "f:" + *pe.FieldName, nil
	case pe.Key != nil:
		b.WriteString("k:")
		err = json.MarshalWrite(&b, pe.Key, json.Deterministic(true), duplicates, invalidUTF8)
	case pe.Value != nil:
		b.WriteString("v:")
		err = json.MarshalWrite(&b, fastMarshalValue{*pe.Value}, json.Deterministic(true), invalidUTF8)
	case pe.Index != nil:
		return fmt.Sprintf("i:%d", *pe.Index), nil
	default:
		err = errInvalidElement
	}
	if err != nil {
		return "", err
	}
	return b.String(), nil
}

// fastMarshalValue is a value with a MarshalJSONTo method. Error messages contain the name of
// this type, so it must be the name that structured-merge-diff uses.
type fastMarshalValue struct{ v value.Value }

func (f fastMarshalValue) MarshalJSONTo(enc *jsontext.Encoder) error {
	return value.ValueMarshalJSONTo(enc, f.v)
}

func replaySet7(s *Set, src jsoniter.Source) error {
	return json.UnmarshalRead(src.Reader(), (*setContentsV1)(s), invalidUTF8, duplicates)
}

// UnmarshalJSONFrom reads the set. It leaves s unchanged if it returns an error.
func (s *setContentsV1) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	below, _, err := read7(dec)
	if err == nil {
		*s = setContentsV1(*below)
	}
	return err
}

// read7 reads a FieldsV1 object or null, and returns the set of the paths in it. member is true if
// the path of the object itself is also owned. This is the case if the object has the key ".", if
// it has no paths, or if it is null.
func read7(dec *jsontext.Decoder) (s *Set, member bool, err error) {
	parsing := func(err error) (*Set, bool, error) {
		return nil, false, fmt.Errorf("parsing JSON: %v", err)
	}
	s = &Set{}
	start, err := dec.ReadToken()
	if err != nil {
		return parsing(err)
	}
	if start.Kind() == jsontext.KindNull {
		return s, true, nil
	}
	if start.Kind() != jsontext.KindBeginObject {
		return nil, false, errors.New("expected object")
	}
	for {
		token, err := dec.ReadToken()
		if err == io.EOF {
			return nil, false, errors.New("unexpected EOF")
		} else if err != nil {
			return parsing(err)
		}
		if token.Kind() == jsontext.KindEndObject {
			return s, member || s.Empty(), nil
		}
		key := token.String()
		var pe PathElement
		if key != "." {
			pe, err = DeserializePathElement(key)
		}
		switch {
		case key == ".", err == ErrUnknownPathElementType:
			member = member || key == "."
			if err := dec.SkipValue(); err != nil {
				return parsing(err)
			}
			continue
		case err != nil:
			return nil, false, fmt.Errorf("parsing key as path element: %v", err)
		}
		below, isMember, err := read7(dec)
		if err != nil {
			return nil, false, fmt.Errorf("parsing value as set: %v", err)
		}
		if isMember {
			s.Members.Insert(pe)
		}
		if !below.Empty() {
			*s.Children.Descend(pe) = *below
		}
	}
}

func replayElement7(s string) (PathElement, error) {
	return replayKinds(s, "key must be 2 characters long", func(text string) (value.Value, error) {
		return value.FromJSON([]byte(text))
	}, func(text string) (fields value.FieldList, err error) {
		err = json.UnmarshalRead(strings.NewReader(text), &fields, invalidUTF8, duplicates)
		return fields, err
	})
}
