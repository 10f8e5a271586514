// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Position returns where path stands in the file, a path as the API server
// writes it: .spec.ports[port=80,protocol="TCP"].name. Keys that an item of a
// list lacks do not count against it. Where the path leads on to what is not
// there, it is the position of the last step that is; of a file that cannot be
// told apart any further, the first line of the document.
func (o *Object) Position(path string) Position {
	return o.position(o.find(path).node)
}

// Scalar returns how the scalar at path is spelled in the file, and whether it
// stands there without quotes. ok is false if no scalar is there.
func (o *Object) Scalar(path string) (text string, plain, ok bool) {
	p := o.find(path)
	n := target(p.value)
	if n == nil || !p.complete || n.Kind != yaml.ScalarNode {
		return "", false, false
	}
	return n.Value, !quoted(n), true
}

// Value returns what stands at path; ok is false if nothing does.
func (o *Object) Value(path string) (v any, ok bool) {
	p := o.find(path)
	return p.content, p.complete
}

// Steps returns the way to path: names of fields and indexes of items. Where
// the path leads on to what is not there, it is the way up to that.
func (o *Object) Steps(path string) (steps []any, complete bool) {
	p := o.find(path)
	return p.steps, p.complete
}

// KeyText returns how the name of the field at path is spelled in the file,
// and whether it stands there without quotes.
func (o *Object) KeyText(path string) (text string, plain, ok bool) {
	p := o.find(path)
	n := p.node
	if !p.complete || n == nil || n == p.value || n.Kind != yaml.ScalarNode {
		return "", false, false
	}
	return n.Value, !quoted(n), true
}

func (o *Object) position(n *yaml.Node) Position {
	p := Position{File: o.root.doc.file, Line: o.root.doc.line}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	return p
}

// At returns where the place stands that steps lead to: names of fields and
// indexes of items. Unlike a path, steps can be read in one way only. Where they
// lead on to what is not there, it is the position of the last step that is.
func (o *Object) At(steps ...any) Position {
	return o.position(o.root.reach(slices.Concat(o.steps, steps)))
}

// near returns where the place stands that steps lead to, from the inside out.
func (r root) near(steps []any) Position {
	steps = slices.Clone(steps)
	slices.Reverse(steps)
	o := &Object{root: r}
	return o.position(r.reach(steps))
}

// reach returns the syntax that stands for the place that steps lead to, as far
// as they lead.
func (r root) reach(steps []any) *yaml.Node {
	n := r.doc.node(r.index)
	at := n
	for _, s := range steps {
		var next *yaml.Node
		switch s := s.(type) {
		case string:
			key, value := r.doc.field(n, s)
			at, next = orNode(key, at), value
		case int:
			next = itemNode(n, s)
			at = orNode(next, at)
		}
		n = next
	}
	return at
}

func orNode(n, otherwise *yaml.Node) *yaml.Node {
	if n != nil {
		return n
	}
	return otherwise
}

// place is where a path led.
type place struct {
	doc      *document
	content  any
	complete bool
	steps    []any
	// node is the syntax that stands for the place: the key of a field, the
	// item of a list. value is the syntax of content. Both are nil if unknown.
	node, value *yaml.Node
}

// to is one step on from p.
func (p place) to(step, content any, node, value *yaml.Node) place {
	return place{
		doc:     p.doc,
		content: content,
		steps:   append(p.steps[:len(p.steps):len(p.steps)], step),
		node:    orNode(node, p.node),
		value:   value,
	}
}

// find follows path as far as it goes.
func (o *Object) find(path string) place {
	n := o.root.doc.node(o.root.index)
	for _, s := range o.steps {
		switch s := s.(type) {
		case string:
			_, n = o.root.doc.field(n, s)
		case int:
			n = itemNode(n, s)
		}
	}
	return follow(place{doc: o.root.doc, content: o.Content, node: n, value: n}, path)
}

// follow goes on from p. Field names may hold dots and brackets, so that a
// path can be read in several ways; the one that leads furthest counts.
func follow(p place, path string) place {
	if path == "" {
		p.complete = true
		return p
	}
	switch v := p.content.(type) {
	case map[string]any:
		rest, ok := strings.CutPrefix(path, ".")
		if !ok {
			return p
		}
		best, bestLength := p, -1
		for end := len(rest); end >= 0; end-- {
			if end < len(rest) && rest[end] != '.' && rest[end] != '[' {
				continue // no name ends here
			}
			name, after := rest[:end], rest[end:]
			c, ok := v[name]
			if !ok {
				continue
			}
			key, value := p.doc.field(p.value, name)
			q := follow(p.to(name, c, key, value), after)
			if q.complete != best.complete && q.complete || q.complete == best.complete && len(name) > bestLength {
				best, bestLength = q, len(name)
			}
		}
		return best
	case []any:
		e, after, ok := parseElement(path)
		if !ok {
			return p
		}
		if best, ok := e.in(p.doc, v); ok {
			n := itemNode(p.value, best)
			return follow(p.to(best, v[best], n, n), after)
		}
	}
	return p
}
