// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

func (c *sized) options() fieldmanager.Options {
	return fieldmanager.Options{
		Types:             source(c.typ),
		Clock:             func() time.Time { return time.Unix(1700000000, 0).UTC() },
		MaxUpdateManagers: 1 << 20,
	}
}

func (c *sized) manager() *fieldmanager.FieldManager { return noError(fieldmanager.New(c.options())) }

func source(t typed.ParseableType) fieldmanager.TypeSource {
	return func(string, string) (typed.ParseableType, error) { return t, nil }
}

func noError[T any](v T, err error) T {
	must(err)
	return v
}

// empty returns an object without elements.
func empty() object {
	return object{"apiVersion": "example.org/v1", "kind": "Obj", "metadata": object{"name": "o"}}
}

// live returns c.whole as a server stores it after an apply by the manager "a". Its list has
// duplicates if the order c.order has duplicates.
func (c *sized) live() object {
	return c.stored(noError(c.manager().Apply(nil, c.whole(), "a", false)).Object)
}

// updated returns c.whole as a server stores it after an update by the manager "a".
func (c *sized) updated() object {
	return noError(c.manager().Update(nil, c.stored(c.whole()), "a")).Object
}

// shared returns an object with two managers: "a" has applied c.whole, and then "b" has
// updated it to c.changed.
func (c *sized) shared() object {
	live := c.live()
	return noError(c.manager().Update(live, withMetadataOf(live, c.stored(c.changed())), "b")).Object
}

// withMetadataOf replaces an object's metadata by the metadata of the live object, and returns
// the object.
func withMetadataOf(live, o object) object {
	o["metadata"] = live["metadata"]
	return o
}

// conflicts applies c.changed to a live object, and returns the conflicts.
func (c *sized) conflicts(live object) *fieldmanager.ConflictError {
	var e *fieldmanager.ConflictError
	if _, err := c.manager().Apply(live, c.changed(), "b", false); !errors.As(err, &e) {
		panic(fmt.Sprintf("no conflicts, but %v", err))
	}
	return e
}

// immutable returns a copy of c.typ that has immutability markers on values and lists.
func (c *sized) immutable() typed.ParseableType {
	s := schema.Schema{}
	c.typ.Schema.CopyInto(&s)
	for i := range s.Types {
		m := s.Types[i].Map
		for j := 0; m != nil && j < len(m.Fields); j++ {
			switch f := &m.Fields[j]; f.Name {
			case "value", "map", "whole":
				f.Type.Transition = schema.Immutable
			case "names", "numbers", "twos", "loose", "set", "items":
				f.Type.Transition = schema.AdditionOnly
			}
		}
	}
	return typed.ParseableType{Schema: &s, TypeRef: c.typ.TypeRef}
}

// managerOperations are the operations of package fieldmanager.
var managerOperations = []operation{
	{"fieldmanager/Decode", func(c *sized) func() { live := c.shared(); return func() { check(managedfields.Decode(live)) } }},
	{"fieldmanager/Managed", func(c *sized) func() {
		live := c.shared()
		list := live["metadata"].(object)["managedFields"]
		return func() {
			m := noError(managedfields.DecodeEntries(list))
			m = noError(managedfields.New(m.Entries()))
			m.Fields()
			m.Warnings()
			m.Encode()
			m.EncodeInto(live)
		}
	}},
	{"fieldmanager/Apply/noop", func(c *sized) func() {
		m, live, config := c.manager(), c.live(), c.whole()
		return func() { check(m.Apply(live, config, "a", false)) }
	}},
	{"fieldmanager/Apply/half", func(c *sized) func() {
		m, live, config := c.manager(), c.live(), c.half()
		return func() { check(m.Apply(live, config, "a", false)) }
	}},
	{"fieldmanager/Apply/first", func(c *sized) func() {
		m, live, config := c.manager(), c.stored(c.whole()), c.reversed()
		return func() { check(m.Apply(live, config, "b", true)) }
	}},
	{"fieldmanager/Apply/nothing", func(c *sized) func() {
		m, live := c.manager(), c.live()
		return func() { check(m.Apply(live, empty(), "a", false)) }
	}},
	{"fieldmanager/Apply/force", func(c *sized) func() {
		m, live, config := c.manager(), c.updated(), c.changed()
		return func() { check(m.Apply(live, config, "b", true)) }
	}},
	{"fieldmanager/Apply/conflicts", func(c *sized) func() {
		if !c.shallow() || c.axis == "set" {
			return nil
		}
		live := c.updated()
		return func() { _ = c.conflicts(live).Error() }
	}},
	{"fieldmanager/Update/noop", func(c *sized) func() {
		m, live := c.manager(), c.live()
		next := withMetadataOf(live, c.stored(c.whole()))
		return func() { check(m.Update(live, next, "u")) }
	}},
	{"fieldmanager/Update/changed", func(c *sized) func() {
		m, live := c.manager(), c.live()
		next := withMetadataOf(live, c.stored(c.changed()))
		return func() { check(m.Update(live, next, "u")) }
	}},
	{"fieldmanager/Update/half", func(c *sized) func() {
		m, live := c.manager(), c.live()
		next := withMetadataOf(live, c.stored(c.half()))
		return func() { check(m.Update(live, next, "u")) }
	}},
	{"fieldmanager/Extract", func(c *sized) func() {
		m, live := c.manager(), c.live()
		return func() { check(ownership.Extract(m, live, "a")) }
	}},
	{"fieldmanager/ExtractOwner", func(c *sized) func() {
		m, live := c.manager(), c.shared()
		owner := managedfields.Owner{Manager: "b", Operation: managedfields.OperationUpdate, APIVersion: "example.org/v1"}
		return func() { check(ownership.ExtractOwner(m, live, owner)) }
	}},
	{"fieldmanager/Blame", func(c *sized) func() {
		if !c.shallow() {
			return nil
		}
		m, live := c.manager(), c.shared()
		return func() {
			for range noError(ownership.Blame(m, live)).All() {
			}
		}
	}},
	{"fieldmanager/Examine", func(c *sized) func() {
		m, live := c.manager(), c.live()
		return func() { check(ownership.Examine(m, live, ownership.ExamineOptions{})) }
	}},
	{"fieldmanager/Examine/defaults", func(c *sized) func() {
		if !c.shallow() {
			return nil
		}
		m, live := c.manager(), c.updated()
		return func() { check(ownership.Examine(m, live, ownership.ExamineOptions{Defaults: true})) }
	}},
	{"fieldmanager/Examine/lost", func(c *sized) func() {
		if !c.shallow() {
			return nil
		}
		m, live := c.manager(), withMetadataOf(c.updated(), empty())
		return func() { check(ownership.Examine(m, live, ownership.ExamineOptions{})) }
	}},
	{"fieldmanager/Examine/clientside", func(c *sized) func() {
		m := c.manager()
		live := noError(m.Update(nil, c.whole(), "kubectl-client-side-apply")).Object
		live = noError(m.Apply(live, empty(), "kubectl", true)).Object
		return func() { check(ownership.Examine(m, live, ownership.ExamineOptions{Stale: time.Second})) }
	}},
	{"fieldmanager/Migrate", func(c *sized) func() {
		m, live := c.manager(), c.updated()
		return func() { check(ownership.Migrate(m, live, ownership.MigrateOptions{From: []string{"a"}, To: "b"})) }
	}},
	{"resolve/match", func(c *sized) func() {
		return c.resolving(resolve.Choices{}.Rest(resolve.Share))
	}},
	{"resolve/mixed", func(c *sized) func() {
		choices := resolve.Choices{}
		if c.shallow() && c.axis != "set" {
			lists := []*[]fieldpath.Path{&choices.Share, &choices.Yield, &choices.Force}
			for i, conflict := range c.conflicts(c.updated()).Conflicts {
				*lists[i%3] = append(*lists[i%3], conflict.Path)
			}
		}
		return c.resolving(choices)
	}},
	{"resolve/refused", func(c *sized) func() {
		choices := resolve.Choices{}
		if c.shallow() && c.axis != "set" {
			conflicts := c.conflicts(c.updated()).Conflicts
			for _, conflict := range conflicts[:(len(conflicts)+1)/2] {
				choices.Yield = append(choices.Yield, conflict.Path)
			}
		}
		return c.resolving(choices)
	}},
	{"resolve/outcomes", func(c *sized) func() {
		if !c.shallow() || c.axis == "set" {
			return nil
		}
		live := c.updated()
		e := c.conflicts(live)
		r := resolve.New(c.manager(), live, c.changed(), "b")
		_, _ = r.Apply(resolve.Choices{}) // the first call finds the conflicts
		return func() {
			_, _ = r.Apply(resolve.Choices{}.With(&e.Conflicts[0], resolve.Yield))
			_, err := r.Apply(resolve.Choices{}.Rest(resolve.Share))
			if !c.hasDuplicates() { // a config with duplicates is invalid, so the call would fail
				must(err)
			}
		}
	}},
	{"fieldmanager/CheckTransition", func(c *sized) func() {
		if !c.shallow() {
			return nil
		}
		typ, live, object := c.immutable(), c.stored(c.whole()), c.stored(c.changed())
		return func() {
			if err := fieldmanager.CheckTransition(typ, live, object, typed.TransitionOptions{}); err != nil {
				_ = err.Error()
			}
		}
	}},
	{"fieldmanager/CheckTransition/gone", func(c *sized) func() {
		if !c.shallow() {
			return nil
		}
		typ, live := c.immutable(), c.stored(c.whole())
		return func() {
			if err := fieldmanager.CheckTransition(typ, live, empty(), typed.TransitionOptions{}); err != nil {
				_ = err.Error()
			}
		}
	}},
	{"fieldmanager/Respell", func(c *sized) func() {
		live, object := c.stored(c.whole()), c.stored(c.changed())
		return func() { fieldmanager.RespellQuantities(c.typ, live, object) }
	}},
	{"fieldmanager/SameShape", func(c *sized) func() {
		live := c.shared()
		return func() { check(fieldmanager.NoneConverter(live, "example.org/v2")) }
	}},
	{"fieldmanager/Rekey", func(c *sized) func() {
		live, now := c.shared(), newType(c.gate, c.width(), "C")
		return func() { check(ownership.Rekey(live, ownership.RekeyOptions{Old: source(c.typ), New: source(now)})) }
	}},
	{"fieldmanager/PinKeyDefaults", func(c *sized) func() {
		m, err := fieldmanager.New(fieldmanager.Options{Types: fieldmanager.PinKeyDefaults(source(newType(c.gate, c.width(), "C")), source(c.typ))})
		must(err)
		live, config := c.live(), c.half()
		return func() { check(m.Apply(live, config, "a", false)) }
	}},
}

// resolving returns a function that applies c.changed to c.updated and resolves the conflicts.
// It returns nil for deep objects.
func (c *sized) resolving(choices resolve.Choices) func() {
	if !c.shallow() {
		return nil
	}
	m, live, config := c.manager(), c.updated(), c.changed()
	return func() { _, _ = resolve.New(m, live, config, "b").Apply(choices) }
}

// crowd returns c.whole with many managers, each of which owns a different element. The first
// argument is the operation in the managers' entries. The second argument is the name of all
// managers. Only for "m" and "tool-", it is a prefix, and each manager has a different name.
func (c *sized) crowd(by, name string) object {
	o := c.whole()
	var list []any
	for i, n := range c.numbers() {
		set, err := c.set(c.object("v", []int{n})).ToJSON()
		must(err)
		manager := name
		if name == "m" || name == "tool-" {
			manager = fmt.Sprintf("%s%06d", name, i)
		}
		list = append(list, object{
			"manager": manager, "operation": by, "apiVersion": "example.org/v1",
			"time": "2026-01-02T03:04:05Z", "fieldsType": "FieldsV1", "fieldsV1": decoded(set),
		})
	}
	o["metadata"] = object{"name": "o", "managedFields": list}
	return o
}

func (c *sized) names() (all []string) {
	for i := range c.n {
		all = append(all, fmt.Sprintf("m%06d", i))
	}
	return all
}

// ofMany returns an operation on an object with many managers. The operation runs only for a
// few shapes, because each manager needs memory.
func ofMany(name, by, managers string, prepare func(c *sized, m *fieldmanager.FieldManager, live object) func()) operation {
	return operation{"fieldmanager/managers/" + name, func(c *sized) func() {
		if c.gate || c.axis != "map" && (c.axis != "names" || c.order != "shuffled") {
			return nil
		}
		return prepare(c, c.manager(), c.crowd(by, managers))
	}}
}

// crowdOperations are operations of package fieldmanager on objects with many managers.
var crowdOperations = []operation{
	ofMany("Decode", "Update", "m", func(_ *sized, _ *fieldmanager.FieldManager, live object) func() {
		return func() { check(managedfields.Decode(live)) }
	}),
	ofMany("Managed", "Update", "m", func(c *sized, _ *fieldmanager.FieldManager, live object) func() {
		managed := noError(managedfields.Decode(live))
		return func() {
			m := noError(managedfields.New(managed.Entries()))
			for _, e := range m.Entries() {
				m.Find(e.ID())
			}
			m.Fields()
			m.Encode()
			m.EncodeInto(live)
		}
	}),
	ofMany("Upgrade", "Update", "m", func(c *sized, _ *fieldmanager.FieldManager, live object) func() {
		managed, from := noError(managedfields.Decode(live)), c.names()
		return func() {
			_, _, err := managed.Upgrade(from, "a", "")
			must(err)
		}
	}),
	ofMany("Scale", "Update", "m", func(_ *sized, _ *fieldmanager.FieldManager, live object) func() {
		managed := noError(managedfields.Decode(live))
		s := &managedfields.Scale{APIVersion: "example.org/v1", Replicas: map[string]fieldpath.Path{"example.org/v1": fieldpath.MakePathOrDie("map", "field000001")}}
		return func() { check(s.ToParent(managed, noError(s.ToSubresource(managed)))) }
	}),
	ofMany("Blame", "Update", "m", func(_ *sized, m *fieldmanager.FieldManager, live object) func() {
		return func() {
			for range noError(ownership.Blame(m, live)).All() {
			}
		}
	}),
	ofMany("Examine", "Update", "m", func(_ *sized, m *fieldmanager.FieldManager, live object) func() {
		return func() {
			check(ownership.Examine(m, live, ownership.ExamineOptions{Defaults: true, Stale: time.Second}))
		}
	}),
	ofMany("Examine/applied", "Apply", "m", func(_ *sized, m *fieldmanager.FieldManager, live object) func() {
		return func() { check(ownership.Examine(m, live, ownership.ExamineOptions{Defaults: true})) }
	}),
	ofMany("Examine/onetool", "Apply", "tool-", func(_ *sized, m *fieldmanager.FieldManager, live object) func() {
		return func() { check(ownership.Examine(m, live, ownership.ExamineOptions{})) }
	}),
	ofMany("Examine/duplicates", "Apply", "same", func(_ *sized, m *fieldmanager.FieldManager, live object) func() {
		return func() { check(ownership.Examine(m, live, ownership.ExamineOptions{})) }
	}),
	ofMany("Extract", "Apply", "m", func(_ *sized, m *fieldmanager.FieldManager, live object) func() {
		return func() { check(ownership.Extract(m, live, "m000000")) }
	}),
	ofMany("Migrate", "Update", "m", func(c *sized, m *fieldmanager.FieldManager, live object) func() {
		from := c.names()
		return func() { check(ownership.Migrate(m, live, ownership.MigrateOptions{From: from, To: "a"})) }
	}),
	ofMany("Update", "Update", "m", func(c *sized, m *fieldmanager.FieldManager, live object) func() {
		next := withMetadataOf(live, c.changed())
		return func() { check(m.Update(live, next, "u")) }
	}),
	ofMany("Update/folded", "Update", "m", func(c *sized, _ *fieldmanager.FieldManager, live object) func() {
		o := c.options()
		o.MaxUpdateManagers = 0
		m, next := noError(fieldmanager.New(o)), withMetadataOf(live, c.changed())
		return func() { check(m.Update(live, next, "u")) }
	}),
	ofMany("Apply", "Update", "m", func(c *sized, m *fieldmanager.FieldManager, live object) func() {
		config := c.whole()
		return func() { check(m.Apply(live, config, "b", false)) }
	}),
	ofMany("Apply/force", "Apply", "m", func(c *sized, m *fieldmanager.FieldManager, live object) func() {
		config := c.changed()
		return func() { check(m.Apply(live, config, "b", true)) }
	}),
	ofMany("Apply/conflicts", "Apply", "m", func(c *sized, m *fieldmanager.FieldManager, live object) func() {
		return func() { _ = c.conflicts(live).Error() }
	}),
	ofMany("Resolve", "Apply", "m", func(c *sized, m *fieldmanager.FieldManager, live object) func() {
		config := c.changed()
		return func() {
			check(resolve.New(m, live, config, "b").Apply(resolve.Choices{}.Rest(resolve.Force)))
		}
	}),
	ofMany("Rekey", "Update", "m", func(c *sized, _ *fieldmanager.FieldManager, live object) func() {
		now := newType(c.gate, c.width(), "C")
		return func() { check(ownership.Rekey(live, ownership.RekeyOptions{Old: source(c.typ), New: source(now)})) }
	}),
}
