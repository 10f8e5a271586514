// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/legacy"
)

// FromJSON parses a document. Numbers become float64, of several entries of an
// object with one key the last wins. It returns an error if the input is not
// one document, is nested deeper than 10,000 levels or holds a number that is
// out of range. The input may be changed afterwards.
func FromJSON(input []byte) (Value, error) {
	r := reader{buf: input}
	v, ok := r.document()
	if !ok {
		return nil, r.err
	}
	return NewValueInterface(v), nil
}

// FromJSONFast is FromJSON.
func FromJSONFast(input []byte) (Value, error) {
	return FromJSON(input)
}

// reader parses JSON. It accepts a little more than JSON, and reports what it
// does not accept, just as github.com/json-iterator/go does: field sets on
// disk were let in by it, and its messages are looked for.
//
// A strict reader accepts no more than JSON, its integers are int64 where they
// fit, and its messages are nobody's business.
type reader struct {
	buf    []byte
	head   int
	depth  int
	strict bool
	// whole is the input of a strict reader again. Strings are parts of it, so
	// that they take no memory of their own.
	whole string
	// ended: somebody asked for more than there is. From then on the reader
	// does not step back.
	ended bool
	err   error
}

// document reads all of the input. If it is not ok, err says why.
func (r *reader) document() (v any, ok bool) {
	if v, ok = r.value(); !ok {
		return nil, false
	}
	if legacy.On() && !r.strict {
		return v, true
	}
	r.token()
	if !r.ended {
		r.head--
		r.fail("managedFields parsing", "unexpected trailing data after JSON object")
		return nil, false
	}
	return v, true
}

// fail records an error at the current position and returns false.
func (r *reader) fail(operation, message string) bool {
	around := func(n int) []byte {
		return r.buf[max(r.head-n, 0):min(r.head+n, len(r.buf))]
	}
	//lint:ignore ST1005 the words are not ours
	r.err = fmt.Errorf("%s: %s, error found in #%d byte of ...|%s|..., bigger context ...|%s|...",
		operation, message, min(r.head, 10), around(10), around(50))
	return false
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z'
}

// token returns the next byte that is no space, 0 at the end.
func (r *reader) token() byte {
	for i := r.head; i < len(r.buf); i++ {
		if c := r.buf[i]; !isSpace(c) {
			r.head = i + 1
			return c
		}
	}
	return r.end()
}

// next returns the next byte, 0 at the end.
func (r *reader) next() byte {
	if r.head == len(r.buf) {
		return r.end()
	}
	c := r.buf[r.head]
	r.head++
	return c
}

func (r *reader) end() byte {
	r.head = len(r.buf)
	r.ended = true
	return 0
}

// back undoes a token or next.
func (r *reader) back() {
	if !r.ended {
		r.head--
	}
}

func (r *reader) value() (any, bool) {
	switch c := r.token(); c {
	case '"':
		s, ok := r.text()
		return s, ok
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if r.strict {
			return r.strictNumber()
		}
		f, ok := r.number(c)
		return f, ok
	case 't':
		return true, r.literal("skipThreeBytes", "rue")
	case 'f':
		return false, r.literal("skipFourBytes", "alse")
	case 'n':
		r.back()
		return nil, r.literal("skipFourBytes", "null")
	default:
		r.back()
		return nil, r.fail("Read", "unexpected value type: 0")
	}
}

// literal reads the rest of a word.
func (r *reader) literal(operation, rest string) bool {
	for i := range len(rest) {
		if r.next() != rest[i] {
			return r.fail(operation, "expect "+rest)
		}
	}
	return true
}

// enter begins a level of nesting.
func (r *reader) enter() bool {
	if r.depth++; r.depth > maxDepth {
		return r.fail("incrementDepth", "exceeded max depth")
	}
	return true
}

func (r *reader) array() (any, bool) {
	if !r.enter() {
		return nil, false
	}
	list := []any{}
	c := r.token()
	if c == ']' {
		r.depth--
		return list, true
	}
	r.back()
	for {
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		list = append(list, v)
		switch c := r.token(); c {
		case ',':
		case ']':
			r.depth--
			return list, true
		default:
			return nil, r.fail("ReadArrayCB", "expect ] in the end, but found "+string([]byte{c}))
		}
	}
}

func (r *reader) object() (any, bool) {
	if !r.enter() {
		return nil, false
	}
	object := map[string]any{}
	c := r.token()
	if c == '}' {
		r.depth--
		return object, true
	}
	if c != '"' {
		return nil, r.fail("ReadMapCB", `expect " after {, but found `+string([]byte{c}))
	}
	r.back()
	for {
		key, ok := r.key()
		if !ok {
			return nil, false
		}
		if r.token() != ':' {
			// c is what came before the key.
			return nil, r.fail("ReadMapCB", "expect : after object field, but found "+string([]byte{c}))
		}
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		object[key] = v
		switch c = r.token(); c {
		case ',':
		case '}':
			r.depth--
			return object, true
		default:
			return nil, r.fail("ReadMapCB", "object not ended with }")
		}
	}
}

// number reads a number that begins with c.
func (r *reader) number(c byte) (float64, bool) {
	if c != '-' {
		r.head--
		return r.magnitude()
	}
	f, ok := r.magnitude()
	return -f, ok
}

// magnitude reads a number that has no sign.
func (r *reader) magnitude() (float64, bool) {
	if r.head < len(r.buf) {
		switch c := r.buf[r.head]; c {
		case ',', ']', '}', ' ', '\t', '\n':
			r.head++
			return 0, r.failNumber("empty number")
		case '.':
			r.head++
			return 0, r.failNumber("leading dot is invalid")
		case '0':
			if r.head+1 < len(r.buf) && '0' <= r.buf[r.head+1] && r.buf[r.head+1] <= '9' {
				r.head++
				return 0, r.failNumber("leading zero is invalid")
			}
		}
	}
	start, integer := r.head, true
	for r.head < len(r.buf) {
		switch r.buf[r.head] {
		case '+', '-', '.', 'e', 'E':
			integer = false
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return r.parse(r.buf[start:r.head], integer)
		}
		r.head++
	}
	r.end()
	return r.parse(r.buf[start:], integer)
}

func (r *reader) failNumber(message string) bool {
	// The head was not moved yet when this came up.
	r.head--
	return r.fail("readFloat64", message)
}

// parse returns the number that text says.
func (r *reader) parse(text []byte, integer bool) (float64, bool) {
	if integer && 0 < len(text) && len(text) < 16 {
		n := int64(0)
		for _, c := range text {
			n = n*10 + int64(c-'0')
		}
		return float64(n), true
	}
	s := string(text)
	switch dot := strings.IndexByte(s, '.'); {
	case s == "":
		return 0, r.fail("readNumberAsString", "invalid number")
	case s[0] == '-':
		return 0, r.fail("readFloat64SlowPath", "-- is not valid")
	case dot == len(s)-1:
		return 0, r.fail("readFloat64SlowPath", "dot can not be last character")
	case dot >= 0 && (s[dot+1] < '0' || s[dot+1] > '9'):
		return 0, r.fail("readFloat64SlowPath", "missing digit after dot")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		r.err = err
		return 0, false
	}
	return f, true
}

// strictNumber reads a number whose first byte was read.
func (r *reader) strictNumber() (any, bool) {
	start := r.head - 1
	i := start
	digits := func() bool {
		from := i
		for i < len(r.buf) && '0' <= r.buf[i] && r.buf[i] <= '9' {
			i++
		}
		return i > from
	}
	at := func(set string) bool {
		return i < len(r.buf) && strings.IndexByte(set, r.buf[i]) >= 0
	}
	if at("-") {
		i++
	}
	zero, integer := at("0"), true
	if first := i; !digits() || zero && i > first+1 {
		return nil, r.refuse()
	}
	if at(".") {
		integer = false
		i++
		if !digits() {
			return nil, r.refuse()
		}
	}
	if at("eE") {
		integer = false
		i++
		if at("+-") {
			i++
		}
		if !digits() {
			return nil, r.refuse()
		}
	}
	s := string(r.buf[start:i])
	r.head = i
	if integer {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n, true
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, r.refuse()
	}
	return f, true
}

// refuse is fail for a strict reader.
func (r *reader) refuse() bool {
	return r.fail("number", "not JSON")
}

// key reads a key. A null is an empty one.
func (r *reader) key() (string, bool) {
	switch c := r.token(); {
	case c == '"':
		return r.text()
	case c == 'n' && !r.strict:
		return "", r.literal("skipThreeBytes", "ull")
	default:
		return "", r.fail("ReadString", `expects " or n, but found `+string([]byte{c}))
	}
}

// text reads the rest of a string. Control characters are accepted after the
// first escape.
func (r *reader) text() (string, bool) {
	ascii := true
	for i := r.head; i < len(r.buf); i++ {
		c := r.buf[i]
		if c > '\\' && c < utf8.RuneSelf || c < '\\' && c > '"' {
			continue
		}
		switch {
		case c == '"':
			if r.strict && !ascii && !utf8.Valid(r.buf[r.head:i]) {
				return "", r.fail("ReadString", "invalid UTF-8")
			}
			s := r.piece(r.head, i)
			r.head = i + 1
			return s, true
		case c == '\\':
			return r.escaped()
		case c < ' ':
			return "", r.fail("ReadString", fmt.Sprintf("invalid control character found: %d", c))
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return r.escaped()
}

// piece returns a part of the input as a string.
func (r *reader) piece(from, to int) string {
	if r.strict {
		return r.whole[from:to]
	}
	return string(r.buf[from:to])
}

// escaped reads the rest of a string that has escapes, or no end.
func (r *reader) escaped() (string, bool) {
	var few [128]byte
	b := few[:0]
	for !r.ended {
		rest := r.buf[r.head:]
		plain := 0
		for plain < len(rest) && (rest[plain] > '\\' || rest[plain] < '\\' && rest[plain] > '"') {
			plain++
		}
		b = append(b, rest[:plain]...)
		r.head += plain
		switch c := r.next(); {
		case c == '"':
			if r.strict && !utf8.Valid(b) {
				return "", r.fail("readStringSlowPath", "invalid UTF-8")
			}
			return string(b), true
		case c == '\\':
			var ok bool
			if b, ok = r.escape(b, r.next()); !ok {
				return "", false
			}
		case c < ' ' && r.strict:
			return "", r.fail("readStringSlowPath", "control character")
		default:
			b = append(b, c)
		}
	}
	return "", r.fail("readStringSlowPath", "unexpected end of input")
}

// escape appends what a backslash and c stand for.
func (r *reader) escape(b []byte, c byte) ([]byte, bool) {
	switch c {
	case '"', '\\', '/':
		return append(b, c), true
	case 'b':
		return append(b, '\b'), true
	case 'f':
		return append(b, '\f'), true
	case 'n':
		return append(b, '\n'), true
	case 'r':
		return append(b, '\r'), true
	case 't':
		return append(b, '\t'), true
	case 'u':
		return r.unicode(b)
	}
	return nil, r.fail("readEscapedChar", `invalid escape char after \`)
}

// unicode appends the character that four hex digits stand for, with those
// after another \u where two make one.
func (r *reader) unicode(b []byte) ([]byte, bool) {
	c, ok := r.hex4()
	if !ok || !utf16.IsSurrogate(c) {
		return utf8.AppendRune(b, c), ok
	}
	if r.next() != '\\' {
		r.back()
		return utf8.AppendRune(b, c), true
	}
	if next := r.next(); next != 'u' {
		if r.ended {
			return b, true
		}
		return r.escape(utf8.AppendRune(b, c), next)
	}
	low, ok := r.hex4()
	if !ok || r.ended {
		return b, ok
	}
	if both := utf16.DecodeRune(c, low); both != utf8.RuneError {
		return utf8.AppendRune(b, both), true
	}
	return utf8.AppendRune(utf8.AppendRune(b, c), low), true
}

func (r *reader) hex4() (rune, bool) {
	var n rune
	for range 4 {
		c := r.next()
		switch {
		case r.ended:
			// The string that has no end is what is wrong.
			return n, true
		case '0' <= c && c <= '9':
			n = n<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			n = n<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			n = n<<4 | rune(c-'A'+10)
		default:
			return 0, r.fail("readU4", "expects 0~9 or a~f, but found "+string([]byte{c}))
		}
	}
	return n, true
}

// decode returns the plain data that the output of a MarshalJSON says, with
// numbers as int64 where they fit and otherwise float64. It refuses data
// nested deeper than maxDepth.
func decode(data []byte) (any, error) {
	if len(data) == 0 {
		return nil, errors.New("error decoding from json: empty value")
	}
	// A space in front, or behind a word, is not for the reader to judge.
	if !isSpace(data[0]) && !(isLetter(data[0]) && isSpace(data[len(data)-1])) {
		r := reader{buf: data, strict: true, whole: string(data)}
		if v, ok := r.document(); ok {
			return v, nil
		}
	}
	return decodeSlowly(data)
}

// decodeSlowly is decode by encoding/json, which finds the words for what is
// wrong with the data, and is what FuzzDecode compares decode with. The data is
// not empty.
func decodeSlowly(data []byte) (any, error) {
	kind := map[byte]string{'"': "string", '{': "object", '[': "array"}[data[0]]
	if kind != "" || string(data) == "null" || string(data) == "true" || string(data) == "false" {
		var v any
		err := unmarshal(data, &v)
		if err == nil {
			v, err = convertNumbers(v)
		}
		if err != nil {
			return nil, fmt.Errorf("error decoding %s from json: %v", kind, err)
		}
		return v, nil
	}
	var i int64
	if err := unmarshal(data, &i); err == nil {
		return i, nil
	}
	var f float64
	if err := unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("error decoding number from json: %v", err)
	}
	return f, nil
}

// unmarshal is json.Unmarshal that leaves numbers as they are written.
func unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	end := d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		rest := bytes.TrimLeft(data[end:], " \t\r\n")
		return fmt.Errorf("unexpected trailing data at offset %d", len(data)-len(rest))
	}
	return nil
}

// convertNumbers returns v with plain numbers in place of every json.Number, in maps
// and lists in place. The error is the first by name. How deep these may be in one
// another encoding/json has seen to.
func convertNumbers(v any) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i, nil
		}
		return v.Float64()
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if v[k], err = convertNumbers(v[k]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = convertNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
