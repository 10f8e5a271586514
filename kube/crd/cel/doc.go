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
// A rule cannot say all that a marker does, and may cost more than API servers allow:
// [Translation.Doubts] are the places where it judges otherwise, with the reason,
// [Translation.Missing] the rules that were left out, with bounds with which they would
// do. [Translation.Policy] says the rest in ValidatingAdmissionPolicies.
//
// Markers are the extensions of schema.Transition. Rules of the CRD's author are left
// alone, and rules that were made before are replaced. The error of Translate is what
// crd.Definition.Validate finds. A Translation may be used by several goroutines; the
// package changes no document and asks no cluster.
package cel
