// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// DoubtReason is why a rule does not judge as the marker that it was made from
// does. Reasons are stable; texts of doubts are not.
type DoubtReason string

const (
	// NoType: x-kubernetes-preserve-unknown-fields without type. No rule can
	// name such a value, so nothing is enforced.
	NoType DoubtReason = "no-type"
	// UnknownFields: an embedded resource, or fields that the schema does not
	// name. Rules compare them where old and new value both have them.
	UnknownFields DoubtReason = "unknown-fields"
	// NullAbsent: a nullable field. Rules take null for absent.
	NullAbsent DoubtReason = "null-absent"
	// NullUnequal: a nullable field below a list without bounds. Before Kubernetes
	// 1.34, an object with a null is not equal to itself.
	NullUnequal DoubtReason = "null-unequal"
	// DecodedFormat: format date-time, date, duration or byte. Rules compare
	// what is meant: 60s is 1m.
	DecodedFormat DoubtReason = "decoded-format"
	// BigNumber: type number. Rules take 9007199254740993 for 9007199254740992.
	BigNumber DoubtReason = "big-number"
	// FloatInteger: type integer. Rules fail for 1.0, so that an update is
	// refused that changes nothing.
	FloatInteger DoubtReason = "float-integer"
	// NoName: a property whose name CEL does not have, such as 1st. Setting and
	// removing it are not noticed.
	NoName DoubtReason = "no-name"
	// Duplicates: a set. What is stored may hold an item twice if it is older
	// than the list type.
	Duplicates DoubtReason = "duplicates"
	// NoIndex: an atomic list without maxItems, or with one above 1000. A policy
	// cannot go through it by index.
	NoIndex DoubtReason = "no-index"
	// NoRule: a rule that does not compile, being too large.
	NoRule DoubtReason = "no-rule"
)

// Doubt is a place where a rule judges otherwise than the marker that it was
// made from.
type Doubt struct {
	// Document and Line are where the schema is.
	Document string
	Line     int
	// Path is the schema of the values that are judged otherwise, Marked the one
	// with the marker, which is the same or above.
	Path, Marked string
	// Field is the place in objects, with [*] for any item or key, as in
	// .spec.containers[*].image.
	Field  string
	Reason DoubtReason
	// Refuses says that the rule refuses what the marker allows; otherwise it
	// allows what the marker forbids.
	Refuses bool
	// Message says what happens.
	Message string
}

// String returns file:line: path: message (reason).
func (d *Doubt) String() string {
	e := manifest.Error{File: d.Document, Line: d.Line, Path: d.Path, Message: d.Message}
	return fmt.Sprintf("%s (%s)", e.Error(), d.Reason)
}

var doubtMessages = map[DoubtReason]string{
	NoType:        "nothing is enforced: CEL has no type for values of x-kubernetes-preserve-unknown-fields without type",
	UnknownFields: "fields that the schema does not name are compared only where both objects have them, or not at all",
	NullAbsent:    "null is taken for absent",
	NullUnequal:   "before Kubernetes 1.34, every update is refused once a null is below, unless the lists there have maxItems of 1000 or less",
	DecodedFormat: "values are compared by what they mean, so that another spelling of the same is allowed",
	BigNumber:     "numbers beyond 2^53 are taken for their neighbours",
	FloatInteger:  "an update that writes a whole number as 1.0 is refused, even if it changes nothing",
	NoName:        "CEL has no name for this property, so that setting it and removing it are allowed",
	Duplicates:    "a set that is stored with an item twice is not judged by how often",
	NoIndex:       "nothing is enforced by a policy: an atomic list on the way needs maxItems of 1000 or less",
	NoRule:        "nothing is enforced: the rule would be larger than API servers take",
}

// doubt notes a reason at a schema, for a marker.
func (t *translator) doubt(n, marked *tree.Node, reason DoubtReason) {
	t.unsaid[marked] = true
	t.Doubts = append(t.Doubts, t.doubtOf(n, marked, reason))
}

func (t *Translation) doubtOf(n, marked *tree.Node, reason DoubtReason) Doubt {
	p := t.definition.Object().At(n.At.Steps()...)
	return Doubt{
		Document: p.File, Line: p.Line, Path: n.At.String(), Marked: marked.At.String(), Field: fieldOfSchema(n.At),
		Reason: reason, Refuses: reason == FloatInteger || reason == NullUnequal, Message: doubtMessages[reason],
	}
}

// fieldOfSchema is the place in objects that a schema is of.
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

// doubt notes a reason at a schema that the rule is about.
func (b *builder) doubt(n *tree.Node, reason DoubtReason) {
	b.found = append(b.found, b.doubtOf(n, b.want.marked, reason))
}

// doubts notes all reasons why == is not exact for values of n.
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
		b.doubt(n, FloatInteger) // any value, compared as data: 1 is not 1.0
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
