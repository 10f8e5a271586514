// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
)

// Options configures Fill.
type Options struct {
	// Now is the time of the request. A few fields default to it. If Now is zero, these fields
	// are not filled in.
	Now time.Time
	// Decoded omits fields that a server sets only when it converts an object to its
	// internal version and back. The result is then the object as it is directly after
	// decoding.
	Decoded bool
	// Skip, if not nil, reports whether Fill must leave a field as it is, for example because the
	// caller's types lack the field.
	Skip func(fieldpath.Path) bool
	// Filled, if not nil, is called for each field that Fill sets or removes, in the order of the
	// changes.
	Filled func(Default)
}

// Default describes a field that Fill has set or removed.
type Default struct {
	// Path leads to the field. It identifies list items by their index.
	Path fieldpath.Path
	// Value is the new value of the field, or nil if Fill removed the field. Options.Filled must
	// not change Value.
	Value any
	Origin
}

// Origin says where a default comes from.
type Origin struct {
	// Documented is true if OpenAPI documents contain the default.
	Documented bool
	// Rule is the name of the rule that set the field, or "" for a constant.
	Rule string
}

// String returns "OpenAPI", "constant", or "rule" followed by the name of the
// rule.
func (o Origin) String() string {
	switch {
	case o.Rule != "":
		return "rule " + o.Rule
	case o.Documented:
		return "OpenAPI"
	}
	return "constant"
}

// maxDepth limits how many levels Fill descends into an object. No built-in type has
// more levels.
const maxDepth = 100

// Fill returns object with the defaults that an API server would set when it decodes and converts
// the object. Fill does not change object. The result shares unchanged parts with object. If no
// default is missing, or if the release does not have the kind, the result is object itself.
func (r *Release) Fill(object map[string]any, o Options) map[string]any {
	n := r.table().kind(text(object["apiVersion"]), text(object["kind"]))
	if n == nil {
		return object
	}
	f := filling{Options: o}
	root := f.frame(0)
	*root = place{fill: &f, data: object}
	f.node(n, root, 0)
	return root.data
}

// filling sets the defaults in one object.
type filling struct {
	Options
	// origin is the origin of the default that Fill is currently setting.
	origin Origin
	// frames contains a place for each depth of the object. Values at the same depth are visited one
	// after the other, so they use the same place. This saves memory.
	frames []*place
	lists  []*items
	maps   []*values
}

func (f *filling) frame(depth int) *place {
	for len(f.frames) <= depth {
		f.frames = append(f.frames, &place{})
		f.lists = append(f.lists, &items{})
		f.maps = append(f.maps, &values{})
	}
	return f.frames[depth]
}

// accept reports whether Options.Skip allows setting a field of p to v. If v is nil, it reports whether
// the field may be removed. If the change is allowed, accept also calls Options.Filled.
func (f *filling) accept(p *place, name string, v any) bool {
	if f.Filled == nil && f.Skip == nil {
		return true
	}
	path := append(p.path(), fieldpath.FieldNameElement(name))
	if f.Skip != nil && f.Skip(path) {
		return false
	}
	if f.Filled != nil {
		f.Filled(Default{Path: path, Value: v, Origin: f.origin})
	}
	return true
}

// node sets the defaults of the value at p and of all values inside it. Constants come before
// rules, because rules may read fields that constants set.
func (f *filling) node(n *node, p *place, depth int) {
	for i := range n.constants {
		c := &n.constants[i]
		f.origin = Origin{Documented: c.documented}
		if len(c.path) == 1 {
			c.fill(p)
		} else {
			c.below(n, p)
		}
	}
	for _, r := range n.rules {
		if r.converts && f.Decoded {
			continue
		}
		f.origin = Origin{Rule: r.name}
		r.fill(p)
	}
	if depth == maxDepth {
		return
	}
	below := f.frame(depth + 1)
	for _, to := range n.fields {
		switch v := p.data[to.name]; to.shape {
		case always, pointer:
			m, ok := v.(map[string]any)
			if ok || v == nil && to.shape == always {
				*below = place{fill: f, data: m, up: p, name: to.name}
				f.node(to.below, below, depth+1)
			}
		case list:
			if all := array(v); len(all) > 0 {
				l := f.lists[depth]
				*l = items{all: all}
				for i := range all {
					m, ok := l.all[i].(map[string]any)
					if ok || l.all[i] == nil {
						*below = place{fill: f, data: m, up: p, name: to.name, items: l, index: i}
						f.node(to.below, below, depth+1)
					}
				}
			}
		case mapped:
			if all := object(v); len(all) > 0 {
				l := f.maps[depth]
				*l = values{all: all}
				for _, key := range sortedKeys(all) {
					m, ok := l.all[key].(map[string]any)
					if ok || l.all[key] == nil {
						*below = place{fill: f, data: m, up: p, name: to.name, values: l, key: key}
						f.node(to.below, below, depth+1)
					}
				}
			}
		}
	}
}

// fill sets a field of p to the constant if the field is absent. If c.zero is true, fill also
// replaces a zero value.
func (c *constant) fill(p *place) {
	name := c.path[len(c.path)-1]
	if v := p.data[name]; v == nil || c.zero && zero(v) {
		p.set(name, data.Clone(c.value))
	}
}

// below sets a constant whose field is several levels below p. n is the type of p. If an optional
// struct on the way to the field is absent, below does nothing.
func (c *constant) below(n *node, p *place) {
	for _, name := range c.path[:len(c.path)-1] {
		to, known := n.field(name)
		v := p.data[name]
		if _, ok := v.(map[string]any); !known || !ok && (v != nil || to.shape != always) {
			return
		}
		n, p = to.below, p.at(name)
	}
	c.fill(p)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
