// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/diag"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/gostruct"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// Value is a value and its type. It is immutable as long as nobody changes the value
// it was made from, and then safe for concurrent use.
type Value struct {
	value  value.Value
	schema *schema.Schema
	// The type is the one with a name, unless other says more.
	name  *string
	other *schema.TypeRef
	memo  *memo
}

// memo caches facts about a value: whether it is valid, its compiled type, its plain data.
// Copies of the value share it.
type memo struct {
	node atomic.Pointer[graph.Node]

	// facts are what is known of the tree: engine.Facts, lowered, walked and leafy.
	facts atomic.Uint32
	// consumed says that the tree may be given away: see Consumed.
	consumed bool
	// shared says that results may stay shared with the tree: see ShareResults.
	shared bool

	compared atomic.Pointer[compared]
	plain    box.Weak[plain]
}

// plain is the plain data of a value that was not plain data, or had branches only. A memo
// holds it weakly: a request keeps it alive while it runs, and a caller that keeps the value
// does not keep its contents twice.
type plain struct {
	once sync.Once
	tree any // the value as plain data
	// made says that there is a tree. partial is what there is of one that is yet to
	// be made.
	made    atomic.Bool
	partial atomic.Pointer[partial]
	// reflected is what comparisons made of a Go value, if it is compared again.
	reflected atomic.Pointer[gostruct.Reflected]
}

// existingPlain returns the plain data of the value. It returns nil if there is none, or
// the garbage collector has freed it.
func (m *memo) existingPlain() *plain { return m.plain.Load() }

// ensurePlain returns the plain data of the value. It creates an empty one if there is none.
func (m *memo) ensurePlain() *plain { return m.plain.LoadOrNew() }

// compared is what comparisons leave with a value.
type compared struct {
	// token stands for the value among those that it was compared with, and untouched is
	// that of one from which this value can be an update without breaking a transition
	// rule.
	token, untouched atomic.Pointer[token]
	// early is a comparison that was made already.
	early atomic.Pointer[early]
}

// asCompared returns what comparisons left, or what is to be filled.
func (m *memo) asCompared() *compared {
	if m.compared.Load() == nil {
		m.compared.CompareAndSwap(nil, new(compared))
	}
	return m.compared.Load()
}

// partial is plain data of a Go struct that lacks something.
type partial struct {
	tree any
	// complete, of an outline, fills in the fields that nobody has asked for yet, in tree
	// and in what became of it, and says whether there are branches only. It is nil of
	// what has all its fields, but branches only: see data.WithLeaves.
	complete func(other map[string]any) (some bool)
}

// token is something to know a value by that does not keep it.
type token struct{ _ byte }

// asToken returns the token of a value that is compared.
func (m *memo) asToken() *token {
	c := m.asCompared()
	if c.token.Load() == nil {
		c.token.CompareAndSwap(nil, new(token))
	}
	return c.token.Load()
}

// lowered says that the tree was made from a Go struct, so that no caller knows
// it: nothing that is handed out may share with it.
const lowered uint32 = 1 << 16

// walked says that the struct was walked instead, for once. Whoever comes again
// is better off with plain data.
const walked uint32 = 1 << 17

// leafy says that the value is plain data, but branches only: see data.WithLeaves.
const leafy uint32 = 1 << 18

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

// New returns v as a value of a type of s. Nothing is known of it.
func New(v value.Value, s *schema.Schema, typeRef schema.TypeRef) *Value {
	out := remembering(Value{value: v, schema: s, name: typeRef.NamedType})
	if typeRef != out.TypeRef() {
		other := typeRef
		out.other = &other
	}
	return out
}

// another returns v as a value of the type of o. Nothing else is known of it.
func (o *Value) another(v value.Value) *Value {
	out := remembering(Value{value: v, schema: o.schema, name: o.name, other: o.other})
	out.memo.node.Store(o.memo.node.Load())
	return out
}

// remembering returns v with a memo, in one allocation.
func remembering(v Value) *Value {
	both := &struct {
		v    Value
		memo memo
	}{v: v}
	both.v.memo = &both.memo
	return &both.v
}

// withBranches is derived for a tree that may have branches only.
func (o Value) withBranches(tree any, facts uint32, only bool) *Value {
	out := o.derived(tree, facts)
	if only {
		out.memo.facts.Or(leafy)
	}
	return out
}

// derived returns a value of the same type as o, with facts about it. All of tree is there.
func (o Value) derived(tree any, facts uint32) *Value {
	out := o.another(value.NewValueInterface(tree))
	out.memo.facts.Store(facts &^ (uint32(engine.NoNulls) | leafy))
	return out
}

// With returns tree, which may share with o, as a value of the same type.
func (o Value) With(tree any) *Value { return o.derived(tree, o.memo.facts.Load()&lowered) }

// TypeRef returns the type.
func (o Value) TypeRef() schema.TypeRef {
	if o.other != nil {
		return *o.other
	}
	return schema.TypeRef{NamedType: o.name}
}

// AsValue returns the value.
func (o Value) AsValue() value.Value {
	if o.memo.facts.Load()&leafy != 0 {
		_, tree, _ := o.Plain()
		return value.NewValueInterface(tree)
	}
	return o.value
}

// IsNone says whether there is no value at all, not even null.
func (o Value) IsNone() bool { return o.value == nil }

// IsGo says whether the value is a Go value that is no plain data.
func (o Value) IsGo() bool {
	_, ok := o.value.(interface{ Go() reflect.Value })
	return ok
}

// Schema returns the schema of the type.
func (o Value) Schema() *schema.Schema { return o.schema }

// Node returns the compiled type.
func (o *Value) Node() *graph.Node {
	if n := o.memo.node.Load(); n != nil {
		return n
	}
	return o.compile()
}

func (o *Value) compile() *graph.Node {
	n := compiled.Node(o.schema, o.TypeRef())
	o.memo.node.Store(n)
	return n
}

// Known returns what is known of the value.
func (o Value) Known() engine.Facts { return o.memo.known() }

// Assume makes facts known of the value, which somebody has found out about the same data.
func (o *Value) Assume(facts engine.Facts) { o.memo.facts.Or(uint32(facts)) }

// Knows returns whether all of facts are known of the value.
func (o Value) Knows(facts engine.Facts) bool { return o.memo.is(facts) }

// asItIs returns the value if it is plain data already. leaves is false if it may have
// branches only.
func (o *Value) asItIs() (tree any, leaves, ok bool) {
	if reflect.TypeOf(o.value) != unstructured {
		return nil, false, false
	}
	return o.value.Unstructured(), o.memo.facts.Load()&leafy == 0, true
}

// Plain returns the compiled type and the value as plain data, which is not copied.
// ok is false if there is no value at all, not even null.
func (o Value) Plain() (n *graph.Node, tree any, ok bool) {
	n, m := o.Node(), o.memo
	tree, leaves, is := o.asItIs()
	if is && leaves || o.value == nil {
		return n, tree, is
	}
	p := m.ensurePlain()
	p.once.Do(func() {
		switch made := p.partial.Load(); {
		case is:
			p.tree = data.WithLeaves(n, tree, false)
		case made != nil:
			if made.complete != nil {
				made.complete(nil)
			}
			p.tree = data.WithLeaves(n, made.tree, false)
		default:
			p.tree = o.value.Unstructured()
			m.noteLowered()
		}
		p.made.Store(true)
		p.partial.Store(nil)
	})
	return n, p.tree, true
}

// noteLowered notes that what is made of a Go value is nobody's.
func (m *memo) noteLowered() {
	if !m.consumed {
		m.facts.Or(lowered)
	}
}

// Branches is Plain for who does not look into lists that are one leaf, as hardly any
// operation does: those of a Go struct may be yet to be made. only says that there is such
// a list. See data.WithLeaves.
func (o Value) Branches() (n *graph.Node, tree any, only, ok bool) {
	n, m := o.Node(), o.memo
	if tree, leaves, ok := o.asItIs(); ok {
		if !leaves {
			if p := m.existingPlain(); p != nil && p.made.Load() {
				return n, p.tree, false, true
			}
		}
		return n, tree, !leaves, true
	}
	p := m.existingPlain()
	if p != nil {
		if made := p.partial.Load(); made != nil && made.complete == nil && !p.made.Load() {
			return n, made.tree, true, true
		}
	}
	if (p == nil || !p.made.Load() && p.partial.Load() == nil) && m.facts.Load()&walked == 0 && m.is(engine.Valid) && !n.Declarative && !n.HasTransitions {
		if _, ok := o.structure(); ok {
			tree, only := o.value.(interface {
				Branches(n *graph.Node) (plain any, some bool)
			}).Branches(n)
			m.noteLowered()
			m.ensurePlain().keep(tree, only)
			return n, tree, only, true
		}
	}
	n, tree, ok = o.Plain()
	return n, tree, false, ok
}

// keep keeps the plain data of a Go struct, which may have branches only.
func (p *plain) keep(tree any, only bool) {
	if only {
		p.partial.Store(&partial{tree: tree})
		return
	}
	p.once.Do(func() {
		p.tree = tree
		p.made.Store(true)
	})
}

// BranchesIfMade returns the branches if that takes no work.
func (o Value) BranchesIfMade() (tree any, ok bool) {
	if tree, _, ok := o.asItIs(); ok {
		return tree, true
	}
	p := o.memo.existingPlain()
	if p == nil || !p.made.Load() && p.partial.Load() == nil {
		return nil, false
	}
	_, tree, _, ok = o.Branches()
	runtime.KeepAlive(p) // or Branches might find nothing made
	return tree, ok
}

// Equal says whether the plain data of two values is equal.
func (o Value) Equal(other *Value) bool {
	_, x, some, _ := o.Branches()
	_, y, too, _ := other.Branches()
	if some || too {
		return data.EqualBranches(x, y)
	}
	return value.EqualUnstructured(x, y)
}

// Consumed returns the value for an operation after which nobody looks at it again:
// what is made of its plain data may be part of results, to be written to by whoever
// gets them. It is a value of its own, once, if the plain data is yet to be made of a
// Go struct, otherwise o.
func (o *Value) Consumed() *Value {
	if _, ok := o.structure(); !ok {
		return o
	}
	facts := o.memo.facts.Or(walked)
	if facts&(lowered|walked) != 0 {
		return o
	}
	out := o.another(o.value)
	out.memo.facts.Store(facts)
	out.memo.consumed = true
	return out
}

// ShareResults marks the value, which nobody else has yet: nobody writes to results of
// its operations, so that they may share with it to the end. Writable leaves what was
// merged into it as it is. It returns o.
func (o *Value) ShareResults() *Value {
	o.memo.shared = true
	return o
}

// Writable returns the value with maps and lists of its own wherever it is more than
// one leaf, so that callers can write to them. What is consumed or shares its results
// is not copied.
func (o *Value) Writable() *Value {
	n, tree, only, ok := o.Branches()
	if !ok {
		return o
	}
	own := o.memo.consumed
	if !own && (!o.memo.shared || o.lowered()) {
		tree, own = data.CopyAsIs(n, tree, o.lowered()), true
	}
	if only {
		tree = data.WithLeaves(n, tree, own)
	}
	return o.derived(tree, uint32(o.memo.known()))
}

// reflected says whether the value was found by reflection.
func (o *Value) reflected() bool { return reflect.TypeOf(o.value) == reflected }

// structure returns the Go struct that the value was made from, if it is one.
func (o *Value) structure() (v reflect.Value, ok bool) {
	if !o.reflected() {
		return v, false
	}
	v = o.value.(interface{ Go() reflect.Value }).Go()
	return v, v.Kind() == reflect.Struct && v.CanAddr()
}

// lowered says whether the value, or a part of it, was made from a Go struct.
func (o Value) lowered() bool {
	o.Branches()
	return o.memo.facts.Load()&lowered != 0
}

// stringKeyed says whether no map of the value came from a decoder that lets
// keys be anything.
func (o Value) stringKeyed() bool {
	if !o.memo.is(engine.StringKeyed) {
		_, tree, _ := o.Plain()
		if !data.HasStringKeys(tree) {
			return false
		}
		o.memo.facts.Or(uint32(engine.StringKeyed))
	}
	return true
}

// SameType returns what is wrong if the two are of different types, or schemas.
func (o *Value) SameType(other *Value) diag.Findings {
	if o.schema != other.schema {
		return diag.Newf(diag.Misuse, "expected objects with types from the same schema")
	}
	if o.other == nil && other.other == nil && o.name == other.name {
		return nil
	}
	if mine, theirs := o.TypeRef(), other.TypeRef(); !mine.Equals(&theirs) {
		return diag.Newf(diag.Misuse, "expected objects of the same type, but got %v and %v", mine, theirs)
	}
	return nil
}

// Validate returns what is wrong with the value.
func (o Value) Validate(allowDuplicates bool) diag.Findings {
	if v, ok := o.structure(); ok {
		if facts, ok := gostruct.Validate(o.Node(), v, allowDuplicates); ok {
			o.memo.facts.Or(uint32(facts))
			return nil
		}
	}
	n, tree, ok := o.Plain()
	if !ok {
		return engine.ValidateNone(n)
	}
	facts, found := engine.Validate(n, tree, allowDuplicates)
	o.memo.facts.Or(uint32(facts))
	return found
}

// FieldSet returns the paths that the value sets: what an applier of it owns. Subtrees
// that are the same in prev are shared with it, all of it if the two are equal.
func (o Value) FieldSet(prev *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	n, tree, _, _ := o.Branches()
	return engine.FieldSet(n, tree, prev)
}

// Without returns the value without the given paths and what is below them.
func (o Value) Without(items *fieldpath.Set) *Value { return o.project(items, engine.Remove) }

// Only returns the value with the given paths only.
func (o Value) Only(items *fieldpath.Set) *Value { return o.project(items, engine.Extract) }

func (o Value) project(items *fieldpath.Set, op func(*graph.Node, any, *fieldpath.Set) any) *Value {
	n, tree, _ := o.Plain()
	out := op(n, tree, items)
	if o.lowered() {
		out = data.Clone(out)
	}
	return o.derived(out, 0)
}

// GiveUp is Without for what an applier gives up: with declarative defaults, an item
// that stays keeps its keys. The result shares with o.
func (o Value) GiveUp(items *fieldpath.Set) *Value {
	n, tree, _ := o.Plain()
	out, whole := engine.GiveUp(n, tree, items)
	facts := o.memo.facts.Load()
	if !whole {
		facts &^= uint32(engine.Valid | engine.Unique)
	}
	rest := o.derived(out, facts)
	rest.memo.consumed, rest.memo.shared = o.memo.consumed, o.memo.shared
	return rest
}

// WithoutNulls returns the value without the nulls that declarative defaults take for
// nothing, o itself if there are none.
func (o *Value) WithoutNulls() *Value {
	n, tree, _ := o.Plain()
	if !n.Declarative {
		return o
	}
	out, changed := engine.Meant(n, tree)
	if !changed {
		return o
	}
	return o.derived(out, o.memo.facts.Load())
}

// Pathless returns whether Without makes null of the value however little it removes.
func (o Value) Pathless() bool {
	n := o.Node()
	if p := o.memo.existingPlain(); p != nil {
		if made := p.partial.Load(); made != nil && made.complete != nil {
			return false // it has a field, whatever else it has
		}
	}
	_, tree, _, _ := o.Branches()
	return engine.RemovedWhole(n, tree)
}

// Diagnose returns what is probably not meant in config, which is to be applied
// to o: items that lack a key without default while one item of o agrees with
// them on all other keys, and empty keys that have a default.
func (o Value) Diagnose(config *Value) diag.Findings {
	_, live, _ := o.Plain()
	n, tree, _ := config.Plain()
	return engine.Diagnose(n, live, tree)
}

// FilledKeys returns the keys of list items that were not written but taken
// from a default.
func (o Value) FilledKeys() diag.Findings {
	n, tree, _ := o.Plain()
	return engine.FilledKeys(n, tree)
}
