// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import "math"

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
			if at = d.key(at + 1); at < 0 || len(d.open) == maxDepth {
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
		if at += plainLength(in[at:]); at >= len(in) {
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
	for at < len(d.in) && d.in[at] <= ' ' && isSpace(d.in[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}
