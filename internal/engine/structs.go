// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"reflect"
	"unsafe"

	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/value"
)

// ValidateStruct is Validate for v, an addressable struct, without making plain
// data of it. ok is false if that does not do: something is wrong or unusual,
// and only Validate can tell. All that converts itself is asked to, once, as
// lowering would.
func ValidateStruct(n *graph.Node, v reflect.Value, allowDuplicates bool) (facts Facts, ok bool) {
	p := planFor(n, v.Type())
	s := structs{allowDuplicates: allowDuplicates, facts: AllFacts}
	if !s.valid(p, v.Addr().UnsafePointer(), 0) {
		return 0, false
	}
	return s.facts, true
}

// structs is a walk of Go data. It reads memory by the offsets of a plan, since
// reflection would cost more than all that there is to check.
type structs struct {
	allowDuplicates bool
	facts           Facts
}

// maxPlanned is how deep data may be nested that is not lowered. It leaves
// Validate to say what is too deep.
const maxPlanned = 1000

// sliceHeader is a slice in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// valid says whether what is at a place is valid; false may mean unknown.
func (s *structs) valid(p *plan, at unsafe.Pointer, depth int) bool {
	if depth > maxPlanned {
		return false
	}
	switch p.check {
	case nothing:
		return true
	case followed:
		to := *(*unsafe.Pointer)(at)
		return to == nil || s.valid(p.elem, to, depth)
	case fieldwise:
		for i := range p.fields {
			f := &p.fields[i]
			if !s.field(f, unsafe.Add(at, f.offset), depth+1) {
				return false
			}
		}
		return true
	case itemwise:
		x := (*sliceHeader)(at)
		return s.items(p, x, depth)
	case identifying:
		x := (*sliceHeader)(at)
		if x.data == nil {
			return true
		}
		if x.len == 0 {
			s.facts &^= Full
			return true
		}
		return s.identified(p, x) && (p.elem.check == nothing || s.items(p, x, depth))
	case entrywise:
		return s.entries(p, at, depth)
	case converting:
		return s.converts(p, at)
	case holding:
		held := reflect.NewAt(p.typ, at).Elem()
		return held.IsNil() || s.holds(p.node, held.Elem().Interface(), depth)
	}
	return false
}

func (s *structs) field(f *planField, at unsafe.Pointer, depth int) bool {
	if f.mayOmit && f.entry.CanOmit(reflect.NewAt(f.of, at).Elem()) {
		return true
	}
	if f.check == identifying {
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

// entries is for the values of a map, which are copied one by one since they
// have no address.
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

// converts asks a value for its plain form and says whether that is valid.
func (s *structs) converts(p *plan, at unsafe.Pointer) bool {
	if p.form.held {
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

// scalarFits says whether v is a null or a scalar, of a type that plain data
// has, that is valid as n, which allows something.
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

// document says whether the output of a MarshalJSON is valid.
func (s *structs) document(n *graph.Node, data []byte) bool {
	kind, ok := skim(data)
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
		if l := n.List; l != nil && l.Relation == graph.Atomic && anything(l.Item, nil) {
			return true
		}
	}
	v, err := value.FromJSON(data)
	return err == nil && s.plain(n, v.Unstructured(), maxPlanned)
}

// anything says whether n allows all plain data, and no list of it but atomic
// ones. seen are the types that are being looked at.
func anything(n *graph.Node, seen []*graph.Node) bool {
	for _, m := range seen {
		if m == n {
			return true
		}
	}
	seen = append(seen, n)
	return n.Scalar == graph.Untyped &&
		n.List != nil && n.List.Relation == graph.Atomic && anything(n.List.Item, seen) &&
		n.Map != nil && n.Map.Open && len(n.Map.Fields) == 0 && anything(n.Map.Elem, seen)
}

// holds says whether what an interface holds is valid.
func (s *structs) holds(n *graph.Node, v any, depth int) bool {
	return isPlain(v, 0) && s.plain(n, v, depth)
}

// plain validates plain data that is nested depth levels deep.
func (s *structs) plain(n *graph.Node, v any, depth int) bool {
	facts, wrong := ValidateAt(n, v, s.allowDuplicates, depth)
	s.facts &= facts
	return wrong == nil
}

// isPlain says whether lowering would leave v as it is.
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
