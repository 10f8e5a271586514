package fieldpath

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

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
