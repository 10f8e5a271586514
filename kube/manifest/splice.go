// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// splicer changes the lines of a document and leaves all others as they are.
type splicer struct {
	lines [][]byte
	// first is the line of the file that lines begin with.
	first int
	form  form
	// order are all nodes in the order of the document, last the number of the last
	// one within each.
	order []*yaml.Node
	last  map[*yaml.Node]int
	cuts  []cut
}

// cut puts text in place of lines.
type cut struct {
	from, to int
	text     string
	// column is that of what the text belongs to: of two texts at one place, the
	// one that is further in comes first.
	column int
}

// splice returns the document n with all changes, made in its text; ok is false
// where that takes more than whole lines. What it means is for the caller to check.
func (d *document) splice(n *yaml.Node, f form, changes []Change) (text []byte, ok bool) {
	s := &splicer{lines: bytes.SplitAfter(d.data, []byte("\n")), first: d.line, form: f, last: map[*yaml.Node]int{}}
	if !s.number(n) {
		return nil, false
	}
	for _, c := range changes {
		at := n.Content[0]
		for _, step := range c.Steps {
			switch step := step.(type) {
			case string:
				at = ownField(at, step)
			case int:
				at = itemNode(at, step)
			}
			if at == nil {
				return nil, false
			}
		}
		if at.Kind != yaml.MappingNode || at.Style&yaml.FlowStyle != 0 || !s.change(at, c) {
			return nil, false
		}
	}
	slices.SortStableFunc(s.cuts, func(a, b cut) int {
		if a.from != b.from {
			return b.from - a.from
		}
		return a.column - b.column
	})
	for _, c := range s.cuts {
		if c.to < c.from || c.to > len(s.lines) {
			return nil, false
		}
		if c.text != "" && c.from > 0 && !bytes.HasSuffix(s.lines[c.from-1], []byte("\n")) {
			s.lines[c.from-1] = append(slices.Clone(s.lines[c.from-1]), '\n')
		}
		s.lines = slices.Replace(s.lines, c.from, c.to, []byte(c.text))
	}
	return bytes.Join(s.lines, nil), true
}

// number finds the order of nodes; it is false if there are aliases.
func (s *splicer) number(n *yaml.Node) bool {
	s.order = append(s.order, n)
	for _, c := range n.Content {
		if c.Kind == yaml.AliasNode || !s.number(c) {
			return false
		}
	}
	s.last[n] = len(s.order) - 1
	return true
}

// change notes the cuts that a change of the block mapping n takes.
func (s *splicer) change(n *yaml.Node, c Change) bool {
	for _, name := range c.Remove {
		if key, value := ownEntry(n, name); key != nil {
			s.cuts = append(s.cuts, cut{from: s.index(key), to: s.end(value)})
		}
	}
	if c.Set != "" {
		field, err := yaml.Marshal(map[string]any{c.Set: c.Value})
		if key, _ := ownEntry(n, c.Set); key != nil || err != nil || bytes.Count(field, []byte("\n")) != 1 {
			return false
		}
		end := s.end(n)
		s.cuts = append(s.cuts, cut{end, end, strings.Repeat(" ", n.Column-1) + string(field), n.Column})
	}
	if c.Field == "" {
		return true
	}
	key, list := ownEntry(n, c.Field)
	if list == nil {
		if len(c.Add) == 0 {
			return true
		}
		indent := n.Column - 1
		text := strings.Repeat(" ", indent) + c.Field + ":\n"
		if !s.form.compact {
			indent += s.form.indent
		}
		items, ok := s.items(indent, c.Add)
		end := s.end(n)
		s.cuts = append(s.cuts, cut{end, end, text + items, n.Column})
		return ok
	}
	if list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
		return false
	}
	kept := 0
	for _, item := range list.Content {
		if c.Drop == nil || !c.Drop(plainNode(item)) {
			kept++
			continue
		}
		s.cuts = append(s.cuts, cut{from: s.index(item), to: s.end(item)})
	}
	if kept+len(c.Add) == 0 {
		s.cuts = append(s.cuts, cut{from: s.index(key), to: s.index(list.Content[0])})
		return s.index(key) < s.index(list.Content[0])
	}
	items, ok := s.items(list.Column-1, c.Add)
	end := s.end(list)
	s.cuts = append(s.cuts, cut{end, end, items, list.Column})
	return ok
}

// ownEntry is the key and the value of a field that a mapping has without merging.
func ownEntry(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Tag != "!!merge" && keyText(k) == name {
			return k, n.Content[i+1]
		}
	}
	return nil, nil
}

func (s *splicer) index(n *yaml.Node) int { return n.Line - s.first }

// end is the line behind all that n has. Comments and blank lines above what comes
// next belong to that.
func (s *splicer) end(n *yaml.Node) int {
	end, column := len(s.lines), 1
	if next := s.last[n] + 1; next < len(s.order) {
		end, column = s.index(s.order[next]), s.order[next].Column
	}
	for end > s.index(n)+1 {
		line := s.lines[end-1]
		text := bytes.TrimLeft(line, " ")
		if len(bytes.TrimSpace(line)) > 0 && (text[0] != '#' || len(line)-len(text) >= column) {
			break
		}
		end--
	}
	return end
}

// items are the items of a list, as text.
func (s *splicer) items(indent int, items []any) (string, bool) {
	var b strings.Builder
	margin := strings.Repeat(" ", indent)
	for _, item := range items {
		var n yaml.Node
		if n.Encode(item) != nil {
			return "", false
		}
		text, err := s.form.render(&n)
		if err != nil {
			return "", false
		}
		lead := "- "
		for line := range strings.Lines(string(text)) {
			b.WriteString(margin + lead + line)
			lead = "  "
		}
	}
	return b.String(), true
}
