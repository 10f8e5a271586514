// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/internal/edition"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
)

// rooms are buffers for documents.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// FromJSON replaces the set by the one that r describes in the FieldsV1 format.
//
// It reads what structured-merge-diff v6.4.2 reads: null for an empty object,
// objects in any order, repeated keys (a repeated subtree replaces the earlier
// one), and keys of unknown kinds, which it ignores. Numbers become float64.
// What follows the document is an error, and so are more than 10,000 nested
// objects. After an error the set holds what was understood before it. Where
// schema.Version7 is set, it reads what v7.0.0 reads: bytes that are no UTF-8 become
// U+FFFD, and after an error the set is as it was, but for what follows the document.
//
// Sets share the names that many documents have. Their other strings are mostly
// parts of one copy of the text, which therefore stays in memory as long as the
// set. Memory of r is not kept.
func (s *Set) FromJSON(r io.Reader) error {
	room := rooms.Get().(*[]byte)
	src := jsoniter.ReadAll(r, room)
	asV7 := edition.V7.Is()
	if src.Err == nil && (!asV7 || jsoniter.IsUnicode(src.Text)) {
		if set, ok := decode(src.Text); ok {
			*s = set
			if cap(*room) <= keepBuffer {
				rooms.Put(room)
			}
			return nil
		}
	}
	if asV7 {
		return replaySet7(s, src)
	}
	set, err := replaySet(src) // keeps the text, and so the room
	*s = set
	return err
}

// DeserializePathElement parses what SerializePathElement returns. The error is
// ErrUnknownPathElementType for a kind it does not know; an element returned
// with an error is empty.
func DeserializePathElement(s string) (PathElement, error) {
	var parts decoded
	asV7 := edition.V7.Is()
	if !asV7 || jsoniter.IsUnicode(s) {
		if pe, ok := parts.element(s); ok {
			return pe, nil
		}
	}
	if asV7 {
		return replayElement7(s)
	}
	return replayElement(s)
}

// ErrUnknownPathElementType tells that a path element is of a kind this package
// does not know.
var ErrUnknownPathElementType = errors.New("unknown path element type")

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
	// of the keys so far, how many are known elements, and how many are not
	found, missed int
	keys          []key
	open          []int32 // the keys whose objects are being read
	total         struct{ sets, members, nodes, names, keys int }
	parts         decoded
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
		p.sets.Expect(d.total.sets)
		p.elements.Expect(d.total.members)
		p.nodes.Expect(d.total.nodes)
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
	members := d.parts.elements.Take(int(parent.members))
	nodes := d.parts.nodes.Take(int(parent.nodes))
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
			nodes[n] = SetNode{PathElement: pe, Set: d.parts.sets.One()}
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
	if len(text) <= knownLength && !d.mostlyMissed() {
		e, hash := findKnown(text)
		if e != nil {
			d.found++
			return *e, true
		}
		d.missed++
		if meet(hash) {
			var own decoded
			text := strings.Clone(d.in[k.start-2 : k.end+1])
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
		d.parts.names.Expect(d.total.names)
		d.parts.keys.Expect(d.total.keys)
		d.parts.fields.Expect(d.total.keys)
	}
	return d.parts.read(d.in, int(k.start), int(k.end), k.kind, k.escaped)
}

// mostlyMissed says that hardly any key of the document is known, so that there is no use
// in looking for the others.
func (d *decoder) mostlyMissed() bool {
	return d.missed > leastLookedFor && d.missed/8 > d.found
}

// leastLookedFor is how many keys are looked for at least.
const leastLookedFor = 512

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
	text, after := jsoniter.String(in, start-2)
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

// What comes next in a document.
const (
	keyOrEnd  = iota // behind {
	keyOnly          // behind ,
	moreOrEnd        // behind }
)

// scan notes the keys of the document. It reports false for a document that is
// not as plain as the decoder wants it.
func (d *decoder) scan() bool {
	in := d.in
	at := d.space(0)
	if len(in) > math.MaxInt32 || at >= len(in) || in[at] != '{' {
		return false
	}
	d.open = append(d.open, 0)
	for next := keyOrEnd; ; {
		if at = d.space(at + 1); at >= len(in) {
			return false
		}
		switch c := in[at]; {
		case c == '"' && next != moreOrEnd:
			if at = d.key(at + 1); at < 0 || len(d.open) == jsoniter.MaxDepth {
				return false
			}
			next = keyOrEnd
		case c == ',' && next == moreOrEnd:
			next = keyOnly
		case c == '}' && next != keyOnly:
			if d.close(); len(d.open) == 0 {
				return d.space(at+1) == len(in)
			}
			next = moreOrEnd
		default:
			return false
		}
	}
}

// key notes the key whose text begins at in[at] and opens the object behind it.
// It returns where the brace is, or a negative position for a key that the
// decoder does not understand.
func (d *decoder) key(at int) int {
	in := d.in
	if at+2 >= len(in) {
		return -1
	}
	k := key{kind: in[at], start: int32(at + 2)}
	switch k.kind {
	case '.':
		if in[at+1] != '"' {
			return -1
		}
	case 'f', 'k', 'v', 'i':
		if in[at+1] != ':' {
			return -1
		}
		at += 2
	default:
		return -1
	}
	for {
		if at += jsoniter.SafeLength(in[at:]); at >= len(in) {
			return -1
		}
		if in[at] == '"' {
			break
		}
		if in[at] != '\\' || at+2 > len(in) {
			return -1
		}
		k.escaped = true
		at += 2
	}
	k.end = int32(at)
	if at = d.space(at + 1); at >= len(in) || in[at] != ':' {
		return -1
	}
	if at = d.space(at + 1); at >= len(in) || in[at] != '{' {
		return -1
	}
	if k.kind == '.' && (at+1 >= len(in) || in[at+1] != '}') {
		return -1 // upstream looks at what is there
	}
	d.open = append(d.open, int32(len(d.keys)))
	d.keys = append(d.keys, k)
	return at
}

// close ends the object opened last.
func (d *decoder) close() {
	last := len(d.open) - 1
	k := &d.keys[d.open[last]]
	k.next = int32(len(d.keys))
	d.open = d.open[:last]
	if last == 0 {
		return
	}
	parent := &d.keys[d.open[last-1]]
	if k.kind == '.' {
		parent.self = true
		return
	}
	d.total.names++
	if k.kind == 'k' {
		d.total.keys++
	}
	if k.member() {
		parent.members++
		d.total.members++
	}
	if k.leads() {
		parent.nodes++
		d.total.nodes++
		d.total.sets++
	}
}

// space returns the position of the first byte from at on that is not white
// space.
func (d *decoder) space(at int) int {
	for at < len(d.in) && d.in[at] <= ' ' && jsoniter.IsSpace(d.in[at]) {
		at++
	}
	return at
}
