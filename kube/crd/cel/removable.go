// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// RemovableParent is an optional object around marked fields. A marker protects a field only while
// the object around it exists. So one update can remove the object, and a later update can add it
// with other values, although the rules enforce the markers exactly.
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
}

// RemovableParents returns the optional objects around marked fields, in the order of the schema. It
// skips an object that an update cannot remove: an object with a default, and an object that is
// part of a value whose marker forbids its removal.
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
				if p.Kind == "object" && p.Additional == nil && p.Def == nil && !p.MarkedWhole() && !slices.Contains(n.Required, name) {
					at := t.definition.Object().At(p.At.Steps()...)
					around = append(slices.Clip(parents), len(all))
					all = append(all, RemovableParent{Document: at.File, Line: at.Line, Version: v.Name, Name: name, Field: path + "." + name})
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
