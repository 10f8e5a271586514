// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package merge merges objects and tracks which manager owns which field.
//
// Start with an [Updater]. [Updater.Apply] is server-side apply: the manager owns exactly the fields in
// its configuration. A field that it no longer applies is removed, unless another manager owns it
// (Apply describes an exception). Changing a field of another manager is a conflict, unless the apply
// forces it. [Updater.Update] is for all other writes. After an update, the manager also owns the
// fields that it added or modified. If a manager applies and updates an object, use two names for it,
// because an apply also removes fields that the same name owns by an update.
//
// For Kubernetes objects, use package fieldmanager, which calls this package and also reads
// and writes metadata.managedFields. Use it also for other data, if you can add the fields
// apiVersion, kind and metadata. docs/library.md lists what it does in addition to this package.
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
//	live, _ := t.FromYAML(`{}`) // t is a typed.ParseableType; a new object starts empty
//	object, managers, err := u.Apply(live, config, "v1", nil, "web", false)
//	var conflicts merge.Conflicts
//	if errors.As(err, &conflicts) { ... }
//	if object == nil { object = live } // the object is unchanged, but store the managers
//
// The managers are a [fieldpath.ManagedFields]. For each manager, the map contains the field
// set, the API version of the set, and whether the manager owns the fields by an apply. Store
// the returned managers with the object and pass them to the next call. For example, write each
// set with fieldpath.Set.ToJSON. The name of a manager can be any text. If package managedfields
// stores the managers, their names must be identifiers of owners (managedfields.Owner.ID).
//
// Apply and Update do not check immutable fields (schema.Transition). Before you store the result,
// fill in the defaults of the live object and of the result with typed.TypedValue.Default. Then call
// live.CheckTransition(result, typed.TransitionOptions{}). If the result is null, pass an empty map
// or list instead: CheckTransition takes a null for a deletion, which it always allows.
//
// Apply and Update use the defaults in the schema to identify list items. With declarative
// defaults (schema.Schema.DeclarativeDefaults), they also use them in comparisons: applying
// the default to an absent field changes nothing. If a configuration sets a field to a null that
// stands for the default, Apply may store the default. Apart from this case, Apply and Update
// never add defaults to an object. To add them, call typed.TypedValue.Default.
//
// The API is the same as in sigs.k8s.io/structured-merge-diff/v6/merge. Results are the same,
// except for the differences that DIFFERENCES.md lists. Time stamps, subresources and the
// managedFields list of Kubernetes objects belong to package fieldmanager.
package merge
