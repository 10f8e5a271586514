// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

// Finding is something about a type that works otherwise than its author may
// think.
type Finding struct {
	Rule Rule
	// Document is the one that defines the type, empty for built-in types.
	Document string
	// Type is the name of the definition, Path the place in it, such as
	// .ports[].protocol; {} stands for the values of a map. Empty for the
	// definition itself.
	Type, Path string
	// Message says what is there, what comes of it, and how to mend it.
	Message string
}

// String returns all of it in one line.
func (f Finding) String() string {
	s := f.Type + f.Path + ": " + f.Message + " (" + string(f.Rule) + ")"
	if f.Document != "" {
		s = f.Document + ": " + s
	}
	return s
}

// Rule names a sort of finding. What package crd finds in CRDs has the same name
// there.
type Rule string

// The rules, each with the smallest input that breaks it, as properties of an
// object.
const (
	// KeyUnsatisfied: a key of a list that is neither required nor has a
	// default, so that an item without it is another item.
	//
	//	l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
	//	  items: {type: object, properties: {k: {type: string}}}}
	KeyUnsatisfied Rule = "key-without-default"
	// ZeroKey: a key of a list that is required and whose default is "",
	// 0 or false, so that a missing one goes unnoticed. Go types without
	// omitempty publish it.
	//
	//	l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
	//	  items: {type: object, required: [k], properties: {k: {type: string, default: ""}}}}
	ZeroKey Rule = "key-zero-default"
	// DefaultValue: a default that is not of its type, has items twice, lacks
	// what it must have, or has no end.
	//
	//	f: {type: integer, default: many}
	DefaultValue Rule = "default-value"
	// Unreachable: a default that nothing ever takes.
	//
	//	f: {type: array, items: {type: string, nullable: true, default: x}}
	Unreachable Rule = "unreachable-default"
	// BelowOptional: defaults below a field that is optional and has none, so that
	// they take effect only where somebody writes that field. Defaults that are
	// "", 0, false or empty do not count.
	//
	//	f: {type: object, properties: {g: {type: string, default: x}}}
	BelowOptional Rule = "default-below-optional"
	// SetOfObjects: a set of items that are no scalars, in which any item is an
	// error.
	//
	//	f: {type: array, x-kubernetes-list-type: set, items: {type: object}}
	SetOfObjects Rule = "set-of-objects"
	// NoListType: a list of objects that does not say what it is, and so is
	// atomic. Documents that were added are searched for it, not the built-in
	// types.
	//
	//	f: {type: array, items: {type: object, properties: {k: {type: string}}}}
	NoListType Rule = "missing-list-type"
)
