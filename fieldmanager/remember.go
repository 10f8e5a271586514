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

// memory keeps what is known of live objects, which nobody writes to, by their
// identity, see Options.RememberLive. It keeps no object alive: of one that is gone
// it forgets all. A nil memory knows nothing.
type memory struct {
	most int
	mu   sync.Mutex
	of   map[identity]known
}

// identity is that of a map. No other map ever has the same.
type identity = weak.Pointer[byte]

func addressOf(m map[string]any) *byte { return (*byte)(box.MapAddress(m)) }

// known is what is known of one live object.
type known struct {
	// node is the type, in the API version of the object, that it is valid for, nil if
	// nobody has looked; facts is what else that found.
	node  *graph.Node
	facts engine.Facts
	// managed are its managed fields, nil if nobody has read them, and entries what they
	// were read of, nil if nobody has compared them.
	managed *managedfields.Managed
	entries []document.Outline
}

func newMemory(most int) *memory {
	if most == 0 {
		return nil
	}
	return &memory{most: most, of: map[identity]known{}}
}

func (m *memory) get(live map[string]any) known {
	if m == nil || live == nil {
		return known{}
	}
	id := weak.Make(addressOf(live))
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of[id]
}

// note adds to what is known of an object. If that is one too many, another one is
// forgotten.
func (m *memory) note(live map[string]any, add func(*known)) {
	if m == nil || live == nil {
		return
	}
	p := addressOf(live)
	id := weak.Make(p)
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.of[id]
	if !ok {
		if len(m.of) >= m.most {
			for other := range m.of {
				delete(m.of, other)
				break
			}
		}
		// The memory may be gone before the object.
		itself := weak.Make(m)
		runtime.AddCleanup(p, func(id identity) {
			if m := itself.Value(); m != nil {
				m.forget(id)
			}
		}, id)
	}
	add(&k)
	m.of[id] = k
}

func (m *memory) forget(id identity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, id)
}

// liveManaged reads the managed fields of a live object, or has read them.
func (m *FieldManager) liveManaged(live map[string]any, how *stored.Reading) (*managedfields.Managed, error) {
	if m.memory == nil || live == nil {
		return decode(live, how)
	}
	if k := m.memory.get(live); k.managed != nil {
		how.Same = how.Sent != nil && m.memory.haveEntries(live, k, how.Sent)
		return k.managed, nil
	}
	how.Applier = nil // the next one may be another
	managed, err := decode(live, how)
	if err == nil {
		m.memory.note(live, func(k *known) { k.managed = managed })
	}
	return managed, err
}

// haveEntries says whether the managed fields of a live object are stored as sent.
func (m *memory) haveEntries(live map[string]any, k known, sent []any) bool {
	if k.entries == nil {
		list, _ := document.Metadata(live)["managedFields"].([]any)
		k.entries = make([]document.Outline, len(list))
		for i, e := range list {
			k.entries[i] = document.OutlineOf(e)
		}
		m.note(live, func(now *known) { now.entries = k.entries })
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

// validLive is the live object with its type, if it is valid. It is validated once if it
// is remembered.
func (r *request) validLive() (*typed.TypedValue, error) {
	t := r.liveType
	if r.original == nil || t.Schema == nil {
		return t.FromUnstructured(r.live, typed.AllowDuplicates)
	}
	node := compiled.Node(t.Schema, t.TypeRef)
	if k := r.m.memory.get(r.original); k.node == node {
		tv := typed.AsTypedUnvalidated(value.NewValueInterface(r.live), t.Schema, t.TypeRef)
		(*operand.Value)(tv).Assume(k.facts)
		return tv, nil
	}
	tv, err := t.FromUnstructured(r.live, typed.AllowDuplicates)
	if err == nil {
		facts := (*operand.Value)(tv).Known()
		r.m.memory.note(r.original, func(k *known) { k.node, k.facts = node, facts })
	}
	return tv, err
}
