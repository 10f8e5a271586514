// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import "io"

// Pieces is a text in the making. Unlike a bytes.Buffer it is never copied as it grows,
// so that a result of a gigabyte does not take three.
type Pieces struct {
	full [][]byte
	last []byte
}

// pieceSize is how large a piece is, but for the first ones.
const pieceSize = 1 << 20

func (p *Pieces) Write(text []byte) (int, error) {
	add(p, text)
	return len(text), nil
}

func (p *Pieces) WriteString(text string) (int, error) {
	add(p, text)
	return len(text), nil
}

func add[T string | []byte](p *Pieces, text T) {
	for len(text) > 0 {
		if len(p.last) == cap(p.last) {
			if p.last != nil {
				p.full = append(p.full, p.last)
			}
			p.last = make([]byte, 0, min(pieceSize, max(512, 2*cap(p.last))))
		}
		n := min(len(text), cap(p.last)-len(p.last))
		p.last = append(p.last, text[:n]...)
		text = text[n:]
	}
}

// Reset begins anew.
func (p *Pieces) Reset() { *p = Pieces{} }

// Flush writes the text.
func (p *Pieces) Flush(w io.Writer) error {
	for _, piece := range p.full {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	if len(p.last) == 0 && len(p.full) > 0 {
		return nil
	}
	_, err := w.Write(p.last)
	return err
}
