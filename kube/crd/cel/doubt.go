// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// DoubtReason is the reason why a rule differs from its marker. Reasons are stable, but
// messages may change.
type DoubtReason string

const (
	// NoType: the schema has x-kubernetes-preserve-unknown-fields but no type. Rules cannot
	// refer to values of such a schema, so they enforce nothing.
	NoType DoubtReason = "no-type"
	// UnknownFields: the schema is an embedded resource, or allows undeclared fields. Rules
	// compare undeclared fields only if both the old and the new value have them.
	UnknownFields DoubtReason = "unknown-fields"
	// NullAbsent: the field is nullable. Rules treat null as absent.
	NullAbsent DoubtReason = "null-absent"
	// NullUnequal: the field is nullable and below a list without bounds. Before Kubernetes
	// 1.34, CEL considers an object that contains a null unequal to itself.
	NullUnequal DoubtReason = "null-unequal"
	// DecodedFormat: the value is a string with the format date-time, date, duration or byte.
	// Rules compare the decoded value, so 60s equals 1m.
	DecodedFormat DoubtReason = "decoded-format"
	// BigNumber: the type is number. Rules treat 9007199254740993 as equal to
	// 9007199254740992.
	BigNumber DoubtReason = "big-number"
	// FloatInteger: the type is integer. Rules fail for an integer that is written as 1.0,
	// so an API server rejects every update of an object with such a value.
	FloatInteger DoubtReason = "float-integer"
	// NoName: CEL has no name for the property, for example for a property with the name 1st. Rules do
	// not notice if an update adds or removes the property.
	NoName DoubtReason = "no-name"
	// Duplicates: the value is a set that may contain duplicates, because it was stored before the
	// list type was declared. Rules allow the number of these duplicates to change.
	Duplicates DoubtReason = "duplicates"
	// NoIndex: the marked value is inside an atomic list without maxItems, or with maxItems
	// above 1000. A policy cannot iterate over such a list by index.
	NoIndex DoubtReason = "no-index"
	// NoRule: the rule would be too large to compile.
	NoRule DoubtReason = "no-rule"
)

// Doubt is a place where a generated rule differs from its marker.
type Doubt struct {
	// Document and Line are the position of the schema.
	Document string
	Line     int
	// Path is the path of a schema. For values of this schema, the effect of the rule differs from the
	// effect of the marker. Marked is the path of the schema with the marker: the same schema, or one
	// above it.
	Path, Marked string
	// Field is the path of the value in objects, such as .spec.containers[*].image. In this path,
	// [*] stands for any list item or map key.
	Field  string
	Reason DoubtReason
	// Refuses is true if the rule rejects some updates that the marker allows. It is false if the rule
	// allows some updates that the marker forbids.
	Refuses bool
	// Message describes the difference.
	Message string
}

// String returns the doubt as "file:line: path: message (reason)".
func (d *Doubt) String() string {
	e := manifest.Error{File: d.Document, Line: d.Line, Path: d.Path, Message: d.Message}
	return fmt.Sprintf("%s (%s)", e.Error(), d.Reason)
}

var doubtMessages = map[DoubtReason]string{
	NoType:        "the rule enforces nothing, because the schema has x-kubernetes-preserve-unknown-fields but no type; add a type",
	UnknownFields: "undeclared fields are compared only if both objects have them, and in some places not at all",
	NullAbsent:    "null is treated as absent",
	NullUnequal:   "before Kubernetes 1.34, every update of an object with a null inside this value is rejected; to avoid this, set maxItems of 1000 or less on the lists inside it",
	DecodedFormat: "decoded values are compared, so a different spelling of the same value is allowed",
	BigNumber:     "numbers beyond 2^53 are rounded, so a change to the next number is allowed",
	FloatInteger:  "an update that sends a whole number as 1.0 is rejected, even if it changes nothing",
	NoName:        "CEL has no name for this property, so setting it and removing it are allowed",
	Duplicates:    "if a stored set has duplicates, the rule allows their number to change",
	NoIndex:       "a policy enforces nothing here, because an atomic list around this value lacks maxItems of 1000 or less; add it",
	NoRule:        "nothing is enforced, because the rule would be larger than API servers accept",
}

// doubt records that the rules for a marker differ from the marker. marked is the schema with the
// marker. n is the schema whose values the rules treat differently.
func (t *translator) doubt(n, marked *tree.Node, reason DoubtReason) {
	t.inexact[marked] = true
	t.Doubts = append(t.Doubts, t.doubtOf(n, marked, reason))
}

func (t *Translation) doubtOf(n, marked *tree.Node, reason DoubtReason) Doubt {
	p := t.definition.Object().At(n.At.Steps()...)
	return Doubt{
		Document: p.File, Line: p.Line, Path: n.At.String(), Marked: marked.At.String(), Field: fieldOfSchema(n.At),
		Reason: reason, Refuses: reason == FloatInteger || reason == NullUnequal, Message: doubtMessages[reason],
	}
}

// fieldOfSchema returns the path of a schema's values in objects.
func fieldOfSchema(at *tree.Place) string {
	var b strings.Builder
	chain := at.Chain()
	within := false
	for i := 0; i < len(chain); i++ {
		switch p := chain[i]; {
		case p.Field == "openAPIV3Schema" && !within:
			within = true
		case !within || p.Item:
		case p.Field == "properties" && i+1 < len(chain):
			i++
			b.WriteString(tree.PathText(chain[i : i+1]))
		case p.Field == "items" || p.Field == "additionalProperties":
			b.WriteString("[*]")
		}
	}
	return b.String()
}

// doubt records that the current rule differs from its marker. n is the schema whose values the
// rule treats differently.
func (b *builder) doubt(n *tree.Node, reason DoubtReason) {
	marked := b.rule.marked
	for up := n; up != nil && up != b.rule.marked; up = b.above[up] {
		if slices.Contains(b.rule.others, up) {
			marked = up
			break
		}
	}
	b.doubtsFound = append(b.doubtsFound, b.doubtOf(n, marked, reason))
}

// doubts records why the CEL operator == does not compare values of the schema n exactly. It
// records nothing if the comparison is exact.
func (b *builder) doubts(n *tree.Node) {
	switch {
	case n.IntString || n.Kind == "integer":
		b.doubt(n, FloatInteger)
	case n.Kind == "number":
		b.doubt(n, BigNumber)
	case n.Kind == "string":
		switch keyword(n, "format") {
		case "date-time", "date", "duration", "byte":
			b.doubt(n, DecodedFormat)
		}
	case n.Kind == "":
		b.doubt(n, FloatInteger) // without a declared type, CEL treats 1 and 1.0 as different values
	case unknownFields(n):
		b.doubt(n, UnknownFields)
	case n.ListType == "set":
		b.doubt(n, Duplicates)
	}
	for _, name := range n.Names() {
		if p := n.Properties[name]; p.Nullable {
			b.doubt(p, NullAbsent)
		}
	}
	n.Each(b.doubts)
}
