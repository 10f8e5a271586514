package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
	r.err = fmt.Errorf("%s: %s, error found in #%d byte of ...|%s|..., bigger context ...|%s|...",
		operation, message, min(r.head, 10), around(10), around(50))
	return false
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
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
		switch c := r.buf[i]; {
		case c == '"':
			if r.strict && !ascii && !utf8.Valid(r.buf[r.head:i]) {
				return "", r.fail("ReadString", "invalid UTF-8")
			}
			s := string(r.buf[r.head:i])
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

// escaped reads the rest of a string that has escapes, or no end.
func (r *reader) escaped() (string, bool) {
	var b []byte
	for !r.ended {
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
		n := 0
		for _, c := range text {
			n = n*10 + int(c-'0')
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

var errNotStrict = errors.New("not JSON")

func (r *reader) refuse() bool {
	r.err = errNotStrict
	return false
}
