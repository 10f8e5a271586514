// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build go1.27

package value

import (
	jsonv1 "encoding/json"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
)

// The code in this file reads and writes JSON as structured-merge-diff v7 does, with
// encoding/json/v2 (see schema.Version7). The reader and the writer of this package are faster
// than encoding/json/v2, so they handle all data for which both produce the same result.
// encoding/json/v2 handles all other data.

var invalidUTF8 = jsontext.AllowInvalidUTF8(true)

func fromJSON7(input []byte) (Value, error) {
	text := box.Text(input)
	if jsoniter.IsUnicode(text) {
		if v, ok := jsoniter.Parse(text, jsoniter.CopyStrings|jsoniter.Unique); ok {
			return NewValueInterface(v), nil
		}
	}
	v, err := unmarshal7(input)
	if err != nil {
		return nil, err
	}
	return NewValueInterface(v), nil
}

// unmarshal7 decodes a document that may have invalid UTF-8 and duplicate keys.
func unmarshal7(input []byte) (v any, err error) {
	if err = json.Unmarshal(input, &v, invalidUTF8); errors.Is(err, jsontext.ErrDuplicateName) {
		v = nil
		err = json.Unmarshal(input, &v, invalidUTF8, jsontext.AllowDuplicateNames(true), jsonv1.MergeWithLegacySemantics(true))
	}
	return v, err
}

func toJSON7(v Value) ([]byte, error) {
	data := v.Unstructured()
	if b, err := (writer{jsoniter.Letters}).value(nil, data, 0); err == nil && utf8.Valid(b) {
		return b, nil
	}
	return json.Marshal(data, json.Deterministic(true), invalidUTF8)
}

// ValueMarshalJSONTo writes a value to enc. It returns an error for a NaN or an infinity, for Go
// data that JSON cannot represent, and if enc returns an error.
func ValueMarshalJSONTo(enc *jsontext.Encoder, v Value) error {
	switch {
	case v == nil:
		return errors.New("cannot marshal a nil value to json")
	case v.IsNull():
		return enc.WriteToken(jsontext.Null)
	case v.IsFloat():
		f := v.AsFloat()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("unsupported value: %v", f)
		}
		return enc.WriteToken(jsontext.Float(f))
	case v.IsInt():
		return enc.WriteToken(jsontext.Int(v.AsInt()))
	case v.IsString():
		return enc.WriteToken(jsontext.String(v.AsString()))
	case v.IsBool():
		return enc.WriteToken(jsontext.Bool(v.AsBool()))
	case v.IsMap():
		return json.MarshalEncode(enc, v.Unstructured(), json.Deterministic(true), invalidUTF8)
	case !v.IsList():
		return errors.New("cannot marshal unknown value type to json")
	}
	err := enc.WriteToken(jsontext.BeginArray)
	list := v.AsList()
	for i := 0; err == nil && i < list.Length(); i++ {
		err = ValueMarshalJSONTo(enc, list.At(i))
	}
	if err != nil {
		return err
	}
	return enc.WriteToken(jsontext.EndArray)
}

var (
	_ json.MarshalerTo     = (*FieldList)(nil)
	_ json.UnmarshalerFrom = (*FieldList)(nil)
)

// MarshalJSONTo writes the fields as one object, in the order of the list. It returns
// the same errors as [ValueMarshalJSONTo].
func (f *FieldList) MarshalJSONTo(enc *jsontext.Encoder) error {
	err := enc.WriteToken(jsontext.BeginObject)
	for i := 0; err == nil && i < len(*f); i++ {
		if err = enc.WriteToken(jsontext.String((*f)[i].Name)); err == nil {
			err = ValueMarshalJSONTo(enc, (*f)[i].Value)
		}
	}
	if err != nil {
		return err
	}
	return enc.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads an object into a list sorted by name. It reads null as a nil list. If
// it returns an error, the list is unchanged.
func (f *FieldList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	parsing := func(err error) error {
		if err == io.EOF {
			return errors.New("unexpected EOF")
		}
		return fmt.Errorf("parsing JSON: %v", err)
	}
	start, err := dec.ReadToken()
	if err != nil {
		return fmt.Errorf("parsing JSON: %v", err)
	}
	switch start.Kind() {
	case jsontext.KindNull:
		*f = nil
		return nil
	case jsontext.KindBeginObject:
	default:
		return errors.New("expected object")
	}
	var fields FieldList
	for {
		name, err := dec.ReadToken()
		if err != nil {
			return parsing(err)
		}
		if name.Kind() == jsontext.KindEndObject {
			fields.Sort()
			*f = fields
			return nil
		}
		field := Field{Name: name.String()}
		text, err := dec.ReadValue()
		if err != nil {
			return parsing(err)
		}
		v, err := unmarshal7(text)
		if err != nil {
			return parsing(err)
		}
		field.Value = NewValueInterface(v)
		fields = append(fields, field)
	}
}
