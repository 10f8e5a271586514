// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/internal/legacy"
	"github.com/dovetail-ssa/dovetail/value"
)

// replay reads JSON the way upstream's reader, json-iterator, does, for
// everything the decoder leaves to it: liberties, such as null in place of a key,
// and mistakes. After a mistake that reader goes on as far as it can, and what
// it finds still becomes part of the set; its error texts quote the function
// that failed and what its buffer held around the place. Users search for these
// texts, so all of this is kept.
//
// replay is slow and simple, and shares nothing with the decoder: tests run
// both on the same documents.
type replay struct {
	in    string
	pos   int
	depth int
	err   error // the first mistake, or io.EOF when more was asked for than there is

	// in[low:high] is what the buffer holds. A document from an io.Reader
	// comes in pieces; a key is there at once.
	low, high int
	from      *source
	pieces    int // how many there were
}

// more moves the buffer to the next piece. At the end it notes why and reports
// false.
func (r *replay) more() bool {
	if r.from == nil {
		if r.err == nil {
			r.pos = r.high
			r.err = io.EOF
		}
		return false
	}
	if r.high == len(r.in) {
		if r.err == nil {
			if r.err = r.from.err; r.err == nil {
				r.err = io.EOF
			}
		}
		return false
	}
	r.low = r.high
	r.high = min(r.low+window, len(r.in))
	if r.from.ends != nil {
		r.high = r.from.ends[r.pieces]
		r.pieces++
	}
	r.pos = r.low
	return true
}

// token returns the next byte that is not white space, 0 at the end.
func (r *replay) token() byte {
	for {
		for i := r.pos; i < r.high; i++ {
			if c := r.in[i]; !isSpace(c) {
				r.pos = i + 1
				return c
			}
		}
		if !r.more() {
			return 0
		}
	}
}

// byte returns the next byte, 0 at the end.
func (r *replay) byte() byte {
	if r.pos == r.high && !r.more() {
		return 0
	}
	c := r.in[r.pos]
	r.pos++
	return c
}

// back steps before the byte just read; after a mistake it does not.
func (r *replay) back() {
	if r.err == nil {
		r.pos--
	}
}

// failed reports whether there was a mistake, as opposed to the end.
func (r *replay) failed() bool {
	return r.err != nil && r.err != io.EOF
}

// report notes a mistake, unless there was one before.
func (r *replay) report(operation, message string) {
	if r.failed() {
		return
	}
	near := r.around(10)
	//lint:ignore ST1005 the text is the one that callers know
	r.err = fmt.Errorf("%s: %s, error found in #%d byte of ...|%s|..., bigger context ...|%s|...",
		operation, message, r.pos-max(r.pos-10, r.low), near, r.around(50))
}

// around returns what the buffer holds n bytes to each side.
func (r *replay) around(n int) string {
	return r.in[max(r.pos-n, r.low):min(r.pos+n, r.high)]
}

// enter and leave count the nesting of objects and arrays.
func (r *replay) enter() bool {
	r.depth++
	if r.depth > maxDepth {
		r.report("incrementDepth", "exceeded max depth")
		return false
	}
	return true
}

func (r *replay) leave() { r.depth-- }

// literal reads what must follow the first letter of null, true or false.
func (r *replay) literal(rest string) {
	operation := "skipThreeBytes"
	if len(rest) == 4 {
		operation = "skipFourBytes"
	}
	for i := range len(rest) {
		if r.byte() != rest[i] {
			r.report(operation, "expect "+rest)
			return
		}
	}
}

// trailing reports whatever follows a document that was read without mistake.
func (r *replay) trailing() {
	r.token()
	r.back()
	if r.err == nil {
		r.report("managedFields parsing", "unexpected trailing data after JSON object")
	}
}

// The two ways in which objects are read: mapObject for those whose keys can be
// anything and plainObject for others. They differ in what they do about a
// missing colon.
const (
	mapObject   = "ReadMapCB"
	plainObject = "ReadObjectCB"
)

// object reads an object or null, calling each for every key. It stops when
// each returns false.
func (r *replay) object(operation string, each func(key string) bool) {
	first := r.token()
	if first == 'n' {
		r.literal("ull")
		return
	}
	if first != '{' {
		r.report(operation, "expect { or n, but found "+string([]byte{first}))
		return
	}
	if !r.enter() {
		return
	}
	defer r.leave()
	c := r.token()
	if c == '}' {
		return
	}
	if c != '"' {
		r.report(operation, `expect " after {, but found `+string([]byte{c}))
		return
	}
	r.back()
	for {
		key := r.string()
		if colon := r.token(); colon != ':' {
			const message = "expect : after object field, but found "
			if operation == mapObject {
				r.report(mapObject, message+string([]byte{c}))
				return
			}
			r.report("ReadObject", message+string([]byte{colon}))
		}
		if !each(key) {
			return
		}
		if c = r.token(); c != ',' {
			break
		}
	}
	if c != '}' {
		r.report(operation, "object not ended with }")
	}
}

// array reads an array or null, calling each for every item.
func (r *replay) array(each func()) {
	c := r.token()
	if c == 'n' {
		r.literal("ull")
		return
	}
	if c != '[' {
		r.report("ReadArrayCB", "expect [ or n, but found "+string([]byte{c}))
		return
	}
	if !r.enter() {
		return
	}
	defer r.leave()
	c = r.token()
	if c == ']' {
		return
	}
	r.back()
	for {
		each()
		if c = r.token(); c != ',' {
			break
		}
	}
	if c != ']' {
		r.report("ReadArrayCB", "expect ] in the end, but found "+string([]byte{c}))
	}
}

// replaySet reads a whole document. The set is what was understood, also when
// there is an error.
func replaySet(src source) (Set, error) {
	r := replay{in: src.text, from: &src}
	var s Set
	if set, _ := r.set(); set != nil {
		s = *set
	}
	if r.err != nil {
		return s, r.err
	}
	if legacy.On() {
		return s, nil
	}
	r.trailing()
	if r.failed() {
		return s, r.err
	}
	return s, nil
}

// set reads an object. It returns what is below it, nil if nothing, and whether
// it makes its own path a member.
func (r *replay) set() (set *Set, member bool) {
	r.object(mapObject, func(key string) bool {
		if key == "." {
			member = true
			r.skip()
			return true
		}
		pe, err := DeserializePathElement(key)
		if err == ErrUnknownPathElementType {
			r.skip() // for a later version to know
			return true
		}
		if err != nil {
			r.report("parsing key as path element", err.Error())
			r.skip()
			return true
		}
		below, isMember := r.set()
		if set == nil {
			set = &Set{}
		}
		if isMember {
			set.Members.Insert(pe)
		}
		if below != nil {
			*set.Children.Descend(pe) = *below
		}
		return true
	})
	if set == nil {
		return nil, true
	}
	set.Members.members = slices.Clip(set.Members.members)
	set.Children.members = slices.Clip(set.Children.members)
	return set, member
}

// replayElement is DeserializePathElement for everything unusual.
func replayElement(s string) (PathElement, error) {
	if len(s) < 2 {
		//lint:ignore ST1005 the text is the one that callers know
		return PathElement{}, errors.New("key must be 2 characters long:")
	}
	if s[1] != ':' {
		return PathElement{}, fmt.Errorf("missing colon: %v", s)
	}
	text := s[2:]
	r := replay{in: text, high: len(text)}
	switch s[0] {
	case 'f':
		return PathElement{FieldName: &text}, nil
	case 'i':
		i, err := strconv.Atoi(text)
		if err != nil {
			return PathElement{}, err
		}
		return PathElement{Index: &i}, nil
	case 'v':
		v := value.NewValueInterface(r.any())
		if err := r.end(); err != nil {
			return PathElement{}, err
		}
		return PathElement{Value: &v}, nil
	case 'k':
		fields := value.FieldList{}
		r.object(plainObject, func(name string) bool {
			v := value.NewValueInterface(r.any())
			fields = append(fields, value.Field{Name: name, Value: v})
			return !r.failed()
		})
		if err := r.end(); err != nil {
			return PathElement{}, err
		}
		fields.Sort()
		return PathElement{Key: &fields}, nil
	}
	return PathElement{}, ErrUnknownPathElementType
}

// end returns the mistake there was, if only that something follows.
func (r *replay) end() error {
	if !r.failed() && !legacy.On() {
		r.trailing()
	}
	if r.failed() {
		return r.err
	}
	return nil
}

// any reads any JSON value as plain Go data.
func (r *replay) any() any {
	c := r.token()
	r.back()
	switch c {
	case '"':
		return r.string()
	case 'n':
		r.literal("null")
		return nil
	case 't', 'f':
		return r.bool()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.float(64)
	case '[':
		list := []any{}
		r.array(func() { list = append(list, r.any()) })
		return list
	case '{':
		m := map[string]any{}
		r.object(mapObject, func(key string) bool {
			m[key] = r.any()
			return true
		})
		return m
	}
	r.report("Read", "unexpected value type: 0")
	return nil
}

func (r *replay) bool() bool {
	switch c := r.token(); c {
	case 't':
		r.literal("rue")
		return true
	case 'f':
		r.literal("alse")
	default:
		r.report("ReadBool", "expect t or f, but found "+string([]byte{c}))
	}
	return false
}

// skip reads any JSON value that nobody needs.
func (r *replay) skip() {
	switch c := r.token(); c {
	case '"':
		r.skipString()
	case 'n':
		r.literal("ull")
	case 't':
		r.literal("rue")
	case 'f':
		r.literal("alse")
	case '0':
		r.back()
		r.float(32)
	case '-', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		r.skipNumber()
	case '[':
		r.back()
		r.array(r.skip)
	case '{':
		r.back()
		r.object(plainObject, func(string) bool {
			r.skip()
			return true
		})
	default:
		r.report("Skip", fmt.Sprintf("do not know how to skip: %d", c))
	}
}

// string reads a string, or null as an empty one.
func (r *replay) string() string {
	c := r.token()
	if c == 'n' {
		r.literal("ull")
		return ""
	}
	if c != '"' {
		r.report("ReadString", `expects " or n, but found `+string([]byte{c}))
		return ""
	}
	for i := r.pos; i < r.high; i++ {
		c := r.in[i]
		if c == '"' {
			s := r.in[r.pos:i]
			r.pos = i + 1
			return s
		}
		if c == '\\' {
			break
		}
		if c < ' ' {
			r.report("ReadString", fmt.Sprintf("invalid control character found: %d", c))
			return ""
		}
	}
	return r.longString()
}

// longString reads the rest of a string that has an escape or does not end in
// the buffer. Control characters pass here.
func (r *replay) longString() string {
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
	r.report("readStringSlowPath", "unexpected end of input")
	return ""
}

// escape appends what the letter c stands for behind a backslash.
func (r *replay) escape(b []byte, c byte) []byte {
	if c != 'u' {
		if unescaped[c] == 0 {
			r.report("readEscapedChar", `invalid escape char after \`)
			return nil
		}
		return append(b, unescaped[c])
	}
	first := r.hex()
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(b, first)
	}
	c = r.byte()
	if r.err != nil {
		return nil
	}
	if c != '\\' {
		r.back()
		return utf8.AppendRune(b, first)
	}
	c = r.byte()
	if r.err != nil {
		return nil
	}
	if c != 'u' {
		return r.escape(utf8.AppendRune(b, first), c)
	}
	second := r.hex()
	if r.err != nil {
		return nil
	}
	if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
		return utf8.AppendRune(b, pair)
	}
	return utf8.AppendRune(utf8.AppendRune(b, first), second)
}

// hex reads four hexadecimal digits.
func (r *replay) hex() (out rune) {
	for range 4 {
		c := r.byte()
		if r.err != nil {
			return out
		}
		digit, ok := hexDigit(c)
		if !ok {
			r.report("readU4", "expects 0~9 or a~f, but found "+string([]byte{c}))
			return out
		}
		out = out<<4 | digit
	}
	return out
}

// shorten drops digits from a long number whose value does not matter: reading
// them all would take time quadratic in their number.
func shorten(text string) string {
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

// skipString reads a string that nobody needs, from behind its quote.
func (r *replay) skipString() {
	for i := r.pos; i < r.high; i++ {
		c := r.in[i]
		if c == '"' {
			r.pos = i + 1
			return
		}
		if c == '\\' {
			break
		}
		if c < ' ' {
			r.report("trySkipString", fmt.Sprintf("invalid control character found: %d", c))
			return
		}
	}
	r.back()
	r.string()
}

// float reads a number of 32 or 64 bits.
func (r *replay) float(bits int) float64 {
	if r.token() == '-' {
		return -r.positive(bits)
	}
	r.back()
	return r.positive(bits)
}

func (r *replay) positive(bits int) float64 {
	operation := "readFloat" + strconv.Itoa(bits)
	if r.pos < r.high {
		switch r.in[r.pos] {
		case ',', ']', '}', ' ', '\t', '\n':
			r.report(operation, "empty number")
			return 0
		case '.':
			r.report(operation, "leading dot is invalid")
			return 0
		case '0':
			if r.pos+1 < r.high && isDigit(r.in[r.pos+1]) {
				r.report(operation, "leading zero is invalid")
				return 0
			}
		}
	}
	text := r.numberText()
	if r.failed() {
		return 0
	}
	if message := numberMistake(text); message != "" {
		r.report(operation+"SlowPath", message)
		return 0
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil {
		r.err = err
		return 0
	}
	return f
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numberText reads every byte that can be part of a number.
func (r *replay) numberText() string {
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
		r.pos = start // where upstream stays when there is no more
		if !r.more() {
			break
		}
	}
	if r.failed() {
		return ""
	}
	if len(b) == 0 {
		r.report("readNumberAsString", "invalid number")
	}
	return string(b)
}

// numberMistake says what is wrong with a number that strconv would accept.
func numberMistake(text string) string {
	if text == "" {
		return "empty number"
	}
	if text[0] == '-' {
		return "-- is not valid"
	}
	dot := strings.IndexByte(text, '.')
	switch {
	case dot < 0:
		return ""
	case dot == len(text)-1:
		return "dot can not be last character"
	case !isDigit(text[dot+1]):
		return "missing digit after dot"
	}
	return ""
}

// skipNumber reads a number that nobody needs, from its second byte on.
func (r *replay) skipNumber() {
	if r.skipPlainNumber() {
		return
	}
	r.back()
	if r.failed() {
		return
	}
	r.float(64)
	if !r.failed() {
		return
	}
	// Upstream gives the number a second chance as a big.Float.
	r.err = nil
	text := r.numberText()
	if r.failed() {
		return
	}
	if _, _, err := big.ParseFloat(shorten(text), 10, 64, big.ToZero); err != nil {
		r.err = err
	}
}

// skipPlainNumber reads digits and a fraction up to a delimiter in the buffer.
// It reports false, having read nothing, for what may be another number.
func (r *replay) skipPlainNumber() bool {
	dot := false
	for i := r.pos; i < r.high; i++ {
		switch c := r.in[i]; {
		case isDigit(c):
		case c == '.':
			if dot {
				r.report("validateNumber", "more than one dot found in number")
				return true
			}
			if i+1 == r.high {
				return false
			}
			if !isDigit(r.in[i+1]) {
				r.report("validateNumber", "missing digit after dot")
				return true
			}
			dot = true
		case c == ',' || c == ']' || c == '}' || isSpace(c):
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
