// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// FamiliarFields is Familiar for a set as decoded FieldsV1, in the form that
// Settled takes. No means that only the set itself can tell. find says whether a
// set is known to name the item that a key stands for, and what it has below that,
// nil if nothing.
func FamiliarFields(n *graph.Node, last *fieldpath.Set, fields map[string]any, find FindItem) bool {
	f := acquaintance{find}
	return f.below(n, last, fields)
}

// FindItem finds an item in a set by its key in FieldsV1.
type FindItem func(set *fieldpath.Set, key string) (below *fieldpath.Set, named bool)

type acquaintance struct{ find FindItem }

func (f acquaintance) below(n *graph.Node, last *fieldpath.Set, fields map[string]any) bool {
	if !n.Keyed {
		return true
	}
	if n.List.HasKeys() {
		return f.items(n.List, last, fields)
	}
	for key, v := range fields {
		below, _ := v.(map[string]any)
		if len(below) == 0 {
			continue
		}
		name, ok := strings.CutPrefix(key, "f:")
		if !ok {
			if n.List != nil {
				return false
			}
			continue // nothing that a list is below
		}
		c, ok := last.Children.Get(fieldpath.PathElement{FieldName: &name})
		if !ok {
			continue
		}
		if t, _ := descend(n, &fieldpath.PathElement{FieldName: &name}); !f.below(t, c, below) {
			return false
		}
	}
	return true
}

func (f acquaintance) items(l *graph.List, last *fieldpath.Set, fields map[string]any) bool {
	for key, v := range fields {
		if key == "." {
			continue
		}
		below, _ := v.(map[string]any)
		nested := l.Item.Keyed && hasDeep(below)
		if !nested && hasKeys(l, below) {
			continue
		}
		c, named := f.find(last, key)
		if !named && !hasKeys(l, below) || c != nil && nested && !f.below(l.Item, c, below) {
			return false
		}
	}
	return true
}

// hasKeys says whether the fields of an item have all of its keys.
func hasKeys(l *graph.List, fields map[string]any) bool {
	for i := range l.Keys {
		var room [64]byte
		if _, ok := fields[string(append(append(room[:0], "f:"...), l.Keys[i].Name...))]; !ok {
			return false
		}
	}
	return true
}

// hasDeep says whether there is something below one of the fields.
func hasDeep(fields map[string]any) bool {
	for _, v := range fields {
		if below, _ := v.(map[string]any); len(below) > 0 {
			return true
		}
	}
	return false
}
