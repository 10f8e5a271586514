// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bytes"
	"io"
	"os"
)

// Text is a text in the making, in memory up to maxMemory. It is never copied as it grows. An
// error of its file is kept, and ends the reading of it.
type Text struct {
	full [][]byte
	last []byte
	// file has what comes before these, written bytes.
	file    *os.File
	written int64
	err     error
}

// pieceSize is how large a piece is, but for the first ones; maxPieces is how many are held.
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
			t.fill()
		}
		n := min(len(text), cap(t.last)-len(t.last))
		t.last = append(t.last, text[:n]...)
		text = text[n:]
	}
}

// fill makes room in last.
func (t *Text) fill() {
	if len(t.full) == maxPieces || t.file != nil {
		t.save()
		return
	}
	if len(t.last) > 0 {
		t.full = append(t.full, t.last)
	}
	t.last = make([]byte, 0, min(pieceSize, max(512, 2*cap(t.last))))
}

// save writes what is in memory to the file.
func (t *Text) save() {
	if t.file == nil && t.err == nil {
		t.file, t.err = temporary()
	}
	for _, piece := range append(t.full, t.last) {
		if t.err == nil {
			_, t.err = t.file.Write(piece)
			t.written += int64(len(piece))
		}
	}
	t.full, t.last = t.full[:0], t.last[:0]
}

// Empty says whether nothing was written.
func (t *Text) Empty() bool { return t.written == 0 && len(t.full) == 0 && len(t.last) == 0 }

// Reset begins anew.
func (t *Text) Reset() {
	if t.file != nil {
		_ = t.file.Close() // what it had is not wanted
	}
	*t = Text{}
}

// Reader reads the text.
func (t *Text) Reader() io.Reader {
	var all []io.Reader
	if t.err != nil {
		return failed{t.err}
	}
	if t.file != nil {
		all = append(all, io.NewSectionReader(t.file, 0, t.written))
	}
	for _, piece := range append(t.full[:len(t.full):len(t.full)], t.last) {
		all = append(all, bytes.NewReader(piece))
	}
	return io.MultiReader(all...)
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// Flush writes the text, and begins anew.
func (t *Text) Flush(w io.Writer) error {
	defer t.Reset()
	if t.err != nil {
		return t.err
	}
	if t.file != nil {
		if _, err := io.Copy(writer{w}, io.NewSectionReader(t.file, 0, t.written)); err != nil {
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

// writer is a writer and nothing else.
type writer struct{ io.Writer }
