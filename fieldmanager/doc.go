// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package fieldmanager applies and updates objects as a Kubernetes API server does, but
// without a server. It reads metadata.managedFields, converts API versions, merges or
// compares the objects, sets the time stamps, and writes metadata.managedFields.
//
// Call New, and then FieldManager.Apply. This example uses the types of built-in kinds. They
// come from package kube/openapi, which also reads CRDs and OpenAPI documents:
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
// Objects are plain data, as decoded from JSON or YAML: map[string]any, []any, string, bool, int64,
// float64, nil. The package never modifies objects that you pass. Returned objects may share parts
// with the objects that you pass, so copy an object before you modify it. Copy its maps and lists
// recursively, as runtime.DeepCopyJSON of k8s.io/apimachinery does. To read JSON, use
// value.DecodeObject. value.FromJSON and json.Unmarshal decode numbers as float64, which changes
// integers above 2^53.
//
// Objects need not come from Kubernetes. A program can add apiVersion, kind and metadata with
// constant values to any document, as examples/gateway does. A metadata.name is optional.
//
// Related packages:
//
//   - resolve resolves conflicts: force, yield or share each field.
//   - managedfields reads and writes metadata.managedFields without a merge.
//   - ownership reports which manager owns each field, and repairs and migrates ownership.
//
// Options.Duplicates removes duplicate list items from a request. Options.Unions clears the
// union members that a request no longer chooses. Both are off by default.
//
// Managed fields can be older than the current schema. ownership.Rekey converts them when a
// schema changes, and PinKeyDefaults keeps the key defaults of an API version. The
// documentation of package ownership compares the two.
//
// Use errors.As to find these errors: *ConflictError, *ImmutableError, *RequestError (which
// has the HTTP status), *managedfields.EntryError, and *typed.Problem for an invalid value.
// Create one FieldManager for each endpoint. Any number of goroutines can use it.
//
// # The API server
//
// A request has the same outcome as in an API server of Kubernetes 1.36 or 1.37, including the
// bytes of managed fields and the text of conflicts. DIFFERENCES.md lists the exceptions. These are
// the most important ones:
//
//   - Types that have declarative defaults (schema.Schema.DeclarativeDefaults)
//     merge as schema.Schema.DeclarativeDefaults describes.
//   - Conflicts are sorted. If the managed fields of an update cannot be computed, the update
//     returns the error. The API server only logs it.
//   - Managed fields in an API version that no longer exists are removed with a
//     warning. The API server rejects every apply to a custom resource that has such
//     managed fields.
//   - The API server loses an entry in two cases. In the first case, the entry ancient-changes
//     has the same time stamp as the entry of another manager. The server then deletes
//     ancient-changes, and this package keeps it. In the second case, the server writes two
//     entries for one owner after a request to the subresource scale. The next request keeps
//     only the last of them. With managedfields.Scale, the owner instead gets one entry with the
//     fields of both.
//
// The package does not connect to a cluster. It runs no admission, and does not set values
// that a server allocates (uid, resourceVersion, clusterIP). It has no types of its own:
// Options.Types provides them.
package fieldmanager
