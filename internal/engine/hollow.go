// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"unsafe"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// hollows are the containers, by where they are, that have something somewhere
// that has no path: an empty list that is no leaf, or a value of the wrong kind.
// A container that is there twice, as two types, is one of them if either is.
type hollows map[unsafe.Pointer]struct{}

// has says whether v, a part of what was looked through, is hollow.
func (h hollows) has(n *graph.Node, v any) bool {
	is, at := hollowItself(n, v)
	if at != nil {
		_, is = h[at]
	}
	return is
}

// find looks through v for what is hollow, and says whether v is.
func (h hollows) find(n *graph.Node, v any) bool {
	is, at := hollowItself(n, v)
	if at == nil {
		return is
	}
	if x, ok := v.([]any); ok {
		for _, c := range x {
			is = h.find(n.List.Item, c) || is
		}
	} else {
		for name, c := range asMap(v) {
			is = h.find(n.Map.At(name), c) || is
		}
	}
	if is {
		h[at] = struct{}{}
	}
	return is
}

// hollowItself says whether v is hollow, or where it is if that takes a look at
// what is in it.
func hollowItself(n *graph.Node, v any) (is bool, at unsafe.Pointer) {
	if v == nil {
		return false, nil
	}
	switch kindFor(n, v) {
	case graph.MapKind:
		if n.Map.Atomic {
			return false, nil
		}
		switch x := v.(type) {
		case map[string]any:
			return false, *(*unsafe.Pointer)(unsafe.Pointer(&x))
		case map[any]any:
			return false, *(*unsafe.Pointer)(unsafe.Pointer(&x))
		}
		return true, nil
	case graph.ListKind:
		if n.List.Relation == graph.Atomic {
			return false, nil
		}
		x := asList(v)
		if len(x) == 0 {
			return true, nil
		}
		return false, unsafe.Pointer(&x[0])
	}
	return false, nil
}
