// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gostruct

// scanJSON says whether data is one JSON document that package value would decode,
// and how it begins: '{', '[', '"', '0' for a number, 't' for either boolean,
// 'n' for null. It is careful: rare things such as space in front, long numbers
// and deep nesting are not ok, though they may be valid.
func scanJSON(data []byte) (kind byte, ok bool) {
	if len(data) == 0 {
		return 0, false
	}
	switch kind = data[0]; {
	case isDigit(kind), kind == '-':
		kind = '0'
	case kind == 'f':
		kind = 't'
	}
	s := jsonScanner{data: data}
	return kind, s.value(0) && s.at == len(data)
}

// jsonScanner reads JSON and keeps nothing.
type jsonScanner struct {
	data []byte
	at   int
}

// maxScanned bounds how deep documents may be nested.
const maxScanned = 500

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|' ' && c|' ' <= 'f'
}

// next returns the byte to read next, 0 at the end.
func (s *jsonScanner) next() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

// space skips space and returns the byte behind it.
func (s *jsonScanner) space() byte {
	for {
		switch c := s.next(); {
		case c > ' ':
			return c
		case c == ' ', c == '\n', c == '\t', c == '\r':
			s.at++
		default:
			return c
		}
	}
}

func (s *jsonScanner) value(depth int) bool {
	switch c := s.next(); c {
	case '"':
		return s.text()
	case '{':
		if s.at+1 < len(s.data) && s.data[s.at+1] == '}' {
			s.at += 2
			return true
		}
		return depth < maxScanned && s.list('}', depth)
	case '[':
		return depth < maxScanned && s.list(']', depth)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *jsonScanner) word(w string) bool {
	if end := s.at + len(w); end <= len(s.data) && string(s.data[s.at:end]) == w {
		s.at = end
		return true
	}
	return false
}

// list reads an object or an array up to its end.
func (s *jsonScanner) list(end byte, depth int) bool {
	s.at++
	if s.space() == end {
		s.at++
		return true
	}
	for {
		if end == '}' {
			if s.next() != '"' || !s.text() || s.space() != ':' {
				return false
			}
			s.at++
			s.space()
		}
		if !s.value(depth + 1) {
			return false
		}
		switch s.space() {
		case end:
			s.at++
			return true
		case ',':
			s.at++
			s.space()
		default:
			return false
		}
	}
}

// text reads a string.
func (s *jsonScanner) text() bool {
	data := s.data
	for i := s.at + 1; i < len(data); i++ {
		c := data[i]
		if c > '\\' || c < '\\' && c > '"' {
			continue
		}
		switch {
		case c == '"':
			s.at = i + 1
			return true
		case c < ' ':
			return false
		case c == '\\':
			if i++; i == len(data) {
				return false
			}
			switch data[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i == len(data) || !isHex(data[i]) {
						return false
					}
				}
			default:
				return false
			}
		}
	}
	return false
}

// maxDigits is how long a number may be: short enough to be exact and in range.
const maxDigits = 15

// number reads a number without exponent.
func (s *jsonScanner) number() bool {
	if s.next() == '-' {
		s.at++
	}
	from := s.at
	if n := s.digits(); n == 0 || n > 1 && s.data[from] == '0' {
		return false
	}
	if s.next() == '.' {
		s.at++
		if s.digits() == 0 {
			return false
		}
	}
	return s.at-from <= maxDigits && s.next()|' ' != 'e'
}

// digits reads digits and returns how many.
func (s *jsonScanner) digits() int {
	from := s.at
	for isDigit(s.next()) {
		s.at++
	}
	return s.at - from
}
