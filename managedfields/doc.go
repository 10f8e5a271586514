// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package managedfields reads and writes metadata.managedFields: who owns what of a
// Kubernetes object, as the API server stores it.
//
// Start from [Decode], which makes a [Managed] of an object:
//
//	managed, err := managedfields.Decode(object)
//	...
//	for _, e := range managed.Entries() {
//		fmt.Println(e.Manager, e.Operation, e.Set)
//	}
//
// [New] makes a Managed of entries, [Managed.EncodeInto] writes it into an object. Entries that
// did not change are written as they were read.
//
// [Managed.Fields] is what package merge takes, and [Managed.With] takes what that
// returns. Package fieldmanager does so for whole requests, package ownership answers
// questions of people; this package decides nothing about who is to own what, and knows
// no schema.
//
// [Managed.Upgrade] hands fields of client-side apply over to server-side apply, [Scale]
// translates between a resource and its scale subresource.
package managedfields
