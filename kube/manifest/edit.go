// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Change describes edits of one mapping in an object: fields to remove, a field to add,
// and edits of one list in it. It can also delete the whole object.
type Change struct {
	// Steps is the path of the mapping in the object. A string is a field name, and an int is a
	// list index.
	Steps []any
	// Remove lists the fields to remove. Missing fields are ignored.
	Remove []string
	// Set is the name of a field to add, or "". If Replace is false, the mapping must not have this
	// field yet. Value is the new value: a scalar, or an empty map or list.
	Set   string
	Value any
	// Replace lets Set replace the value of a field that the mapping has.
	Replace bool
	// Field is the name of the list to edit, or "". The mapping need not have this field
	// already.
	Field string
	// Drop reports whether an item of the list must be removed. A nil Drop keeps all items. Add lists
	// the items to append, which are encoded by package yaml/v3. If the list becomes empty, Edit
	// removes the field.
	Drop func(item any) bool
	Add  []any
	// Delete removes the object with its document, and all other fields of the Change have no effect.
	// The object must be the only one in the document.
	Delete bool
}

// Edit returns data with the changes that the function change returns for each object.
//
// If each changed mapping has its own lines, Edit keeps all other bytes. If a changed mapping shares
// lines with other values, or if a change affects only one of several uses of an anchor, Edit rewrites
// the whole document. It then keeps comments, the order of keys and the quotes of scalars. It drops
// blank lines, replaces aliases by their values, and writes JSON as YAML. KYAML stays KYAML, in the
// format of kubectl's output. In a document whose first line ends with CR LF, all new lines end with CR
// LF.
//
// name is the file name for messages. If the data cannot be read or changed, the error has the type
// Errors. If change returns an error, Edit returns the same error. Edit does not modify data.
func Edit(name string, data []byte, change func(o *Object) ([]Change, error)) ([]byte, error) {
	if _, err := Read(name, data); err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, byteOrderMark)
	newline := newlineOf(data)
	if isCBOR(data) {
		return nil, Errors{{File: name, Message: "CBOR files cannot be edited; convert the file to YAML or JSON"}}
	}
	var out bytes.Buffer
	for _, d := range split(name, data) {
		text, end := d.data, boundaryOf(d.data) == documentEnd
		if !end {
			var err error
			if text, err = d.edit(change); err != nil {
				return nil, err
			}
		}
		if text == nil {
			continue // the document was deleted
		}
		if out.Len() > 0 && !end && !isMarker(text, "---") {
			out.WriteString("---" + newline)
		}
		out.Write(text)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			out.WriteString(newline)
		}
	}
	return out.Bytes(), nil
}

// newlineOf returns the characters at the end of the first line of a text.
func newlineOf(text []byte) string {
	if line, _, _ := bytes.Cut(text, []byte("\n")); bytes.HasSuffix(line, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// withNewlines returns text with the given characters at the end of each line.
func withNewlines(text, newline string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", newline)
}

// edit returns the text of the document after all changes. The text is nil if the document is deleted.
func (d *document) edit(change func(o *Object) ([]Change, error)) ([]byte, error) {
	roots, errs := d.decode()
	if errs != nil {
		return nil, errs
	}
	type located struct {
		*Object
		changes []Change
	}
	var all []located
	for _, root := range roots {
		objects, errs := root.objects()
		if errs != nil {
			return nil, errs
		}
		for _, o := range objects {
			changes, err := change(o)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(changes, func(c Change) bool { return c.Delete }) {
				if len(roots) > 1 || len(o.steps) > 0 {
					at := o.Start()
					return nil, Errors{{File: at.File, Line: at.Line, Message: "an object can only be deleted if it has a document of its own; separate the objects with ---"}}
				}
				return nil, nil
			}
			if len(changes) > 0 {
				all = append(all, located{o, changes})
			}
		}
	}
	if len(all) == 0 {
		return d.data, nil
	}
	if len(roots) > 1 {
		return nil, Errors{{File: d.file, Line: d.line, Message: "several JSON values in one document cannot be changed; separate them with ---"}}
	}
	var n yaml.Node
	// The YAML parser adds blank lines after comments that end with CR LF.
	if err := yaml.Unmarshal([]byte(withNewlines(string(d.data), "\n")), &n); err != nil {
		return nil, Errors{{File: d.file, Line: d.line, Message: fmt.Sprintf("the document cannot be changed: %v", err)}}
	}
	shiftLines(&n, d.line-1)
	style := layoutOf(&n)
	var every []Change
	for _, o := range all {
		for _, c := range o.changes {
			c.Steps = slices.Concat(o.steps, c.Steps)
			every = append(every, c)
		}
	}
	spliced, whole := d.splice(&n, style, every)
	want := withYAMLNumbers(roots[0].value)
	for _, c := range every {
		// Make the same changes in the plain data, to check the new text later.
		if m := mappingAt(want, c.Steps); m != nil {
			applyChange(m, c)
		}
	}
	if whole && d.hasValue(spliced, want) {
		return spliced, nil
	}
	expandAliases(&n)
	newline := newlineOf(d.data)
	kyaml := isKYAML(&n)
	if body, _, ok := d.json(); ok {
		if _, err := decodeJSON(body, 1); err == nil {
			toBlockStyle(&n)
			kyaml = false
		}
	}
	for _, c := range every {
		if err := d.changeSyntax(n.Content[0], c); err != nil {
			return nil, Errors{err}
		}
	}
	if kyaml {
		// The KYAML encoder alters some strings. If this happens, write the document as YAML.
		if text, err := renderKYAML(copyNode(&n), style); err == nil && d.hasValue(text, want) {
			return []byte(withNewlines(string(text), newline)), nil
		}
	}
	text, err := style.render(&n)
	if err != nil {
		return nil, Errors{{File: d.file, Line: d.line, Message: fmt.Sprintf("the document cannot be written: %v", err)}}
	}
	if isMarker(d.data, "---") {
		text = append([]byte("---\n"), text...)
	}
	text = []byte(withNewlines(string(text), newline))
	if !d.hasValue(text, want) {
		return nil, Errors{{File: d.file, Line: d.line, Message: "the document cannot be rewritten without changing its values; remove tags and multi-line scalars"}}
	}
	return text, nil
}

// hasValue reports whether a text is a single document with the given value.
func (d *document) hasValue(text []byte, value any) bool {
	got, err := ReadValues(d.file, text)
	return err == nil && len(got) == 1 && reflect.DeepEqual(got[0], value)
}

// withYAMLNumbers returns a copy of a JSON value whose numbers have the types that YAML gives
// them. For example, 1.0 becomes an integer.
func withYAMLNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, c := range v {
			m[k] = withYAMLNumbers(c)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, c := range v {
			l[i] = withYAMLNumbers(c)
		}
		return l
	case float64:
		return number(v)
	}
	return v
}

// mappingAt follows a path of field names and list indexes into a value, and returns the mapping that
// it finds. The result is nil if the path does not exist or leads to another kind of value.
func mappingAt(v any, steps []any) map[string]any {
	for _, s := range steps {
		switch s := s.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			l, _ := v.([]any)
			if s < 0 || s >= len(l) {
				return nil
			}
			v = l[s]
		}
	}
	m, _ := v.(map[string]any)
	return m
}

// applyChange applies a change to the plain data of a mapping.
func applyChange(m map[string]any, c Change) {
	for _, f := range c.Remove {
		delete(m, f)
	}
	if c.Set != "" {
		m[c.Set] = c.Value
	}
	if c.Field == "" {
		return
	}
	old, _ := m[c.Field].([]any)
	var items []any
	for _, item := range old {
		if c.Drop == nil || !c.Drop(item) {
			items = append(items, item)
		}
	}
	for _, item := range c.Add {
		text, err := yaml.Marshal(item)
		if err != nil {
			continue // writing the text will fail with the same error
		}
		if values, err := ReadValues("", text); err == nil {
			items = append(items, values...)
		}
	}
	if len(items) == 0 {
		delete(m, c.Field)
		return
	}
	m[c.Field] = items
}

// changeSyntax applies a change to the syntax tree n of a YAML document.
func (d *document) changeSyntax(n *yaml.Node, c Change) *Error {
	for _, s := range c.Steps {
		above := n
		switch s := s.(type) {
		case string:
			n = ownField(n, s)
		case int:
			n = itemNode(n, s)
		}
		if n != nil {
			continue
		}
		message := fmt.Sprintf("cannot change %v, because it is not here", s)
		if name, ok := s.(string); ok {
			if merged, _ := fieldNode(above, name); merged != nil {
				message = name + " comes from a merge key (<<), and cannot be changed there; write it as a field of the mapping"
			}
		}
		return &Error{File: d.file, Line: above.Line, Column: above.Column, Message: message}
	}
	if n.Kind != yaml.MappingNode {
		return &Error{File: d.file, Line: n.Line, Column: n.Column, Message: "only mappings can be changed"}
	}
	for _, f := range append([]string{c.Field, c.Set}, c.Remove...) {
		if merged, _ := fieldNode(n, f); merged != nil && ownField(n, f) == nil {
			return &Error{File: d.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf("%s comes from a merge key (<<), and cannot be changed there; write it as a field of the mapping", f)}
		}
	}
	for _, f := range c.Remove {
		removeField(n, ownField(n, f))
	}
	if c.Set != "" {
		value := &yaml.Node{}
		if err := value.Encode(c.Value); err != nil {
			return &Error{File: d.file, Line: n.Line, Message: err.Error()}
		}
		switch old := ownField(n, c.Set); {
		case old == nil:
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.Set}, value)
		case !c.Replace:
			return &Error{File: d.file, Line: n.Line, Message: fmt.Sprintf("the field %s exists already", c.Set)}
		default:
			value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
			*old = *value
		}
	}
	if c.Field == "" {
		return nil
	}
	list := ownField(n, c.Field)
	if list == nil {
		list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: n.Style & yaml.FlowStyle}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.Field}, list)
	}
	kept := list.Content[:0:0]
	for _, item := range list.Content {
		if c.Drop == nil || !c.Drop(plainNode(item)) {
			kept = append(kept, item)
		}
	}
	if list.Kind != yaml.SequenceNode {
		*list = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"} // the old value was null
		kept = nil
	}
	list.Content = kept
	for _, add := range c.Add {
		item := &yaml.Node{}
		if err := item.Encode(add); err != nil {
			return &Error{File: d.file, Line: n.Line, Column: n.Column, Message: err.Error()}
		}
		list.Content = append(list.Content, item)
	}
	if len(list.Content) == 0 {
		removeField(n, list)
	}
	return nil
}

// removeField removes the field with the given value from a mapping.
func removeField(n, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1] == value {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}

// ownField returns the value of a field of a mapping. It ignores merge keys.
func ownField(n *yaml.Node, name string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	_, value := ownEntry(n, name)
	return value
}

// plainNode returns the value of a node as Kubernetes reads it, or nil if Kubernetes
// cannot read it.
func plainNode(n *yaml.Node) any {
	text, err := yaml.Marshal(n)
	if err != nil {
		return nil
	}
	values, err := ReadValues("", text)
	if err != nil || len(values) != 1 {
		return nil
	}
	return values[0]
}

// splicer edits a document by replacing whole lines. It keeps all other lines.
type splicer struct {
	lines [][]byte
	// first is the line number of the document's first line in the file.
	first  int
	layout layout
	// order lists all nodes in document order. The map last contains, for each node, the index of the
	// last node inside it. The index refers to the list order.
	order []*yaml.Node
	last  map[*yaml.Node]int
	cuts  []cut
}

// cut replaces some lines with a text.
type cut struct {
	from, to int
	text     string
	// column is the column of the mapping or list that the text belongs to. If two texts are
	// inserted at the same place, the one with the higher column comes first.
	column int
}

// splice makes all changes in the text of the document n. ok is false if a change does not
// consist of whole lines. The caller must check that the result has the intended value.
func (d *document) splice(n *yaml.Node, f layout, changes []Change) (text []byte, ok bool) {
	s := &splicer{lines: bytes.SplitAfter(d.data, []byte("\n")), first: d.line, layout: f, last: map[*yaml.Node]int{}}
	s.number(n)
	for _, c := range changes {
		at := n.Content[0]
		for _, step := range c.Steps {
			switch step := step.(type) {
			case string:
				at = ownField(at, step)
			case int:
				at = itemNode(at, step)
			}
			if at = target(at); at == nil {
				return nil, false
			}
		}
		if at.Kind != yaml.MappingNode || at.Style&yaml.FlowStyle != 0 || !s.changeLines(at, c) {
			return nil, false
		}
	}
	slices.SortStableFunc(s.cuts, func(a, b cut) int {
		if a.from != b.from {
			return b.from - a.from
		}
		return a.column - b.column
	})
	newline, done := newlineOf(d.data), map[cut]bool{}
	for _, c := range s.cuts {
		if done[c] {
			continue // several aliases need the same change of their anchor
		}
		done[c] = true
		if c.to < c.from || c.to > len(s.lines) {
			return nil, false
		}
		if c.text != "" && c.from > 0 && !bytes.HasSuffix(s.lines[c.from-1], []byte("\n")) {
			s.lines[c.from-1] = append(slices.Clone(s.lines[c.from-1]), newline...)
		}
		s.lines = slices.Replace(s.lines, c.from, c.to, []byte(withNewlines(c.text, newline)))
	}
	return bytes.Join(s.lines, nil), true
}

// number adds n and the nodes inside it to s.order, and sets s.last for them.
func (s *splicer) number(n *yaml.Node) {
	s.order = append(s.order, n)
	for _, c := range n.Content {
		s.number(c)
	}
	s.last[n] = len(s.order) - 1
}

// column returns the column of the keys of a block mapping or of the dashes of a block list. If n has
// an anchor or a tag, n.Column is the column of the anchor or tag instead.
func (s *splicer) column(n *yaml.Node) int {
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		return n.Content[0].Column
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && (n.Anchor != "" || n.Style&yaml.TaggedStyle != 0):
		if i := s.index(n.Content[0]); i >= 0 && i < len(s.lines) {
			return len(s.lines[i]) - len(bytes.TrimLeft(s.lines[i], " ")) + 1
		}
	}
	return n.Column
}

// changeLines makes a change of the block mapping n by replacing whole lines. It adds the replacements
// to s.cuts. It returns false if the change cannot be made in this way.
func (s *splicer) changeLines(n *yaml.Node, c Change) bool {
	for _, name := range c.Remove {
		if key, value := ownEntry(n, name); key != nil {
			s.cuts = append(s.cuts, cut{from: s.index(key), to: s.end(value)})
		}
	}
	if key, value := ownEntry(n, c.Set); c.Set != "" && c.Replace && key != nil {
		if !s.replaceScalar(value, c.Value) {
			return false
		}
	} else if c.Set != "" {
		field, err := yaml.Marshal(map[string]any{c.Set: c.Value})
		if key != nil || err != nil || bytes.Count(field, []byte("\n")) != 1 {
			return false
		}
		end := s.end(n)
		s.cuts = append(s.cuts, cut{end, end, strings.Repeat(" ", s.column(n)-1) + string(field), s.column(n)})
	}
	if c.Field == "" {
		return true
	}
	key, list := ownEntry(n, c.Field)
	if list == nil {
		if len(c.Add) == 0 {
			return true
		}
		indent := s.column(n) - 1
		text := strings.Repeat(" ", indent) + c.Field + ":\n"
		if !s.layout.compact {
			indent += s.layout.indent
		}
		items, ok := s.items(indent, c.Add)
		end := s.end(n)
		s.cuts = append(s.cuts, cut{end, end, text + items, s.column(n)})
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
	items, ok := s.items(s.column(list)-1, c.Add)
	end := s.end(list)
	s.cuts = append(s.cuts, cut{end, end, items, s.column(list)})
	return ok
}

// replaceScalar adds the cut that replaces a scalar with another value. It also removes the tag and the
// anchor of the scalar. It returns false if it cannot replace the scalar, for example a scalar with
// escapes in quotes or with more than one line.
func (s *splicer) replaceScalar(n *yaml.Node, v any) bool {
	text, err := yaml.Marshal(v)
	i := s.index(n)
	if err != nil || n.Kind != yaml.ScalarNode || i < 0 || i >= len(s.lines) || n.Column < 1 || n.Column > len(s.lines[i]) {
		return false
	}
	quote := ""
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		quote = `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		quote = "'"
	}
	before, after := s.lines[i][:n.Column-1], s.lines[i][n.Column-1:]
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		after = after[len(tagOrAnchor.Find(after)):]
	}
	rest, ok := bytes.CutPrefix(after, []byte(quote+n.Value+quote))
	// With column 0, this cut is applied before cuts that insert text above the line.
	s.cuts = append(s.cuts, cut{i, i + 1, string(before) + strings.TrimSuffix(string(text), "\n") + string(rest), 0})
	return ok
}

// tagOrAnchor matches a tag, an anchor or both, as well as the spaces after them.
var tagOrAnchor = regexp.MustCompile(`^(?:[!&][^\s,\[\]{}]*[ \t]+)+`)

// ownEntry returns the key and the value of a field of a mapping. It ignores merge keys.
func ownEntry(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Tag != "!!merge" && keyText(k) == name {
			return k, n.Content[i+1]
		}
	}
	return nil, nil
}

func (s *splicer) index(n *yaml.Node) int { return n.Line - s.first }

// end returns the index of the first line after n. Blank lines and comments before the
// next node belong to the next node.
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

// items returns the text of list items that are indented by the given number of spaces. It returns
// false if an item cannot be encoded.
func (s *splicer) items(indent int, items []any) (string, bool) {
	var b strings.Builder
	margin := strings.Repeat(" ", indent)
	for _, item := range items {
		var n yaml.Node
		if n.Encode(item) != nil {
			return "", false
		}
		text, err := s.layout.render(&n)
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
