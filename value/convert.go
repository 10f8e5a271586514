package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
)

// CanConvertToUnstructured reports whether values of the type, or pointers to
// them, convert themselves: they implement json.Marshaler,
// UnstructuredConverter or UnstructuredConverterWithError.
func (e TypeReflectCacheEntry) CanConvertToUnstructured() bool {
	return e.info().methods&convertible != 0
}

// CanConvertFromUnstructured reports whether pointers to values of the type
// implement json.Unmarshaler.
func (e TypeReflectCacheEntry) CanConvertFromUnstructured() bool {
	return e.info().methods&pointerUnmarshals != 0
}

// ToUnstructured returns what a value of the type converts itself to, nil for
// a nil pointer. JSON numbers become int64 where they fit, otherwise float64.
// It returns the error of the conversion, or one that says that the type has
// none; a method of the pointer counts only if the value is addressable.
func (e TypeReflectCacheEntry) ToUnstructured(sv reflect.Value) (interface{}, error) {
	u, _, err := e.info().convert(sv)
	return u, err
}

// convert is ToUnstructured. fresh says that nobody else holds on to u, and
// that it is made of nothing but nil, bool, int64, float64, string,
// []interface{} and map[string]interface{}.
func (t *typeInfo) convert(v reflect.Value) (u any, fresh bool, err error) {
	m := t.methods
	switch k := v.Kind(); {
	case k == reflect.Pointer && v.IsNil(), k == reflect.Interface && v.IsNil() && m&convertible != 0:
		return nil, true, nil
	}
	switch {
	case m&convertsWithError != 0:
		u, err = v.Interface().(UnstructuredConverterWithError).ToUnstructuredWithError()
		return u, false, err
	case m&pointerConvertsWithError != 0 && v.CanAddr():
		u, err = v.Addr().Interface().(UnstructuredConverterWithError).ToUnstructuredWithError()
		return u, false, err
	case m&converts != 0:
		return v.Interface().(UnstructuredConverter).ToUnstructured(), false, nil
	case m&pointerConverts != 0 && v.CanAddr():
		return v.Addr().Interface().(UnstructuredConverter).ToUnstructured(), false, nil
	case m&marshals != 0:
		u, err = unmarshaled(v.Interface().(json.Marshaler))
		return u, true, err
	case m&pointerMarshals != 0 && v.CanAddr() && v.Kind() != reflect.Pointer:
		u, err = unmarshaled(v.Addr().Interface().(json.Marshaler))
		return u, true, err
	}
	return nil, true, fmt.Errorf("provided type cannot be converted: %v", v.Type())
}

func unmarshaled(m json.Marshaler) (any, error) {
	data, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// FromUnstructured sets dv, which must be addressable and of the type, to what
// its UnmarshalJSON makes of the plain data sv. It returns the error of
// UnmarshalJSON, or one that says that sv has no JSON or dv no UnmarshalJSON.
func (e TypeReflectCacheEntry) FromUnstructured(sv, dv reflect.Value) error {
	data, err := marshal(sv.Interface())
	if err != nil {
		return fmt.Errorf("error encoding %s to json: %v", dv.Type(), err)
	}
	if !e.CanConvertFromUnstructured() {
		return fmt.Errorf("unable to unmarshal %v into %v", sv.Type(), dv.Type())
	}
	return dv.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(data)
}

// marshal is json.Marshal, quick for plain data.
func marshal(v any) ([]byte, error) {
	if b, ok := appendAlike(nil, v, 0); ok && !bytes.Contains(b, []byte(`\u0008`)) && !bytes.Contains(b, []byte(`\u000c`)) && !bytes.Contains(b, []byte(`\ufffd`)) {
		return b, nil
	}
	return json.Marshal(v)
}

// appendAlike is appendJSON for data that both it and encoding/json write, and
// in the same way, but for backspaces, form feeds, and keys that are no UTF-8:
// ok is false for all else.
func appendAlike(b []byte, v any, depth int) (_ []byte, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		if v == nil || depth >= maxDepth {
			return b, false
		}
		var few [16]string
		b = append(b, '{')
		for i, k := range sortedKeys(few[:0], v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendJSONString(b, k), ':')
			if b, ok = appendAlike(b, v[k], depth+1); !ok {
				return b, false
			}
		}
		return append(b, '}'), true
	case []any:
		if v == nil || depth >= maxDepth {
			return b, false
		}
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = appendAlike(b, e, depth+1); !ok {
				return b, false
			}
		}
		return append(b, ']'), true
	case float64:
		if a := math.Abs(v); a != 0 && !(a >= 1e-6 && a < 1e21) {
			return b, false
		}
	case nil, string, bool, int64:
	default:
		return b, false
	}
	b, err := appendJSON(b, v, depth)
	return b, err == nil
}
