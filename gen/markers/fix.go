// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"cmp"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"
)

// edit replaces the text from pos to end.
type edit struct {
	pos, end token.Pos
	text     string
}

func (f *Finding) fix(e *edit) *Finding {
	f.edit, f.Fixable = e, e != nil
	return f
}

func (s *Source) replace(pos, end token.Pos, text string) *edit { return &edit{pos, end, text} }

// with returns the edit that adds an option to the json tag.
func (f *Field) with(option string) *edit {
	if f.tag == nil || f.Embedded {
		return nil
	}
	return f.retagged(func(options []string) []string { return append(options, option) })
}

// without returns the edit that takes an option away.
func (f *Field) without(option string) *edit {
	return f.retagged(func(options []string) []string {
		return slices.DeleteFunc(options, func(o string) bool { return o == option })
	})
}

func (f *Field) retagged(change func([]string) []string) *edit {
	if f.tag == nil {
		return nil
	}
	const key = `json:"`
	at := strings.Index(f.tag.text, key)
	if at < 0 {
		return nil
	}
	rest := f.tag.text[at+len(key):]
	old, _, ok := strings.Cut(rest, `"`)
	if !ok {
		return nil
	}
	parts := strings.Split(old, ",")
	parts = append(parts[:1], change(slices.Clone(parts[1:]))...)
	start := f.tag.pos + token.Pos(at+len(key))
	return &edit{start, start + token.Pos(len(old)), strings.Join(parts, ",")}
}

// quoteFix returns the edit that puts a word in quotes.
func (s *Source) quoteFix(m *Marker) *edit {
	if !m.HasValue || m.kubebuilder() || m.Value == "" || m.Value == "null" || strings.ContainsAny(m.Value, " \t\"'`{}[]()") {
		return nil
	}
	return s.valueEdit(m, strconv.Quote(m.Value))
}

// requoteFix returns the edit that gives a default the quotes that its type wants.
func (s *Source) requoteFix(m *Marker, d *Default, t types.Type, src *Source) *edit {
	if d.Const != nil || m.kubebuilder() {
		return nil
	}
	switch v := d.Value.(type) {
	case string:
		if inner, err := ParseJSON(v); err == nil && inner != nil && src.Fits(inner, t) == nil {
			return s.valueEdit(m, v)
		}
	case int64, float64, bool:
		if src.Shape(t) == String {
			return s.valueEdit(m, strconv.Quote(m.Value))
		}
	}
	return nil
}

func (s *Source) valueEdit(m *Marker, text string) *edit {
	if !m.HasValue {
		return nil
	}
	return &edit{m.end - token.Pos(len(m.Value)), m.end, text}
}

// Fix returns the files in which findings that can be fixed are, as they are when
// these are mended: formatted, by name. It writes nothing.
func (s *Source) Fix(all []*Finding) (map[string][]byte, error) {
	edits := map[string][]*edit{}
	for _, f := range all {
		if f.edit != nil {
			name := s.fset.Position(f.edit.pos).Filename
			if !slices.ContainsFunc(edits[name], func(e *edit) bool { return e.pos < f.edit.end && f.edit.pos < e.end }) {
				edits[name] = append(edits[name], f.edit)
			}
		}
	}
	out := map[string][]byte{}
	for _, name := range sortedKeys(edits) {
		list := edits[name]
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(list, func(a, b *edit) int { return cmp.Compare(b.pos, a.pos) })
		for _, e := range list {
			// Offsets are in bytes of the file; line directives do not count.
			file := s.fset.File(e.pos)
			from, to := file.Offset(e.pos), file.Offset(e.end)
			text = slices.Concat(text[:from], []byte(e.text), text[to:])
		}
		done, err := format.Source(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.relative(name), err)
		}
		out[name] = done
	}
	return out, nil
}
