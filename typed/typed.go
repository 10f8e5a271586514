// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// ValidationOptions change what is valid.
type ValidationOptions int

const (
	// AllowDuplicates lets items of sets and of associative lists share an
	// identity.
	AllowDuplicates ValidationOptions = iota
)

// TypedValue is a value and its type. It is immutable as long as nobody changes
// the value it was made from, and then safe for concurrent use.
type TypedValue struct {
	value   value.Value
	typeRef schema.TypeRef
	schema  *schema.Schema
	memo    *memo
}

// memo is what a typed value knows of itself; copies share it.
type memo struct {
	node atomic.Pointer[graph.Node]
	once sync.Once
	tree any // the value as unstructured data

	// facts are what is known of the tree: engine.Facts, lowered and walked.
	facts atomic.Uint32
	// token stands for the value among those that it was compared with, and untouched is
	// that of one from which this value can be an update without breaking a mark.
	token, untouched atomic.Pointer[token]
	// early is a comparison that was made already.
	early atomic.Pointer[early]
	// reflected is what comparisons made of a Go value, if it is compared again.
	reflected atomic.Pointer[engine.Reflected]

	// spent says that the tree may be given away: see Spent.
	spent bool
	// lent says that results may stay shared with the tree: see Lent.
	lent bool
	// made says that there is a tree. outline is what there is of one that is yet to
	// be made.
	made    atomic.Bool
	outline atomic.Pointer[outline]
}

// token is something to know a value by that does not keep it.
type token struct{ _ byte }

// asToken returns the token of a value that is compared.
func (m *memo) asToken() *token {
	if m.token.Load() == nil {
		m.token.CompareAndSwap(nil, new(token))
	}
	return m.token.Load()
}

// lowered says that the tree was made from a Go struct, so that no caller knows
// it: nothing that is handed out may share with it.
const lowered uint32 = 1 << 16

// walked says that the struct was walked instead, for once. Whoever comes again
// is better off with plain data.
const walked uint32 = 1 << 17

// unstructured is the type of values that are plain data already.
var unstructured = reflect.TypeOf(value.NewValueInterface(nil))

// reflected is the type of values that were found by reflection.
var reflected = func() reflect.Type {
	v, err := value.NewValueReflect(new(int))
	if err != nil {
		panic(err)
	}
	return reflect.TypeOf(v)
}()

func (m *memo) known() engine.Facts { return engine.Facts(m.facts.Load()) }

func (m *memo) is(facts engine.Facts) bool { return m.known()&facts == facts }

// AsTyped returns v as a value of a type of s. It fails with ValidationErrors
// if v is not valid.
func AsTyped(v value.Value, s *schema.Schema, typeRef schema.TypeRef, opts ...ValidationOptions) (*TypedValue, error) {
	tv := AsTypedUnvalidated(v, s, typeRef)
	if err := tv.Validate(opts...); err != nil {
		return nil, err
	}
	return tv, nil
}

// AsTypedUnvalidated is AsTyped for values that are known to be valid, or that
// are not meant to be.
func AsTypedUnvalidated(v value.Value, s *schema.Schema, typeRef schema.TypeRef) *TypedValue {
	both := &struct {
		tv   TypedValue
		memo memo
	}{tv: TypedValue{value: v, typeRef: typeRef, schema: s}}
	both.tv.memo = &both.memo
	return &both.tv
}

// derived returns a value of the same type as tv, with facts about it.
func (tv TypedValue) derived(tree any, facts uint32) *TypedValue {
	out := AsTypedUnvalidated(value.NewValueInterface(tree), tv.schema, tv.typeRef)
	out.memo.facts.Store(facts)
	return out
}

// Plain returns the type of tv in compiled form and its value as plain data,
// which is not copied, for the packages of this module. ok is false if tv has
// no value at all, not even null.
func (tv TypedValue) Plain() (n *graph.Node, tree any, ok bool) {
	n, m := tv.compiled(), tv.memo
	m.once.Do(func() {
		if o := m.outline.Swap(nil); o != nil {
			o.complete(nil)
			m.tree = o.tree
		} else if tv.value != nil {
			m.tree = tv.value.Unstructured()
			if reflect.TypeOf(tv.value) != unstructured && !m.spent {
				m.facts.Or(lowered)
			}
		}
		m.made.Store(true)
	})
	return n, m.tree, tv.value != nil
}

// Made returns the plain data of tv if that takes no work. For the packages of this
// module.
func (tv TypedValue) Made() (tree any, ok bool) {
	if !tv.memo.made.Load() && reflect.TypeOf(tv.value) != unstructured {
		return nil, false
	}
	_, tree, ok = tv.Plain()
	return tree, ok
}

// Spent returns the value for an operation that nobody looks back from: what
// is made of its plain data may be part of results, to be written to by whoever
// gets them. It is a value of its own, once, if the plain data is yet to be made of
// a Go struct, otherwise tv. For the packages of this module.
func (tv *TypedValue) Spent() *TypedValue {
	if _, ok := tv.structure(); !ok {
		return tv
	}
	facts := tv.memo.facts.Or(walked)
	if facts&(lowered|walked) != 0 {
		return tv
	}
	out := AsTypedUnvalidated(tv.value, tv.schema, tv.typeRef)
	out.memo.facts.Store(facts)
	out.memo.spent = true
	return out
}

// Lent marks the value, which nobody else has yet, as one that operations may
// share with their results to the end, since nobody writes to these: Untied leaves
// what was merged into it as it is. It returns tv. For the packages of this module.
func (tv *TypedValue) Lent() *TypedValue {
	tv.memo.lent = true
	return tv
}

// compiled returns the type in compiled form.
func (tv *TypedValue) compiled() *graph.Node {
	if n := tv.memo.node.Load(); n != nil {
		return n
	}
	return tv.compile()
}

func (tv *TypedValue) compile() *graph.Node {
	n := tv.schema.Node(tv.typeRef)
	tv.memo.node.Store(n)
	return n
}

// reflected says whether the value was found by reflection.
func (tv *TypedValue) reflected() bool { return reflect.TypeOf(tv.value) == reflected }

// structure returns the Go struct that the value was made from, if it is one.
func (tv *TypedValue) structure() (v reflect.Value, ok bool) {
	if !tv.reflected() {
		return v, false
	}
	v = tv.value.(interface{ Go() reflect.Value }).Go()
	return v, v.Kind() == reflect.Struct && v.CanAddr()
}

// TypeRef returns the type.
func (tv TypedValue) TypeRef() schema.TypeRef { return tv.typeRef }

// AsValue returns the value.
func (tv TypedValue) AsValue() value.Value { return tv.value }

// Schema returns the schema of the type.
func (tv TypedValue) Schema() *schema.Schema { return tv.schema }

func (tv TypedValue) parseable() ParseableType {
	return ParseableType{TypeRef: tv.typeRef, Schema: tv.schema}
}

// Empty returns a null of the same type.
func (tv TypedValue) Empty() *TypedValue { return tv.derived(nil, 0) }
