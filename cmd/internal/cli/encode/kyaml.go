// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml/kyaml"
)

// KYAML writes v as "kubectl -o kyaml" does: after the line "---", it writes a mapping with braces
// over several lines. Strings are quoted. Keys are quoted only if YAML could mistake them for
// another type.
func KYAML(w io.Writer, v any) (err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("cannot be written as KYAML: %w", err)
	}
	var texts placeholders
	if texts.neededFor(v) {
		texts.prefix = "text"
		for bytes.Contains(text, []byte(texts.prefix)) {
			texts.prefix += "-"
		}
		if text, err = json.Marshal(texts.insert(v)); err != nil {
			return fmt.Errorf("cannot be written as KYAML: %w", err)
		}
		var out bytes.Buffer
		to := w
		w = &out
		defer func() {
			if err == nil {
				err = texts.write(to, out.Bytes())
			}
		}()
	}
	if err := new(kyaml.Encoder).FromYAML(bytes.NewReader(escapeForYAML(text)), w); err != nil {
		if key := longKey(v); key != "" {
			return fmt.Errorf("cannot be written as KYAML: the key %.40q… has %d characters, and YAML allows at most %d for a key; use -o json or -o yaml", key, utf8.RuneCountInString(key), maxKey)
		}
		return fmt.Errorf("cannot be written as KYAML: %w", err)
	}
	return nil
}

// maxKey is the maximum length of a key, including its quotes. YAML allows longer keys only after
// a "?", which the KYAML encoder does not write.
const maxKey = 1024

// longKey returns a key in v that is longer than maxKey, or "" if there is no such key.
func longKey(v any) string {
	switch v := v.(type) {
	case map[string]any:
		for name, c := range v {
			if text, err := json.Marshal(name); err != nil || utf8.RuneCount(text) > maxKey {
				return name
			}
			if key := longKey(c); key != "" {
				return key
			}
		}
	case []any:
		for _, c := range v {
			if key := longKey(c); key != "" {
				return key
			}
		}
	}
	return ""
}

// placeholders works around a bug in the KYAML encoder. The encoder garbles a string if one of its
// lines begins with white space that needs an escape, such as \r. So the encoder gets a placeholder
// instead of such a string. Afterwards, write replaces the placeholder with the string, on one
// line.
type placeholders struct {
	prefix string
	texts  []string
}

// neededFor reports whether v contains a string that the encoder would garble.
func (p *placeholders) neededFor(v any) bool {
	switch v := v.(type) {
	case string:
		if !strings.Contains(v, "\n") {
			return false
		}
		for line := range strings.Lines(v) {
			if c, _ := utf8.DecodeRuneInString(line); unicode.IsSpace(c) && !strings.ContainsRune(" \t\n", c) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, p.neededFor)
	case map[string]any:
		for _, c := range v {
			if p.neededFor(c) {
				return true
			}
		}
	}
	return false
}

// insert returns a copy of v in which placeholders replace the strings that the encoder would
// garble.
func (p *placeholders) insert(v any) any {
	switch v := v.(type) {
	case string:
		if p.neededFor(v) {
			p.texts = append(p.texts, v)
			return fmt.Sprintf("%s%d", p.prefix, len(p.texts)-1)
		}
	case []any:
		list := make([]any, len(v))
		for i, c := range v {
			list[i] = p.insert(c)
		}
		return list
	case map[string]any:
		fields := make(map[string]any, len(v))
		for name, c := range v {
			fields[name] = p.insert(c)
		}
		return fields
	}
	return v
}

// write writes the output of the encoder, with the original strings instead of placeholders.
func (p *placeholders) write(w io.Writer, text []byte) error {
	line := kyaml.Encoder{Compact: true}
	var pairs []string
	for i, t := range p.texts {
		bare, err := json.Marshal(t)
		if err != nil {
			return err
		}
		var one bytes.Buffer
		if err := line.FromYAML(bytes.NewReader(escapeForYAML(bare)), &one); err != nil {
			return err
		}
		_, quoted, _ := strings.Cut(strings.TrimSuffix(one.String(), "\n"), "\n")
		pairs = append(pairs, fmt.Sprintf("\"%s%d\"", p.prefix, i), quoted)
	}
	_, err := strings.NewReplacer(pairs...).WriteString(w, string(text))
	return err
}

// escapeForYAML escapes the characters in a JSON text that YAML does not accept unescaped. The
// KYAML encoder needs these escapes, because it reads JSON as YAML.
func escapeForYAML(text []byte) []byte {
	if !bytes.ContainsFunc(text, needsEscape) {
		return text
	}
	var out bytes.Buffer
	for _, c := range string(text) {
		if needsEscape(c) {
			fmt.Fprintf(&out, `\u%04x`, c)
		} else {
			out.WriteRune(c)
		}
	}
	return out.Bytes()
}

// needsEscape reports whether JSON accepts a character in a string, but YAML does not, or treats
// it as a line break. An example is U+0085.
func needsEscape(c rune) bool {
	return c >= 0x7f && c < 0xa0 || c == 0xfeff || c == 0xfffe || c == 0xffff
}
