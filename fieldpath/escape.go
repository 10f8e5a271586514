package fieldpath

import "unicode/utf8"

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
	start := 0
	for i := 0; i < len(s); i++ {
		if byteSafety[s[i]]&plain == 0 {
			b = appendEscape(append(b, s[start:i]...), s[i])
			start = i + 1
		}
	}
	return append(b, s[start:]...)
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
