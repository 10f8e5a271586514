// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

// places walks a type as it was written: all that stands in it, up to the names of
// other types.
type places struct {
	// ref is called for each reference, and list for each list; nil if nobody asks.
	ref  func(path string, tr TypeRef)
	list func(path string, l *List)
	seen map[any]bool // inlined types, which literals can tie into cycles
}

func (p *places) atom(path string, a Atom) {
	if a.List != nil && !p.seen[a.List] {
		p.seen[a.List] = true
		if p.list != nil {
			p.list(path, a.List)
		}
		p.at(path+"[]", a.List.ElementType)
	}
	if a.Map != nil && !p.seen[a.Map] {
		p.seen[a.Map] = true
		for i := range a.Map.Fields {
			p.at(path+"."+a.Map.Fields[i].Name, a.Map.Fields[i].Type)
		}
		p.at(path+".*", a.Map.ElementType)
	}
}

func (p *places) at(path string, tr TypeRef) {
	if p.ref != nil {
		p.ref(path, tr)
	}
	if tr.NamedType == nil {
		p.atom(path, tr.Inlined)
	}
}
