// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managedfields reads and writes metadata.managedFields, where the API server stores
// which managers own which fields of an object.
//
// [Decode] returns the [Managed] of an object:
//
//	managed, err := managedfields.Decode(object)
//	...
//	for _, e := range managed.Entries() {
//		fmt.Println(e.Manager, e.Operation, e.Set)
//	}
//
// [New] returns a Managed with the given entries, and [Managed.EncodeInto] writes a Managed into
// an object. Decoded entries that did not change are written exactly as they were stored.
//
// To merge, pass the result of [Managed.Fields] to package merge, and pass the managers that
// package merge returns to [Managed.With]. In calls of package merge, the name of the manager
// must be an identifier that [Owner.ID] returns, and not a plain name. Package fieldmanager does
// all of this for a whole request. A program whose objects have no metadata.managedFields does
// not need this package: it can store each field set as JSON, with [fieldpath.Set.ToJSON]. To
// show owners to users, see package ownership. This package does not decide who owns a field,
// and needs no schema.
//
// [Managed.Upgrade] moves fields from client-side apply to server-side apply. [Scale]
// translates between a resource and its scale subresource.
package managedfields
