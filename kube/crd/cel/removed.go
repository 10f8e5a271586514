// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// RemovedRule is a rule that an earlier run generated from a marker that the CRD no longer has. The
// author may have deleted the marker, or an earlier run may have stripped it.
type RemovedRule struct {
	// Document and Line are the position of the rule.
	Document string
	Line     int
	// Path is the path of the schema that had the marker. For a rule about the items of a list or the
	// values of a map, it is the path of the list or map. Marker is the name of the marker.
	Path, Marker string
	// Field is the path of the schema's values in objects, such as .spec.class.
	Field string
	// Rule is the CEL text.
	Rule string
	// Message names the field, and explains how to prevent the removal.
	Message string
}

// unmarkedRules returns the generated rules of d whose schemas have no marker any more. It skips rules
// about properties that no longer exist, because an API server would reject them. If an
// object or list has a marker that applies to the whole value, it also skips the rules inside it.
func unmarkedRules(d *crd.Definition) (all []RemovedRule) {
	doc := tree.Read(d.Object().Content, nil)
	if !hasMarkers(doc) {
		return nil
	}
	var walk func(n *tree.Node)
	walk = func(n *tree.Node) {
		if n.MarkedWhole() {
			return
		}
		for _, r := range n.Rules {
			marker := tree.GeneratedFrom(r.Text)
			if marker == "" {
				continue
			}
			about, marked := ruleTarget(n, r.Field)
			if about == nil || marked {
				continue
			}
			at := d.Object().At(r.At.Steps()...)
			field := fieldOfSchema(about.At)
			all = append(all, RemovedRule{
				Document: at.File, Line: at.Line, Path: about.At.String(), Marker: marker, Field: field, Rule: r.Text,
				Message: fmt.Sprintf("the generated rule for %s is removed, because its marker %s is gone; to keep the rule, add the marker again", field, marker),
			})
		}
		n.Each(walk)
	}
	for _, v := range doc.Versions {
		if v.Schema != nil {
			walk(v.Schema)
		}
	}
	return all
}

// ruleTarget returns the schema that a generated rule of the schema host protects, and whether this
// schema has markers that replace the rule. field is the fieldPath of the rule. The result is nil if
// the host does not have this field.
func ruleTarget(host *tree.Node, field string) (about *tree.Node, marked bool) {
	switch {
	case field == "" && (host.Kind == "array" || host.Additional != nil):
		return host, anyMarked(host) // the rule may be about the items or the values
	case field == "":
		return host, len(host.Marked()) > 0
	}
	for name, p := range host.Properties {
		if tree.FieldPath(name) == field {
			return p, len(p.Marked()) > 0
		}
	}
	return nil, false
}
