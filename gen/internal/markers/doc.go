// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package markers reads Go packages of API types. It determines the JSON fields of each type,
// and parses the markers in comments that set defaults, list types, immutability and validation.
//
// Start from [Load]:
//
//	src, err := markers.Load(markers.Config{}, "./apis/...")
//	if err != nil {
//		return err // the packages cannot be read
//	}
//	for _, f := range src.Check() {
//		fmt.Println(f) // apis/v1/types.go:12: default-omitempty: …
//	}
//
// A marker is a comment line that starts with a plus sign, above a field, a type or a package
// clause:
//
//	+default=<JSON>              the default of a field; on a type, of fields, list items and
//	                             map values of the type; must be on one line
//	+default=ref(Const)          the same, from a constant of the package; for a constant of
//	                             another package, ref(pkg.Const) or
//	                             ref(example.com/path/pkg.Const)
//	+immutable                   the value and everything below it never changes
//	+immutable=keys              the keys of a map or of a list of type map never change
//	+immutable=setOnce           the value may be set if it is absent, then never changes
//	+immutable=additionOnly      keys, or the items of a set, may be added but not removed
//	+immutable=deletionOnly      keys, or the items of a set, may be removed but not added
//	+items:immutable             +immutable for each item of a list of type map; accepts the
//	                             same values, such as =setOnce
//	+values:immutable            the same, for each value of a map
//	+type:immutable              the same, for all uses of a type: fields, items of lists of
//	                             type map, map values
//	+k8s:immutable               the same as +immutable, as in built-in types; causes a
//	                             warning, because controller-gen treats it as setOnce
//	+k8s:update=NoModify, …      on single values, NoModify with NoUnset means setOnce, and
//	                             NoModify with NoSet means +immutable; on lists and maps,
//	                             NoAddItem means deletionOnly, NoRemoveItem means
//	                             additionOnly, and both together mean keys
//	+listType, +listMapKey       the type of a list: set, map with keys, or atomic
//	+mapType, +structType        the type of a map or struct: granular or atomic
//	+optional, +required, +nullable
//	+kubebuilder:…               controller-gen's spellings of these, its validations, and
//	                             its markers for resources, versions and subresources
//	+groupName, +versionName     the group and version of the kinds in a package
//	+k8s:defaulter-gen, +k8s:defaulter-gen-input, +k8s:openapi-gen
//
// Some tags of declarative validation (KEP-5073) have the same meaning as other markers:
// +k8s:listType, listMapKey, optional, required, minimum, maximum, minLength, maxLength,
// minItems, maxItems, minProperties, maxProperties, enum with enumExclude, unionDiscriminator
// and unionMember. After +k8s:eachVal=, bounds and immutable apply to each item or value.
// +k8s:required also sets a minimum length of 1 for a string, list or map that is not a pointer,
// because an empty value counts as absent. Contradictory markers on the same field are an error.
//
// Schemas cannot express other tags of declarative validation, or tags after +k8s:alpha, beta,
// ifEnabled and similar conditions. Each of them causes a warning of the rule [NotExpressed],
// except if another marker on the field has the same meaning.
//
// [Source.Check] checks the rules of KEP-1929 and others, which are listed at [Rule]. For
// example, a default must be one line of JSON that fits the Go type. A struct that is not a
// pointer can only have the default {}. A scalar whose default is not its zero value must have
// omitempty. These rules ensure that typed objects and plain data get the same defaults.
// controller-gen does not have these rules, so violations by its markers are only warnings.
// Misspelt markers are also warnings.
//
// The package reads only the declarations of types and constants. It does not compile or run
// code of the packages that it reads. It writes no files: [Source.Fix] returns the fixed
// content. A Source is not safe for concurrent use.
package markers
