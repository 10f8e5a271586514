// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/data"
)

// PossibleDefault is a default that objects of a type can have.
type PossibleDefault struct {
	// Path is the path of the field. [] stands for the items of a list, {} for the values of a
	// map.
	Path string
	// Value is the default if it is a constant. It is nil for a rule.
	Value any
	Origin
	// Summary describes the rule in one sentence. It is empty for a constant.
	Summary string
}

// PossibleDefaults returns the defaults of an OpenAPI definition and of all types inside it, sorted
// by path. It does not follow a recursive type into itself. It returns nil if the release does not
// have the definition.
func (r *Release) PossibleDefaults(definition string) []PossibleDefault {
	n := r.table().typeNamed(definition)
	if n == nil {
		return nil
	}
	l := listing{within: map[*node]bool{}}
	l.node(n, "")
	slices.SortStableFunc(l.all, func(a, b PossibleDefault) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Rule, b.Rule))
	})
	return l.all
}

// listing collects possible defaults.
type listing struct {
	all    []PossibleDefault
	within map[*node]bool
}

func (l *listing) node(n *node, path string) {
	if l.within[n] {
		return
	}
	l.within[n] = true
	defer delete(l.within, n)
	for _, c := range n.constants {
		l.all = append(l.all, PossibleDefault{Path: path + "." + strings.Join(c.path, "."), Value: data.Clone(c.value), Origin: Origin{Documented: c.documented}})
	}
	for _, r := range n.rules {
		for _, name := range r.writes {
			if name != "{}" {
				name = "." + name
			}
			l.all = append(l.all, PossibleDefault{Path: path + name, Origin: Origin{Rule: r.name}, Summary: r.summary})
		}
	}
	for _, f := range n.fields {
		l.node(f.below, path+"."+f.name+below[f.shape])
	}
}

// below maps the shape of a list or map to the suffix that paths append to its field name. For example,
// the path "containers[]" stands for the items of the list containers.
var below = map[shape]string{list: "[]", mapped: "{}"}
