// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldsv1 compares how two implementations read and write FieldsV1. It starts from
// valid documents and makes random changes to them.
package fieldsv1

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Codec reads and writes documents with one implementation.
type Codec interface {
	// Read reads a document, at once or in pieces of the given sizes. Then it calls the usual
	// methods of the decoded set.
	Read(document []byte, pieces []int) Read
	// Element reads a path element and writes it again.
	Element(text string) (written, err string)
}

// Read is the result of reading a document.
type Read struct {
	Error                  string
	Written, WriteError    string // the encoded set, or the error
	Paths                  string // the printed set, see AnyOrder
	Size                   int
	Again, AgainError      string // the encoded set, decoded and encoded again, or the error
	EqualToAgain, Elements bool   // whether the set decoded first equals the set decoded again, and whether their elements are equal
}

// AnyOrder sorts the bytes of a text. structured-merge-diff prints maps in Go's random order,
// so printed texts can only be compared after sorting.
func AnyOrder(text string) string {
	b := []byte(text)
	slices.Sort(b)
	return string(b)
}

// Pieces returns a reader for a document. The reads return pieces of the given sizes, and the
// last read returns the rest.
func Pieces(document []byte, sizes []int) io.Reader {
	if len(sizes) == 0 {
		return bytes.NewReader(document)
	}
	return &pieces{document, sizes}
}

type pieces struct {
	rest  []byte
	sizes []int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := len(p.rest)
	if len(p.sizes) > 0 {
		n, p.sizes = min(n, p.sizes[0]), p.sizes[1:]
	}
	n = copy(b, p.rest[:n])
	p.rest = p.rest[n:]
	return n, nil
}

// Difference creates the nth document of a seed, and reads it with two implementations. It
// returns the document and a description of the difference between the results, or "" if they are
// equal.
func Difference(theirs, ours Codec, seed, n uint64) (text, difference string) {
	m := newMaker(seed, n)
	doc := m.document()
	for range m.IntN(3) {
		doc = m.change(doc)
	}
	var pieces []int
	if m.IntN(8) == 0 {
		for at := 0; at < len(doc); {
			size := 1 + m.IntN(40)
			pieces = append(pieces, size)
			at += size
		}
	}
	text = doc
	want, have := theirs.Read([]byte(doc), pieces), ours.Read([]byte(doc), pieces)
	if want != have {
		return text, fmt.Sprintf("document %q, in pieces of %v\ntheirs: %+v\nours:   %+v", doc, pieces, want, have)
	}
	if element, ok := m.within(doc); ok {
		want, wrong := theirs.Element(element)
		have, err := ours.Element(element)
		if want != have || wrong != err {
			return text, fmt.Sprintf("element %q\ntheirs: %q, %s\nours:   %q, %s", element, want, wrong, have, err)
		}
	}
	return text, ""
}

// maker creates random documents.
type maker struct {
	*rand.Rand
	doc strings.Builder
}

func newMaker(seed, n uint64) *maker { return &maker{Rand: rand.New(rand.NewPCG(seed, n))} }

func (m *maker) pick(texts ...string) string { return texts[m.IntN(len(texts))] }

func (m *maker) document() string {
	m.doc.Reset()
	m.object(0)
	return m.doc.String()
}

func (m *maker) object(depth int) {
	m.doc.WriteByte('{')
	n := m.IntN(4)
	if depth == 0 {
		n++
	}
	first := true
	if depth > 0 && m.IntN(4) == 0 {
		m.doc.WriteString(`".":{}`)
		first = false
	}
	for range n {
		if !first {
			m.doc.WriteByte(',')
		}
		first = false
		m.doc.WriteString(quoted(m.element(), m.IntN(4) == 0))
		m.doc.WriteByte(':')
		if depth < 5 && m.IntN(2) == 0 {
			m.object(depth + 1)
		} else {
			m.doc.WriteString("{}")
		}
	}
	m.doc.WriteByte('}')
}

func (m *maker) element() string {
	switch m.IntN(10) {
	case 0, 1, 2, 3:
		return "f:" + m.name()
	case 4, 5, 6:
		var b strings.Builder
		b.WriteString("k:{")
		for i := range m.IntN(3) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(m.name(), m.IntN(4) == 0) + ":" + m.value(0))
		}
		return b.String() + "}"
	case 7, 8:
		return "v:" + m.value(0)
	}
	if m.IntN(20) == 0 {
		return "i:" + m.pick("9223372036854775808", "1.5", "", "x")
	}
	return "i:" + m.pick("0", "1", "-1", "12", "007", "+3", "9223372036854775807")
}

func (m *maker) name() string {
	return m.pick("a", "b", "name", "spec", "containers", "app.kubernetes.io/name", "", "é", "😀", "a\"b", "<&>", "\u2028", "x\\y", "\n", "\x7f", ".", "f:a")
}

func (m *maker) value(depth int) string {
	switch m.IntN(12) {
	case 0, 1, 2, 3:
		return quoted(m.name(), m.IntN(4) == 0)
	case 4, 5:
		return strconv.Itoa(m.IntN(100000))
	case 6:
		return m.pick("0", "-0", "1.5", "1e3", "1E-7", "1e21", "123456789012345678", "9007199254740993", "-9223372036854775809", "0.1")
	case 7:
		if m.IntN(20) == 0 {
			return m.pick("1e400", "01", "1.", "-", "nul", "+1", "")
		}
		return m.pick("true", "false", "null")
	case 8:
		if depth < 2 {
			return "[" + m.value(depth+1) + "," + m.value(depth+1) + "]"
		}
		return "[]"
	case 9:
		if depth < 2 {
			return "{" + quoted(m.name(), false) + ":" + m.value(depth+1) + "}"
		}
		return "{}"
	}
	return quoted(strings.Repeat(m.name(), m.IntN(5)), m.IntN(4) == 0)
}

// quoted returns a text as a JSON string. If escaped is true, it also escapes some characters
// that need no escape.
func quoted(text string, escaped bool) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case escaped && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// change makes one random change to a document.
func (m *maker) change(doc string) string {
	if doc == "" {
		return doc
	}
	at := m.IntN(len(doc))
	end := min(len(doc), at+1+m.IntN(8))
	switch m.IntN(9) {
	case 0: // insert a byte
		return doc[:at] + m.pick(`"`, `\`, `{`, `}`, `[`, `]`, `:`, `,`, ` `, "\n", "\t", "\x00", "\x1f", "\xff", "0", "1", "-", ".", "e", "n", "t", "k", "v", "f", "i", "\u00e9") + doc[at:]
	case 1: // replace a byte
		return doc[:at] + m.pick(`"`, `\`, `{`, `}`, `[`, `]`, `:`, `,`, ` `, "x", "0", "f", "\x01", "\x80") + doc[at+1:]
	case 2: // delete bytes
		return doc[:at] + doc[end:]
	case 3: // cut off the end
		return doc[:at]
	case 4: // repeat a part
		return doc[:end] + doc[at:]
	case 5: // insert a word
		return doc[:at] + m.pick(`null`, `true`, `false`, `{}`, `[]`, `"f:a":{}`, `,"f:a":{"f:b":{}}`, `".":{}`, `\u0061`, `\ud83d\ude00`, `\ud83d`, `\"`, `\\`, `1e5`, ` `+"\r\n", `k:{\"a\":1}`, `v:1 2`, `x:y`) + doc[at:]
	case 6: // flip a bit
		b := []byte(doc)
		b[at] ^= 1 << m.IntN(8)
		return string(b)
	case 7: // add something to the end
		return doc + m.pick(" ", "x", "{}", "null", ",", "}", "\x00", " \n{}", "1")
	}
	// Exchange two parts of the document.
	other := m.IntN(len(doc))
	low, high := min(at, other), max(at, other)
	return doc[:low] + doc[high:] + doc[low:high]
}

// within returns the text of a random path element in a document.
func (m *maker) within(doc string) (string, bool) {
	at := strings.IndexByte(doc, '"')
	if at < 0 {
		return "", false
	}
	for range m.IntN(6) {
		next := strings.IndexByte(doc[at+1:], '"')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	text := doc[at+1:]
	if end := strings.Index(text, `":`); end >= 0 && m.IntN(8) > 0 {
		text = text[:end]
	}
	return strings.ReplaceAll(text, `\"`, `"`), true
}
