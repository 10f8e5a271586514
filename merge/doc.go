// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package merge keeps track of who owns what.
//
// Start from an [Updater]. It takes a live object, what somebody wants, and the field sets
// of all managers. [Updater.Apply] is server-side apply: the manager owns exactly what
// its configuration says, what it no longer says goes unless somebody else owns it, and
// writing over what others own is a conflict unless it is forced. [Updater.Update] is every
// other write: the manager owns what it changed. For objects of Kubernetes, package
// fieldmanager does all this, and reads and writes metadata.managedFields besides.
//
//	// oneVersion is the Converter of objects that have one version.
//	type oneVersion struct{}
//
//	func (oneVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
//		return o, nil
//	}
//	func (oneVersion) IsMissingVersionError(error) bool { return false }
//
//	u := (&merge.UpdaterBuilder{Converter: oneVersion{}}).BuildUpdater()
//	live, _ := t.FromYAML(`{}`) // t is a typed.ParseableType; an object that is new is empty
//	object, managers, err := u.Apply(live, config, "v1", nil, "web", false)
//	var conflicts merge.Conflicts
//	if errors.As(err, &conflicts) { ... }
//	if object == nil { ... } // nothing changed: live stays
//
// managers are a [fieldpath.ManagedFields]: for each manager its field set, the version that
// the set is in, and whether it applied. Store what comes out beside the object, and hand it
// in with the next request.
//
// Defaults of the schema count where items are told apart. With declarative defaults
// (schema.Schema.DeclarativeDefaults) they count in conflicts, too: what is applied as it is
// by default changes nothing. The object gets none: typed.TypedValue.Default fills them in.
//
// The API and its results are those of
// sigs.k8s.io/structured-merge-diff/v6/merge. Time stamps, subresources and the
// managedFields list of Kubernetes objects are left to package fieldmanager.
package merge
