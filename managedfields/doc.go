// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managedfields reads and writes metadata.managedFields, in which the API server
// stores the owners of each field of an object.
//
// [Decode] returns the [Managed] of an object:
//
//	managed, err := managedfields.Decode(object)
//	...
//	for _, e := range managed.Entries() {
//		fmt.Println(e.Manager, e.Operation, e.Set)
//	}
//
// [New] returns a Managed with the given entries, and [Managed.EncodeInto] writes it into an
// object. Entries that did not change keep their stored form.
//
// To merge, pass the result of [Managed.Fields] to package merge, and pass the managers
// that package merge returns to [Managed.With]. The name of the manager in these calls must be
// an identifier that [Owner.ID] returns, and not a plain name. Package fieldmanager does
// both steps for a whole request. A program whose objects have no metadata.managedFields does
// not need this package: it can store each field set as JSON, with [fieldpath.Set.ToJSON].
// Package ownership reports owners to people. This package does not decide who owns a field,
// and needs no schema.
//
// [Managed.Upgrade] moves fields from client-side apply to server-side apply. [Scale]
// translates between a resource and its scale subresource.
package managedfields
