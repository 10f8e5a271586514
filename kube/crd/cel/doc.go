// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package cel translates the immutability markers in a CustomResourceDefinition into rules
// of x-kubernetes-validations, for API servers that do not know the markers.
//
// Start from [Translate]:
//
//	t, err := cel.Translate(definition, cel.Options{})
//	changes := t.Changes() // for manifest.Edit: the rules, written into the file
//
// A rule may differ from its marker in some cases. [Translation.Doubts] lists these cases
// with the reason. A rule may also cost more than API servers allow. Translate then omits
// the rule, and [Translation.Missing] lists it with bounds that would make it cheap
// enough. [Translation.Policy] returns ValidatingAdmissionPolicies that enforce the
// markers for which rules are not sufficient.
//
// Markers are the extensions of schema.Transition, such as x-kubernetes-immutable.
// Translate keeps the rules of the CRD's author, and replaces rules that it generated
// before. [Translation.Removed] lists the generated rules whose marker is gone. If the CRD is
// invalid, Translate returns the findings of crd.Definition.Validate as an error. A
// Translation is safe for concurrent use. The package changes no document and calls no
// cluster.
package cel
