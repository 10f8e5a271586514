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

// Kind names a decoded value for an error message.
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

// Metadata returns the metadata of an object, nil when it has none or it
// is not an object.
func Metadata(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	return metadata
}

// MetaString returns a string of the object's metadata, "" when absent.
func MetaString(object map[string]any, name string) string {
	s, _ := Metadata(object)[name].(string)
	return s
}

// TypeOf returns apiVersion and kind of an object.
func TypeOf(object map[string]any) (apiVersion, kind string) {
	apiVersion, _ = object["apiVersion"].(string)
	kind, _ = object["kind"].(string)
	return apiVersion, kind
}

// WithMetadata is a copy of object that shares everything but its root and its
// metadata, which the caller may change.
func WithMetadata(object map[string]any) (copied, metadata map[string]any) {
	copied = Shallow(object)
	metadata = Shallow(Metadata(object))
	copied["metadata"] = metadata
	return copied, metadata
}

// WithoutManagedFields is object, or a copy of it that lacks
// metadata.managedFields.
func WithoutManagedFields(object map[string]any) map[string]any {
	if _, ok := Metadata(object)["managedFields"]; !ok {
		return object
	}
	copied, metadata := WithMetadata(object)
	delete(metadata, "managedFields")
	return copied
}

// NeverOwned are the fields that nobody can own: they name the object or are the server's.
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

// GVK prints a type as the API server does.
func GVK(apiVersion, kind string) string {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group, version = "", apiVersion
	}
	return group + "/" + version + ", Kind=" + kind
}

// Describe names an object as the API server's errors do.
func Describe(object map[string]any) string {
	apiVersion, kind := TypeOf(object)
	return MetaString(object, "namespace") + "/" + MetaString(object, "name") + "; " + GVK(apiVersion, kind)
}

// Seconds are those of a time stamp, which holds no parts of them; nil is the oldest.
func Seconds(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.Unix()
}

// Shallow is a copy of m that shares the values, never nil.
func Shallow(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

// Equal tells whether two decoded values are the same. Numbers are equal by
// value: 1 and 1.0 are written alike.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		if len(a) == 0 { // as most maps of managed fields are
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

// WithStringKeys is v, or stringKeyed of it if it needs that.
func WithStringKeys(v any) any {
	if data.HasStringKeys(v) {
		return v
	}
	return stringKeyed(v)
}

// stringKeyed is a copy of v with maps of string keys for those of any keys, which
// are valid, too. Keys that are no strings do not count, as everywhere.
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

// IsZero says whether v is zero or empty; null is neither.
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
