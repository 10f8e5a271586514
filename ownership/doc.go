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
//	out, err := ownership.Migrate(fm, live, ownership.MigrateOptions{
//		From: []string{"kubectl-client-side-apply"}, To: "gitops",
//	})
//	// store out.Object if out.Changed
//
// [Extract] gives what a manager applied, as a config.
//
// Objects are plain data and are never modified; what is handed out may share with them.
// Nothing here makes a request: storing what comes out is the caller's.
//
// # Moving managed fields
//
// What changes decides which is meant:
//
//	who owns them: client-side apply      Migrate, which reads the entries by the schema
//	is left behind, a manager has a       of today, takes entries of any operation, and
//	new name                              reads the annotation of client-side apply
//	the same, as kubectl does it          managedfields.Managed.Upgrade, which knows no
//	                                      schema and drops entries in other versions
//	what they are called: a CRD has       Rekey, once for each stored object
//	other keys, key defaults, or atomic
//	lists
//	nothing: an API version keeps the     fieldmanager.PinKeys, which touches no
//	key defaults that it had              stored object
//	an API version goes: its entries      Examine, which moves them to the version
//	                                      of the object, if the fields have the same names
//	the version of one manager            nothing: its next apply in the new version moves
//	                                      its entry, if there is a Converter
//
// Only the last of these is a request. What the others return is to be stored.
package ownership
