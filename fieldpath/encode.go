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
	b, err := appendElement(make([]byte, 0, 64), &pe)
	return string(b), err
}

// encoder keeps the buffers of one ToJSON for the next.
type encoder struct {
	out   []byte
	stack []encoding
	inner []byte
}

// encoding is an object that is being written.
type encoding struct {
	members []PathElement
	nodes   []SetNode
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

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
			b, err = e.appendKey(b, &top.members[0])
			b = append(b, ":{}"...)
			top.members = top.members[1:]
			continue
		}
		b, err = e.appendKey(b, &top.nodes[0].PathElement)
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

// appendKey appends pe as a JSON string.
func (e *encoder) appendKey(b []byte, pe *PathElement) ([]byte, error) {
	if pe.FieldName != nil {
		return append(appendEscaped(append(b, `"f:`...), *pe.FieldName), '"'), nil
	}
	if out, ok := appendPlainKey(b, pe); ok {
		return out, nil
	}
	inner, err := appendElement(e.inner[:0], pe)
	e.inner = inner
	if err != nil {
		return b, err
	}
	return append(appendEscaped(append(b, '"'), inner), '"'), nil
}

// appendPlainKey is appendKey for keys and values in which nothing but quotes
// has to be escaped. It reports false for others.
func appendPlainKey(b []byte, pe *PathElement) (out []byte, ok bool) {
	switch {
	case pe.Key != nil:
		b = append(b, `"k:{`...)
		for i, field := range *pe.Key {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = appendPlainText(b, field.Name); !ok {
				return nil, false
			}
			b = append(b, ':')
			if b, ok = appendPlainValue(b, field.Value); !ok {
				return nil, false
			}
		}
		return append(b, `}"`...), true
	case pe.Value != nil:
		if b, ok = appendPlainValue(append(b, `"v:`...), *pe.Value); ok {
			return append(b, '"'), true
		}
	}
	return nil, false
}

func appendPlainValue(b []byte, v value.Value) (out []byte, ok bool) {
	if v == nil {
		return nil, false
	}
	switch x := v.Unstructured().(type) {
	case string:
		return appendPlainText(b, x)
	case int64:
		return strconv.AppendInt(b, x, 10), true
	case float64:
		out, err := appendFloat(b, x)
		return out, err == nil
	case bool:
		return strconv.AppendBool(b, x), true
	}
	return nil, false
}

func appendPlainText(b []byte, s string) (out []byte, ok bool) {
	for i := range len(s) {
		if byteSafety[s[i]]&plainHTML == 0 {
			return nil, false
		}
	}
	return append(append(append(b, '\\', '"'), s...), '\\', '"'), true
}

// appendElement appends pe as SerializePathElement returns it.
func appendElement(b []byte, pe *PathElement) ([]byte, error) {
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
			b = append(appendEscaped(append(b, '"'), field.Name), `":`...)
			var err error
			if b, err = appendValue(b, field.Value); err != nil {
				return b[:start], err
			}
		}
		return append(b, '}'), nil
	case pe.Value != nil:
		b = append(b, "v:"...)
		out, err := appendValue(b, *pe.Value)
		if err != nil {
			return b, err
		}
		return out, nil
	case pe.Index != nil:
		return strconv.AppendInt(append(b, "i:"...), int64(*pe.Index), 10), nil
	}
	return b, errInvalidElement
}

var errInvalidElement = errors.New("invalid PathElement")

func appendValue(b []byte, v value.Value) ([]byte, error) {
	if v == nil {
		return b, errInvalidElement
	}
	switch x := v.Unstructured().(type) {
	case string:
		return append(appendHTMLEscaped(append(b, '"'), x), '"'), nil
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
