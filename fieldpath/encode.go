// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"

	"github.com/dovetail-ssa/dovetail/value"
)

// ToJSON returns the set in the FieldsV1 format, byte for byte as
// structured-merge-diff v6.4.2 writes it. It fails for an element without
// content and for values JSON cannot express, such as NaN.
func (s *Set) ToJSON() ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	b, err := e.document(s)
	if err != nil {
		return nil, err
	}
	if len(b) > keepBuffer {
		e.out = nil
		return b, nil
	}
	return append(make([]byte, 0, len(b)), b...), nil
}

// ToJSONStream writes what ToJSON returns. On an error of its own it writes
// nothing; an error of w is returned as it is.
func (s *Set) ToJSONStream(w io.Writer) error {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	b, err := e.document(s)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// SerializePathElement returns the key that stands for pe in FieldsV1:
// f:name, k:{"name":"a"}, v:"value" or i:3. It fails like ToJSON, then with the
// two letters of the kind, if any.
func SerializePathElement(pe PathElement) (string, error) {
	var w keyWriter
	b, err := w.element(make([]byte, 0, 64), &pe)
	return string(b), err
}

// encoder keeps the buffers of one ToJSON for the next.
type encoder struct {
	out   []byte
	stack []encoding
	keys  keyWriter
}

// encoding is an object that is being written.
type encoding struct {
	members []PathElement
	nodes   []SetNode
}

var encoders = sync.Pool{New: func() any { return &encoder{keys: keyWriter{within: true}} }}

// keepBuffer is the largest buffer in bytes that waits for reuse.
const keepBuffer = 1 << 20

// document returns the encoded set, valid until e is used again. Depth costs
// heap, not stack: a set may be nested as deeply as memory allows.
func (e *encoder) document(s *Set) ([]byte, error) {
	if cap(e.out) > keepBuffer {
		e.out = nil
	}
	b := append(e.out[:0], '{')
	stack := append(e.stack[:0], encoding{s.Members.members, s.Children.members})
	var err error
	for len(stack) > 0 && err == nil {
		top := &stack[len(stack)-1]
		side := 1
		switch {
		case len(top.members) == 0 && len(top.nodes) == 0:
			b = append(b, '}')
			*top = encoding{}
			stack = stack[:len(stack)-1]
			continue
		case len(top.nodes) == 0:
			side = -1
		case len(top.members) > 0:
			side = compareElements(&top.members[0], &top.nodes[0].PathElement)
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		if side < 0 {
			b, err = e.key(b, &top.members[0])
			b = append(b, ":{}"...)
			top.members = top.members[1:]
			continue
		}
		b, err = e.key(b, &top.nodes[0].PathElement)
		b = append(b, ":{"...)
		below := top.nodes[0].Set
		top.nodes = top.nodes[1:]
		if side == 0 {
			top.members = top.members[1:]
			if len(below.Members.members)+len(below.Children.members) > 0 {
				b = append(b, `".":{}`...)
			}
		}
		stack = append(stack, encoding{below.Members.members, below.Children.members})
	}
	clear(stack)
	e.out, e.stack = b, stack[:0]
	return b, err
}

// key appends the key that stands for pe as a JSON string.
func (e *encoder) key(b []byte, pe *PathElement) ([]byte, error) {
	if pe.FieldName != nil {
		return append(appendEscaped(append(b, `"f:`...), *pe.FieldName), '"'), nil
	}
	b, err := e.keys.element(append(b, '"'), pe)
	return append(b, '"'), err
}

// keyWriter writes the keys that stand for path elements. Within a document a key
// is in a JSON string, so that what it has of quotes, backslashes and control
// characters is escaped once more.
type keyWriter struct {
	within bool
	inner  []byte // a text before it is escaped once more
}

// element appends the key that stands for pe; within a document, which is no
// field name.
func (w *keyWriter) element(b []byte, pe *PathElement) (out []byte, err error) {
	switch {
	case pe.FieldName != nil:
		return append(append(b, "f:"...), *pe.FieldName...), nil
	case pe.Key != nil:
		b = append(b, "k:"...)
		start := len(b)
		b = append(b, '{')
		for i, field := range *pe.Key {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(w.text(b, field.Name, false), ':')
			if b, err = w.value(b, field.Value); err != nil {
				return b[:start], err
			}
		}
		return append(b, '}'), nil
	case pe.Value != nil:
		return w.value(append(b, "v:"...), *pe.Value)
	case pe.Index != nil:
		return strconv.AppendInt(append(b, "i:"...), int64(*pe.Index), 10), nil
	}
	return b, errInvalidElement
}

var errInvalidElement = errors.New("invalid PathElement")

// text appends s in quotes.
func (w *keyWriter) text(b []byte, s string, html bool) []byte {
	if !w.within {
		return appendQuoted(b, s, html)
	}
	for i := range len(s) {
		if byteSafety[s[i]]&plainHTML == 0 {
			w.inner = appendQuoted(w.inner[:0], s, html)
			return appendEscaped(b, w.inner)
		}
	}
	return append(append(append(b, '\\', '"'), s...), '\\', '"')
}

// value appends v. After an error, b is as it was.
func (w *keyWriter) value(b []byte, v value.Value) ([]byte, error) {
	if v == nil {
		return b, errInvalidElement
	}
	switch x := v.Unstructured().(type) {
	case string:
		return w.text(b, x, true), nil
	case int64:
		return strconv.AppendInt(b, x, 10), nil
	case int:
		return strconv.AppendInt(b, int64(x), 10), nil
	case float64:
		return appendFloat(b, x)
	case bool:
		return strconv.AppendBool(b, x), nil
	case nil:
		return append(b, "null"...), nil
	}
	text, err := value.ToJSON(v)
	if w.within {
		return appendEscaped(b, text), err
	}
	return append(b, text...), err
}

func appendFloat(b []byte, f float64) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, fmt.Errorf("unsupported value: %f", f)
	}
	if i := int64(f); float64(i) == f && -1<<53 < i && i < 1<<53 && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(b, i, 10), nil
	}
	format := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, f, format, -1, 64), nil
}
