// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoniter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Escapes selects which characters are escaped in strings. Quotes, backslashes and control
// characters are always escaped.
type Escapes uint8

const (
	// Few escapes only quotes, backslashes and control characters. It does not change
	// invalid UTF-8.
	Few Escapes = iota
	// Letters is like Few, but escapes backspace and form feed as \b and \f, like
	// encoding/json/v2. It does not change invalid UTF-8.
	Letters
	// HTML also escapes <, >, &, U+2028 and U+2029, like json-iterator. Invalid UTF-8 becomes
	// \ufffd.
	HTML
	// Standard is like HTML, but escapes backspace and form feed as \b and \f, like
	// encoding/json. It writes invalid UTF-8 in the same way as encoding/json of the Go release
	// in use.
	Standard
)

// AppendQuoted appends a JSON string.
func AppendQuoted(b []byte, s string, e Escapes) []byte {
	b = append(b, '"')
	if e <= Letters {
		return append(AppendEscaped(b, s, e), '"')
	}
	done := 0 // s[:done] is already appended to b
	for i := 0; ; {
		for i < len(s) && safety[s[i]] == alwaysSafe {
			i++
		}
		if i == len(s) {
			return append(append(b, s[done:]...), '"')
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if size > 1 && r != '\u2028' && r != '\u2029' {
			i += size
			continue
		}
		b = append(b, s[done:i]...)
		if s[i] >= utf8.RuneSelf && size == 1 && e == Standard {
			b = append(b, standardInvalid...)
		} else {
			b = appendEscape(b, r, e)
		}
		i += size
		done = i
	}
}

// standardInvalid is the text that encoding/json writes for an invalid UTF-8 byte. It is the
// character U+FFFD, or before Go 1.27 its escape sequence.
var standardInvalid = func() []byte {
	quoted, err := json.Marshal("\xff")
	if err != nil {
		panic(err)
	}
	return bytes.Trim(quoted, `"`)
}()

// AppendEscaped appends the content of a JSON string, without the quotes. e must be Few or
// Letters.
func AppendEscaped[T string | []byte](b []byte, s T, e Escapes) []byte {
	for {
		i := SafeLength(s)
		b = append(b, s[:i]...)
		if i == len(s) {
			return b
		}
		b = appendEscape(b, rune(s[i]), e)
		s = s[i+1:]
	}
}

func appendEscape(b []byte, r rune, e Escapes) []byte {
	if r <= '\\' {
		if letter := letters[r]; letter != 0 && (e&Letters != 0 || r != '\b' && r != '\f') {
			return append(b, '\\', letter)
		}
	}
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12], digits[r>>8&0xf], digits[r>>4&0xf], digits[r&0xf])
}

// letters maps a character to the letter of its escape sequence.
var letters = [...]byte{'"': '"', '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'}

// safety maps each byte to its class: 0 (may need an escape), fewSafe or alwaysSafe.
var safety = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c < ' ' || c == '"' || c == '\\':
		case c >= utf8.RuneSelf || c == '<' || c == '>' || c == '&':
			t[c] = fewSafe
		default:
			t[c] = alwaysSafe
		}
	}
	return t
}()

const (
	fewSafe    = 1 + iota // needs no escape with Few and Letters
	alwaysSafe            // never needs an escape
)

// IsSafe reports whether s needs no escapes, regardless of the Escapes in use. It may return
// false negatives.
func IsSafe(s string) bool {
	for i := range len(s) {
		if safety[s[i]] != alwaysSafe {
			return false
		}
	}
	return true
}

// SafeLength returns the length of the longest prefix of s that needs no escape with Few.
func SafeLength[T string | []byte](s T) int {
	i := 0
	for i < len(s) && safety[s[i]] != 0 {
		i++
	}
	return i
}

// AppendFloat appends a float of 32 or 64 bits. It writes an exponent of at least two digits if
// the magnitude of the number is at least 1e21 or below 1e-6. It returns an error for a NaN or
// an infinity, which JSON cannot represent.
func AppendFloat(b []byte, f float64, bits int) ([]byte, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, fmt.Errorf("unsupported value: %f", f)
	}
	if i := int64(f); bits == 64 && float64(i) == f && -1<<53 < i && i < 1<<53 && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(b, i, 10), nil
	}
	if HasExponent(f, bits) {
		return strconv.AppendFloat(b, f, 'e', -1, bits), nil
	}
	return strconv.AppendFloat(b, f, 'f', -1, bits), nil
}

// HasExponent reports whether AppendFloat writes f with an exponent.
func HasExponent(f float64, bits int) bool {
	size, low, high := math.Abs(f), 1e-6, 1e21
	if bits == 32 { // the limits are rounded to float32
		low, high = float64(float32(1e-6)), float64(float32(1e21))
	}
	return size != 0 && (size < low || size >= high)
}
