// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"slices"
	"strings"
	"sync"
)

// maxDepth is how many objects may be nested in a FieldsV1 document.
const maxDepth = 10000

// decoder reads FieldsV1 documents as they are written by any encoder that
// follows the rules: objects in objects, known kinds of elements, JSON without
// liberties. Whatever else upstream accepts, and every error, is left to
// replay: the decoder only says that it cannot read a document.
//
// It goes over the text once and notes where the keys are. Then it knows how
// large everything is, and builds the set from the notes.
type decoder struct {
	in   string
	lent bool // whether in is memory of the caller's
	odd  int  // how many keys were not known, while in is lent
	// unknown keys were looked for in vain, familiar ones found.
	unknown, familiar int
	keys              []key
	open              []int32 // the keys whose objects are being read
	total             struct{ sets, members, nodes, names, keys int }
	parts             decoded
}

// key is a key of a document and what is known of the object behind it. The
// keys in that object follow, up to next.
type key struct {
	start, end     int32 // the content, between "f: and "
	next           int32
	members, nodes int32
	kind           byte // of the element; '.' is none
	escaped        bool // there is a backslash in the content
	self           bool // the object has "."
}

// leads reports whether there is anything below the key.
func (k *key) leads() bool { return k.members+k.nodes > 0 }

// member reports whether the key is a member of the set it is in.
func (k *key) member() bool { return k.self || !k.leads() }

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// keepKeys is the largest list of notes that waits for reuse.
const keepKeys = 1 << 15

// decode returns the set a document describes. in may be written to afterwards.
func decode(in string) (s Set, ok bool) {
	d := decoders.Get().(*decoder)
	d.in, d.lent = in, true
	d.keys = append(d.keys[:0], key{}) // the document itself
	if ok = d.scan(); ok {
		p := &d.parts
		p.sets.coming = d.total.sets
		p.elements.coming = d.total.members
		p.nodes.coming = d.total.nodes
		ok = d.build(&s, 0)
	}
	if !ok {
		s = Set{}
	}
	keys, open := d.keys, d.open
	*d = decoder{}
	if cap(keys) <= keepKeys {
		d.keys, d.open = keys, open[:0]
	}
	decoders.Put(d)
	return s, ok
}

// build fills the set behind key number at. It reports false for a key that it
// cannot read.
func (d *decoder) build(s *Set, at int32) bool {
	parent := &d.keys[at]
	members := d.parts.elements.take(int(parent.members))
	nodes := d.parts.nodes.take(int(parent.nodes))
	sortedMembers, sortedNodes := true, true
	m, n := 0, 0
	for i := at + 1; i < parent.next; i = d.keys[i].next {
		k := &d.keys[i]
		if k.kind == '.' {
			continue // counted as self of its parent
		}
		pe, ok := d.element(k)
		if !ok {
			return false
		}
		if k.member() {
			members[m] = pe
			if m > 0 && compareElements(&members[m-1], &members[m]) >= 0 {
				sortedMembers = false
			}
			m++
		}
		if k.leads() {
			nodes[n] = SetNode{PathElement: pe, Set: d.parts.sets.one()}
			if n > 0 && compareElements(&nodes[n-1].PathElement, &nodes[n].PathElement) >= 0 {
				sortedNodes = false
			}
			if !d.build(nodes[n].Set, i) {
				return false
			}
			n++
		}
	}
	if !sortedMembers {
		members = sortElements(members)
	}
	if !sortedNodes {
		nodes = sortNodes(nodes)
	}
	s.Members.members = members
	s.Children.members = nodes
	return true
}

// oddShare is how many keys there are in a document for each that is not known
// and copied by itself. If more are not known, the whole document is copied.
const oddShare = 32

// element returns the element that a key stands for.
func (d *decoder) element(k *key) (pe PathElement, ok bool) {
	text := d.in[k.start-2 : k.end]
	if len(text) <= knownLength && !d.strange() {
		e, hash := findKnown(text)
		if e != nil {
			d.familiar++
			return *e, true
		}
		d.unknown++
		if meet(hash) {
			var own decoded
			text := d.in[k.start-2 : k.end+1]
			text = strings.Clone(text)
			if pe, ok = own.read(text, 2, len(text)-1, k.kind, k.escaped); ok {
				know(hash, text[:len(text)-1], pe)
			}
			return pe, ok
		}
	}
	if d.lent {
		if d.odd++; d.odd <= 4+len(d.keys)/oddShare {
			text := strings.Clone(d.in[k.start-2 : k.end+1])
			return d.parts.read(text, 2, len(text)-1, k.kind, k.escaped)
		}
		d.in, d.lent = strings.Clone(d.in), false
		d.parts.names.coming = d.total.names
		d.parts.keys.coming, d.parts.fields.coming = d.total.keys, d.total.keys
	}
	return d.parts.read(d.in, int(k.start), int(k.end), k.kind, k.escaped)
}

// strange says that hardly any key of the document is known, so that there is no use
// in looking for the others.
func (d *decoder) strange() bool {
	return d.unknown > strangeKeys && d.unknown/8 > d.familiar
}

// strangeKeys is how many keys are looked for at least.
const strangeKeys = 512

// read returns the element of a kind whose content is in[start:end], as it is
// written in a document: behind the kind and a colon, before a quote.
func (p *decoded) read(in string, start, end int, kind byte, escaped bool) (pe PathElement, ok bool) {
	switch kind {
	case 'f':
		if !escaped {
			pe.FieldName = p.name(in[start:end])
			return pe, true
		}
	case 'k', 'v':
		// Most often the quotes are all that is escaped.
		content := content{in: in[:end], at: start, quoted: true}
		if p.content(&pe, kind, &content) && content.at == end {
			return pe, true
		}
	}
	text, after := jsonString(in, start-2)
	if after < 0 {
		return PathElement{}, false
	}
	return p.element(text)
}

// sortElements sorts in place. Of equal elements the first is kept.
func sortElements(elements []PathElement) []PathElement {
	slices.SortStableFunc(elements, func(x, y PathElement) int {
		return compareElements(&x, &y)
	})
	return capped(slices.CompactFunc(elements, func(x, y PathElement) bool {
		return compareElements(&x, &y) == 0
	}))
}

// sortNodes sorts in place. Of equal elements the first is kept, with the last
// set.
func sortNodes(nodes []SetNode) []SetNode {
	slices.SortStableFunc(nodes, func(x, y SetNode) int {
		return compareElements(&x.PathElement, &y.PathElement)
	})
	out := nodes[:1]
	for _, node := range nodes[1:] {
		last := &out[len(out)-1]
		if compareElements(&last.PathElement, &node.PathElement) == 0 {
			last.Set = node.Set
		} else {
			out = append(out, node)
		}
	}
	return capped(out)
}
