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
type decoder struct {
	in    string
	depth int

	// Members and children of the objects being read. When an object ends,
	// its part is moved to slices of the right size.
	elements []PathElement
	nodes    []SetNode

	parts decoded
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// decode returns the set a document describes. Its strings are parts of in.
func decode(in string) (s Set, ok bool) {
	d := decoders.Get().(*decoder)
	d.in = in
	objects := strings.Count(in, "{")
	d.parts.elements.coming = objects
	d.parts.names.coming = objects

	set, _, at := d.object(d.space(0))
	ok = at >= 0 && d.space(at) == len(in)
	if ok && set != nil {
		s = *set
	}
	d.release()
	return s, ok
}

// keepStack is the largest stack in elements that waits for reuse.
const keepStack = 1 << 12

// release returns d to the pool without a reference to what it has read.
func (d *decoder) release() {
	elements, nodes := d.elements, d.nodes
	*d = decoder{}
	if cap(elements) <= keepStack && cap(nodes) <= keepStack {
		clear(elements)
		clear(nodes)
		d.elements, d.nodes = elements[:0], nodes[:0]
	}
	decoders.Put(d)
}

// space returns the position of the first byte from at on that is not white
// space.
func (d *decoder) space(at int) int {
	for at < len(d.in) && d.in[at] <= ' ' && isSpace(d.in[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// object reads the object at in[at] and returns what is below it (nil if
// nothing), whether it makes its own path a member, and the position behind it,
// which is negative when it cannot be read.
func (d *decoder) object(at int) (set *Set, member bool, end int) {
	in := d.in
	if at >= len(in) || in[at] != '{' || d.depth == maxDepth {
		return nil, false, -1
	}
	at = d.space(at + 1)
	if at < len(in) && in[at] == '}' {
		return nil, true, at + 1
	}
	d.depth++
	firstElement, firstNode := len(d.elements), len(d.nodes)
	sortedElements, sortedNodes := true, true
	for {
		var pe PathElement
		pe, at = d.key(at)
		if at < 0 {
			return nil, false, -1
		}
		if at = d.space(at); at >= len(in) || in[at] != ':' {
			return nil, false, -1
		}
		below, isMember, next := d.object(d.space(at + 1))
		if next < 0 {
			return nil, false, -1
		}
		if pe == (PathElement{}) { // "."
			if below != nil {
				return nil, false, -1
			}
			member = true
		} else {
			if isMember {
				if n := len(d.elements); n > firstElement && compareElements(&d.elements[n-1], &pe) >= 0 {
					sortedElements = false
				}
				d.elements = append(d.elements, pe)
			}
			if below != nil {
				if n := len(d.nodes); n > firstNode && compareElements(&d.nodes[n-1].PathElement, &pe) >= 0 {
					sortedNodes = false
				}
				d.nodes = append(d.nodes, SetNode{PathElement: pe, Set: below})
			}
		}
		if at = d.space(next); at >= len(in) {
			return nil, false, -1
		}
		if in[at] == '}' {
			break
		}
		if in[at] != ',' {
			return nil, false, -1
		}
		at = d.space(at + 1)
	}
	d.depth--

	set = d.collect(firstElement, firstNode, sortedElements, sortedNodes)
	if set == nil {
		member = true
	}
	return set, member, at + 1
}

// collect moves the top of the stacks into a set, nil if there is nothing.
func (d *decoder) collect(firstElement, firstNode int, sortedElements, sortedNodes bool) *Set {
	elements, nodes := d.elements[firstElement:], d.nodes[firstNode:]
	d.elements, d.nodes = d.elements[:firstElement], d.nodes[:firstNode]
	if len(elements) == 0 && len(nodes) == 0 {
		return nil
	}
	set := d.parts.sets.one()
	kept := elements
	if !sortedElements {
		kept = sortElements(elements)
	}
	set.Members.members = d.parts.elements.take(len(kept))
	copy(set.Members.members, kept)
	clear(elements)

	keptNodes := nodes
	if !sortedNodes {
		keptNodes = sortNodes(nodes)
	}
	set.Children.members = d.parts.nodes.take(len(keptNodes))
	copy(set.Children.members, keptNodes)
	clear(nodes)
	return set
}

// sortElements sorts in place. Of equal elements the first is kept.
func sortElements(elements []PathElement) []PathElement {
	slices.SortStableFunc(elements, func(x, y PathElement) int {
		return compareElements(&x, &y)
	})
	return slices.CompactFunc(elements, func(x, y PathElement) bool {
		return compareElements(&x, &y) == 0
	})
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
	return out
}

// key reads the JSON string at in[at] as a path element, or "." as none. It
// returns the position behind it, negative when it cannot be read.
func (d *decoder) key(at int) (pe PathElement, end int) {
	in := d.in
	if at+3 >= len(in) || in[at] != '"' {
		return pe, -1
	}
	start := at + 1
	if in[start] == '.' && in[start+1] == '"' {
		return pe, start + 2
	}
	if in[start+1] != ':' {
		return pe, -1
	}
	kind := in[start]
	if kind == 'k' || kind == 'v' {
		// Most often the quotes are all that is escaped.
		content := content{in: in, at: start + 2, quoted: true}
		if d.parts.element(&pe, kind, &content) && content.at < len(in) && in[content.at] == '"' {
			return pe, content.at + 1
		}
	}
	text, end := jsonString(in, start)
	if end < 0 || len(text) < 2 {
		return pe, -1
	}
	return d.parts.known(text, end)
}
