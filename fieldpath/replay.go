// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"io"
)

// replay reads JSON the way upstream's reader, json-iterator, does, for
// everything the decoder leaves to it: liberties, such as null in place of a key,
// and mistakes. After a mistake that reader goes on as far as it can, and what
// it finds still becomes part of the set; its error texts quote the function
// that failed and what its buffer held around the place. Users search for these
// texts, so all of this is kept.
//
// replay is slow and simple, and shares nothing with the decoder: tests run
// both on the same documents.
type replay struct {
	in    string
	pos   int
	depth int
	err   error // the first mistake, or io.EOF when more was asked for than there is

	// in[low:high] is what the buffer holds. A document from an io.Reader
	// comes in pieces; a key is there at once.
	low, high int
	from      *source
	pieces    int // how many there were
}

// more moves the buffer to the next piece. At the end it notes why and reports
// false.
func (r *replay) more() bool {
	if r.from == nil {
		if r.err == nil {
			r.pos = r.high
			r.err = io.EOF
		}
		return false
	}
	if r.high == len(r.in) {
		if r.err == nil {
			if r.err = r.from.err; r.err == nil {
				r.err = io.EOF
			}
		}
		return false
	}
	r.low = r.high
	r.high = min(r.low+window, len(r.in))
	if r.from.ends != nil {
		r.high = r.from.ends[r.pieces]
		r.pieces++
	}
	r.pos = r.low
	return true
}

// token returns the next byte that is not white space, 0 at the end.
func (r *replay) token() byte {
	for {
		for i := r.pos; i < r.high; i++ {
			if c := r.in[i]; !isSpace(c) {
				r.pos = i + 1
				return c
			}
		}
		if !r.more() {
			return 0
		}
	}
}

// byte returns the next byte, 0 at the end.
func (r *replay) byte() byte {
	if r.pos == r.high && !r.more() {
		return 0
	}
	c := r.in[r.pos]
	r.pos++
	return c
}

// back steps before the byte just read; after a mistake it does not.
func (r *replay) back() {
	if r.err == nil {
		r.pos--
	}
}

// failed reports whether there was a mistake, as opposed to the end.
func (r *replay) failed() bool {
	return r.err != nil && r.err != io.EOF
}

// report notes a mistake, unless there was one before.
func (r *replay) report(operation, message string) {
	if r.failed() {
		return
	}
	near := r.around(10)
	//lint:ignore ST1005 the text is the one that callers know
	r.err = fmt.Errorf("%s: %s, error found in #%d byte of ...|%s|..., bigger context ...|%s|...",
		operation, message, r.pos-max(r.pos-10, r.low), near, r.around(50))
}

// around returns what the buffer holds n bytes to each side.
func (r *replay) around(n int) string {
	return r.in[max(r.pos-n, r.low):min(r.pos+n, r.high)]
}

// enter and leave count the nesting of objects and arrays.
func (r *replay) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.report("incrementDepth", "exceeded max depth")
		return false
	}
	return true
}

func (r *replay) leave() { r.depth-- }

// literal reads what must follow the first letter of null, true or false.
func (r *replay) literal(rest string) {
	operation := "skipThreeBytes"
	if len(rest) == 4 {
		operation = "skipFourBytes"
	}
	for i := range len(rest) {
		if r.byte() != rest[i] {
			r.report(operation, "expect "+rest)
			return
		}
	}
}

// trailing reports whatever follows a document that was read without mistake.
func (r *replay) trailing() {
	r.token()
	r.back()
	if r.err == nil {
		r.report("managedFields parsing", "unexpected trailing data after JSON object")
	}
}

// The two ways in which objects are read: mapObject for those whose keys can be
// anything and plainObject for others. They differ in what they do about a
// missing colon.
const (
	mapObject   = "ReadMapCB"
	plainObject = "ReadObjectCB"
)

// object reads an object or null, calling each for every key. It stops when
// each returns false.
func (r *replay) object(operation string, each func(key string) bool) {
	first := r.token()
	if first == 'n' {
		r.literal("ull")
		return
	}
	if first != '{' {
		r.report(operation, "expect { or n, but found "+string([]byte{first}))
		return
	}
	if !r.enter() {
		return
	}
	defer r.leave()
	c := r.token()
	if c == '}' {
		return
	}
	if c != '"' {
		r.report(operation, `expect " after {, but found `+string([]byte{c}))
		return
	}
	r.back()
	for {
		key := r.string()
		if colon := r.token(); colon != ':' {
			const message = "expect : after object field, but found "
			if operation == mapObject {
				r.report(mapObject, message+string([]byte{c}))
				return
			}
			r.report("ReadObject", message+string([]byte{colon}))
		}
		if !each(key) {
			return
		}
		if c = r.token(); c != ',' {
			break
		}
	}
	if c != '}' {
		r.report(operation, "object not ended with }")
	}
}

// array reads an array or null, calling each for every item.
func (r *replay) array(each func()) {
	c := r.token()
	if c == 'n' {
		r.literal("ull")
		return
	}
	if c != '[' {
		r.report("ReadArrayCB", "expect [ or n, but found "+string([]byte{c}))
		return
	}
	if !r.enter() {
		return
	}
	defer r.leave()
	c = r.token()
	if c == ']' {
		return
	}
	r.back()
	for {
		each()
		if c = r.token(); c != ',' {
			break
		}
	}
	if c != ']' {
		r.report("ReadArrayCB", "expect ] in the end, but found "+string([]byte{c}))
	}
}
