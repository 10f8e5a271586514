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

// liveCache caches facts about live objects by the objects' addresses (see
// Options.RememberLive). It does not keep objects alive: when an object is garbage-collected,
// liveCache forgets its facts. A nil liveCache has no facts.
type liveCache struct {
	limit   int
	mu      sync.Mutex
	objects map[mapID]liveFacts
}

// mapID identifies a map, and is never reused for another map.
type mapID = weak.Pointer[byte]

// addressOf returns the address that identifies the map m.
func addressOf(m map[string]any) *byte { return (*byte)(box.MapAddress(m)) }

// liveFacts are the cached facts about one live object.
type liveFacts struct {
	// node is the type for which the object was found valid, in the API version of the object, and
	// engineFacts are the results of that validation. If the object was not validated, node is nil.
	node        *graph.Node
	engineFacts engine.Facts
	// managed has the decoded managed fields, or nil if they were not decoded. outlines has a
	// document.Outline of each stored entry, for comparing the entry with an entry in a request.
	// The first comparison sets outlines.
	managed  *managedfields.Managed
	outlines []document.Outline
	// cleanup removes these facts when the object is garbage-collected.
	cleanup runtime.Cleanup
}

// newLiveCache returns a cache for at most limit objects, or nil if limit is 0.
func newLiveCache(limit int) *liveCache {
	if limit == 0 {
		return nil
	}
	return &liveCache{limit: limit, objects: map[mapID]liveFacts{}}
}

// get returns the facts about an object. If there are none, it returns empty facts.
func (c *liveCache) get(live map[string]any) liveFacts {
	if c == nil || live == nil {
		return liveFacts{}
	}
	id := weak.Make(addressOf(live))
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.objects[id]
}

// update calls the function add, which adds facts about an object, while it holds c.mu. If the
// object is new and the cache is full, it first removes the facts about another object.
func (c *liveCache) update(live map[string]any, add func(*liveFacts)) {
	if c == nil || live == nil {
		return
	}
	p := addressOf(live)
	id := weak.Make(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	facts, ok := c.objects[id]
	if !ok {
		c.makeRoom()
		// Refer to c weakly, because it may be garbage-collected before the object.
		weakCache := weak.Make(c)
		facts.cleanup = runtime.AddCleanup(p, func(id mapID) {
			if c := weakCache.Value(); c != nil {
				c.forget(id)
			}
		}, id)
	}
	add(&facts)
	c.objects[id] = facts
}

// makeRoom removes the facts about an arbitrary object if the cache is full. It also stops the runtime
// cleanup of that object, so that an object never has more than one cleanup. The caller must hold c.mu.
func (c *liveCache) makeRoom() {
	if len(c.objects) < c.limit {
		return
	}
	for id, other := range c.objects {
		other.cleanup.Stop()
		delete(c.objects, id)
		return
	}
}

// forget removes the facts about an object that was garbage-collected.
func (c *liveCache) forget(id mapID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, id)
}

// liveManaged returns the decoded managed fields of a live object, from the cache if possible. Like
// decode, it sets reading.Same. If the cache does not have the result, it first sets reading.Applier
// to nil, because later requests can have other appliers. Without an applier, all field sets are
// decoded lazily. Concurrent requests share the result, so callers must not modify it.
func (m *FieldManager) liveManaged(live map[string]any, reading *stored.Reading) (*managedfields.Managed, error) {
	if m.liveCache == nil || live == nil {
		return decode(live, reading)
	}
	if facts := m.liveCache.get(live); facts.managed != nil {
		reading.Same = reading.Sent != nil && m.liveCache.sentEqualsStored(live, facts, reading.Sent)
		return facts.managed, nil
	}
	reading.Applier = nil
	managed, err := decode(live, reading)
	if err == nil {
		m.liveCache.update(live, func(facts *liveFacts) { facts.managed = managed })
	}
	return managed, err
}

// sentEqualsStored reports whether the managed fields in a request equal the stored managed fields
// of the live object. To compare them, it uses outlines of the stored managed fields. If the cached
// facts about the object do not have the outlines yet, it adds them to the cache.
func (c *liveCache) sentEqualsStored(live map[string]any, facts liveFacts, sent []any) bool {
	if facts.outlines == nil {
		list, _ := document.Metadata(live)["managedFields"].([]any)
		facts.outlines = make([]document.Outline, len(list))
		for i, e := range list {
			facts.outlines[i] = document.OutlineOf(e)
		}
		c.update(live, func(cached *liveFacts) { cached.outlines = facts.outlines })
	}
	if len(sent) != len(facts.outlines) {
		return false
	}
	for i := range sent {
		if !facts.outlines[i].Equal(sent[i]) {
			return false
		}
	}
	return true
}

// validateLive validates the live object and returns it with its type. If an earlier request found
// the object valid for the same type (see liveCache), it skips the validation. Unlike typedLive, it
// does not reuse a result of the current request.
func (r *request) validateLive() (*typed.TypedValue, error) {
	t := r.liveType
	if r.cacheKey == nil || t.Schema == nil {
		return t.FromUnstructured(r.live, typed.AllowDuplicates)
	}
	node := compiled.Node(t.Schema, t.TypeRef)
	if facts := r.m.liveCache.get(r.cacheKey); facts.node == node {
		tv := typed.AsTypedUnvalidated(value.NewValueInterface(r.live), t.Schema, t.TypeRef)
		(*operand.Value)(tv).Assume(facts.engineFacts)
		return tv, nil
	}
	tv, err := t.FromUnstructured(r.live, typed.AllowDuplicates)
	if err == nil {
		engineFacts := (*operand.Value)(tv).Known()
		r.m.liveCache.update(r.cacheKey, func(facts *liveFacts) { facts.node, facts.engineFacts = node, engineFacts })
	}
	return tv, err
}
