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

// rooms is a pool of buffers into which FromJSON reads documents.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// FromJSON reads a set in the FieldsV1 format from r and replaces the content of s with it.
//
// FromJSON accepts the same input as structured-merge-diff v6.4.2. It reads null as an empty
// object and accepts keys in any order. A repeated key replaces the earlier subtree. It ignores
// keys of unknown kinds. Numbers become float64. Data after the document is an error, and so are
// more than 10,000 nested objects. After an error, s has the paths that were read before the
// error.
//
// If schema.Version7 is set, FromJSON accepts the same input as v7.0.0. Invalid UTF-8 becomes
// U+FFFD. An error leaves s unchanged, with one exception: if there is data after the document,
// s has the paths of the document.
//
// Sets share names that occur in many documents. Most other strings of the set are substrings of
// one copy of the document, which stays in memory as long as the set. The set does not refer to
// memory of r.
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
	set, err := replaySet(src) // the set refers to the buffer, so the buffer must not return to the pool
	*s = set
	return err
}

// DeserializePathElement parses a path element in the FieldsV1 format, as
// SerializePathElement returns it. It returns ErrUnknownPathElementType for an element of an
// unknown kind. If it returns an error, the element is empty.
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

// ErrUnknownPathElementType is returned for a path element of a kind that this package does not
// know.
var ErrUnknownPathElementType = errors.New("unknown path element type")

// decoder reads FieldsV1 documents in their usual form: nested JSON objects whose keys are path
// elements of known kinds. If a document has an error or an unusual form, the decoder only reports
// that it cannot read the document. The caller then calls replaySet, which reads the document or
// returns an error.
//
// The decoder first scans the text. It records each key, and counts the members and children of
// each object. Then it builds the set from the recorded keys, in slices of the right size.
type decoder struct {
	in   string
	lent bool // true until the decoder has copied the document, because its memory belongs to the caller
	odd  int  // how many keys were copied one by one (see oddShare)

	// found counts the keys that were in the cache (see known), and missed counts the keys that
	// were not.
	found, missed int
	keys          []key
	open          []int32 // indexes of the keys whose objects are not yet closed
	total         struct{ sets, members, nodes, names, keys int }
	parts         decoded
}

// key is a key of a document. Its value is an object, whose keys follow directly in decoder.keys.
// So next is the index of the first key after the object.
type key struct {
	start, end     int32 // the text of the key is in[start:end], without the prefix such as `f:` and the closing quote
	next           int32
	members, nodes int32
	kind           byte // the kind of the path element ('f', 'k', 'v' or 'i'), or '.'
	escaped        bool // the text has a backslash
	self           bool // true if the value of the key is an object with the key "."
}

// leads reports whether there are any paths below the key.
func (k *key) leads() bool { return k.members+k.nodes > 0 }

// member reports whether the path of the key itself is in the set.
func (k *key) member() bool { return k.self || !k.leads() }

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// keepKeys is the largest capacity of a list of keys that is kept for reuse.
const keepKeys = 1 << 15

// decode parses a document. The set does not refer to the memory of the document. ok is false if
// the decoder cannot read the document.
func decode(document string) (s Set, ok bool) {
	d := decoders.Get().(*decoder)
	d.in, d.lent = document, true
	d.keys = append(d.keys[:0], key{}) // this first key stands for the whole document
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

// build adds the paths below a key to s. The key has the given index in d.keys. If build cannot
// read one of the keys below it, it returns false.
func (d *decoder) build(s *Set, index int32) bool {
	parent := &d.keys[index]
	members := d.parts.elements.Take(int(parent.members))
	nodes := d.parts.nodes.Take(int(parent.nodes))
	sortedMembers, sortedNodes := true, true
	m, n := 0, 0
	for i := index + 1; i < parent.next; i = d.keys[i].next {
		k := &d.keys[i]
		if k.kind == '.' {
			continue // skip ".", because scan has already set self in the parent key
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

// oddShare controls how keys without a cached element are copied from the document. The decoder
// copies up to four such keys one by one, plus one for every oddShare keys of the document. If
// there are more, it copies the whole document once.
const oddShare = 32

// element returns the path element of a key.
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

// mostlyMissed reports whether so few keys of the document were in the cache that it is not worth
// looking up more keys.
func (d *decoder) mostlyMissed() bool {
	return d.missed > leastLookedFor && d.missed/8 > d.found
}

// leastLookedFor is the number of misses that mostlyMissed always tolerates.
const leastLookedFor = 512

// read returns the path element of the given kind whose text is source[start:end]. The bytes before
// start must be the kind and a colon, and the byte at end must be a quote.
func (p *decoded) read(source string, start, end int, kind byte, escaped bool) (pe PathElement, ok bool) {
	switch kind {
	case 'f':
		if !escaped {
			pe.FieldName = p.name(source[start:end])
			return pe, true
		}
	case 'k', 'v':
		// Try the usual case first, in which only quotes are escaped.
		content := content{in: source[:end], at: start, quoted: true}
		if p.content(&pe, kind, &content) && content.at == end {
			return pe, true
		}
	}
	text, after := jsoniter.String(source, start-2)
	if after < 0 {
		return PathElement{}, false
	}
	return p.element(text)
}

// sortElements sorts elements in place. It keeps only the first of equal elements.
func sortElements(elements []PathElement) []PathElement {
	slices.SortStableFunc(elements, func(x, y PathElement) int {
		return compareElements(&x, &y)
	})
	return capped(slices.CompactFunc(elements, func(x, y PathElement) bool {
		return compareElements(&x, &y) == 0
	}))
}

// sortNodes sorts nodes in place. It merges nodes with equal elements into one node, which
// has the element of the first node and the set of the last node.
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

// These are the tokens that scan accepts next.
const (
	keyOrEnd  = iota // the token after {
	keyOnly          // the token after a comma
	moreOrEnd        // the token after }
)

// scan records the keys of the document. It returns false if the decoder cannot read the
// document.
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

// key records a key of the document, and opens the object that is its value. The position at is
// after the opening quote of the key. The method returns the position of the opening brace, or a
// negative number if it cannot read the key.
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
		return -1 // the decoder cannot read a "." whose object is not empty
	}
	d.open = append(d.open, int32(len(d.keys)))
	d.keys = append(d.keys, k)
	return at
}

// close ends the object that was opened last.
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

// space returns the first position that is not white space. The search starts at the given
// position.
func (d *decoder) space(at int) int {
	for at < len(d.in) && d.in[at] <= ' ' && jsoniter.IsSpace(d.in[at]) {
		at++
	}
	return at
}
