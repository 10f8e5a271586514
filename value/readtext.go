// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

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
