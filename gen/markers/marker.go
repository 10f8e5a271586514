// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package markers

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Marker is a line of a comment that begins with a plus sign.
type Marker struct {
	// Name is what comes before the value, as default or listType. Spellings that
	// mean the same have one name, that of the Kubernetes marker.
	Name string
	// Spelled is the name as it is in the comment.
	Spelled string
	// Value is what comes after the name; HasValue says whether there is an equals
	// sign.
	Value    string
	HasValue bool

	// text is all of it, without the plus sign.
	text     string
	pos, end token.Pos
	// detached is set if a blank line parts the comment from what it is above;
	// trailing, if it is behind it on its line.
	detached, trailing bool
	// lines follow in the comment, up to the next marker.
	lines []string
}

// kubebuilder says whether the marker is of controller-gen, whose values are not
// JSON but have a syntax of their own.
func (m *Marker) kubebuilder() bool { return strings.HasPrefix(m.Spelled, "kubebuilder:") }

// String returns the marker as it is in the comment.
func (m *Marker) String() string { return "+" + m.text }

// markersIn returns the markers of a comment.
func markersIn(g *ast.CommentGroup) (all []Marker) {
	if g == nil {
		return nil
	}
	for _, l := range commentLines(g) {
		text := strings.TrimSpace(l.text)
		rest, ok := strings.CutPrefix(text, "+")
		if !ok || rest == "" || !isNameByte(rest[0]) {
			if n := len(all); n > 0 && text != "" {
				all[n-1].lines = append(all[n-1].lines, text)
			}
			continue
		}
		m := parseMarker(rest)
		m.pos = l.pos + token.Pos(strings.Index(l.text, "+"))
		m.end = m.pos + token.Pos(1+len(rest))
		all = append(all, m)
	}
	return all
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// commentLine is a line of a comment without what makes it one.
type commentLine struct {
	text string
	pos  token.Pos
}

func commentLines(g *ast.CommentGroup) (lines []commentLine) {
	for _, c := range g.List {
		text, at := c.Text[2:], c.Slash+2
		if strings.HasPrefix(c.Text, "/*") {
			text = strings.TrimSuffix(text, "*/")
		}
		for line := range strings.SplitAfterSeq(text, "\n") {
			lines = append(lines, commentLine{strings.TrimRight(line, "\r\n"), at})
			at += token.Pos(len(line))
		}
	}
	return lines
}

// parseMarker parses what is behind the plus sign.
func parseMarker(text string) Marker {
	head := text
	m := Marker{text: text}
	if i := strings.IndexAny(text, "=( \t"); i >= 0 {
		head = text[:i]
		rest := strings.TrimLeft(text[i:], " \t")
		if value, ok := strings.CutPrefix(rest, "="); ok {
			head = strings.TrimSuffix(head, ":")
			m.Value, m.HasValue = strings.TrimSpace(value), true
		} else {
			m.Value = strings.TrimSpace(rest)
		}
	}
	if _, ok := known[head]; !ok {
		// The name may be followed by arguments: kubebuilder:resource:path=x.
		for i := strings.LastIndexByte(head, ':'); i > 0; i = strings.LastIndexByte(head[:i], ':') {
			if k, ok := known[head[:i]]; ok && k.form == arguments {
				m.Value, m.HasValue = text[i+1:], true
				head = head[:i]
				break
			}
		}
	}
	m.Name, m.Spelled = head, head
	if k, ok := known[head]; ok && k.as != "" {
		m.Name = k.as
	}
	return m
}

// Find returns the first marker of that name.
func Find(all []Marker, name string) (*Marker, bool) {
	if i := slices.IndexFunc(all, func(m Marker) bool { return m.Name == name }); i >= 0 {
		return &all[i], true
	}
	return nil, false
}

// Each returns all markers of that name.
func Each(all []Marker, name string) (found []*Marker) {
	for i := range all {
		if all[i].Name == name {
			found = append(found, &all[i])
		}
	}
	return found
}

// Has says whether there is a marker of that name.
func Has(all []Marker, name string) bool {
	_, ok := Find(all, name)
	return ok
}

// docText returns the text of a comment without its markers and without what
// follows a line of three dashes.
func docText(g *ast.CommentGroup) (lines []string) {
	if g == nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(g.Text(), "\n"), "\n")
}
