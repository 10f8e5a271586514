// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"maps"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// references are what references were compiled to that say more than a name. New ones
// are added to a map of their own first, so that adding does not copy all that are
// known.
type references struct {
	// settled is complete, and read without a lock. The rest is guarded by the lock
	// of the compiler.
	settled atomic.Pointer[map[nodeKey]*graph.Node]
	recent  map[nodeKey]*graph.Node
	// missed says how often recent had what settled had not.
	missed int
}

// maxReferences is how many are remembered: those of a program that makes a reference
// for each call, which are all different, would be without end.
const maxReferences = 4096

// find looks among the settled ones.
func (r *references) find(key nodeKey) *graph.Node {
	if settled := r.settled.Load(); settled != nil {
		return (*settled)[key]
	}
	return nil
}

// findRecent looks among the others. The compiler is locked.
func (r *references) findRecent(key nodeKey) *graph.Node {
	n := r.recent[key]
	if n == nil {
		return nil
	}
	if r.missed++; r.missed >= len(r.recent)+r.size()/8 {
		r.settle()
	}
	return n
}

// size is how many are settled.
func (r *references) size() int {
	if settled := r.settled.Load(); settled != nil {
		return len(*settled)
	}
	return 0
}

// add remembers what a reference was compiled to. The compiler is locked.
func (r *references) add(key nodeKey, n *graph.Node) {
	if r.size()+len(r.recent) >= maxReferences {
		r.settled.Store(nil)
		r.recent, r.missed = nil, 0
	}
	if r.recent == nil {
		r.recent = map[nodeKey]*graph.Node{}
	}
	r.recent[key] = n
}

func (r *references) settle() {
	all := r.recent
	if known := r.settled.Load(); known != nil {
		maps.Copy(all, *known)
	}
	r.settled.Store(&all)
	r.recent, r.missed = nil, 0
}
