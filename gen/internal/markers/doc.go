// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package markers reads Go packages of API types: what their types are in JSON,
// and what the markers in their comments say about defaults, lists, immutability
// and validation.
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
// A marker is a line of a comment that begins with a plus sign, above a field or
// type, or above a package clause:
//
//	+default=<JSON>              what a field takes that has no value, or a field, list
//	                             item or map value of a type; one line
//	+default=ref(Const)          the same, a constant of the package; ref(pkg.Const) and
//	                             ref(example.com/path/pkg.Const) are of others
//	+immutable                   the value, with all that is in it, never changes
//	+immutable=keys              the keys of a map or list of type map never change
//	+immutable=setOnce           it may be set where there is none, and then never changes
//	+immutable=additionOnly      keys, or the items of a set, may come and never go
//	+immutable=deletionOnly      they may go and never come
//	+items:immutable             the items of a list of type map, each as with +immutable;
//	                             what stands behind = there may stand here
//	+values:immutable            the same, of the values of a map
//	+type:immutable              the same, of all that is of the type, on which it stands:
//	                             fields, items of lists of type map, values of maps
//	+k8s:immutable               +immutable, as native types have it; a finding says so,
//	                             since controller-gen takes it for setOnce
//	+k8s:update=NoModify, …      on one value NoModify with NoUnset is setOnce, and with
//	                             NoSet +immutable; on lists and maps NoAddItem is
//	                             deletionOnly, NoRemoveItem additionOnly, both are keys
//	+listType, +listMapKey       set, map with keys, or atomic
//	+mapType, +structType        granular or atomic
//	+optional, +required, +nullable
//	+kubebuilder:…               controller-gen's spellings of these, its validations, and
//	                             what it has for resources, versions and subresources
//	+groupName, +versionName     of the kinds in a package
//	+k8s:defaulter-gen, +k8s:defaulter-gen-input, +k8s:openapi-gen
//
// So are the tags of declarative validation (KEP-5073) that say the same: +k8s:listType,
// listMapKey, optional, required, minimum, maximum, minLength, maxLength, minItems,
// maxItems, minProperties, maxProperties, enum with enumExclude, unionDiscriminator and
// unionMember; behind +k8s:eachVal= bounds and immutable are of items or values.
// +k8s:required is +required, and the least length of a text, list or map that is no
// pointer is one, since an empty one is what is not there. Two spellings on one field that
// contradict each other are an error. Other tags of it become nothing, as do all behind
// +k8s:alpha, beta, ifEnabled and so on; a warning of the rule [NotExpressed] says so,
// unless another marker of the field says the same.
//
// [Source.Check] holds them to the rules of KEP-1929 and of its companions, see
// [Rule]: defaults are one line of JSON that fits the Go type; a struct that is no
// pointer has no default but {}; a scalar with a default other than its zero value
// is omitempty. So typed objects and plain data come to the same defaults. Where the
// spelling is controller-gen's, which has no such rules, findings are warnings. So
// they are for markers that nobody reads, since they are misspelt.
//
// The package reads type and constant declarations; it compiles no function and
// runs no code of the packages. It writes nothing; [Source.Fix] returns what
// mended files are. A Source is not safe for concurrent use.
package markers
