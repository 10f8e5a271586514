// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand

import (
	"reflect"
	"runtime"
	"strconv"
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

// Value holds a value and its type. It is immutable, and is safe for concurrent use as long as
// nobody modifies its data.
type Value struct {
	value  value.Value
	schema *schema.Schema
	// name is the name of the type. If other is set, it refers to the type, and name is not used.
	name  *string
	other *schema.TypeRef
	memo  *memo
}

// memo caches facts about a value: whether it is valid, its compiled type, and its plain
// data. Copies of a Value share one memo.
type memo struct {
	node atomic.Pointer[graph.Node]

	// facts holds engine.Facts about the plain data, and the bits converted, usedAsStruct,
	// branchesOnly and bounded, which are defined below.
	facts atomic.Uint32
	// singleUse is true if only one operation uses the value. The result of this operation may
	// contain the plain data itself instead of a copy (see ForOneUse).
	singleUse bool
	// shared is true if results may share memory with the plain data (see ShareResults).
	shared bool

	compared atomic.Pointer[compared]
	plain    box.Weak[plain]
}

// plain has the result of converting a value: plain data, or only branches (see Branches). A memo has only
// a weak pointer to it. So the plain data is freed after the request that uses it, even if the
// program keeps the value.
type plain struct {
	once sync.Once
	tree any // the value as plain data; complete if made is true
	// made is true if tree is complete. Until then, partial may have an incomplete form of the
	// plain data.
	made    atomic.Bool
	partial atomic.Pointer[partial]
	// reflected caches the result of reflectedPlain for the next comparison.
	reflected atomic.Pointer[gostruct.Reflected]
}

// existingPlain returns the plain data of the value. It returns nil if the plain data does
// not exist, or if the garbage collector has freed it.
func (m *memo) existingPlain() *plain { return m.plain.Load() }

// ensurePlain returns the plain data of the value. If it does not exist, ensurePlain creates an
// empty plain.
func (m *memo) ensurePlain() *plain { return m.plain.LoadOrNew() }

// compared caches the results of comparisons with other values.
type compared struct {
	// token identifies this value in the results that other values cache. If an update from an older
	// value to this one is known to break no transition rule, rulesProvenFrom is the token of the
	// older value.
	token, rulesProvenFrom atomic.Pointer[token]
	// next has the differences between an older value and this one, until Compare returns them.
	next atomic.Pointer[comparison]
}

// ensureCompared returns the cached results of comparisons. If there are none, it creates an
// empty compared.
func (m *memo) ensureCompared() *compared {
	if m.compared.Load() == nil {
		m.compared.CompareAndSwap(nil, new(compared))
	}
	return m.compared.Load()
}

// partial is incomplete plain data of a Go struct.
type partial struct {
	tree any
	// complete converts the remaining fields of the struct and adds them to tree. If other is not
	// nil, it must be a map that was created from tree, and complete also adds the fields to other.
	// onlyBranches reports whether some lists or strings are still unconverted (see Branches).
	// complete is nil if all fields are converted, except for such lists and strings.
	complete func(other map[string]any) (onlyBranches bool)
}

// token identifies a value without keeping the value in memory.
type token struct{ _ byte }

// ensureToken returns the token of the value. If the value has no token, it creates
// one.
func (m *memo) ensureToken() *token {
	c := m.ensureCompared()
	if c.token.Load() == nil {
		c.token.CompareAndSwap(nil, new(token))
	}
	return c.token.Load()
}

// converted is a bit of memo.facts. It is set if the plain data was converted from a Go struct.
// Results must not share memory with this data, because callers may modify results, and would then
// change the data without knowing it.
const converted uint32 = 1 << 16

// usedAsStruct is a bit of memo.facts. It is set when an operation uses the struct without
// converting it. The next operation then converts the struct, because using it a second time
// without conversion would cost more.
const usedAsStruct uint32 = 1 << 17

// branchesOnly is a bit of memo.facts. It is set if the value is plain data in which some
// lists or strings are not converted yet (see Branches).
const branchesOnly uint32 = 1 << 18

// bounded is a bit of memo.facts. It is set if the plain data is known not to be nested deeper
// than data.MaxDepth. This is also true for all values that have the fact engine.Valid.
const bounded uint32 = 1 << 19

// unstructured is the Go type of values that are plain data.
var unstructured = reflect.TypeOf(value.NewValueInterface(nil))

// reflected is the Go type of values that read a Go value by reflection.
var reflected = func() reflect.Type {
	v, err := value.NewValueReflect(new(int))
	if err != nil {
		panic(err)
	}
	return reflect.TypeOf(v)
}()

// known returns all known facts about the value.
func (m *memo) known() engine.Facts { return engine.Facts(m.facts.Load()) }

// knows reports whether all the given facts are known about the value.
func (m *memo) knows(facts engine.Facts) bool { return m.known()&facts == facts }

// New returns v as a value of the type typeRef in s. No facts are known about it yet.
func New(v value.Value, s *schema.Schema, typeRef schema.TypeRef) *Value {
	out := newWithMemo(Value{value: v, schema: s, name: typeRef.NamedType})
	if typeRef != out.TypeRef() {
		other := typeRef
		out.other = &other
	}
	return out
}

// sameType returns v as a value of the same type as o. No facts are known about it yet.
func (o *Value) sameType(v value.Value) *Value {
	out := newWithMemo(Value{value: v, schema: o.schema, name: o.name, other: o.other})
	out.memo.node.Store(o.memo.node.Load())
	return out
}

// newWithMemo returns v with a new memo. One allocation holds both.
func newWithMemo(v Value) *Value {
	both := &struct {
		v    Value
		memo memo
	}{v: v}
	both.v.memo = &both.memo
	return &both.v
}

// withBranches is like derive, but also accepts data that is not completely converted.
// onlyBranches is true if some lists or strings of tree are not converted yet.
func (o Value) withBranches(tree any, facts uint32, onlyBranches bool) *Value {
	out := o.derive(tree, facts)
	if onlyBranches {
		out.memo.facts.Or(branchesOnly)
	}
	return out
}

// derive returns tree, which is complete plain data, as a value of the same type as o. The
// given facts must be true for tree.
func (o Value) derive(tree any, facts uint32) *Value {
	out := o.sameType(value.NewValueInterface(tree))
	out.memo.facts.Store(facts &^ (uint32(engine.NoNulls) | branchesOnly))
	return out
}

// With returns tree, which is plain data, as a value of the same type as o. tree may share
// memory with o. If tree is nested deeper than data.MaxDepth, o must be at least as deep.
func (o Value) With(tree any) *Value {
	return o.derive(tree, o.memo.facts.Load()&(converted|bounded))
}

// TypeRef returns a reference to the type.
func (o Value) TypeRef() schema.TypeRef {
	if o.other != nil {
		return *o.other
	}
	return schema.TypeRef{NamedType: o.name}
}

// AsValue returns the value as a value.Value. If some lists or strings of the plain data are not
// converted yet, it converts them first.
func (o Value) AsValue() value.Value {
	if o.memo.facts.Load()&branchesOnly != 0 {
		_, tree, _ := o.Plain()
		return value.NewValueInterface(tree)
	}
	return o.value
}

// IsNone reports whether there is no value at all, not even null.
func (o Value) IsNone() bool { return o.value == nil }

// IsGo reports whether the value wraps a Go value, and not plain data.
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

// compile looks up the compiled type, and caches it in the memo.
func (o *Value) compile() *graph.Node {
	n := compiled.Node(o.schema, o.TypeRef())
	o.memo.node.Store(n)
	return n
}

// Known returns all known facts about the value.
func (o Value) Known() engine.Facts { return o.memo.known() }

// Assume adds facts that the caller has found out about the value.
func (o *Value) Assume(facts engine.Facts) { o.memo.facts.Or(uint32(facts)) }

// Knows reports whether all the given facts are known about the value.
func (o Value) Knows(facts engine.Facts) bool { return o.memo.knows(facts) }

// plainValue returns the data of a value that wraps plain data. For any other value, ok is
// false. complete is false if some lists or strings are not converted yet (see Branches).
func (o *Value) plainValue() (tree any, complete, ok bool) {
	if reflect.TypeOf(o.value) != unstructured {
		return nil, false, false
	}
	return o.value.Unstructured(), o.memo.facts.Load()&branchesOnly == 0, true
}

// Plain returns the compiled type, and the value as plain data. It does not copy plain data. ok
// is false if there is no value at all, not even null.
func (o Value) Plain() (n *graph.Node, tree any, ok bool) {
	n, m := o.Node(), o.memo
	tree, complete, is := o.plainValue()
	if is && complete || o.value == nil {
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
			m.noteConverted()
		}
		p.made.Store(true)
		p.partial.Store(nil)
	})
	return n, p.tree, true
}

// noteConverted sets the bit converted, unless results may contain the plain data itself (see
// singleUse).
func (m *memo) noteConverted() {
	if !m.singleUse {
		m.facts.Or(converted)
	}
}

// Branches does the same as Plain, but saves time, because atomic lists and some strings of a
// Go struct can stay unconverted. onlyBranches is true if the result has such lists or strings.
// Callers must not read the items of atomic lists. They can convert the result with
// data.WithLeaves.
func (o Value) Branches() (n *graph.Node, tree any, onlyBranches, ok bool) {
	n, m := o.Node(), o.memo
	if tree, complete, ok := o.plainValue(); ok {
		if !complete {
			if p := m.existingPlain(); p != nil && p.made.Load() {
				return n, p.tree, false, true
			}
		}
		return n, tree, !complete, true
	}
	p := m.existingPlain()
	if p != nil {
		if made := p.partial.Load(); made != nil && made.complete == nil && !p.made.Load() {
			return n, made.tree, true, true
		}
	}
	if (p == nil || !p.made.Load() && p.partial.Load() == nil) && m.facts.Load()&usedAsStruct == 0 && m.knows(engine.Valid) && !n.Declarative && !n.HasTransitions {
		if _, ok := o.goStruct(); ok {
			tree, onlyBranches := o.value.(interface {
				Branches(n *graph.Node) (plain any, onlyBranches bool)
			}).Branches(n)
			m.noteConverted()
			m.ensurePlain().keep(tree, onlyBranches)
			return n, tree, onlyBranches, true
		}
	}
	n, tree, ok = o.Plain()
	return n, tree, false, ok
}

// keep stores tree, the plain data of a Go struct. onlyBranches is true if some lists or
// strings in tree are not converted yet.
func (p *plain) keep(tree any, onlyBranches bool) {
	if onlyBranches {
		p.partial.Store(&partial{tree: tree})
		return
	}
	p.once.Do(func() {
		p.tree = tree
		p.made.Store(true)
	})
}

// BranchesIfMade does the same as Branches, but converts nothing. It returns false for a struct
// that is not converted yet.
func (o Value) BranchesIfMade() (tree any, ok bool) {
	if tree, _, ok := o.plainValue(); ok {
		return tree, true
	}
	p := o.memo.existingPlain()
	if p == nil || !p.made.Load() && p.partial.Load() == nil {
		return nil, false
	}
	_, tree, _, ok = o.Branches()
	runtime.KeepAlive(p) // keeps the data in memory until Branches has read it
	return tree, ok
}

// Equal reports whether two values have equal plain data.
func (o Value) Equal(other *Value) bool {
	_, x, xOnlyBranches, _ := o.Branches()
	_, y, yOnlyBranches, _ := other.Branches()
	if xOnlyBranches || yOnlyBranches {
		return data.EqualBranches(x, y)
	}
	return value.EqualUnstructured(x, y)
}

// ForOneUse prepares o for the last operation that reads it, and returns the value to use in this
// operation. If o wraps a Go struct that no operation has used or converted yet, ForOneUse returns a
// new value. The result of the operation may then contain the plain data of the new value, instead of
// a copy, and callers may modify the result. In all other cases, ForOneUse returns o.
func (o *Value) ForOneUse() *Value {
	if _, ok := o.goStruct(); !ok {
		return o
	}
	facts := o.memo.facts.Or(usedAsStruct)
	if facts&(converted|usedAsStruct) != 0 {
		return o
	}
	out := o.sameType(o.value)
	out.memo.facts.Store(facts)
	out.memo.singleUse = true
	return out
}

// ShareResults declares that nobody modifies the results of operations on o. The results may
// then share memory with o, and Writable does not copy them. Call ShareResults before any other
// goroutine uses o. It returns o.
func (o *Value) ShareResults() *Value {
	o.memo.shared = true
	return o
}

// Writable returns the value in a form that the caller may modify, except atomic maps and
// lists. It copies the other maps and lists, unless they come from ForOneUse or ShareResults.
func (o *Value) Writable() *Value {
	n, tree, onlyBranches, ok := o.Branches()
	if !ok {
		return o
	}
	own := o.memo.singleUse
	if !own && (!o.memo.shared || o.converted()) {
		tree, own = data.CopyAsIs(n, tree, o.converted()), true
	}
	if onlyBranches {
		tree = data.WithLeaves(n, tree, own)
	}
	return o.derive(tree, uint32(o.memo.known())|o.memo.facts.Load()&bounded)
}

// reflected reports whether the value reads a Go value by reflection.
func (o *Value) reflected() bool { return reflect.TypeOf(o.value) == reflected }

// goStruct returns the Go struct that the value wraps. ok is false if the value does
// not wrap a Go struct.
func (o *Value) goStruct() (v reflect.Value, ok bool) {
	if !o.reflected() {
		return v, false
	}
	v = o.value.(interface{ Go() reflect.Value }).Go()
	return v, v.Kind() == reflect.Struct && v.CanAddr()
}

// converted reports whether the value, or a part of it, was converted from a Go struct.
func (o Value) converted() bool {
	o.Branches()
	return o.memo.facts.Load()&converted != 0
}

// stringKeyed reports whether all maps of the value have string keys.
func (o Value) stringKeyed() bool {
	if !o.memo.knows(engine.StringKeyed) {
		_, tree, _ := o.Plain()
		if !data.HasStringKeys(tree) {
			return false
		}
		o.memo.facts.Or(uint32(engine.StringKeyed))
	}
	return true
}

// SameType returns a finding if the two values have different types or schemas.
func (o *Value) SameType(other *Value) diag.Findings {
	if o.schema != other.schema {
		return diag.Newf(diag.Misuse, "expected objects with types from the same schema")
	}
	if o.other == nil && other.other == nil && o.name == other.name {
		return nil
	}
	if mine, theirs := o.TypeRef(), other.TypeRef(); !mine.Equals(&theirs) {
		return diag.Newf(diag.Misuse, "expected objects of the same type, but got %s and %s", typeName(mine), typeName(theirs))
	}
	return nil
}

// typeName returns the name of a type for messages.
func typeName(tr schema.TypeRef) string {
	name := "an inlined type"
	if tr.NamedType != nil {
		name = strconv.Quote(*tr.NamedType)
	}
	if tr.ElementRelationship != nil {
		name += " with elementRelationship " + string(*tr.ElementRelationship)
	}
	return name
}

// CheckDepth returns a finding if the value is nested deeper than data.MaxDepth. Operations call
// it before they read the value, so that deep data cannot exhaust the stack. If the value was
// never validated, the first call reads the whole value.
func (o *Value) CheckDepth() diag.Findings {
	if o.memo.facts.Load()&(bounded|uint32(engine.Valid)) != 0 {
		return nil
	}
	return o.measureDepth()
}

// measureDepth does the work of CheckDepth.
func (o *Value) measureDepth() diag.Findings {
	if _, tree, _ := o.Plain(); data.IsTooDeep(tree) {
		return data.DepthFindings()
	}
	o.memo.facts.Or(bounded)
	return nil
}

// checkDepths calls CheckDepth for o and other.
func (o *Value) checkDepths(other *Value) diag.Findings {
	if findings := o.CheckDepth(); findings != nil {
		return findings
	}
	return other.CheckDepth()
}

// Validate returns the findings about the value. It returns nil if the value is valid.
func (o Value) Validate(allowDuplicates bool) diag.Findings {
	if v, ok := o.goStruct(); ok {
		if facts, ok := gostruct.Validate(o.Node(), v, allowDuplicates); ok {
			o.memo.facts.Or(uint32(facts) | bounded)
			return nil
		}
	}
	n, tree, ok := o.Plain()
	if !ok {
		return engine.ValidateAbsent(n)
	}
	facts, findings := engine.Validate(n, tree, allowDuplicates)
	if findings == nil {
		o.memo.facts.Or(uint32(facts) | bounded)
	}
	return findings
}

// FieldSet returns the paths that the value sets. A manager that applies the value owns these
// paths. prev is an earlier set, or nil. The result shares equal subtrees with prev. If it
// equals prev, the result is usually prev itself.
func (o Value) FieldSet(prev *fieldpath.Set) (*fieldpath.Set, diag.Findings) {
	if findings := o.CheckDepth(); findings != nil {
		return nil, findings
	}
	n, tree, _, _ := o.Branches()
	return engine.FieldSet(n, tree, prev)
}

// Without returns the value without the given paths and everything below them (see
// engine.Remove).
func (o Value) Without(items *fieldpath.Set) *Value { return o.project(items, engine.Remove) }

// Only returns a value that contains only the given paths (see engine.Extract).
func (o Value) Only(items *fieldpath.Set) *Value { return o.project(items, engine.Extract) }

// project calls op, which is engine.Remove or engine.Extract, for the plain data of the
// value.
func (o Value) project(items *fieldpath.Set, op func(*graph.Node, any, *fieldpath.Set) any) *Value {
	n, tree, _ := o.Plain()
	out := op(n, tree, items)
	if o.converted() {
		out = data.Clone(out)
	}
	return o.derive(out, o.memo.facts.Load()&bounded)
}

// WithoutGivenUp does the same as Without for fields that an applier gave up. With declarative
// defaults, the remaining items keep their keys. The result shares memory with o.
func (o Value) WithoutGivenUp(items *fieldpath.Set) *Value {
	n, tree, _ := o.Plain()
	out, whole := engine.RemoveGivenUp(n, tree, items)
	facts := o.memo.facts.Load()
	if !whole {
		facts &^= uint32(engine.Valid | engine.Unique)
	}
	rest := o.derive(out, facts)
	rest.memo.singleUse, rest.memo.shared = o.memo.singleUse, o.memo.shared
	return rest
}

// WithoutAbsentNulls returns the value without nulls that stand for an absent field. A null stands
// for an absent field only with declarative defaults, if the field is not nullable and has no
// default. If there are no such nulls, WithoutAbsentNulls returns o itself.
func (o *Value) WithoutAbsentNulls() *Value {
	n, tree, _ := o.Plain()
	if !n.Declarative {
		return o
	}
	out, changed := engine.WithoutAbsentNulls(n, tree)
	if !changed {
		return o
	}
	return o.derive(out, o.memo.facts.Load())
}

// IsEmptyOrAtomic reports whether the value is an empty or atomic list or map (see
// engine.IsEmptyOrAtomic).
func (o Value) IsEmptyOrAtomic() bool {
	n := o.Node()
	if p := o.memo.existingPlain(); p != nil {
		if made := p.partial.Load(); made != nil && made.complete != nil {
			return false // the plain data is incomplete, but already has a field
		}
	}
	_, tree, _, _ := o.Branches()
	return engine.IsEmptyOrAtomic(n, tree)
}

// Diagnose returns probable mistakes in config, which is to be applied to o. A mistake is a key
// that an item lacks, or a key that is empty although its default is not (see engine.Diagnose).
func (o Value) Diagnose(config *Value) diag.Findings {
	_, live, _ := o.Plain()
	n, tree, _ := config.Plain()
	return engine.Diagnose(n, live, tree)
}

// FilledKeys returns the keys of list items that got their default (see engine.FilledKeys).
func (o Value) FilledKeys() diag.Findings {
	n, tree, _ := o.Plain()
	return engine.FilledKeys(n, tree)
}
