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

// Source is a document that was read from an io.Reader and is completely in memory.
type Source struct {
	Text string
	// ends has the positions in Text where the calls of Read ended. It is nil if each call
	// filled the window.
	ends   []int
	buffer bool  // the io.Reader was a bytes.Buffer, which encoding/json/v2 treats differently
	Err    error // the error of the io.Reader; nil at the end of the document
}

// Reader returns an io.Reader that returns the document in the same pieces as the original
// io.Reader.
func (s *Source) Reader() io.Reader {
	switch {
	case s.ends != nil || s.Err != nil:
		return &pieceReader{*s, 0}
	case s.buffer:
		return bytes.NewBufferString(s.Text)
	}
	return strings.NewReader(s.Text)
}

// pieceReader is an io.Reader that returns a document in the pieces in which it was read.
type pieceReader struct {
	Source
	at int
}

func (a *pieceReader) Read(b []byte) (n int, err error) {
	if len(a.ends) == 0 {
		return 0, cmp.Or(a.Err, io.EOF)
	}
	n = copy(b, a.Text[a.at:a.ends[0]])
	if a.at += n; a.at == a.ends[0] {
		a.ends = a.ends[1:]
	}
	return n, nil
}

// Window is the size of json-iterator's buffer. It affects error messages. It also affects
// which control characters in strings are accepted.
const Window = 4096

// emptyReads is the number of consecutive calls of Read that may return neither data nor an
// error.
const emptyReads = 100

// ReadAll reads a document. If the size of the document is known, ReadAll stores the
// document in room. The field Text of the result then refers to the memory of room, so the
// caller must not reuse room while Text is in use.
func ReadAll(r io.Reader, room *[]byte) Source {
	_, buffer := r.(*bytes.Buffer)
	switch r.(type) {
	case *bytes.Reader, *bytes.Buffer, *strings.Reader: // for these readers, a single Read returns the whole document
		size := r.(interface{ Len() int }).Len()
		*room = slices.Grow((*room)[:0], size)
		text := (*room)[:size]
		n, _ := r.Read(text) // these readers return no error except io.EOF, and then n is 0
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
			// If Read returns data together with an error, the next call of Read returns the
			// error again.
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
