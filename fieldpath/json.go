// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// decoded allocates memory for a set or a path element that is being decoded.
type decoded struct {
	arena
	names   scratch.Slab[string] // memory for names, and for strings in keys and values
	numbers scratch.Slab[float64]
	values  scratch.Slab[value.Value]
	batch   value.Batch
}

// name returns a pointer to a string in the slab that equals s.
func (p *decoded) name(s string) *string {
	kept := p.names.One()
	*kept = s
	return kept
}

// element parses a FieldsV1 key in its usual form. It returns false for all other keys, valid or
// not.
func (p *decoded) element(text string) (pe PathElement, ok bool) {
	if len(text) < 2 || text[1] != ':' {
		return pe, false
	}
	switch kind := text[0]; kind {
	case 'f':
		pe.FieldName = p.name(text[2:])
		return pe, true
	case 'k', 'v':
		content := content{in: text, at: 2}
		if p.content(&pe, kind, &content) && content.at == len(text) {
			return pe, true
		}
	case 'i':
		if i, err := strconv.Atoi(text[2:]); err == nil {
			return IndexElement(i), true
		}
	}
	return PathElement{}, false
}

// content reads the JSON text of a FieldsV1 key, after "k:" or "v:". It accepts no white space.
type content struct {
	in string
	at int
	// quoted is true if the text is inside a JSON string of a document. In this case, a backslash
	// precedes each quote in the text. Texts with any other escape are rejected.
	quoted bool
}

// content parses the text of a key, after "k:" or "v:", and stores the result in pe. For the kind
// 'k', the result is a list of key fields. For the kind 'v', it is a value. It returns false if it
// cannot read the text. The caller must check that c.at is the end of the text.
func (p *decoded) content(pe *PathElement, kind byte, c *content) bool {
	if kind == 'v' {
		v, ok := p.scalar(c)
		if !ok {
			return false
		}
		pe.Value = p.values.One()
		*pe.Value = v
		return true
	}
	if !c.skip('{') {
		return false
	}
	var room [4]value.Field
	fields := room[:0]
	for !c.skip('}') {
		if len(fields) > 0 && !c.skip(',') {
			return false
		}
		name, ok := c.text()
		if !ok || !c.skip(':') {
			return false
		}
		v, ok := p.scalar(c)
		if !ok {
			return false
		}
		fields = append(fields, value.Field{Name: name, Value: v})
	}
	pe.Key = p.key(fields)
	pe.Key.Sort()
	return true
}

// skip skips the next byte if it is b, and reports whether it did.
func (c *content) skip(b byte) bool {
	if c.at < len(c.in) && c.in[c.at] == b {
		c.at++
		return true
	}
	return false
}

// text reads a JSON string.
func (c *content) text() (string, bool) {
	if c.quoted && !c.skip('\\') || !c.skip('"') {
		return "", false
	}
	if !c.quoted {
		text, end := jsoniter.String(c.in, c.at)
		c.at = end
		return text, end >= 0
	}
	text := c.in[c.at : c.at+jsoniter.SafeLength(c.in[c.at:])]
	c.at += len(text)
	return text, c.skip('\\') && c.skip('"')
}

// scalar reads a JSON string, number, boolean or null.
func (p *decoded) scalar(c *content) (value.Value, bool) {
	if c.at >= len(c.in) {
		return nil, false
	}
	switch b := c.in[c.at]; {
	case b == '"' || b == '\\':
		text, ok := c.text()
		if !ok {
			return nil, false
		}
		return p.batch.Value(box.String(p.name(text))), true
	case b == '-' || '0' <= b && b <= '9':
		f, _, end := jsoniter.Number(c.in, c.at)
		if end < 0 {
			return nil, false
		}
		c.at = end
		kept := p.numbers.One()
		*kept = f
		return p.batch.Value(box.Float(kept)), true
	}
	for _, l := range literals {
		if strings.HasPrefix(c.in[c.at:], l.text) {
			c.at += len(l.text)
			return p.batch.Value(l.value), true
		}
	}
	return nil, false
}
