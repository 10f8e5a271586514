// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoniter

import (
	"cmp"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/edition"
)

// Reader reads JSON exactly as json-iterator does. It accepts the same invalid JSON, such as
// null instead of a key. After an error, it continues as far as possible, and the result
// includes data that it reads after the error. Error messages name the function of json-iterator
// that failed, and quote its buffer near the error.
//
// Reader is simple and slow.
type Reader struct {
	in    string
	pos   int
	depth int
	err   error // the first error, or io.EOF after a read past the end

	// in[low:high] is the current piece of the document, which json-iterator would have in its
	// buffer. A document from an io.Reader can have several pieces. Any other document is a single
	// piece.
	low, high int
	from      *Source
	pieces    int // number of pieces read so far
}

// NewReader returns a Reader of text.
func NewReader(text string) *Reader { return &Reader{in: text, high: len(text)} }

// NewSourceReader returns a Reader of a document that came from an io.Reader.
func NewSourceReader(from *Source) *Reader { return &Reader{in: from.Text, from: from} }

// more moves to the next piece. At the end of the input, it sets the error and returns false.
func (r *Reader) more() bool {
	if r.from == nil {
		if r.err == nil {
			r.pos = r.high
			r.err = io.EOF
		}
		return false
	}
	if r.high == len(r.in) {
		r.err = cmp.Or(r.err, r.from.Err, io.EOF)
		return false
	}
	r.low = r.high
	r.high = min(r.low+Window, len(r.in))
	if r.from.ends != nil {
		r.high = r.from.ends[r.pieces]
		r.pieces++
	}
	r.pos = r.low
	return true
}

// token reads and returns the next byte that is not white space. It returns 0 at the end.
func (r *Reader) token() byte {
	for {
		for i := r.pos; i < r.high; i++ {
			if c := r.in[i]; !IsSpace(c) {
				r.pos = i + 1
				return c
			}
		}
		if !r.more() {
			return 0
		}
	}
}

// byte reads and returns the next byte. It returns 0 at the end.
func (r *Reader) byte() byte {
	if r.pos == r.high && !r.more() {
		return 0
	}
	c := r.in[r.pos]
	r.pos++
	return c
}

// unreadByte goes back by one byte, unless there was an error.
func (r *Reader) unreadByte() {
	if r.err == nil {
		r.pos--
	}
}

// Failed reports whether there was an error other than the end of the input.
func (r *Reader) Failed() bool {
	return r.err != nil && r.err != io.EOF
}

// Report sets the error. If there already is an error, it does nothing.
func (r *Reader) Report(operation, message string) {
	if r.Failed() {
		return
	}
	near := r.around(10)
	//lint:ignore ST1005 the message must be that of json-iterator
	r.err = fmt.Errorf("%s: %s, error found in #%d byte of ...|%s|..., bigger context ...|%s|...",
		operation, message, r.pos-max(r.pos-10, r.low), near, r.around(50))
}

// around returns the text near the current position: up to n bytes before it and n bytes after
// it, but only from the current piece.
func (r *Reader) around(n int) string {
	return r.in[max(r.pos-n, r.low):min(r.pos+n, r.high)]
}

// open reads the opening bracket of an object or array, and increments the depth. It returns
// false if the value is null, or if there is an error.
func (r *Reader) open(operation string, bracket byte) bool {
	switch c := r.token(); c {
	case 'n':
		r.literal("ull")
		return false
	case bracket:
	default:
		r.Report(operation, "expect "+string([]byte{bracket})+" or n, but found "+string([]byte{c}))
		return false
	}
	if r.depth++; r.depth > MaxDepth {
		r.Report("incrementDepth", "exceeded max depth")
		return false
	}
	return true
}

// literal reads the rest of null, true or false.
func (r *Reader) literal(rest string) {
	operation := "skipThreeBytes"
	if len(rest) == 4 {
		operation = "skipFourBytes"
	}
	for i := range len(rest) {
		if r.byte() != rest[i] {
			r.Report(operation, "expect "+rest)
			return
		}
	}
}

// Err returns the first error, or io.EOF after a read past the end.
func (r *Reader) Err() error { return r.err }

// End returns the first error. Data after the document is also an error, except in the edition
// V4.
func (r *Reader) End() error {
	if !r.Failed() && !edition.V4.Is() {
		r.token()
		r.unreadByte()
		if r.err == nil {
			r.Report("managedFields parsing", "unexpected trailing data after JSON object")
		}
	}
	if r.Failed() {
		return r.err
	}
	return nil
}

// These constants are the names of the two functions with which json-iterator reads objects. The
// functions return different errors for a missing colon. The first argument of Object selects
// which of them Object imitates.
const (
	MapObject   = "ReadMapCB"
	PlainObject = "ReadObjectCB"
)

// Object reads an object or null. For every key, it calls readValue, which must read the value.
// If readValue returns false, Object stops. operation is MapObject or PlainObject.
func (r *Reader) Object(operation string, readValue func(key string) bool) {
	if !r.open(operation, '{') {
		return
	}
	defer func() { r.depth-- }()
	c := r.token()
	if c == '}' {
		return
	}
	if c != '"' {
		r.Report(operation, `expect " after {, but found `+string([]byte{c}))
		return
	}
	r.unreadByte()
	for {
		key := r.string()
		if colon := r.token(); colon != ':' {
			const message = "expect : after object field, but found "
			if operation == MapObject {
				r.Report(MapObject, message+string([]byte{c}))
				return
			}
			r.Report("ReadObject", message+string([]byte{colon}))
		}
		if !readValue(key) {
			return
		}
		if c = r.token(); c != ',' {
			break
		}
	}
	if c != '}' {
		r.Report(operation, "object not ended with }")
	}
}

// array reads an array or null. For every item, it calls readItem, which must read the item.
func (r *Reader) array(readItem func()) {
	if !r.open("ReadArrayCB", '[') {
		return
	}
	defer func() { r.depth-- }()
	c := r.token()
	if c == ']' {
		return
	}
	r.unreadByte()
	for {
		readItem()
		if c = r.token(); c != ',' {
			break
		}
	}
	if c != ']' {
		r.Report("ReadArrayCB", "expect ] in the end, but found "+string([]byte{c}))
	}
}

// Any reads a JSON value and returns it as plain data. The result has no meaning if there was an
// error.
func (r *Reader) Any() any {
	c := r.token()
	r.unreadByte()
	switch c {
	case '"':
		return r.string()
	case 'n':
		r.literal("null")
		return nil
	case 't':
		r.byte()
		r.literal("rue")
		return true
	case 'f':
		r.byte()
		r.literal("alse")
		return false
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.float(64)
	case '[':
		list := []any{}
		r.array(func() { list = append(list, r.Any()) })
		return list
	case '{':
		m := map[string]any{}
		r.Object(MapObject, func(key string) bool {
			m[key] = r.Any()
			return true
		})
		return m
	}
	r.Report("Read", "unexpected value type: 0")
	return nil
}

// Skip reads a JSON value and discards it.
func (r *Reader) Skip() {
	switch c := r.token(); c {
	case '"':
		if _, ok := r.shortString("trySkipString"); !ok {
			r.unreadByte()
			r.string()
		}
	case 'n':
		r.literal("ull")
	case 't':
		r.literal("rue")
	case 'f':
		r.literal("alse")
	case '0':
		r.unreadByte()
		r.float(32)
	case '-', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		r.skipNumber()
	case '[':
		r.unreadByte()
		r.array(r.Skip)
	case '{':
		r.unreadByte()
		r.Object(PlainObject, func(string) bool {
			r.Skip()
			return true
		})
	default:
		r.Report("Skip", fmt.Sprintf("do not know how to skip: %d", c))
	}
}

// string reads a string. It returns "" for null.
func (r *Reader) string() string {
	c := r.token()
	if c == 'n' {
		r.literal("ull")
		return ""
	}
	if c != '"' {
		r.Report("ReadString", `expects " or n, but found `+string([]byte{c}))
		return ""
	}
	if s, ok := r.shortString("ReadString"); ok {
		return s
	}
	return r.longString()
}

// shortString reads the rest of a string that has no escape and ends in the current piece. For any
// other string, it reads nothing and returns false.
func (r *Reader) shortString(operation string) (s string, ok bool) {
	for i := r.pos; i < r.high; i++ {
		switch c := r.in[i]; {
		case c == '"':
			s = r.in[r.pos:i]
			r.pos = i + 1
			return s, true
		case c == '\\':
			return "", false
		case c < ' ':
			r.Report(operation, fmt.Sprintf("invalid control character found: %d", c))
			return "", true
		}
	}
	return "", false
}

// longString reads the rest of any string. Unlike shortString, it accepts control characters.
func (r *Reader) longString() string {
	var b []byte
	for r.err == nil {
		switch c := r.byte(); c {
		case '"':
			return string(b)
		case '\\':
			b = r.escape(b, r.byte())
		default:
			b = append(b, c)
		}
	}
	r.Report("readStringSlowPath", "unexpected end of input")
	return ""
}

// escape appends the character for the escape sequence that consists of a backslash and c.
func (r *Reader) escape(b []byte, c byte) []byte {
	if c != 'u' {
		if unescaped[c] == 0 {
			r.Report("readEscapedChar", `invalid escape char after \`)
			return nil
		}
		return append(b, unescaped[c])
	}
	first := r.hex()
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(b, first)
	}
	if c = r.byte(); c != '\\' {
		r.unreadByte()
		return utf8.AppendRune(b, first)
	}
	c = r.byte()
	if r.err != nil {
		return nil // the caller reports that the string is not complete
	}
	if c != 'u' {
		return r.escape(utf8.AppendRune(b, first), c)
	}
	second := r.hex()
	if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
		return utf8.AppendRune(b, pair)
	}
	return utf8.AppendRune(utf8.AppendRune(b, first), second)
}

// hex reads four hexadecimal digits.
func (r *Reader) hex() (out rune) {
	for range 4 {
		c := r.byte()
		if r.err != nil {
			return out
		}
		digit, ok := hexDigit(c)
		if !ok {
			r.Report("readU4", "expects 0~9 or a~f, but found "+string([]byte{c}))
			return out
		}
		out = out<<4 | digit
	}
	return out
}

// dropDigits shortens the text of a long number, but keeps its syntax. The caller checks only
// the syntax, and parsing all digits would take quadratic time.
func dropDigits(text string) string {
	const enough = 64
	if len(text) <= enough {
		return text
	}
	var b strings.Builder
	run := 0
	for i := range len(text) {
		if c := text[i]; c == 'e' || c == 'E' {
			return b.String() + text[i:]
		} else if !isDigit(c) {
			run = 0
		} else if run++; run > enough {
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// float reads a number as a float of 32 or 64 bits.
func (r *Reader) float(bits int) float64 {
	if r.token() == '-' {
		return -r.positive(bits)
	}
	r.unreadByte()
	return r.positive(bits)
}

func (r *Reader) positive(bits int) float64 {
	operation := "readFloat" + strconv.Itoa(bits)
	if r.pos < r.high {
		switch r.in[r.pos] {
		case ',', ']', '}', ' ', '\t', '\n':
			r.Report(operation, "empty number")
			return 0
		case '.':
			r.Report(operation, "leading dot is invalid")
			return 0
		case '0':
			if r.pos+1 < r.high && isDigit(r.in[r.pos+1]) {
				r.Report(operation, "leading zero is invalid")
				return 0
			}
		}
	}
	text := r.numberText()
	if r.Failed() {
		return 0
	}
	if message := numberMistake(text); message != "" {
		r.Report(operation+"SlowPath", message)
		return 0
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil {
		r.err = err
		return 0
	}
	return f
}

// numberText reads and returns all bytes that can be part of a number.
func (r *Reader) numberText() string {
	var b []byte
	for {
		start := r.pos
		for r.pos < r.high && strings.IndexByte("+-.eE0123456789", r.in[r.pos]) >= 0 {
			r.pos++
		}
		b = append(b, r.in[start:r.pos]...)
		if r.pos < r.high {
			break
		}
		r.pos = start // like json-iterator, do not advance at the end of the input
		if !r.more() {
			break
		}
	}
	if r.Failed() {
		return ""
	}
	if len(b) == 0 {
		r.Report("readNumberAsString", "invalid number")
	}
	return string(b)
}

// numberMistake returns json-iterator's error message for text that strconv would accept as a
// number, or would reject with a different message. It returns "" for any other text.
func numberMistake(text string) string {
	dot := strings.IndexByte(text, '.')
	switch {
	case text == "":
		return "empty number"
	case text[0] == '-':
		return "-- is not valid"
	case dot < 0:
	case dot == len(text)-1:
		return "dot can not be last character"
	case !isDigit(text[dot+1]):
		return "missing digit after dot"
	}
	return ""
}

// skipNumber skips the rest of a number. Its first byte was already read.
func (r *Reader) skipNumber() {
	if r.skipPlainNumber() {
		return
	}
	r.unreadByte()
	if r.Failed() {
		return
	}
	r.float(64)
	if !r.Failed() {
		return
	}
	// When this fails, json-iterator tries to read the number as a big.Float.
	r.err = nil
	text := r.numberText()
	if r.Failed() {
		return
	}
	if _, _, err := big.ParseFloat(dropDigits(text), 10, 64, big.ToZero); err != nil {
		r.err = err
	}
}

// skipPlainNumber skips digits and a fraction, up to a delimiter in the current piece. If there
// is anything else, such as an exponent, it reads nothing and returns false.
func (r *Reader) skipPlainNumber() bool {
	dot := false
	for i := r.pos; i < r.high; i++ {
		switch c := r.in[i]; {
		case isDigit(c):
		case c == '.':
			if dot {
				r.Report("validateNumber", "more than one dot found in number")
				return true
			}
			if i+1 == r.high {
				return false
			}
			if !isDigit(r.in[i+1]) {
				r.Report("validateNumber", "missing digit after dot")
				return true
			}
			dot = true
		case c == ',' || c == ']' || c == '}' || IsSpace(c):
			if i == r.pos {
				return false
			}
			r.pos = i
			return true
		default:
			return false
		}
	}
	return false
}
