// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldmanager does to an object what the Kubernetes API server does
// around a server-side apply merge, as a library without the server: it reads
// metadata.managedFields, converts versions, applies or updates, keeps the
// time stamps, and writes metadata.managedFields back.
//
// Start from New and FieldManager.Apply. The types here are those built into Kubernetes,
// from package kube/openapi, which reads CRDs and OpenAPI documents, too:
//
//	types := fieldmanager.NewTypeSource(openapi.Builtin(openapi.Options{}).Type)
//	fm, err := fieldmanager.New(fieldmanager.Options{Types: types})
//	...
//	result, err := fm.Apply(live, config, "gitops", false)
//	var conflict *fieldmanager.ConflictError
//	if errors.As(err, &conflict) {
//		for _, c := range conflict.Conflicts {
//			fmt.Println(c.Path, c.Yours, c.Live, c.Owner)
//		}
//	}
//
// Objects are plain data, as decoded from JSON or YAML: map[string]any,
// []any, string, bool, int64, float64, nil. Objects handed in are never
// modified; objects handed out may share parts with them, so copy before
// changing one, for instance through JSON: value.ToJSON(value.NewValueInterface(object)), and
// value.FromJSON.
//
// Package resolve has the ways out of conflicts: to force, drop or match each. Package
// managedfields reads and writes metadata.managedFields by themselves. Package ownership
// says who owns what, and mends and migrates it.
//
// Options.Duplicates drops list items that a request has twice, Options.Unions clears
// members of unions that it leaves behind. Both are off unless asked for.
//
// Managed fields outlive the schemas they were written under. ownership.Rekey carries
// them over when those change; PinKeys keeps an API version from changing. The comment of
// package ownership says which way is for what.
//
// Errors are found by errors.As: *ConflictError, *ImmutableError, *RequestError (with the
// HTTP status), *managedfields.EntryError, and *typed.Problem for what is wrong with a value. A
// FieldManager is made once for each endpoint and used by any number of goroutines.
//
// # The API server
//
// Requests have the outcome they have in an API server of Kubernetes 1.36 and
// its k8s.io/apimachinery, to the byte of managed fields and the text of
// conflicts, with these exceptions:
//
//   - Types that have declarative defaults (schema.Schema.DeclarativeDefaults)
//     merge as schema.Schema.DeclarativeDefaults describes.
//   - Conflicts are sorted. An update that fails returns its error.
//   - Managed fields in a version that does not exist any more are dropped
//     with a warning. The API server refuses every apply to such a custom
//     resource.
//   - Entries are not lost where the API server loses them: ancient-changes
//     when another manager's time stamp is of the same second, and entries of
//     one owner that a request to scale has split in two.
//
// The package talks to no cluster, applies no admission, allocates nothing
// that a server allocates (uid, resourceVersion, clusterIP), and does not
// know any type by itself: types come from Options.Types.
package fieldmanager
