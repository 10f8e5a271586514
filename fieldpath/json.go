// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/scratch"
	"github.com/dovetail-ssa/dovetail/value"
)

// decoded is where the parts of what is being decoded come from.
type decoded struct {
	arena
	names   scratch.Slab[string] // and strings in keys and values
	numbers scratch.Slab[float64]
	values  scratch.Slab[value.Value]
	batch   value.Batch
}

// name returns a place that holds s.
func (p *decoded) name(s string) *string {
	kept := p.names.One()
	*kept = s
	return kept
}

// element turns the text of a key into an element. It reports false for what it
// cannot read, which need not be wrong.
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

// content reads what follows k: or v: in a key, without any white space.
type content struct {
	in string
	at int

	// quoted tells that in is the key inside a JSON string, where each quote
	// has a backslash before it. Further escapes are not understood then.
	quoted bool
}

// content reads c into pe, up to wherever it is complete.
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

// skip reads the byte b if it comes next.
func (c *content) skip(b byte) bool {
	if c.at < len(c.in) && c.in[c.at] == b {
		c.at++
		return true
	}
	return false
}

// text reads a string.
func (c *content) text() (string, bool) {
	if c.quoted && !c.skip('\\') || !c.skip('"') {
		return "", false
	}
	if !c.quoted {
		text, end := jsonString(c.in, c.at)
		c.at = end
		return text, end >= 0
	}
	text := c.in[c.at : c.at+plainLength(c.in[c.at:])]
	c.at += len(text)
	return text, c.skip('\\') && c.skip('"')
}

// scalar reads a string, number, bool or null.
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
		f, end := jsonNumber(c.in, c.at)
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

var literals = []struct {
	text  string
	value any
}{{"true", true}, {"false", false}, {"null", nil}}

// jsonString reads a JSON string whose opening quote is before in[at]. It
// returns the text and the position behind the closing quote. Without escapes
// the text is a part of in. The position is negative when the string does not
// end, has an unknown escape or a control character in it.
func jsonString(in string, at int) (text string, end int) {
	i := at + plainLength(in[at:])
	switch {
	case i == len(in):
	case in[i] == '"':
		return in[at:i], i + 1
	case in[i] == '\\':
		return unescape(in, at, i)
	}
	return "", -1
}

// unescape reads the rest of a string that begins at in[start] and has its
// first escape at in[at].
func unescape(in string, start, at int) (text string, end int) {
	b := append(make([]byte, 0, 2*(at-start)+16), in[start:at]...)
	for at < len(in) {
		c := in[at]
		switch {
		case c == '"':
			return string(b), at + 1
		case c < ' ':
			return "", -1
		case c != '\\':
			b = append(b, c)
			at++
			continue
		}
		if at+1 >= len(in) {
			return "", -1
		}
		if in[at+1] != 'u' {
			c := unescaped[in[at+1]]
			if c == 0 {
				return "", -1
			}
			b = append(b, c)
			at += 2
			continue
		}
		r, ok := hexRune(in, at)
		if !ok {
			return "", -1
		}
		at += 6
		if utf16.IsSurrogate(r) {
			// Whatever is escaped next is taken for the second half. If it
			// is none, both stand for themselves.
			if r2, ok := hexRune(in, at); ok {
				at += 6
				if pair := utf16.DecodeRune(r, r2); pair != utf8.RuneError {
					r = pair
				} else {
					b = utf8.AppendRune(b, r)
					r = r2
				}
			}
		}
		b = utf8.AppendRune(b, r)
	}
	return "", -1
}

// unescaped is what a letter stands for behind a backslash; 0 means nothing.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/',
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// hexRune reads an escape like \u00e4 at in[at].
func hexRune(in string, at int) (r rune, ok bool) {
	if at+6 > len(in) || in[at] != '\\' || in[at+1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(in[at+2 : at+6]) {
		digit, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | digit
	}
	return r, true
}

func hexDigit(c byte) (rune, bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// jsonNumber reads the JSON number at in[at], where a sign or a digit is. The position behind it is
// negative when there is none or it is too large.
func jsonNumber(in string, at int) (f float64, end int) {
	start := at
	negative := in[at] == '-'
	if negative {
		at++
	}
	whole := at
	at, n := digits(in, at)
	if at == whole || in[whole] == '0' && at > whole+1 {
		return 0, -1
	}
	exact := at-whole <= 15
	if at < len(in) && in[at] == '.' {
		exact = false
		fraction := at + 1
		if at, _ = digits(in, fraction); at == fraction {
			return 0, -1
		}
	}
	if at < len(in) && in[at]|0x20 == 'e' {
		exact = false
		at++
		if at < len(in) && (in[at] == '+' || in[at] == '-') {
			at++
		}
		exponent := at
		if at, _ = digits(in, exponent); at == exponent {
			return 0, -1
		}
	}
	if exact {
		f = float64(n)
		if negative {
			f = -f
		}
		return f, at
	}
	f, err := strconv.ParseFloat(in[start:at], 64)
	if err != nil {
		return 0, -1
	}
	return f, at
}

// digits reads decimal digits; n is their value unless it overflows.
func digits(in string, at int) (end int, n int64) {
	for at < len(in) && '0' <= in[at] && in[at] <= '9' {
		n = n*10 + int64(in[at]-'0')
		at++
	}
	return at, n
}

// safety of a byte in a JSON string.
const (
	plainHTML = 1 << iota // stands for itself, also where HTML is escaped
	plain                 // stands for itself where HTML is not escaped
)

var byteSafety = func() (t [256]uint8) {
	for c := range t {
		if c >= ' ' && c != '"' && c != '\\' {
			t[c] = plain
			if c < utf8.RuneSelf && c != '<' && c != '>' && c != '&' {
				t[c] |= plainHTML
			}
		}
	}
	return t
}()

// appendEscaped appends the inside of a JSON string. Only quotes, backslashes
// and control characters are escaped; anything else passes, even bytes that are
// not UTF-8.
func appendEscaped[T string | []byte](b []byte, s T) []byte {
	for {
		i := plainLength(s)
		b = append(b, s[:i]...)
		if i == len(s) {
			return b
		}
		b = appendEscape(b, s[i])
		s = s[i+1:]
	}
}

// appendQuoted appends a JSON string. html says whether to escape as appendHTMLEscaped
// does.
func appendQuoted(b []byte, s string, html bool) []byte {
	if html {
		return append(appendHTMLEscaped(append(b, '"'), s), '"')
	}
	return append(appendEscaped(append(b, '"'), s), '"')
}

// plainLength returns how many bytes s begins with that stand for themselves in
// a JSON string.
func plainLength[T string | []byte](s T) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(s); i += 8 {
		c := s[i : i+8]
		w := uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
			uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
		// The lowest bit that is set is in the first byte that is special;
		// others may be wrong.
		quote, backslash := w^'"'*ones, w^'\\'*ones
		special := ((w-' '*ones)&^w | (quote-ones)&^quote | (backslash-ones)&^backslash) & tops
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(s) && byteSafety[s[i]]&plain != 0 {
		i++
	}
	return i
}

// appendHTMLEscaped is appendEscaped that also escapes what is special in HTML
// or JavaScript and replaces bytes that are not UTF-8.
func appendHTMLEscaped(b []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if byteSafety[c]&plainHTML != 0 {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = appendEscape(append(b, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(append(b, s[start:i]...), `\ufffd`...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			b = append(append(b, s[start:i]...), `\u202`...)
			b = append(b, hexDigits[r&0xf])
			start = i + size
		}
		i += size
	}
	return append(b, s[start:]...)
}

const hexDigits = "0123456789abcdef"

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, `\u00`+string(hexDigits[c>>4])+string(hexDigits[c&0xf])...)
}
