// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/data"
)

// Options change what Fill does.
type Options struct {
	// Now is the time of the request, which a few fields take. They are left out if it is
	// zero.
	Now time.Time
	// Decoded leaves out what the conversion to the internal version of a kind and back
	// fills in, so that an object is as it was when it had been decoded.
	Decoded bool
	// Skip, if not nil, says of a path that the field is not to be filled in, for instance
	// since the types at hand do not know it.
	Skip func(fieldpath.Path) bool
	// Filled, if not nil, is called for each field that was filled in, in the order in
	// which that happened.
	Filled func(Default)
}

// Default is a field that was filled in.
type Default struct {
	// Path leads to the field. Items of lists have their index.
	Path fieldpath.Path
	// Value is what the field has now, nil if it was taken out. It is not to be written to.
	Value any
	Origin
}

// Origin says where a default comes from.
type Origin struct {
	// Documented says that OpenAPI documents have the default.
	Documented bool
	// Rule is the name of the rule that it comes from, empty for a constant.
	Rule string
}

// String says it in words: "OpenAPI", "constant" or "rule" with the name of the rule.
func (o Origin) String() string {
	switch {
	case o.Rule != "":
		return "rule " + o.Rule
	case o.Documented:
		return "OpenAPI"
	}
	return "constant"
}

// maxDepth bounds how deep an object is walked; no built-in type is deeper.
const maxDepth = 100

// Fill returns an object as the API server has it once it has decoded and converted it:
// with the defaults of its kind and version. The object is left alone, and shared as far as it does
// not change; if nothing is to be filled in, it is what is returned. Objects of kinds that
// the release does not know stay as they are.
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

// filling is a walk through an object.
type filling struct {
	Options
	// origin is where what is set now comes from.
	origin Origin
	// frames are places that are walked, by depth: all items of a list take the same.
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

// wants says whether a field may be filled in, and tells of it if so.
func (f *filling) wants(p *place, name string, v any) bool {
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

// node fills in what stands at p: constants first, which rules may look at; then what is
// below.
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

// fill sets a constant of p.
func (c *constant) fill(p *place) {
	name := c.path[len(c.path)-1]
	if v := p.data[name]; v == nil || c.zero && zero(v) {
		p.set(name, data.Clone(c.value))
	}
}

// below sets a constant of a field that is further below p, of type n.
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
