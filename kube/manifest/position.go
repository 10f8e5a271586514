// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strconv"
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

// A degree says how well an item fits a path element.
type degree int

const (
	noMatch degree = iota
	// partly: the item lacks a key.
	partly
	fully
)

func degreeOf(matches bool) degree {
	if matches {
		return fully
	}
	return noMatch
}

// element is a list element of a path: an index, or texts of keys; that of an item itself
// has no name.
type element struct {
	index int
	keys  map[string]string
}

// parseElement reads the list element that path begins with: [3], [="v"] or
// [a="b",c=1].
func parseElement(path string) (e element, rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "[")
	if !ok {
		return e, "", false
	}
	if end := strings.IndexByte(rest, ']'); end > 0 {
		if want, err := strconv.Atoi(rest[:end]); err == nil {
			return element{index: want}, rest[end+1:], true
		}
	}
	e.keys = map[string]string{}
	for {
		name, after, ok := strings.Cut(rest, "=")
		if !ok {
			return e, "", false
		}
		text := after
		if quoted, err := strconv.QuotedPrefix(after); err == nil {
			text = quoted
		} else if end := strings.IndexAny(after, ",]"); end >= 0 {
			text = after[:end]
		}
		e.keys[name] = text
		rest = after[len(text):]
		if after, ok := strings.CutPrefix(rest, "]"); ok {
			return e, after, true
		}
		if rest, ok = strings.CutPrefix(rest, ","); !ok {
			return e, "", false
		}
	}
}

// in returns the item of a list that fits best, the first of several; ok is false if none
// does.
func (e element) in(d *document, list []any) (at int, ok bool) {
	if e.keys == nil {
		return e.index, e.index >= 0 && e.index < len(list)
	}
	best, found := 0, noMatch
	try := func(i int) {
		if m := fit(list[i], e.keys); m > found {
			best, found = i, m
		}
	}
	if few := d.candidates(list, e.keys); few != nil {
		for _, i := range few {
			try(int(i))
		}
	} else {
		for i := range list {
			try(i)
		}
	}
	return best, found > noMatch
}

// fit says how well item has these keys.
func fit(item any, keys map[string]string) degree {
	if want, ok := keys[""]; ok && len(keys) == 1 {
		return degreeOf(sameScalar(item, want))
	}
	fields, ok := item.(map[string]any)
	if !ok {
		return noMatch
	}
	d := fully
	for name, want := range keys {
		switch v, ok := fields[name]; {
		case v == nil && !(ok && want == "null"):
			d = partly
		case !sameScalar(v, want):
			return noMatch
		}
	}
	return d
}

// sameScalar says whether v is what a path element writes as text.
func sameScalar(v any, text string) bool {
	switch v := v.(type) {
	case string:
		want, err := strconv.Unquote(text)
		return err == nil && v == want
	case int64:
		f, err := strconv.ParseFloat(text, 64)
		return err == nil && (text == strconv.FormatInt(v, 10) || f == float64(v))
	case float64:
		f, err := strconv.ParseFloat(text, 64)
		return err == nil && f == v
	case bool:
		return text == strconv.FormatBool(v)
	case nil:
		return text == "null"
	}
	return false
}

// fewToIndex and fewLookups are what is not worth an index.
const fewToIndex, fewLookups = 32, 4

// listIndex tells where the items of a list are by what they have for a key, of the keys
// that were asked for.
type listIndex struct {
	asked  int
	byName map[listKey]*keyIndex
}

// listKey is the name of a key, or stands for the items themselves.
type listKey struct {
	name string
	self bool
}

// keyIndex are items by their value for one key.
type keyIndex struct {
	of map[any][]int32
	// lacking are those that have none, which fit partly.
	lacking []int32
}

// candidates returns, in order, the items of a list that may fit keys, nil for all of
// them: messages about many items of one list look each of them up.
func (d *document) candidates(list []any, keys map[string]string) []int32 {
	if len(list) < fewToIndex {
		return nil
	}
	d.lists.Lock()
	defer d.lists.Unlock()
	if d.lists.asked == nil {
		d.lists.asked = map[*any]*listIndex{}
	}
	x := d.lists.asked[&list[0]]
	if x == nil {
		x = &listIndex{byName: map[listKey]*keyIndex{}}
		d.lists.asked[&list[0]] = x
	}
	if x.asked++; x.asked <= fewLookups {
		return nil
	}
	var few *keyIndex
	var found []int32
	for name, text := range keys {
		key := listKey{name, name == "" && len(keys) == 1}
		of := x.byName[key]
		if of == nil {
			of = indexOf(list, key)
			x.byName[key] = of
		}
		if these := of.of[scalarOf(text)]; few == nil || len(these)+len(of.lacking) < len(found)+len(few.lacking) {
			few, found = of, these
		}
	}
	switch n := len(found) + len(few.lacking); {
	case n > len(list)/8:
		return nil
	case n == 0:
		return []int32{}
	case len(few.lacking) == 0:
		return found
	}
	all := slices.Concat(found, few.lacking)
	slices.Sort(all)
	return all
}

func indexOf(list []any, key listKey) *keyIndex {
	x := &keyIndex{of: map[any][]int32{}}
	for i, item := range list {
		v := item
		if !key.self {
			fields, ok := item.(map[string]any)
			if !ok {
				continue
			}
			v = fields[key.name]
		}
		switch v := v.(type) {
		case nil:
			x.lacking = append(x.lacking, int32(i))
		case int64:
			x.of[float64(v)] = append(x.of[float64(v)], int32(i))
		case string, float64, bool:
			x.of[v] = append(x.of[v], int32(i))
		}
	}
	return x
}

// scalarOf is the value that sameScalar finds to be a text, integers as floats.
func scalarOf(text string) any {
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return nil
}
