// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cel translates the markers of immutability in a CustomResourceDefinition into
// rules of x-kubernetes-validations, for API servers that do not know the markers.
//
// Start from [Translate]:
//
//	t, err := cel.Translate(definition, cel.Options{})
//	changes := t.Changes() // for manifest.Edit: the rules, written into the file
//
// A rule may not match its marker exactly, and may cost more than API servers allow.
// [Translation.Doubts] lists the places where a rule differs from its marker, with the reason.
// [Translation.Missing] lists the rules that were left out, with bounds that would make them
// cheap enough. [Translation.Policy] returns ValidatingAdmissionPolicies that enforce the
// remaining markers.
//
// Markers are the extensions of schema.Transition. Translate keeps the rules of the CRD's
// author, and replaces rules that it generated before. It returns the findings of
// crd.Definition.Validate as an error. A Translation is safe for concurrent use. The package
// changes no document and calls no cluster.
package cel
