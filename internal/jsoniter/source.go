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

// Source is a document that was read completely from an io.Reader.
type Source struct {
	Text string
	// ends contains the position in Text after each call of Read that returned data. It is nil if
	// Read was called only once. The document is then split into pieces of the size Window.
	ends   []int
	buffer bool  // true if the io.Reader was a bytes.Buffer, which encoding/json/v2 treats differently
	Err    error // the error of the io.Reader; nil at the end of the document
}

// Reader returns an io.Reader for the document. It splits the document into the same pieces as
// the original io.Reader did.
func (s *Source) Reader() io.Reader {
	switch {
	case s.ends != nil || s.Err != nil:
		return &pieceReader{*s, 0}
	case s.buffer:
		return bytes.NewBufferString(s.Text)
	}
	return strings.NewReader(s.Text)
}

// pieceReader is an io.Reader that returns a document in the same pieces in which it was read.
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

// Window is the size of json-iterator's buffer. Some results depend on it: error messages quote
// the buffer, and a control character in a string is accepted if the string started in an
// earlier buffer.
const Window = 4096

// emptyReads limits how often Read may return neither data nor an error. After so many
// consecutive calls, reading fails.
const emptyReads = 100

// ReadAll reads a document. If the type of r shows the size of the document, ReadAll stores the
// document in room. The field Text of the result then shares this memory, so the caller must not
// reuse room while Text is in use.
func ReadAll(r io.Reader, room *[]byte) Source {
	_, buffer := r.(*bytes.Buffer)
	switch r.(type) {
	case *bytes.Reader, *bytes.Buffer, *strings.Reader: // these readers return the whole document in a single Read
		size := r.(interface{ Len() int }).Len()
		*room = slices.Grow((*room)[:0], size)
		text := (*room)[:size]
		n, _ := r.Read(text) // the only possible error is io.EOF, with n = 0
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
			// If Read returned data together with an error, the next call of Read is expected to return the
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
