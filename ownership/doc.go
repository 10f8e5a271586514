// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package ownership reports which manager owns each field of a Kubernetes object, and
// repairs and migrates ownership.
//
// Call [Blame] with a [fieldmanager.FieldManager], which knows the types. Blame returns the
// owners of each field and item:
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
// [Examine] finds problems in managed fields, and repairs those that do not need a decision by a
// person. [Migrate] transfers fields from one manager to another:
//
//	out, err := ownership.Migrate(fm, live, ownership.MigrateOptions{
//		From: []string{"kubectl-client-side-apply"}, To: "gitops",
//	})
//	// store out.Object if out.Changed
//
// [Extract] returns the fields that a manager applied, as a config.
//
// Objects are plain data, and are never modified. Results may share parts with them. This
// package sends no requests, so the caller must store the results.
//
// # Moving managed fields
//
// Which function to call depends on the change:
//
//	a manager has a new name, or          Migrate. It uses the current schema, moves
//	client-side apply is replaced         Apply and Update entries, and reads the
//	                                      annotation of client-side apply
//	the same, as kubectl does it          managedfields.Managed.Upgrade. It needs no
//	                                      schema, and removes entries in other versions
//	a CRD changes the keys, key           Rekey, once for each stored object
//	defaults, or atomic lists
//	an API version keeps its old          fieldmanager.PinKeyDefaults. It changes no
//	key defaults                          stored object
//	an API version is removed             Examine. It moves the entries to the version of
//	                                      the object, if the fields have the same names
//	an API version has a new field        Examine, if another version of managed fields
//	                                      lacks the field and all applies fail
//	one manager uses a new version        nothing: its next apply in the new version moves
//	                                      its entry, if there is a Converter
//
// The apply in the last row is an ordinary request. PinKeyDefaults returns a TypeSource, and
// stores nothing. In all other rows, the caller must store the result.
package ownership
