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

// KYAML writes v as kubectl -o kyaml does, with --- before it: a flow mapping in
// several lines, strings in quotes, keys without where nothing else can be meant.
func KYAML(w io.Writer, v any) (err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("cannot be written as KYAML: %w", err)
	}
	var one oneLine
	if one.in(v) {
		one.mark = "text"
		for bytes.Contains(text, []byte(one.mark)) {
			one.mark += "-"
		}
		if text, err = json.Marshal(one.without(v)); err != nil {
			return fmt.Errorf("cannot be written as KYAML: %w", err)
		}
		var out bytes.Buffer
		to := w
		w = &out
		defer func() {
			if err == nil {
				err = one.write(to, out.Bytes())
			}
		}()
	}
	if err := new(kyaml.Encoder).FromYAML(bytes.NewReader(escaped(text)), w); err != nil {
		if key := longKey(v); key != "" {
			return fmt.Errorf("cannot be written as KYAML: the key %.40q… has %d characters, and YAML reads at most %d in a line; -o json and -o yaml write it", key, utf8.RuneCountInString(key), maxKey)
		}
		return fmt.Errorf("cannot be written as KYAML: %w", err)
	}
	return nil
}

// maxKey is how many characters of a key YAML reads that is not marked as one, its quotes
// among them.
const maxKey = 1024

// longKey is a key in v that is too long, "" if none is.
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

// oneLine are texts that the encoder would write otherwise than they are: of several lines,
// one of which begins with a space that has an escape, as blank lines of Windows do. It
// escapes the escape. Each is written in one line, in the place of a mark.
type oneLine struct {
	mark  string
	texts []string
}

// in says whether v has such a text.
func (o *oneLine) in(v any) bool {
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
		return slices.ContainsFunc(v, o.in)
	case map[string]any:
		for _, c := range v {
			if o.in(c) {
				return true
			}
		}
	}
	return false
}

// without is v with marks for the texts.
func (o *oneLine) without(v any) any {
	switch v := v.(type) {
	case string:
		if o.in(v) {
			o.texts = append(o.texts, v)
			return fmt.Sprintf("%s%d", o.mark, len(o.texts)-1)
		}
	case []any:
		list := make([]any, len(v))
		for i, c := range v {
			list[i] = o.without(c)
		}
		return list
	case map[string]any:
		fields := make(map[string]any, len(v))
		for name, c := range v {
			fields[name] = o.without(c)
		}
		return fields
	}
	return v
}

// write writes KYAML with the texts in the place of their marks.
func (o *oneLine) write(w io.Writer, text []byte) error {
	line := kyaml.Encoder{Compact: true}
	var pairs []string
	for i, t := range o.texts {
		bare, err := json.Marshal(t)
		if err != nil {
			return err
		}
		var one bytes.Buffer
		if err := line.FromYAML(bytes.NewReader(escaped(bare)), &one); err != nil {
			return err
		}
		_, quoted, _ := strings.Cut(strings.TrimSuffix(one.String(), "\n"), "\n")
		pairs = append(pairs, fmt.Sprintf("\"%s%d\"", o.mark, i), quoted)
	}
	_, err := strings.NewReplacer(pairs...).WriteString(w, string(text))
	return err
}

// escaped is JSON in which the characters that YAML does not allow, and JSON does, are
// escaped: the encoder reads its input as YAML.
func escaped(text []byte) []byte {
	if !bytes.ContainsFunc(text, unfit) {
		return text
	}
	var out bytes.Buffer
	for _, c := range string(text) {
		if unfit(c) {
			fmt.Fprintf(&out, `\u%04x`, c)
		} else {
			out.WriteRune(c)
		}
	}
	return out.Bytes()
}

// unfit says whether a character may stand in JSON, and not in YAML, where U+0085 is the
// end of a line.
func unfit(c rune) bool {
	return c >= 0x7f && c < 0xa0 || c == 0xfeff || c == 0xfffe || c == 0xffff
}
