// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ownership answers questions of people about who owns what of a Kubernetes
// object, and mends what is wrong with that.
//
// Start from a [fieldmanager.FieldManager], which knows the types, and from [Blame], which
// says who owns each place of an object:
//
//	fm, err := fieldmanager.New(fieldmanager.Options{Types: types})
//	...
//	found, err := ownership.Blame(fm, live)
//	for path, place := range found.All() {
//		for _, i := range place.Owners {
//			fmt.Println(path, found.Entries[i].Manager)
//		}
//	}
//
// [Examine] finds what is wrong with managed fields and repairs what nobody has to decide.
// [Migrate] hands what one manager owns over to another:
//
//	out, err := ownership.Migrate(fm, live, ownership.Migration{
//		From: []string{"kubectl-client-side-apply"}, To: "gitops",
//	})
//	// store out.Object if out.Changed
//
// [Extract] gives what a manager applied, as a config. [Rekeying] carries managed fields
// over to a new state of their schemas.
//
// Objects are plain data and are never modified; what is handed out may share with them.
// Nothing here makes a request: storing what comes out is the caller's.
package ownership
