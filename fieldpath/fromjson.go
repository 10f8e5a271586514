// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// FromJSON replaces the set by the one that r describes in the FieldsV1 format.
//
// It reads what structured-merge-diff v6.4.2 reads: null for an empty object,
// objects in any order, repeated keys (a repeated subtree replaces the earlier
// one), and keys of unknown kinds, which it ignores. Numbers become float64.
// What follows the document is an error, and so are more than 10,000 nested
// objects. After an error the set holds what was understood before it.
//
// Sets share the names that many documents have. Their other strings are mostly
// parts of one copy of the text, which therefore stays in memory as long as the
// set. Memory of r is not kept.
func (s *Set) FromJSON(r io.Reader) error {
	room := rooms.Get().(*[]byte)
	src := readAll(r, room)
	if src.err == nil {
		if set, ok := decode(src.text); ok {
			*s = set
			if cap(*room) <= keepBuffer {
				rooms.Put(room)
			}
			return nil
		}
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
	if pe, ok := parts.element(s); ok {
		return pe, nil
	}
	return replayElement(s)
}

// ErrUnknownPathElementType tells that a path element is of a kind this package
// does not know.
var ErrUnknownPathElementType = errors.New("unknown path element type")

// source is a document read to its end.
type source struct {
	text string
	// ends are the positions at which the reads from a reader ended, nil when
	// each of them filled a window.
	ends []int
	err  error // why reading ended; nil at the end of the document
}

// window is how much upstream reads at once. It shows in error texts and in
// which control characters it overlooks inside strings.
const window = 4096

// emptyReads is how often in a row a reader may return nothing without an
// error.
const emptyReads = 100

// rooms are buffers for documents.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// readAll reads a document, into room where its size is known.
func readAll(r io.Reader, room *[]byte) source {
	switch r := r.(type) {
	case *bytes.Reader:
		return readWhole(r, r.Len(), room)
	case *bytes.Buffer:
		return readWhole(r, r.Len(), room)
	case *strings.Reader:
		return readWhole(r, r.Len(), room)
	}
	return readPieces(r)
}

// readWhole reads from one of the readers that give all they have at once.
func readWhole(r io.Reader, size int, room *[]byte) source {
	*room = slices.Grow((*room)[:0], size)
	text := (*room)[:size]
	n, _ := r.Read(text) // an error means that there is nothing
	return source{text: textOf(text[:n])}
}

func readPieces(r io.Reader) (src source) {
	var text []byte
	piece := make([]byte, window)
	for empty := 0; ; {
		n, err := r.Read(piece)
		if n > 0 {
			// An error that comes with data comes again without.
			empty = 0
			text = append(text, piece[:n]...)
			src.ends = append(src.ends, len(text))
			continue
		}
		if empty++; err == nil && empty < emptyReads {
			continue
		}
		if err == nil {
			err = io.ErrNoProgress
		}
		if err != io.EOF {
			src.err = err
		}
		break
	}
	src.text = textOf(text)
	for i, end := range src.ends {
		if end != (i+1)*window && i < len(src.ends)-1 {
			return src
		}
	}
	src.ends = nil
	return src
}

// textOf returns b as a string without copying. b must not be written to
// afterwards.
func textOf(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
