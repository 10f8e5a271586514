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
// How it works: host.go finds the schema that a rule stands in. Only a property of an
// object, a value of a map and an item of a list with keys have an old value; so a rule
// about what comes and goes stands at the object around it, and a rule about what is in
// an atomic list at that list. builder.go, inside.go and equal.go write the rule,
// condition.go its text. cost.go asks for the API server's estimate, bound.go looks for
// bounds that fit, doubt.go says what the rule cannot tell, policy.go says that over raw
// objects.
//
// Markers are the extensions of schema.Transition. Rules of the CRD's author are left
// alone; the package changes no document and asks no cluster.
package cel
