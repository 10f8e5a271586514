package fieldmanager

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// A rewrite changes one place of a config: it goes, or gets another value.
type rewrite struct {
	path fieldpath.Path
	set  bool
	to   any
	// known says that what the type does not know is left out of to.
	known bool
	// held is what the applier owns already.
	held *fieldpath.Set
}

// of returns config, which is of type t, with the change, and whether there was
// anything to change. What the change leaves alone is shared.
//
// What goes takes with it the maps and lists that it leaves empty: they would be
// owned as empty ones. Those that the applier owns already stay, since to give them
// up could remove them with all that others have there. Items of lists stay with
// their keys, since the config still says that they are to be there; where all of
// them are defaults that were not written and no other value is left, they are
// written, since a merge of several versions takes such an item for none. An item
// whose key goes is another one, so it goes as a whole. Where the config has a
// scalar or null on the way to the place, that is what stands for the place.
func (w rewrite) of(config map[string]any, t typed.ParseableType) (map[string]any, bool) {
	root := place{schema: t.Schema, ref: t.TypeRef, typed: true, plain: config}
	v, changed := w.at(root, w.path)
	if !changed {
		return config, false
	}
	return v.(map[string]any), true // only what is below the root goes
}

// at is of for the value at p, from which rest is left to go.
func (w rewrite) at(p place, rest fieldpath.Path) (any, bool) {
	if len(rest) == 0 {
		return p.plain, false
	}
	switch plain := p.plain.(type) {
	case map[string]any:
		return w.inMap(p, plain, rest)
	case []any:
		return w.inList(p, plain, rest)
	}
	return p.plain, false
}

func (w rewrite) inMap(p place, m map[string]any, rest fieldpath.Path) (any, bool) {
	if rest[0].FieldName == nil {
		return m, false
	}
	name := *rest[0].FieldName
	child, ok := m[name]
	if !ok {
		return m, false
	}
	out := maps.Clone(m)
	if len(rest) == 1 || !isContainer(child) {
		if w.set && len(rest) == 1 {
			out[name] = w.value(p.field(name))
		} else {
			delete(out, name)
		}
		return out, true
	}
	next := p.field(name)
	next.plain = child
	v, changed := w.at(next, rest[1:])
	if !changed {
		return m, false
	}
	if isEmpty(v) && !w.held.Has(w.path[:len(w.path)-len(rest)+1]) {
		delete(out, name)
	} else {
		out[name] = v
	}
	return out, true
}

// value is what the place gets.
func (w rewrite) value(at place) any {
	if !w.known || !at.typed {
		return w.to
	}
	v, changed, wrong := engine.DropUnknown(at.schema.Node(at.ref), w.to, false)
	if !changed || wrong != nil {
		return w.to
	}
	return v
}

func (w rewrite) inList(p place, list []any, rest fieldpath.Path) (any, bool) {
	i, item, ok := p.item(list, rest[0])
	if !ok {
		return list, false
	}
	if len(rest) == 1 && w.set {
		out := slices.Clone(list)
		out[i] = w.value(item)
		return out, true
	}
	without := append(slices.Clone(list[:i]), list[i+1:]...)
	if len(rest) == 1 || !isContainer(item.plain) {
		return without, true
	}
	ofKey := !w.set && len(rest) == 2 && rest[0].Key != nil && rest[1].FieldName != nil && isKey(*rest[0].Key, *rest[1].FieldName)
	if ofKey && item.needsKey(*rest[0].Key, *rest[1].FieldName) {
		return without, true
	}
	v, changed := w.at(item, rest[1:])
	if !changed {
		return list, false
	}
	if ofKey && hollow(v) {
		return without, true
	}
	if rest[0].Key != nil && hollow(v) {
		v = withKeys(v, *rest[0].Key)
	}
	out := slices.Clone(list)
	out[i] = v
	return out, true
}

// withKeys is an item with all of its keys.
func withKeys(item any, key value.FieldList) any {
	m, ok := item.(map[string]any)
	if !ok {
		return item
	}
	m = maps.Clone(m)
	for _, k := range key {
		m[k.Name] = k.Value.Unstructured()
	}
	return m
}

// hollow says whether there is no value in v but nulls and empty containers.
func hollow(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, c := range v {
			if !hollow(c) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

func isKey(key value.FieldList, name string) bool {
	return slices.ContainsFunc(key, func(k value.Field) bool { return k.Name == name })
}

// needsKey says whether the item would be another one without its field name.
func (p place) needsKey(key value.FieldList, name string) bool {
	for _, k := range key {
		if k.Name == name {
			def := p.field(name).def
			return def == nil || !value.Equals(k.Value, value.NewValueInterface(def))
		}
	}
	return false
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
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
