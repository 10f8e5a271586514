// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ParseJSON parses one value of JSON. Integers are int64, other numbers float64,
// or json.Number where neither can hold them. Fields that are there twice are an
// error, as is text behind the value.
func ParseJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := parseToken(d, 0)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("it ends in the middle")
	case err != nil:
		return nil, err
	}
	if rest := strings.TrimSpace(text[d.InputOffset():]); rest != "" {
		return nil, fmt.Errorf("there is more behind it: %s", rest)
	}
	return v, nil
}

// maxValueDepth bounds how deep a value may be nested.
const maxValueDepth = 100

func parseToken(d *json.Decoder, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxValueDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			list := []any{}
			for d.More() {
				v, err := parseToken(d, depth+1)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			_, err := d.Token()
			return list, err
		}
		m := map[string]any{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name := key.(string)
			if _, twice := m[name]; twice {
				return nil, fmt.Errorf("the field %s is there twice", name)
			}
			if m[name], err = parseToken(d, depth+1); err != nil {
				return nil, err
			}
		}
		_, err := d.Token()
		return m, err
	case json.Number:
		return readNumber(t), nil
	}
	return t, nil
}

func readNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	if !strings.ContainsAny(n.String(), ".eE") {
		return n
	}
	if f, err := n.Float64(); err == nil {
		return f
	}
	return n
}

// JSON returns a value as one line of JSON with sorted fields.
func JSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Values come from JSON.
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// Decode returns the value of the marker: a string, int64, float64, bool, list,
// or what ParseJSON returns. The error says what was wanted.
func (m *Marker) Decode() (any, error) {
	k := known[m.Spelled]
	switch k.form {
	case nothing:
		if m.HasValue {
			return nil, fmt.Errorf("unknown value %q: want no value", m.Value)
		}
	case json_:
		return ParseJSON(m.Value)
	case word:
		if m.Value == "" || !m.HasValue {
			return nil, errors.New("want a value behind =")
		}
		return unquoted(m.Value), nil
	case choice:
		if !m.HasValue && m.Name == "immutable" {
			return "", nil
		}
		value := unquoted(m.Value)
		for _, w := range k.words {
			if w == value {
				return w, nil
			}
		}
		return nil, fmt.Errorf("unknown value %q: want %s", m.Value, alternatives(k.words))
	case integer:
		n, err := strconv.ParseInt(m.Value, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("want a whole number that is not negative, got %q", m.Value)
		}
		return n, nil
	case number:
		v, err := ParseJSON(m.Value)
		switch v.(type) {
		case int64, float64:
			return v, err
		}
		return nil, fmt.Errorf("want a number, got %q", m.Value)
	case boolean:
		if m.Value != "true" && m.Value != "false" && m.HasValue {
			return nil, fmt.Errorf("want true or false, got %q", m.Value)
		}
		return m.Value != "false", nil
	case text_, regular:
		p := loosely{m.Value}
		if m.Value != "" && strings.ContainsRune("\"'`", rune(m.Value[0])) {
			v, err := p.quoted()
			if err == nil && p.rest != "" {
				err = fmt.Errorf("there is more behind it: %s", p.rest)
			}
			return v, err
		}
		return m.Value, nil
	case list:
		return looseList(m.Value)
	case loose:
		return looseValue(m.Value)
	case arguments:
		return looseArguments(m.Value)
	}
	return m.Value, nil
}

func unquoted(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
