// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package dovetail is documentation only: which package of this module is for what.
//
// Dovetail is the merge of Kubernetes server-side apply, with schemas that know defaults,
// for programs that have no API server to ask, or that are one.
//
// Most programs need two packages: kube/openapi, of the module kube, has the types, and
// package fieldmanager does what an API server does to an object:
//
//	types := fieldmanager.NewTypeSource(openapi.Builtin(openapi.Options{}).Type)
//	fm, err := fieldmanager.New(fieldmanager.Options{Types: types})
//	if err != nil { ... }
//	result, err := fm.Apply(live, config, "gitops", false)
//	var conflict *fieldmanager.ConflictError
//	if errors.As(err, &conflict) { ... } // each field, both values, its owner
//
// Objects are plain data, as decoded from JSON: maps with string keys, slices, strings,
// bools, int64, float64 and nil. The field Object of an unstructured.Unstructured is one.
//
// # Where to start
//
//	apply or update an object         fieldmanager.FieldManager
//	solve conflicts                   resolve.New
//	who owns what of an object        ownership.Blame
//	what is wrong with its managed    ownership.Examine
//	fields, and repair it
//	hand fields over, leave           ownership.Migrate
//	client-side apply
//	a schema changed: carry managed   ownership.Rekey, or
//	fields over, or keep keys         fieldmanager.PinKeys
//	read and write managed fields     managedfields.Decode
//	types of built-in kinds, CRDs     kube/openapi.Builtin
//	types of your own, as YAML        typed.NewParser
//	merge, compare, validate,         typed.TypedValue
//	default or prune one value
//	is an update allowed              typed.TypedValue.CheckTransition,
//	                                  fieldmanager.CheckUpdate
//	judge a CRD and its objects       kube/crd.Read
//	read files of objects             kube/manifest.Read
//	write an object as YAML           value.ToYAML(value.NewValueInterface(object))
//	what servers fill in, forbid      kube/defaults, kube/immutable
//	convert between built-in versions kube/convert
//	what a server would store         kube/predict
//	ask admission policies            kube/policy.New
//	be an API server for tests        kube/testserver.Start
//	publish a schema as OpenAPI       kube/publish
//	defaults from Go types            the program gen/cmd/dovetail-gen
//
// # Modules
//
// Eight folders are modules of their own, so that the engine has few dependencies. Each is got
// by its path, and go doc knows its packages inside it, or where it is required. Until a
// version is tagged, replace each of them by its folder of a checkout, and run go mod tidy:
//
//	kube          kube/openapi, kube/defaults, kube/immutable, kube/convert, kube/manifest,
//	              kube/goform, kube/predict, kube/publish
//	kube/crd      kube/crd, kube/crd/cel, kube/crd/served
//	kube/policy   kube/policy; so kube/gate, kube/testserver
//	gen           the program gen/cmd/dovetail-gen
//	cmd           the program cmd/dovetail
//	compat/v6     what takes the place of structured-merge-diff in a go.mod; so do compat/v4, v7
//
// # The API of structured-merge-diff
//
// Packages value, schema, fieldpath, typed and merge have the API of
// sigs.k8s.io/structured-merge-diff/v6. Each rests on those before it: data, types, paths
// and field sets, values with a type, and who owns what. A program that was written for
// that module changes its imports, or only its go.mod: compat/v6 and compat/v4 are modules
// in its place. Results are the same, except where that module has a defect (DIFFERENCES.md
// lists them) or a schema has declarative defaults (schema.Schema.DeclarativeDefaults). Those
// of kube/openapi have them only with openapi.Options.DeclarativeDefaults.
//
// # Proposals
//
// By default every package and command answers as an API server of today. What only a
// Kubernetes enhancement proposal describes is off until a program asks for it: declarative
// defaults (KEP-1929, openapi.Options.DeclarativeDefaults), unions (KEP-1027,
// fieldmanager.Options.Unions), markers of immutability (KEP-1101,
// fieldmanager.Options.CheckTransitions).
//
// # Words
//
// A config is what a manager applies; live is the object as it is stored. An owner is an
// entry of metadata.managedFields: a manager, an operation (Apply or Update), an API
// version and, for some, a subresource. A field set is the paths that it owns. An item is an
// element of a list; an associative list (x-kubernetes-list-type map or set) tells its
// items apart by keys or by value. An atomic list or map is owned and replaced as one value.
package dovetail
