// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// RemovableParent is an optional or nullable object around marked fields. A marker protects a field
// only while the object around it exists. So one update can remove the object or set it to null,
// and a later update can add it with other values, although the rules enforce the markers exactly.
type RemovableParent struct {
	// Document and Line are the position of the schema of the object.
	Document string
	Line     int
	// Version is the name of the version. Name is the name of the field that holds the object.
	Version, Name string
	// Field is the path of the object, and Marked are the paths of the fields with markers in it,
	// such as .spec and .spec.class. [*] stands for any item of a list or any key of a map.
	Field  string
	Marked []string
	// Optional is true if the object is neither required nor has a default, so an update can leave
	// it out. Nullable is true if an update can set the object to null. At least one of them is
	// true. If Nullable is true, the null remains even if the object is required or has a default.
	Optional, Nullable bool
}

// RemovableParents returns the optional and nullable objects around marked fields, in the order of
// the schema. It skips objects that an update cannot remove. An update cannot remove an object that
// is not nullable, if it is required or has a default. An update also cannot remove a value whose
// marker forbids this, or an object inside such a value.
func (t *Translation) RemovableParents() (all []RemovableParent) {
	for _, v := range t.doc.Versions {
		if v.Schema == nil {
			continue
		}
		var walk func(n *tree.Node, path string, parents []int)
		walk = func(n *tree.Node, path string, parents []int) {
			if len(n.Marked()) > 0 {
				for _, i := range parents {
					all[i].Marked = append(all[i].Marked, path)
				}
			}
			if n.MarkedWhole() {
				return // an update cannot remove anything below n
			}
			for _, name := range n.Names() {
				p, around := n.Properties[name], parents
				optional := p.Def == nil && !slices.Contains(n.Required, name)
				if p.Kind == "object" && p.Additional == nil && (optional || p.Nullable) && !p.MarkedWhole() {
					at := t.definition.Object().At(p.At.Steps()...)
					around = append(slices.Clip(parents), len(all))
					all = append(all, RemovableParent{
						Document: at.File, Line: at.Line, Version: v.Name, Name: name, Field: path + "." + name,
						Optional: optional, Nullable: p.Nullable,
					})
				}
				walk(p, path+"."+name, around)
			}
			for _, child := range []*tree.Node{n.Additional, n.Items} {
				if child != nil {
					walk(child, path+"[*]", parents)
				}
			}
		}
		walk(v.Schema, "", nil)
	}
	return slices.DeleteFunc(all, func(p RemovableParent) bool { return len(p.Marked) == 0 })
}
