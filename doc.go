// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package dovetail has no code. It is an overview of the packages of this repository.
//
// Dovetail merges objects in the same way as Kubernetes server-side apply, and its schemas can
// have default values. It works in API servers, and in programs without an API server.
//
// Most programs need two packages: kube/openapi, in the module kube, has the types, and
// package fieldmanager changes an object as an API server does:
//
//	types := fieldmanager.NewTypeSource(openapi.Builtin(openapi.Options{}).Type)
//	fm, err := fieldmanager.New(fieldmanager.Options{Types: types})
//	if err != nil { ... }
//	result, err := fm.Apply(live, config, "gitops", false)
//	var conflict *fieldmanager.ConflictError
//	if errors.As(err, &conflict) { ... } // each field, both values, its owner
//
// Objects are plain data, as decoded from JSON: maps with string keys, slices, strings,
// bools, int64, float64 and nil. An example is the field Object of an
// unstructured.Unstructured.
//
// # Where to start
//
//	apply or update an object         fieldmanager.FieldManager
//	resolve conflicts                 resolve.New
//	find the owners of fields         ownership.Blame
//	check and repair managed fields   ownership.Examine
//	transfer ownership, migrate from  ownership.Migrate
//	client-side apply
//	rekey managed fields after a      ownership.Rekey
//	change of schema
//	keep keys in managed fields       fieldmanager.PinKeyDefaults
//	read and write managed fields     managedfields.Decode
//	types of built-in kinds and CRDs  kube/openapi.Builtin
//	types of your own, as YAML        typed.NewParser
//	merge, compare, validate,         typed.TypedValue
//	default or prune one value
//	check whether an update is        typed.TypedValue.CheckTransition,
//	allowed                           fieldmanager.CheckTransition
//	check a CRD and its objects       kube/crd.Read
//	read files of objects             kube/manifest.Read
//	write an object as YAML           value.ToYAML(value.NewValueInterface(object))
//	defaults of built-in kinds        kube/defaults
//	immutable fields of those kinds   kube/immutable
//	convert between built-in versions kube/convert
//	what a server would store         kube/predict
//	evaluate admission policies       kube/policy.New
//	run an API server in tests        kube/testserver.Start
//	publish a schema as OpenAPI       kube/publish
//	defaults from Go types            the program gen/cmd/dovetail-gen
//
// # Modules
//
// Eight folders are separate modules, so that the engine has few dependencies. Use go get with
// the path of a module. The command go doc finds the packages of a module inside the module,
// and in modules that require it. Until a version is tagged, replace each module with its
// folder in a checkout, and run go mod tidy:
//
//	kube          kube/openapi, kube/defaults, kube/immutable, kube/convert, kube/manifest,
//	              kube/goform, kube/predict, kube/publish
//	kube/crd      kube/crd, kube/crd/cel, kube/crd/served
//	kube/policy   kube/policy; kube/gate and kube/testserver are modules likewise
//	gen           the program gen/cmd/dovetail-gen
//	cmd           the program cmd/dovetail
//	compat/v6     replaces structured-merge-diff in a go.mod; see also compat/v4 and compat/v7
//
// # The API of structured-merge-diff
//
// Packages value, schema, fieldpath, typed and merge have the API of
// sigs.k8s.io/structured-merge-diff/v6. Each package builds on the packages before it. In this
// order, they handle data, types, paths and field sets, values with a type, and ownership. To move
// a program from structured-merge-diff, change its imports to these packages. Alternatively, change
// only its go.mod: replace structured-merge-diff by the module compat/v6 or compat/v4. Results are
// the same, unless structured-merge-diff has a defect (see DIFFERENCES.md) or a schema has
// declarative defaults (schema.Schema.DeclarativeDefaults). The schemas of kube/openapi have
// declarative defaults only with openapi.Options.DeclarativeDefaults.
//
// # Proposals
//
// By default, every package and command behaves like a current API server. Behavior that only
// a Kubernetes enhancement proposal describes is off until a program turns it on: declarative
// defaults (KEP-1929, openapi.Options.DeclarativeDefaults), unions (KEP-1027,
// fieldmanager.Options.Unions), markers of immutability (KEP-1101,
// fieldmanager.Options.CheckTransitions).
//
// # Terms
//
// A config is an object that a manager applies. The live object is the object as stored. An owner
// is an entry of metadata.managedFields: a manager, an operation (Apply or Update), an API version
// and sometimes a subresource. The field set of an owner is the set of the paths that it owns. An
// item is an element of a list. The items of an associative list (x-kubernetes-list-type map or
// set) are identified by keys or by value. An atomic list or map is owned and replaced as one
// value.
package dovetail
