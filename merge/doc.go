// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package merge keeps track of who owns what.
//
// An [Updater] takes a live object, what somebody wants, and the field sets of
// all managers. [Updater.Apply] is server-side apply: the manager owns exactly
// what its configuration says, what it no longer says goes unless somebody else
// owns it, and writing over what others own is a conflict unless it is forced.
// [Updater.Update] is every other write: the manager owns what it changed.
//
//	u := (&merge.UpdaterBuilder{Converter: converter}).BuildUpdater()
//	object, managers, err := u.Apply(live, config, "v1", managers, "web", false)
//	var conflicts merge.Conflicts
//	if errors.As(err, &conflicts) { ... }
//
// The API and its results are those of
// sigs.k8s.io/structured-merge-diff/v6/merge. Time stamps, subresources and the
// managedFields list of Kubernetes objects are left to package fieldmanager.
package merge
