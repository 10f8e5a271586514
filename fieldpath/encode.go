// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"io"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/edition"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/value"
)

// ToJSON returns the set in the FieldsV1 format. The bytes are the same as from
// structured-merge-diff v6.4.2, or from v7.0.0 if schema.Version7 is set. ToJSON returns an
// error for an empty path element and for values that JSON cannot represent, such as NaN.
func (s *Set) ToJSON() ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.keys.asV7 = edition.V7.Is()
	b, err := e.object(e.out[:0], s, false)
	if e.out = b; cap(b) > keepBuffer {
		e.out = nil
	}
	if e.keys.asV7 && (err != nil || !utf8.Valid(b)) {
		return set7ToJSON(s)
	}
	if err != nil {
		return nil, err
	}
	if len(b) > keepBuffer {
		return b, nil
	}
	return append(make([]byte, 0, len(b)), b...), nil
}

// ToJSONStream writes the result of ToJSON to w. If ToJSON returns an error, it writes nothing
// and returns that error. It returns errors of w unchanged, or wrapped as in v7 if
// schema.Version7 is set.
func (s *Set) ToJSONStream(w io.Writer) error {
	b, err := s.ToJSON()
	if err != nil {
		return err
	}
	if _, err = w.Write(b); err != nil && edition.V7.Is() {
		err = writeError7(err)
	}
	return err
}

// SerializePathElement returns the FieldsV1 key for pe, such as f:name, k:{"name":"a"}, v:"value"
// or i:3. It returns an error in the same cases as ToJSON. Together with an error, it returns only
// the prefix of the kind, such as "v:". If pe is empty or schema.Version7 is set, it returns ""
// instead of the prefix.
func SerializePathElement(pe PathElement) (string, error) {
	w := keyWriter{asV7: edition.V7.Is()}
	b, err := w.element(make([]byte, 0, 64), &pe)
	if w.asV7 && pe.FieldName == nil && (err != nil || !utf8.Valid(b)) {
		return serializeElement7(pe)
	}
	return string(b), err
}

// encoder holds the buffers of ToJSON, which are reused.
type encoder struct {
	out  []byte
	keys keyWriter
}

var encoders = sync.Pool{New: func() any { return &encoder{keys: keyWriter{within: true}} }}

// keepBuffer is the maximum size, in bytes, of a buffer that is reused.
const keepBuffer = 1 << 20

// object appends the FieldsV1 object for s, which is the set of the paths below an element. If self
// is true, the path of the element itself is also owned, and the object gets the key ".". The
// object omits this key if it has no other keys.
func (e *encoder) object(b []byte, s *Set, self bool) (_ []byte, err error) {
	members, nodes := s.Members.members, s.Children.members
	b = append(b, '{')
	if self && len(members)+len(nodes) > 0 {
		b = append(b, `".":{}`...)
	}
	for len(members)+len(nodes) > 0 {
		side := 1 // computed as in compareNext, without a call, which would make this function 5% slower
		if len(nodes) == 0 {
			side = -1
		} else if len(members) > 0 {
			side = compareElements(&members[0], &nodes[0].PathElement)
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		if side < 0 {
			b, err = e.key(b, &members[0])
			b = append(b, ":{}"...)
		} else if b, err = e.key(b, &nodes[0].PathElement); err == nil {
			b, err = e.object(append(b, ':'), nodes[0].Set, side == 0)
			nodes = nodes[1:]
		}
		if err != nil {
			return b, err
		}
		if side <= 0 {
			members = members[1:]
		}
	}
	return append(b, '}'), nil
}

// key appends the key for pe as a JSON string.
func (e *encoder) key(b []byte, pe *PathElement) ([]byte, error) {
	if pe.FieldName != nil {
		return append(jsoniter.AppendEscaped(append(b, `"f:`...), *pe.FieldName, e.keys.names()), '"'), nil
	}
	b, err := e.keys.element(append(b, '"'), pe)
	return append(b, '"'), err
}

// keyWriter writes the FieldsV1 keys of path elements. A key can contain JSON. In a document,
// the key is itself a JSON string, so the quotes, backslashes and control characters of the
// inner JSON are escaped again.
type keyWriter struct {
	within bool   // true if the key is written as part of a document
	asV7   bool   // true to write as structured-merge-diff v7 does; a value that only json7.go can write is then an error
	inner  []byte // buffer for text before it is escaped again
}

// names returns the set of characters to escape in field names.
func (w *keyWriter) names() jsoniter.Escapes {
	if w.asV7 {
		return jsoniter.Letters
	}
	return jsoniter.Few
}

// element appends the key for pe. In a document, pe must not be a field name.
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
			b = append(w.text(b, field.Name, w.names()), ':')
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

var (
	errInvalidElement = errors.New("invalid PathElement")
	errNotV7          = errors.New("structured-merge-diff v7 writes this value differently")
)

// text appends s as a JSON string.
func (w *keyWriter) text(b []byte, s string, e jsoniter.Escapes) []byte {
	if !w.within {
		return jsoniter.AppendQuoted(b, s, e)
	}
	if jsoniter.IsSafe(s) {
		return append(append(append(b, '\\', '"'), s...), '\\', '"')
	}
	w.inner = jsoniter.AppendQuoted(w.inner[:0], s, e)
	return jsoniter.AppendEscaped(b, w.inner, w.names())
}

// value appends v as JSON. If it returns an error, it appends nothing.
func (w *keyWriter) value(b []byte, v value.Value) ([]byte, error) {
	if v == nil {
		return b, errInvalidElement
	}
	switch x := v.Unstructured().(type) {
	case string:
		if w.asV7 {
			return w.text(b, x, jsoniter.Letters), nil
		}
		return w.text(b, x, jsoniter.HTML), nil
	case int64:
		return strconv.AppendInt(b, x, 10), nil
	case int:
		return strconv.AppendInt(b, int64(x), 10), nil
	case float64:
		if w.asV7 && jsoniter.HasExponent(x, 64) {
			return b, errNotV7
		}
		return jsoniter.AppendFloat(b, x, 64)
	case bool:
		return strconv.AppendBool(b, x), nil
	case nil:
		return append(b, "null"...), nil
	}
	if w.asV7 {
		return b, errNotV7
	}
	text, err := value.ToJSON(v)
	if w.within {
		return jsoniter.AppendEscaped(b, text, jsoniter.Few), err
	}
	return append(b, text...), err
}
