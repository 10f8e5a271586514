// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ParseJSON parses a single JSON value. Integers become int64, and other numbers float64. A
// number that fits neither becomes a json.Number. Duplicate fields and text after the value are
// errors.
func ParseJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := parseToken(d, 0)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input": // this error text exists since Go 1.27
		return nil, errors.New("unexpected end")
	case err != nil:
		return nil, err
	}
	if rest := strings.TrimSpace(text[d.InputOffset():]); rest != "" {
		return nil, fmt.Errorf("unexpected text after the value: %s", rest)
	}
	return v, nil
}

// maxValueDepth limits the nesting of a value.
const maxValueDepth = 100

func parseToken(d *json.Decoder, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxValueDepth)
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
				return nil, fmt.Errorf("duplicate field %s", name)
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

// JSON returns a value as JSON on one line, with sorted fields.
func JSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Values come from JSON, so encoding them cannot fail.
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// Decode parses the value of the marker. Depending on the marker, the result is a string,
// int64, float64, bool, list or map. The error describes the expected value.
func (m *Marker) Decode() (any, error) {
	k := known[m.Spelled]
	switch k.form {
	case nothing:
		if m.HasValue {
			return nil, fmt.Errorf("expected no value, got %q", m.Value)
		}
	case json_:
		return ParseJSON(m.Value)
	case word:
		if m.Value == "" || !m.HasValue {
			return nil, errors.New("expected a value after =")
		}
		return unquoted(m.Value), nil
	case choice:
		if !m.HasValue && m.immutable() {
			return "", nil
		}
		value := unquoted(m.Value)
		for _, w := range k.words {
			if w == value {
				return w, nil
			}
		}
		words := k.words
		if m.immutable() {
			words = append([]string{"no value"}, words...)
		}
		return nil, fmt.Errorf("unknown value %q: expected %s", m.Value, alternatives(words))
	case integer:
		n, err := strconv.ParseInt(m.Value, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("expected a non-negative integer, got %q", m.Value)
		}
		return n, nil
	case number:
		v, err := ParseJSON(m.Value)
		switch v.(type) {
		case int64, float64:
			return v, err
		}
		return nil, fmt.Errorf("expected a number, got %q", m.Value)
	case boolean:
		if m.Value != "true" && m.Value != "false" && m.HasValue {
			return nil, fmt.Errorf("expected true or false, got %q", m.Value)
		}
		return m.Value != "false", nil
	case text_, regular:
		p := loosely{rest: m.Value}
		if m.Value != "" && strings.ContainsRune("\"'`", rune(m.Value[0])) {
			v, err := p.quoted()
			if err == nil && p.rest != "" {
				err = fmt.Errorf("unexpected text after the value: %s", p.rest)
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
	case link:
		v, err := looseArguments(m.Value)
		if err != nil {
			return nil, err
		}
		return v, checkLink(v)
	case signed:
		return signedInt(m.Value)
	case tagArguments:
		if m.HasValue {
			return nil, fmt.Errorf("expected no value, got %q", m.Value)
		}
		return tagArgs(m.Value, k.words)
	}
	return m.Value, nil
}

// checkLink checks the arguments of +kubebuilder:externalDocs. It accepts the same URLs as
// controller-gen.
func checkLink(arguments any) error {
	a, _ := arguments.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if _, ok := a[name].(string); !ok || name != "url" && name != "description" {
			return fmt.Errorf("expected the strings url and description, got %s", name)
		}
	}
	text, _ := a["url"].(string)
	if _, err := url.ParseRequestURI(text); err != nil {
		return fmt.Errorf("expected url=URL, with a scheme or an absolute path: %v", err)
	}
	return nil
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

// loosely parses values in controller-gen's syntax. Strings may be unquoted, or in any of three
// kinds of quotes. Lists are in braces or separated by semicolons. Maps are in braces, and their
// keys need no quotes.
type loosely struct {
	rest string
	// bare lists the arguments whose values are not in quotes, but contain brackets or quotes.
	bare []bareArgument
}

type bareArgument struct{ name, text string }

// looseValue parses JSON, or any value in controller-gen's syntax.
func looseValue(text string) (any, error) {
	if v, err := ParseJSON(text); err == nil {
		return v, nil
	}
	p := loosely{rest: text}
	v, err := p.value(true, 0)
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = fmt.Errorf("unexpected text after the value: %s", strings.TrimSpace(p.rest))
	}
	return v, err
}

// looseList parses a list, either in braces or separated by semicolons.
func looseList(text string) ([]any, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		v, err := looseValue(text)
		if err != nil {
			return nil, err
		}
		l, ok := v.([]any)
		if !ok {
			return nil, errors.New("expected a list")
		}
		return l, nil
	}
	p := loosely{rest: text}
	l := []any{}
	for {
		v, err := p.scalar(";")
		if err != nil {
			return nil, err
		}
		l = append(l, v)
		if p.space(); !p.skip(";") {
			break
		}
		if p.space(); p.rest == "" {
			break // controller-gen also accepts a trailing semicolon
		}
	}
	if p.rest != "" {
		return nil, fmt.Errorf("unexpected text after the value: %s", p.rest)
	}
	return l, nil
}

func looseArguments(text string) (map[string]any, error) {
	p := loosely{rest: text}
	return p.arguments()
}

// arguments parses name=value pairs that are separated by commas. A value may be a list.
func (p *loosely) arguments() (map[string]any, error) {
	out := map[string]any{}
	for p.space(); p.rest != ""; p.space() {
		name, after, ok := strings.Cut(p.rest, "=")
		name = strings.TrimSpace(name)
		if !ok || strings.ContainsAny(name, "\"'`{},") {
			return nil, fmt.Errorf("expected name=value, got %s", p.rest)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("duplicate argument %s", name)
		}
		p.rest = after
		var values []any
		for {
			v, err := p.argument(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			values = append(values, v)
			if p.space(); !p.skip(";") {
				break
			}
		}
		if out[name] = any(values); len(values) == 1 {
			out[name] = values[0]
		}
		if p.rest != "" && !p.skip(",") {
			return nil, fmt.Errorf("expected a comma after %s, got %s", name, p.rest)
		}
	}
	return out, nil
}

// argument parses the value of an argument. An unquoted value ends at the next comma or
// semicolon.
func (p *loosely) argument(name string) (any, error) {
	if p.space(); p.rest == "" || strings.ContainsRune("{[\"'`", rune(p.rest[0])) {
		return p.value(false, 0)
	}
	text := p.rest
	end := 0
	for end < len(text) && text[end] != ',' && text[end] != ';' {
		if text[end] == '"' || text[end] == '`' {
			if length := strings.IndexByte(text[end+1:], text[end]); length >= 0 {
				end += length + 1
			}
		}
		end++
	}
	word := strings.TrimSpace(text[:end])
	if strings.ContainsAny(word, "[](){}\"`") {
		p.bare = append(p.bare, bareArgument{name, word})
		p.rest = text[end:]
		return word, nil
	}
	return p.scalar(",;")
}

func (p *loosely) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *loosely) skip(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *loosely) value(whole bool, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxValueDepth)
	}
	p.space()
	switch {
	case p.skip("{"):
		return p.braces("}", depth)
	case p.skip("["):
		return p.braces("]", depth)
	case whole:
		return p.scalar("")
	}
	return p.scalar(",;}]")
}

// braces parses a map or a list up to its closing brace.
func (p *loosely) braces(closing string, depth int) (any, error) {
	var (
		list []any
		m    map[string]any
	)
	for {
		p.space()
		if p.skip(closing) {
			switch {
			case m != nil:
				return m, nil
			case list == nil && closing == "}":
				return map[string]any{}, nil
			}
			return append([]any{}, list...), nil
		}
		if p.rest == "" {
			return nil, errors.New("unexpected end")
		}
		if name, ok := p.name(); ok && list == nil && closing == "}" {
			if m == nil {
				m = map[string]any{}
			}
			if _, twice := m[name]; twice {
				return nil, fmt.Errorf("duplicate field %s", name)
			}
			v, err := p.value(false, depth+1)
			if err != nil {
				return nil, err
			}
			m[name] = v
		} else if m != nil {
			return nil, fmt.Errorf("expected name: value, got %s", p.rest)
		} else {
			v, err := p.value(false, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		if p.space(); !p.skip(",") && !strings.HasPrefix(p.rest, closing) {
			return nil, fmt.Errorf("expected a comma or %s, got %q", closing, p.rest)
		}
	}
}

// name parses a field name and the colon after it. If there is no such name, it returns
// false and consumes nothing.
func (p *loosely) name() (string, bool) {
	before := *p
	var name string
	if strings.HasPrefix(p.rest, `"`) || strings.HasPrefix(p.rest, "'") || strings.HasPrefix(p.rest, "`") {
		q, err := p.quoted()
		if err != nil {
			*p = before
			return "", false
		}
		name = q
	} else {
		i := strings.IndexAny(p.rest, ":,{}[]\"'`")
		if i <= 0 {
			return "", false
		}
		name, p.rest = strings.TrimSpace(p.rest[:i]), p.rest[i:]
	}
	if p.space(); !p.skip(":") {
		*p = before
		return "", false
	}
	return name, true
}

// scalar parses a string, number or boolean. Each character in the parameter stop ends it.
func (p *loosely) scalar(stop string) (any, error) {
	p.space()
	if p.rest != "" && strings.ContainsRune("\"'`", rune(p.rest[0])) {
		return p.quoted()
	}
	i := len(p.rest)
	if stop != "" {
		if at := strings.IndexAny(p.rest, stop); at >= 0 {
			i = at
		}
	}
	text := strings.TrimSpace(p.rest[:i])
	p.rest = p.rest[i:]
	switch text {
	case "":
		return nil, errors.New("expected a value")
	case "true", "false":
		return text == "true", nil
	case "null", "nil":
		return nil, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xXnNiI_") {
		return f, nil
	}
	return text, nil
}

// quoted parses a string in single quotes, double quotes or backquotes.
func (p *loosely) quoted() (string, error) {
	q := p.rest[0]
	for i := 1; i < len(p.rest); i++ {
		switch {
		case p.rest[i] == '\\' && q != '`':
			i++
		case p.rest[i] == q:
			text := p.rest[:i+1]
			p.rest = p.rest[i+1:]
			if q == '\'' {
				inner := strings.ReplaceAll(text[1:len(text)-1], `\'`, `'`)
				text = `"` + strings.ReplaceAll(inner, `"`, `\"`) + `"`
			}
			out, err := strconv.Unquote(text)
			if err != nil {
				return "", fmt.Errorf("%s is not a valid quoted string: %w", text, err)
			}
			return out, nil
		}
	}
	return "", errors.New("missing closing quote")
}
