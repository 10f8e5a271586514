// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"github.com/dovetail-ssa/dovetail/schema"
)

// node is an OpenAPI schema as a document states it, reduced to what a merge
// schema can depend on.
type node struct {
	doc string
	at  *place
	// v2 says that the document is OpenAPI v2, which carries no defaults.
	v2 bool

	// ref is the name of the definition that $ref points to, empty if none.
	ref string
	// kind is the type, empty if any type is allowed.
	kind     string
	format   string
	nullable bool
	// def is the default, nil if there is none.
	def any
	// given is what a CRD says of metadata, which has its defaults and another type.
	given *node

	properties map[string]*node
	required   []string
	items      *node
	// additional is the schema of additionalProperties; open and closed are
	// its boolean forms.
	additional   *node
	open, closed bool
	allOf        []*node

	preserve, embedded bool
	// quantity says that it is what CRDs say of a field of Go's type Quantity.
	quantity bool
	// transition is what the schema itself says: see marked.
	transition schema.Transition

	listType, mapType       string
	keys                    []string
	patchStrategy, mergeKey string
	unions                  []union
	gvks                    []gvk
}

type gvk struct{ group, version, kind string }

func (g gvk) apiVersion() string {
	if g.group == "" {
		return g.version
	}
	return g.group + "/" + g.version
}

// target returns the name of the definition that stands in for n: that of its
// $ref, or of the only branch of its allOf. Empty if n is a type of its own.
func (n *node) target() string {
	if n.ref == "" && len(n.allOf) == 1 {
		return n.allOf[0].ref
	}
	return n.ref
}

// nearest returns the default of n itself, or else of its first allOf branch
// that has one.
func (n *node) nearest() any {
	if n.def != nil {
		return n.def
	}
	for _, b := range n.allOf {
		if b.def != nil {
			return b.def
		}
	}
	return nil
}

// bareLists adds the paths of lists that say neither a list type nor a patch
// strategy.
func (n *node) bareLists(to []string, path string) []string {
	if n.target() != "" {
		return to
	}
	if n.items != nil {
		if n.listType == "" && n.patchStrategy == "" {
			to = append(to, path)
		}
		to = n.items.bareLists(to, path+"[]")
	}
	if n.additional != nil {
		to = n.additional.bareLists(to, path+"{}")
	}
	for _, name := range n.names() {
		to = n.properties[name].bareLists(to, path+"."+name)
	}
	return to
}

// names returns the names of the properties, sorted.
func (n *node) names() []string { return sortedKeys(n.properties) }

// quantityPattern is what a quantity matches. controller-gen writes it into CRDs.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
