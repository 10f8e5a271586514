// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Position returns the position of a path in the file. The syntax of the path is the same as in API
// servers: .spec.ports[port=80,protocol="TCP"].name. A list item that lacks some of the keys can also
// match. If the path does not exist, the result is the position of the last step that exists. If no
// position is known, the result is the first line of the document.
func (o *Object) Position(path string) Position {
	return o.position(o.find(path).node)
}

// Scalar returns the text of the scalar at path, as the file spells it. plain is true if
// it has no quotes. ok is false if there is no scalar at path.
func (o *Object) Scalar(path string) (text string, plain, ok bool) {
	p := o.find(path)
	n := target(p.value)
	if n == nil || !p.complete || n.Kind != yaml.ScalarNode {
		return "", false, false
	}
	return n.Value, !quoted(n), true
}

// Value returns the value at path. ok is false if the path does not exist.
func (o *Object) Value(path string) (v any, ok bool) {
	p := o.find(path)
	return p.content, p.complete
}

// Steps splits a path into steps. A string is a field name, and an int is a list index. If
// the path does not exist, complete is false, and the steps lead to the last place that
// exists.
func (o *Object) Steps(path string) (steps []any, complete bool) {
	p := o.find(path)
	return p.steps, p.complete
}

// KeyText returns the field name at the end of path, as the file spells it. plain is true
// if it has no quotes. ok is false if there is no such field.
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

// At returns the position of the value at a path. A string is a field name, and an int is a list
// index, so the path is never ambiguous. If some steps do not exist, the result is the position of
// the last step that exists.
func (o *Object) At(steps ...any) Position {
	return o.position(o.root.nodeAt(slices.Concat(o.steps, steps)))
}

// positionOfReversed returns the position of the value at a path from the root. The steps of the
// path are in reverse order.
func (r root) positionOfReversed(steps []any) Position {
	steps = slices.Clone(steps)
	slices.Reverse(steps)
	o := &Object{root: r}
	return o.position(r.nodeAt(steps))
}

// nodeAt follows the path steps into the document, and returns the node that it finds. The node of a
// field is its key. If the path does not exist, nodeAt returns the node of the last step that exists.
func (r root) nodeAt(steps []any) *yaml.Node {
	n := r.doc.node(r.index)
	at := n
	for _, s := range steps {
		var next *yaml.Node
		switch s := s.(type) {
		case string:
			key, value := r.doc.field(n, s)
			at, next = firstNode(key, at), value
		case int:
			next = itemNode(n, s)
			at = firstNode(next, at)
		}
		n = next
	}
	return at
}

func firstNode(n, otherwise *yaml.Node) *yaml.Node {
	if n != nil {
		return n
	}
	return otherwise
}

// place is the result of following a path in an object.
type place struct {
	doc      *document
	content  any
	complete bool
	steps    []any
	// node is the syntax node of a field's key, or of a list item. value is the syntax node of the
	// value in content. Both are nil if they are not known.
	node, value *yaml.Node
}

// step returns the place that is one step below p.
func (p place) step(step, content any, node, value *yaml.Node) place {
	return place{
		doc:     p.doc,
		content: content,
		steps:   append(p.steps[:len(p.steps):len(p.steps)], step),
		node:    firstNode(node, p.node),
		value:   value,
	}
}

// find follows a path as far as the path exists.
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
	return followPath(place{doc: o.root.doc, content: o.Content, node: n, value: n}, path)
}

// followPath follows a path from p. Field names may contain dots and brackets, so a path can
// often be split in several ways. followPath chooses the split that leads furthest into the
// object.
func followPath(p place, path string) place {
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
				continue // a name cannot end here
			}
			name, after := rest[:end], rest[end:]
			c, ok := v[name]
			if !ok {
				continue
			}
			key, value := p.doc.field(p.value, name)
			q := followPath(p.step(name, c, key, value), after)
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
		if best, ok := e.bestMatch(p.doc, v); ok {
			n := itemNode(p.value, best)
			return followPath(p.step(best, v[best], n, n), after)
		}
	}
	return p
}

// PathTo returns the path of a value that the given path identifies and for which the function matches
// returns true. If keys in path identify several items of a list, PathTo tries these items in order.
// The result then has the index of the first suitable item in place of the keys. If PathTo finds no
// suitable value, it returns path.
func (o *Object) PathTo(path string, matches func(v any) bool) string {
	s := pathSearch{matches: matches, tries: maxPathTries}
	if found, ok := s.find(o.find(""), path); ok {
		return found
	}
	return path
}

// maxPathTries is the maximum number of list items in which PathTo searches.
const maxPathTries = 200

// pathSearch searches for a value.
type pathSearch struct {
	matches func(v any) bool
	tries   int
}

// find returns the path from p to a value that matches. ok is false if it finds no such value.
func (s *pathSearch) find(p place, path string) (found string, ok bool) {
	if path == "" {
		return "", s.matches(p.content)
	}
	switch v := p.content.(type) {
	case map[string]any:
		rest, isField := strings.CutPrefix(path, ".")
		for end := len(rest); isField && end > 0; end-- {
			if end < len(rest) && rest[end] != '.' && rest[end] != '[' {
				continue // a name cannot end here
			}
			name := rest[:end]
			c, exists := v[name]
			if !exists {
				continue
			}
			key, value := p.doc.field(p.value, name)
			if found, ok := s.find(p.step(name, c, key, value), rest[end:]); ok {
				return "." + name + found, true
			}
		}
	case []any:
		e, after, isItem := parseElement(path)
		if !isItem {
			return "", false
		}
		items := e.bestMatches(p.doc, v, s.tries)
		for _, i := range items {
			if s.tries--; s.tries < 0 {
				return "", false
			}
			n := itemNode(p.value, i)
			if found, ok := s.find(p.step(i, v[i], n, n), after); ok {
				element := path[:len(path)-len(after)]
				if len(items) > 1 {
					element = "[" + strconv.Itoa(i) + "]"
				}
				return element + found, true
			}
		}
	}
	return "", false
}

// A degree is the quality of the match between a list item and a path element.
type degree int

const (
	noMatch degree = iota
	// partly means that the item lacks some of the keys.
	partly
	fully
)

func degreeOf(matches bool) degree {
	if matches {
		return fully
	}
	return noMatch
}

// element is a step in a path that selects a list item. It contains an index, or keys with their
// values as text. A key with an empty name stands for the item itself.
type element struct {
	index int
	keys  map[string]string
}

// parseElement parses the list step at the start of a path, for example [3], [="v"] or
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

// bestMatch returns the index of the list item that matches best. If several items match
// equally well, it returns the first. ok is false if no item matches.
func (e element) bestMatch(d *document, list []any) (at int, ok bool) {
	if e.keys == nil {
		return e.index, e.index >= 0 && e.index < len(list)
	}
	best, found := 0, noMatch
	try := func(i int) {
		if m := matchDegree(list[i], e.keys); m > found {
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

// bestMatches returns the indexes of the list items that match as well as the best match, but at most
// limit of them.
func (e element) bestMatches(d *document, list []any, limit int) (items []int) {
	best, ok := e.bestMatch(d, list)
	switch {
	case !ok:
		return nil
	case e.keys == nil:
		return []int{best}
	}
	want := matchDegree(list[best], e.keys)
	try := func(i int) bool {
		if matchDegree(list[i], e.keys) == want {
			items = append(items, i)
		}
		return len(items) < limit
	}
	if few := d.candidates(list, e.keys); few != nil {
		for _, i := range few {
			if !try(int(i)) {
				break
			}
		}
	} else {
		for i := best; i < len(list) && try(i); i++ {
		}
	}
	return items
}

// matchDegree returns the quality of the match between an item and keys.
func matchDegree(item any, keys map[string]string) degree {
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

// sameScalar reports whether text, a value in a path, stands for the scalar v.
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

// Only lists with at least fewToIndex items get an index, and only after fewLookups
// lookups.
const fewToIndex, fewLookups = 32, 4

// listIndex finds the items of a list by the values of their keys. It contains an index for each key
// that was looked up before.
type listIndex struct {
	lookups int
	byName  map[listKey]*keyIndex
}

// listKey identifies the items of a list: by the field with the given name or, if self is true, by
// their whole value.
type listKey struct {
	name string
	self bool
}

// keyIndex maps the values of one key to the indexes of items.
type keyIndex struct {
	byValue map[any][]int32
	// withoutKey lists the indexes of items that lack the key. Such items match
	// partly.
	withoutKey []int32
}

// candidates returns the indexes of the items that may have the given keys, in order. It returns nil
// if the caller must check all items, for example because the list is short. For a long list, it
// builds an index, because messages may mention many items of the same list.
func (d *document) candidates(list []any, keys map[string]string) []int32 {
	if len(list) < fewToIndex {
		return nil
	}
	d.lists.Lock()
	defer d.lists.Unlock()
	if d.lists.indexes == nil {
		d.lists.indexes = map[*any]*listIndex{}
	}
	x := d.lists.indexes[&list[0]]
	if x == nil {
		x = &listIndex{byName: map[listKey]*keyIndex{}}
		d.lists.indexes[&list[0]] = x
	}
	if x.lookups++; x.lookups <= fewLookups {
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
		if these := of.byValue[scalarOf(text)]; few == nil || len(these)+len(of.withoutKey) < len(found)+len(few.withoutKey) {
			few, found = of, these
		}
	}
	switch n := len(found) + len(few.withoutKey); {
	case n > len(list)/8:
		return nil
	case n == 0:
		return []int32{}
	case len(few.withoutKey) == 0:
		return found
	}
	all := slices.Concat(found, few.withoutKey)
	slices.Sort(all)
	return all
}

func indexOf(list []any, key listKey) *keyIndex {
	x := &keyIndex{byValue: map[any][]int32{}}
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
			x.withoutKey = append(x.withoutKey, int32(i))
		case int64:
			x.byValue[float64(v)] = append(x.byValue[float64(v)], int32(i))
		case string, float64, bool:
			x.byValue[v] = append(x.byValue[v], int32(i))
		}
	}
	return x
}

// scalarOf parses a value as it is written in a path. Integers become floats.
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
