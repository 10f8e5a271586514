// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	var p Text
	var want strings.Builder
	r := rand.New(rand.NewPCG(1, 3))
	for want.Len() < (maxPieces+5)*pieceSize {
		text := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(40_000))
		want.WriteString(text)
		if r.IntN(2) == 0 {
			p.Write([]byte(text))
		} else {
			p.WriteString(text)
		}
	}
	read, err := io.ReadAll(p.Reader())
	if err != nil || string(read) != want.String() {
		t.Errorf("read %d bytes, want %d, error %v", len(read), want.Len(), err)
	}
	var got bytes.Buffer
	if err := p.Flush(&got); err != nil || got.String() != want.String() {
		t.Errorf("got %d bytes, want %d, error %v", got.Len(), want.Len(), err)
	}
	p.WriteString("left")
	p.Reset()
	got.Reset()
	if err := p.Flush(&got); err != nil || got.Len() > 0 {
		t.Errorf("got %d bytes after a reset, error %v", got.Len(), err)
	}
}
