// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoniter

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/box"
)

// Source is a document read to its end.
type Source struct {
	Text string
	// ends are the positions at which the reads from a reader ended, nil when
	// each of them filled the window.
	ends   []int
	buffer bool  // it came from a bytes.Buffer, which encoding/json/v2 reads otherwise
	Err    error // why reading ended; nil at the end of the document
}

// Reader returns a reader of the document, which hands it out as it came.
func (s *Source) Reader() io.Reader {
	switch {
	case s.ends != nil || s.Err != nil:
		return &again{*s, 0}
	case s.buffer:
		return bytes.NewBufferString(s.Text)
	}
	return strings.NewReader(s.Text)
}

// again hands out a document in the pieces in which it came.
type again struct {
	Source
	at int
}

func (a *again) Read(b []byte) (n int, err error) {
	if len(a.ends) == 0 {
		return 0, cmp.Or(a.Err, io.EOF)
	}
	n = copy(b, a.Text[a.at:a.ends[0]])
	if a.at += n; a.at == a.ends[0] {
		a.ends = a.ends[1:]
	}
	return n, nil
}

// Window is how much json-iterator reads at once. It shows in error texts and in
// which control characters it overlooks inside strings.
const Window = 4096

// emptyReads is how often in a row a reader may return nothing without an
// error.
const emptyReads = 100

// ReadAll reads a document, into room where its size is known.
func ReadAll(r io.Reader, room *[]byte) Source {
	_, buffer := r.(*bytes.Buffer)
	switch r.(type) {
	case *bytes.Reader, *bytes.Buffer, *strings.Reader: // they give all they have at once
		size := r.(interface{ Len() int }).Len()
		*room = slices.Grow((*room)[:0], size)
		text := (*room)[:size]
		n, _ := r.Read(text) // an error means that there is nothing
		return Source{Text: box.Text(text[:n]), buffer: buffer}
	}
	return readPieces(r)
}

func readPieces(r io.Reader) (src Source) {
	var text []byte
	piece := make([]byte, Window)
	for empty := 0; src.Err == nil; empty++ {
		n, err := r.Read(piece)
		switch {
		case n > 0:
			// An error that comes with data comes again without.
			empty = -1
			text = append(text, piece[:n]...)
			src.ends = append(src.ends, len(text))
		case err != nil:
			src.Err = err
		case empty+1 == emptyReads:
			src.Err = io.ErrNoProgress
		}
	}
	if src.Err == io.EOF {
		src.Err = nil
	}
	src.Text = box.Text(text)
	return src
}
