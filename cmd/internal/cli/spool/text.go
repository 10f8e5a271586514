// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bytes"
	"io"
	"os"
)

// Text is a text that grows. It keeps up to about 8 MiB in memory, and moves a longer text to a
// temporary file. Writing never fails: if the file has an error, Reader and Flush report it. The
// zero value is an empty text.
type Text struct {
	full [][]byte
	last []byte
	// file holds the first part of the text. The rest is in the slices full and last.
	file    *os.File
	written int64
	err     error
}

// pieceSize is the size of a piece of text in memory. The first pieces are smaller. maxPieces is
// the number of full pieces after which the text is moved to the file.
const pieceSize, maxPieces = 1 << 20, 8

func (t *Text) Write(text []byte) (int, error) {
	add(t, text)
	return len(text), nil
}

func (t *Text) WriteString(text string) (int, error) {
	add(t, text)
	return len(text), nil
}

func add[T string | []byte](t *Text, text T) {
	for len(text) > 0 {
		if len(t.last) == cap(t.last) {
			t.grow()
		}
		n := min(len(text), cap(t.last)-len(t.last))
		t.last = append(t.last, text[:n]...)
		text = text[n:]
	}
}

// grow makes room in the slice last for more bytes.
func (t *Text) grow() {
	if len(t.full) == maxPieces || t.file != nil {
		t.save()
		return
	}
	if len(t.last) > 0 {
		t.full = append(t.full, t.last)
	}
	t.last = make([]byte, 0, min(pieceSize, max(512, 2*cap(t.last))))
}

// save moves the text from memory to the file.
func (t *Text) save() {
	if t.file == nil && t.err == nil {
		t.file, t.err = temporaryFile()
	}
	for _, piece := range append(t.full, t.last) {
		if t.err == nil {
			_, t.err = t.file.Write(piece)
			t.written += int64(len(piece))
		}
	}
	t.full, t.last = t.full[:0], t.last[:0]
}

// Empty reports whether the text is empty.
func (t *Text) Empty() bool { return t.written == 0 && len(t.full) == 0 && len(t.last) == 0 }

// Reset discards the text.
func (t *Text) Reset() {
	if t.file != nil {
		_ = t.file.Close() // the text is no longer needed
	}
	*t = Text{}
}

// Reader returns a reader for the text so far. It is valid until the next write, Reset or
// Flush.
func (t *Text) Reader() io.Reader {
	var all []io.Reader
	if t.err != nil {
		return errorReader{t.err}
	}
	if t.file != nil {
		all = append(all, io.NewSectionReader(t.file, 0, t.written))
	}
	for _, piece := range append(t.full[:len(t.full):len(t.full)], t.last) {
		all = append(all, bytes.NewReader(piece))
	}
	return io.MultiReader(all...)
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// Flush writes the text to w and discards it.
func (t *Text) Flush(w io.Writer) error {
	defer t.Reset()
	if t.err != nil {
		return t.err
	}
	if t.file != nil {
		if _, err := io.Copy(plainWriter{w}, io.NewSectionReader(t.file, 0, t.written)); err != nil {
			return err
		}
	}
	for _, piece := range t.full {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	if len(t.last) == 0 && (t.file != nil || len(t.full) > 0) {
		return nil
	}
	_, err := w.Write(t.last)
	return err
}

// plainWriter hides the method ReadFrom of a writer, so that io.Copy calls only Write.
type plainWriter struct{ io.Writer }
