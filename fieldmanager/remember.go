// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"runtime"
	"sync"
	"weak"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// memory caches facts about live objects by their identity (see Options.RememberLive). It
// does not keep objects alive. When an object is garbage-collected, memory forgets the facts
// about it. A nil memory has no facts.
type memory struct {
	limit   int
	mu      sync.Mutex
	objects map[identity]facts
}

// identity identifies a map, and is never reused for another map.
type identity = weak.Pointer[byte]

func addressOf(m map[string]any) *byte { return (*byte)(box.MapAddress(m)) }

// facts are the cached facts about one live object.
type facts struct {
	// node is the type for which the object is valid, in the API version of the object. It is
	// nil if the object was not validated. engineFacts are the results of that validation.
	node        *graph.Node
	engineFacts engine.Facts
	// managed has the decoded managed fields. It is nil if they were not decoded. entries has
	// outlines of the stored managed fields. It is nil if the stored managed fields were not
	// yet compared.
	managed *managedfields.Managed
	entries []document.Outline
	// cleanup removes these facts when the object is garbage-collected.
	cleanup runtime.Cleanup
}

func newMemory(limit int) *memory {
	if limit == 0 {
		return nil
	}
	return &memory{limit: limit, objects: map[identity]facts{}}
}

func (m *memory) get(live map[string]any) facts {
	if m == nil || live == nil {
		return facts{}
	}
	id := weak.Make(addressOf(live))
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.objects[id]
}

// update adds facts about an object. If the memory is full, it forgets the facts about
// another object.
func (m *memory) update(live map[string]any, add func(*facts)) {
	if m == nil || live == nil {
		return
	}
	p := addressOf(live)
	id := weak.Make(p)
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.objects[id]
	if !ok {
		m.makeRoom()
		// Refer to m weakly, because it may be garbage-collected before the object.
		itself := weak.Make(m)
		k.cleanup = runtime.AddCleanup(p, func(id identity) {
			if m := itself.Value(); m != nil {
				m.forget(id)
			}
		}, id)
	}
	add(&k)
	m.objects[id] = k
}

// makeRoom removes the facts about another object if the memory is full. It also stops the
// runtime cleanup of that object, so that an object never has more than one cleanup.
func (m *memory) makeRoom() {
	if len(m.objects) < m.limit {
		return
	}
	for id, other := range m.objects {
		other.cleanup.Stop()
		delete(m.objects, id)
		return
	}
}

func (m *memory) forget(id identity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, id)
}

// liveManaged returns the managed fields of a live object, from the cache if possible.
func (m *FieldManager) liveManaged(live map[string]any, reading *stored.Reading) (*managedfields.Managed, error) {
	if m.memory == nil || live == nil {
		return decode(live, reading)
	}
	if k := m.memory.get(live); k.managed != nil {
		reading.Same = reading.Sent != nil && m.memory.storesEntries(live, k, reading.Sent)
		return k.managed, nil
	}
	reading.Applier = nil // the next request for this object may come from another applier
	managed, err := decode(live, reading)
	if err == nil {
		m.memory.update(live, func(k *facts) { k.managed = managed })
	}
	return managed, err
}

// storesEntries reports whether the managed fields in sent equal the stored managed fields of
// the live object.
func (m *memory) storesEntries(live map[string]any, k facts, sent []any) bool {
	if k.entries == nil {
		list, _ := document.Metadata(live)["managedFields"].([]any)
		k.entries = make([]document.Outline, len(list))
		for i, e := range list {
			k.entries[i] = document.OutlineOf(e)
		}
		m.update(live, func(now *facts) { now.entries = k.entries })
	}
	if len(sent) != len(k.entries) {
		return false
	}
	for i := range sent {
		if !k.entries[i].Equal(sent[i]) {
			return false
		}
	}
	return true
}

// validLive returns the live object with its type, or the error of its validation. If the
// memory has the object, it is not validated again.
func (r *request) validLive() (*typed.TypedValue, error) {
	t := r.liveType
	if r.original == nil || t.Schema == nil {
		return t.FromUnstructured(r.live, typed.AllowDuplicates)
	}
	node := compiled.Node(t.Schema, t.TypeRef)
	if k := r.m.memory.get(r.original); k.node == node {
		tv := typed.AsTypedUnvalidated(value.NewValueInterface(r.live), t.Schema, t.TypeRef)
		(*operand.Value)(tv).Assume(k.engineFacts)
		return tv, nil
	}
	tv, err := t.FromUnstructured(r.live, typed.AllowDuplicates)
	if err == nil {
		engineFacts := (*operand.Value)(tv).Known()
		r.m.memory.update(r.original, func(k *facts) { k.node, k.engineFacts = node, engineFacts })
	}
	return tv, err
}
