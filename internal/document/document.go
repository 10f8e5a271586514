// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/value"
)

// Kind returns the type of a decoded value with an article, such as "a string", for error
// messages.
func Kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, float32, float64:
		return "a number"
	}
	return fmt.Sprintf("%T", v)
}

// Metadata returns the metadata of an object, or nil if it is absent or not a map.
func Metadata(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata
}

// MetaString returns a string field of the object's metadata, or "" if it is absent.
func MetaString(object map[string]any, name string) string {
	s, _ := Metadata(object)[name].(string)
	return s
}

// TypeOf returns the apiVersion and the kind of an object, or "" for each that is absent.
func TypeOf(object map[string]any) (apiVersion, kind string) {
	apiVersion, _ = object["apiVersion"].(string)
	kind, _ = object["kind"].(string)
	return apiVersion, kind
}

// WithMetadata returns a shallow copy of object, and the metadata of this copy. The metadata is
// also a shallow copy. The caller may change these two maps. All other values are shared with
// object.
func WithMetadata(object map[string]any) (copied, metadata map[string]any) {
	copied = Shallow(object)
	metadata = Shallow(Metadata(object))
	copied["metadata"] = metadata
	return copied, metadata
}

// WithoutManagedFields returns a copy of object without metadata.managedFields. If object has
// no managed fields, it returns object itself.
func WithoutManagedFields(object map[string]any) map[string]any {
	if _, ok := Metadata(object)["managedFields"]; !ok {
		return object
	}
	copied, metadata := WithMetadata(object)
	delete(metadata, "managedFields")
	return copied
}

// NeverOwned is the set of fields that nobody can own, because they identify the object or only
// the server sets them.
var NeverOwned = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"),
	fieldpath.MakePathOrDie("kind"),
	fieldpath.MakePathOrDie("metadata"),
	fieldpath.MakePathOrDie("metadata", "clusterName"),
	fieldpath.MakePathOrDie("metadata", "creationTimestamp"),
	fieldpath.MakePathOrDie("metadata", "generation"),
	fieldpath.MakePathOrDie("metadata", "managedFields"),
	fieldpath.MakePathOrDie("metadata", "name"),
	fieldpath.MakePathOrDie("metadata", "namespace"),
	fieldpath.MakePathOrDie("metadata", "resourceVersion"),
	fieldpath.MakePathOrDie("metadata", "selfLink"),
	fieldpath.MakePathOrDie("metadata", "uid"),
)

// GVK formats an apiVersion and a kind like the API server, for example "apps/v1,
// Kind=Deployment".
func GVK(apiVersion, kind string) string {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group, version = "", apiVersion
	}
	return group + "/" + version + ", Kind=" + kind
}

// Describe identifies an object as in the API server's errors: "namespace/name;
// group/version, Kind=kind". An object that has no name, for example because it has a
// generateName, is identified by its type, and by its namespace if it has one:
// "group/version, Kind=kind in namespace d". On an API server, each object has a name.
func Describe(object map[string]any) string {
	gvk := GVK(TypeOf(object))
	namespace, name := MetaString(object, "namespace"), MetaString(object, "name")
	switch {
	case name != "":
		return namespace + "/" + name + "; " + gvk
	case namespace != "":
		return gvk + " in namespace " + namespace
	}
	return gvk
}

// Seconds returns a time in seconds, which is the precision of time stamps in objects. It
// returns 0 for nil, so that nil is ordered before any time.
func Seconds(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.Unix()
}

// Shallow returns a shallow copy of m. The copy is never nil.
func Shallow(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

// Equal reports whether two decoded values are equal. It compares numbers by value, so 1 equals
// 1.0. A nil map or list does not equal an empty one.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		if len(a) == 0 { // a fast path, because most maps in managed fields are empty
			return true
		}
		if box.SameMap(a, b) {
			return true
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		if len(a) > 0 && &a[0] == &b[0] {
			return true
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case nil:
		return b == nil
	}
	if x, y := value.NewValueInterface(a), value.NewValueInterface(b); isNumber(x) && isNumber(y) {
		return value.Equals(x, y)
	}
	return reflect.DeepEqual(a, b)
}

func isNumber(v value.Value) bool { return v.IsInt() || v.IsFloat() }

// WithStringKeys returns v with each map[any]any converted to a map[string]any. It omits keys
// that are not strings. It returns v itself if there is nothing to convert.
func WithStringKeys(v any) any {
	if data.HasStringKeys(v) {
		return v
	}
	return stringKeyed(v)
}

// stringKeyed returns a deep copy of v in which each map has string keys.
func stringKeyed(v any) any {
	switch x := v.(type) {
	case map[any]any:
		out := make(map[string]any, len(x))
		for k, c := range x {
			if name, ok := k.(string); ok {
				out[name] = stringKeyed(c)
			}
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, c := range x {
			out[k] = stringKeyed(c)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, c := range x {
			out[i] = stringKeyed(c)
		}
		return out
	}
	return v
}

// IsZero reports whether v is an empty string, list or map, false, or the number 0. Null is
// not zero.
func IsZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int:
		return v == 0
	case int64:
		return v == 0
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
