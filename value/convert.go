package value

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"
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
	if writtenAlike(v, 0) {
		return appendJSON(nil, v, 0)
	}
	return json.Marshal(v)
}

// writtenAlike says whether appendJSON writes v as encoding/json does. The two
// differ in backspaces and form feeds, in exponents, and in the order of keys
// that are no UTF-8.
func writtenAlike(v any, depth int) bool {
	switch v := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return textWrittenAlike(v)
	case float64:
		a := math.Abs(v)
		return a == 0 || a >= 1e-6 && a < 1e21
	case map[string]any:
		if depth >= maxDepth {
			return false
		}
		for k, e := range v {
			if !textWrittenAlike(k) || !writtenAlike(e, depth+1) {
				return false
			}
		}
		return true
	case []any:
		if depth >= maxDepth {
			return false
		}
		for _, e := range v {
			if !writtenAlike(e, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

func textWrittenAlike(s string) bool {
	for i := range len(s) {
		if c := s[i]; c == '\b' || c == '\f' || c >= utf8.RuneSelf {
			return c >= utf8.RuneSelf && utf8.ValidString(s) && !strings.ContainsAny(s, "\b\f")
		}
	}
	return true
}
