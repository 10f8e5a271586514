// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// Settled says whether Reconcile would leave a field set alone. fields is the
// set as decoded FieldsV1, in the form in which sets are written: objects in
// objects, none of them with nothing but ".". It also returns false where only
// the set itself can tell.
func Settled(n *graph.Node, fields map[string]any) bool {
	settled, known := SettledBy(n)
	if known || len(fields) == 0 {
		return settled && len(fields) > 0
	}
	for key, v := range fields {
		below, _ := v.(map[string]any)
		if len(below) == 0 {
			continue
		}
		if t, ok := TypeAtKey(n, key); ok && !Settled(t, below) {
			return false
		}
	}
	return true
}

// SettledBy is Settled for any fields of a type that are not empty. known is false
// if it depends on what is below them, see TypeAtKey.
func SettledBy(n *graph.Node) (settled, known bool) {
	if n.Missing {
		return false, true
	}
	if !n.Restless {
		return true, true
	}
	switch first(n.Kinds()) {
	case graph.MapKind:
		if n.Map.Deduced {
			return true, true
		}
		if n.Map.Atomic {
			return false, true
		}
	case graph.ListKind:
		if n.List.Relation == graph.Atomic || n.Declarative {
			return false, true
		}
	default:
		return n.Kinds() != 0, true
	}
	return false, !n.Sound
}

// TypeAtKey is typeAt for the element that a key of FieldsV1 stands for.
func TypeAtKey(n *graph.Node, key string) (*graph.Node, bool) {
	if n.Map != nil {
		if name, ok := strings.CutPrefix(key, "f:"); ok {
			return typeOfField(n.Map, name)
		}
		return n.Map.Elem, n.Map.Open
	}
	return n.List.Item, true
}
