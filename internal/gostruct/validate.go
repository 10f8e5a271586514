// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

import (
	"encoding/json"
	"hash/maphash"
	"reflect"
	"slices"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/value"
)

// Validate validates the addressable struct v like engine.Validate, but does not convert v to
// plain data. ok is false if v may be invalid, or has a type that Validate does not support.
// The caller must then convert v to plain data and call engine.Validate. Validate calls the
// conversion method of each value at most once.
func Validate(n *graph.Node, v reflect.Value, allowDuplicates bool) (facts engine.Facts, ok bool) {
	p := planFor(n, v.Type())
	s := structs{allowDuplicates: allowDuplicates, facts: engine.FactsOfStructs}
	if !s.valid(p, v.Addr().UnsafePointer(), 0) {
		return 0, false
	}
	return s.facts, true
}

// structs validates Go values. It reads memory at the offsets in a plan, because reflection
// would take more time than the checks themselves.
type structs struct {
	allowDuplicates bool
	facts           engine.Facts
}

// maxPlanned is the maximum nesting of data that this package handles. For deeper data, callers
// fall back to package engine, which has its own limit.
const maxPlanned = 1000

// sliceHeader has the memory layout of a slice.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// valid reports whether the value at the given address is valid. It may return false for a valid
// value.
func (s *structs) valid(p *plan, at unsafe.Pointer, depth int) bool {
	if depth > maxPlanned {
		return false
	}
	switch p.check {
	case alwaysValid:
		return true
	case pointerCheck:
		to := *(*unsafe.Pointer)(at)
		return to == nil || s.valid(p.elem, to, depth)
	case structCheck:
		for i := range p.fields {
			f := &p.fields[i]
			if !s.field(f, unsafe.Add(at, f.offset), depth+1) {
				return false
			}
		}
		return true
	case listCheck:
		return s.items(p, (*sliceHeader)(at), depth)
	case keyedListCheck:
		x := (*sliceHeader)(at)
		if x.data == nil {
			return true
		}
		if x.len == 0 {
			s.facts &^= engine.NoEmptyLists
			return true
		}
		return s.identified(p, x) && (p.elem.check == alwaysValid || s.items(p, x, depth))
	case mapCheck:
		return s.entries(p, at, depth)
	case conversionCheck:
		return s.converts(p, at)
	case interfaceCheck:
		content := reflect.NewAt(p.typ, at).Elem()
		if content.IsNil() {
			return true
		}
		v := content.Elem().Interface()
		return isPlain(v, 0) && s.plain(p.node, v, depth)
	}
	return false
}

func (s *structs) field(f *planField, at unsafe.Pointer, depth int) bool {
	if f.mayOmit && f.entry.CanOmit(reflect.NewAt(f.of, at).Elem()) {
		return true
	}
	if f.check == keyedListCheck {
		if x := (*sliceHeader)(at); x.len == 0 && x.data != nil && f.entry.CanOmit(reflect.NewAt(f.of, at).Elem()) {
			return true
		}
	}
	return s.valid(f.plan, at, depth)
}

func (s *structs) items(p *plan, x *sliceHeader, depth int) bool {
	for i := range x.len {
		if !s.valid(p.elem, unsafe.Add(x.data, uintptr(i)*p.size), depth+1) {
			return false
		}
	}
	return true
}

// entries validates the values of a map. It copies each value, because map values are not
// addressable.
func (s *structs) entries(p *plan, at unsafe.Pointer, depth int) bool {
	m := reflect.NewAt(p.typ, at).Elem()
	if m.Len() == 0 {
		return true
	}
	slot := reflect.New(p.typ.Elem())
	for iter := m.MapRange(); iter.Next(); {
		slot.Elem().SetIterValue(iter)
		if !s.valid(p.elem, slot.UnsafePointer(), depth+1) {
			return false
		}
	}
	return true
}

// converts calls the conversion method of a value, and reports whether the result is valid.
func (s *structs) converts(p *plan, at unsafe.Pointer) bool {
	if p.form.isPointer {
		if at = *(*unsafe.Pointer)(at); at == nil {
			return true
		}
	}
	if p.form.intOrString {
		switch (*intOrString)(at).Type {
		case 0:
			return scalarFits(p.node, int64(0))
		case 1:
			return scalarFits(p.node, "")
		}
	}
	v := reflect.NewAt(p.form.typ, at).Interface()
	switch p.form.by {
	case withError:
		plain, err := v.(value.UnstructuredConverterWithError).ToUnstructuredWithError()
		return err == nil && scalarFits(p.node, plain)
	case plainly:
		return scalarFits(p.node, v.(value.UnstructuredConverter).ToUnstructured())
	}
	data, err := v.(json.Marshaler).MarshalJSON()
	return err == nil && s.document(p.node, data)
}

// scalarFits reports whether v is null, or a scalar that n allows.
func scalarFits(n *graph.Node, v any) bool {
	switch v.(type) {
	case nil:
		return true
	case string:
		return n.Scalar == graph.String || n.Scalar == graph.Untyped
	case int64, float64:
		return n.Scalar == graph.Numeric || n.Scalar == graph.Untyped
	case bool:
		return n.Scalar == graph.Boolean || n.Scalar == graph.Untyped
	}
	return false
}

// document reports whether data is valid for n. data is JSON that a MarshalJSON method
// returned.
func (s *structs) document(n *graph.Node, data []byte) bool {
	kind, ok := scanJSON(data)
	if !ok {
		return false
	}
	switch kind {
	case '"':
		return scalarFits(n, "")
	case '0':
		return scalarFits(n, int64(0))
	case 't':
		return scalarFits(n, true)
	case 'n':
		return true
	case '{':
		if m := n.Map; m != nil && m.Open && len(m.Fields) == 0 && anything(m.Elem, nil) {
			return true
		}
	case '[':
		if l := n.List; l != nil && l.IsAtomic() && anything(l.Item, nil) {
			return true
		}
	}
	v, err := value.FromJSON(data)
	return err == nil && s.plain(n, v.Unstructured(), maxPlanned)
}

// anything reports whether n allows all plain data, and all lists in the data are atomic. The
// argument seen has the types visited so far.
func anything(n *graph.Node, seen []*graph.Node) bool {
	if slices.Contains(seen, n) {
		return true
	}
	seen = append(seen, n)
	return n.Scalar == graph.Untyped &&
		n.List != nil && n.List.IsAtomic() && anything(n.List.Item, seen) &&
		n.Map != nil && n.Map.Open && len(n.Map.Fields) == 0 && anything(n.Map.Elem, seen)
}

// plain reports whether the plain data v is valid for n. depth is the number of lists and maps
// around v.
func (s *structs) plain(n *graph.Node, v any, depth int) bool {
	facts, wrong := engine.ValidateAt(n, v, s.allowDuplicates, depth)
	s.facts &= facts
	return wrong == nil
}

// isPlain reports whether v is plain data that needs no conversion.
func isPlain(v any, depth int) bool {
	if depth > maxPlanned {
		return false
	}
	switch x := v.(type) {
	case nil, string, bool, int64, float64:
		return true
	case map[string]any:
		for _, c := range x {
			if !isPlain(c, depth+1) {
				return false
			}
		}
		return x != nil
	case []any:
		for _, c := range x {
			if !isPlain(c, depth+1) {
				return false
			}
		}
		return x != nil
	}
	return false
}

// goKey describes how to read one key of a list item from a Go value.
type goKey struct {
	key     *graph.Key // nil if the list is a set, in which the item itself is the key
	number  bool       // true if the key is a number, and false if it is a string
	pointed bool       // true if the item is a pointer to a struct
	// offset and typ describe the Go field for the key. typ is nil if the struct has no such
	// field.
	offset uintptr
	typ    reflect.Type
	// size is the size of a number in bytes.
	size uintptr
	// mayBeMissing is true if a zero field counts as missing.
	mayBeMissing bool
	// missing is the value of a missing key.
	missing goValue
}

// goKeys describes how to read the keys of list items of the Go type t. It returns false if the
// keys can be read only after converting the items to plain data.
func goKeys(l *graph.List, t reflect.Type) ([]goKey, bool) {
	if value.TypeReflectEntryOf(t).CanConvertToUnstructured() {
		return nil, false
	}
	if len(l.Keys) == 0 {
		k := goKey{typ: t}
		return []goKey{k}, len(l.KeyNames) == 0 && k.setKind()
	}
	pointed := t.Kind() == reflect.Pointer
	if pointed {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	entry, probe := value.TypeReflectEntryOf(t), reflect.New(t).Elem()
	keys := make([]goKey, len(l.Keys))
	for i := range l.Keys {
		k := &keys[i]
		k.key, k.pointed = &l.Keys[i], pointed
		if f := entry.Fields()[k.key.Name]; f != nil {
			v := f.GetFrom(probe)
			if !v.CanAddr() || !v.CanInterface() || hasIsZero(v.Type()) ||
				value.TypeReflectEntryOf(v.Type()).CanConvertToUnstructured() {
				return nil, false
			}
			k.offset, k.typ, k.mayBeMissing = v.UnsafeAddr()-probe.UnsafeAddr(), v.Type(), f.CanOmit(v)
			if !k.setKind() {
				return nil, false
			}
		}
		if !k.setMissing() {
			return nil, false
		}
	}
	return keys, true
}

// isString reports whether the key is a string that can be read directly from the Go field.
func (k *goKey) isString() bool { return !k.number && k.typ != nil && !k.mayBeMissing }

// always reports whether every item is sure to have the key.
func (k *goKey) always() bool {
	return k.key == nil || k.missing.present || k.typ != nil && !k.mayBeMissing
}

// setKind sets number and size according to the Go type of the key. It returns false if the type
// is neither a string nor a signed integer.
func (k *goKey) setKind() bool {
	switch k.typ.Kind() {
	case reflect.String:
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		k.number, k.size = true, k.typ.Size()
	default:
		return false
	}
	return true
}

// setMissing sets mayBeMissing and missing. It returns false if the default of the key cannot be
// compared with the Go field.
func (k *goKey) setMissing() bool {
	if k.typ != nil {
		zero := any("")
		if k.number {
			zero = int64(0)
		}
		k.mayBeMissing = k.mayBeMissing || item.CountsAsMissing(k.key, zero)
	}
	def, ok := item.KeyValue(nil, k.key)
	if !ok {
		return true
	}
	number := true
	switch d := def.(type) {
	case string:
		k.missing.text, number = d, false
	case int: // the Go type that YAML decoders return
		k.missing.number = int64(d)
	case int64:
		k.missing.number = d
	case float64:
		k.missing.number, ok = int64(d), d == float64(int64(d))
	default:
		return false
	}
	ok = ok && (k.typ == nil || k.number == number)
	k.number, k.missing.present = number, true
	return ok
}

// goValue is the value of a key, read from a Go field.
type goValue struct {
	text    string
	number  int64
	present bool
}

// identified reports whether each item of a list has an identity. If duplicates are forbidden, all
// identities must also be different. If there are duplicates, it removes engine.Unique from
// s.facts.
func (s *structs) identified(p *plan, x *sliceHeader) bool {
	l := p.node.List
	for i := 0; i < x.len && (p.keys[0].pointed || !p.keyed); i++ {
		item := p.item(x, i)
		if item == nil {
			return false
		}
		found := 0
		for k := range p.keys {
			if p.keys[k].read(item).present {
				found++
			}
		}
		if found != len(p.keys) && (found == 0 || l.KeyFault != "" || l.Strict) {
			return false
		}
	}
	if p.duplicate(x) {
		s.facts &^= engine.Unique
		return s.allowDuplicates
	}
	return true
}

// read returns the value of the key in the item at the given address.
func (k *goKey) read(item unsafe.Pointer) goValue {
	if k.typ == nil {
		return k.missing
	}
	v := goValue{present: true}
	at := unsafe.Add(item, k.offset)
	if k.number {
		v.number = integer(at, k.size)
	} else {
		v.text = *(*string)(at)
	}
	if v.text == "" && v.number == 0 && k.mayBeMissing {
		return k.missing
	}
	return v
}

// integer returns the signed integer at the given address. size is the size of the integer in
// bytes.
func integer(at unsafe.Pointer, size uintptr) int64 {
	switch size {
	case 1:
		return int64(*(*int8)(at))
	case 2:
		return int64(*(*int16)(at))
	case 4:
		return int64(*(*int32)(at))
	}
	return *(*int64)(at)
}

// same reports whether the items at the addresses a and b have the same identity.
func (p *plan) same(a, b unsafe.Pointer) bool {
	for i := range p.keys {
		k := &p.keys[i]
		if k.isString() {
			if *(*string)(unsafe.Add(a, k.offset)) != *(*string)(unsafe.Add(b, k.offset)) {
				return false
			}
		} else if k.size > 0 && !k.mayBeMissing {
			if integer(unsafe.Add(a, k.offset), k.size) != integer(unsafe.Add(b, k.offset), k.size) {
				return false
			}
		} else if k.read(a) != k.read(b) {
			return false
		}
	}
	return true
}

func (p *plan) item(x *sliceHeader, i int) unsafe.Pointer {
	item := unsafe.Add(x.data, uintptr(i)*p.size)
	if p.keys[0].pointed {
		item = *(*unsafe.Pointer)(item)
	}
	return item
}

// fewPairs is the maximum number of items for which duplicate compares all pairs of items. For
// so few items, this is faster than hashing.
const fewPairs = 8

// fewItems is the maximum number of items for which the hash table is on the stack.
const fewItems = 32

// duplicate reports whether two items of a list have the same identity.
func (p *plan) duplicate(x *sliceHeader) bool {
	if k := &p.keys[0]; len(p.keys) == 1 && k.isString() && !k.pointed && x.len <= 2*fewPairs {
		for j := 1; j < x.len; j++ {
			at := unsafe.Add(x.data, k.offset)
			name := *(*string)(unsafe.Add(at, uintptr(j)*p.size))
			for range j {
				if *(*string)(at) == name {
					return true
				}
				at = unsafe.Add(at, p.size)
			}
		}
		return false
	}
	if x.len <= fewPairs {
		for j := 1; j < x.len; j++ {
			for i := range j {
				if p.same(p.item(x, i), p.item(x, j)) {
					return true
				}
			}
		}
		return false
	}
	var few [2 * fewItems]int32
	t := data.TableIn(few[:], fewItems)
	if x.len > fewItems {
		w := item.NewWorkspace()
		defer w.Done()
		t = data.NewTable(&w.IntScratch, x.len)
	}
	for j := range x.len {
		it := p.item(x, j)
		h := data.HashSeed
		for k := range p.keys {
			v := p.keys[k].read(it)
			if p.keys[k].number {
				h = data.Mix(h, uint64(v.number))
			} else {
				h = data.Mix(h, maphash.String(data.MapSeed, v.text))
			}
		}
		if t.Find(h, func(i int32) bool { return p.same(p.item(x, int(i)), it) }) >= 0 {
			return true
		}
		t.Insert(h, int32(j))
	}
	return false
}

// scanJSON reports whether data is a single JSON document that package value would decode.
// There must be no space before or after the document. kind is '{', '[', '"', '0' for a number,
// 't' for a boolean, or 'n' for null.
func scanJSON(data []byte) (kind byte, ok bool) {
	if len(data) == 0 || jsoniter.IsSpace(data[0]) || jsoniter.IsSpace(data[len(data)-1]) {
		return 0, false
	}
	switch kind = data[0]; kind {
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		kind = '0'
	case 'f':
		kind = 't'
	}
	_, ok = jsoniter.Parse(box.Text(data), jsoniter.CheckOnly)
	return kind, ok
}
