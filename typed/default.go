package typed

import (
	"github.com/dovetail-ssa/dovetail/internal/engine"
)

// Default returns the value with the defaults of its type filled in, as KEP-1929
// and the defaulting of custom resources have it:
//
//   - A field that is absent takes its default, the nearest: its own, then that
//     of the type it refers to. What was filled in is filled in itself.
//   - Null is no value unless the type is nullable. A field or a value of a map
//     that is null takes its default, or goes if there is none; an item takes
//     its default, or stays.
//   - Empty strings, 0, false, {} and [] are values.
//
// The result is tv itself if nothing changes, and shares with tv what does not
// change. It is not validated: a default that does not fit its type shows then.
// It fails with ValidationErrors if defaults have no end.
func (tv *TypedValue) Default() (*TypedValue, error) {
	n, tree, ok := tv.Plain()
	if !ok {
		return tv, nil
	}
	out, changed, found := engine.Default(n, tree, false)
	if found != nil {
		return nil, errorsOf(found)
	}
	if !changed {
		return tv, nil
	}
	return tv.derived(out, 0), nil
}

// Default fills the defaults of the type into object, plain data that it writes
// to, and returns it, or what it became if it was null. It is TypedValue.Default
// for servers, which own what they have decoded: call it after decoding and
// pruning, after mutation, and on what is read from storage.
func (p ParseableType) Default(object any) (any, error) {
	out, _, found := engine.Default(p.Schema.Node(p.TypeRef), object, true)
	if found != nil {
		return nil, errorsOf(found)
	}
	return out, nil
}
