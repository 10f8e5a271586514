// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

// leftovers has the members of unions that a request no longer selects. The request keeps a
// leftover member that it sets itself (typed.Leftover.Written), and clears all others. The zero
// value has no leftovers.
type leftovers struct {
	all []typed.Leftover // sorted by path
	// normalized is the object without the cleared members, and with live values for the fields in
	// Options.ResetFields. If the field all is empty, normalized has no meaning: it may lack
	// members that must not be cleared.
	normalized *typed.TypedValue
	// ownedByOthers has the fields of cleared members that other managers own, by the ID of the
	// owner. It is nil for an update.
	ownedByOthers fieldpath.ManagedFields
}

// findLeftovers returns the union members that an apply no longer selects. sets has the field sets
// after the merge, and ownerID is the owner whose fields the apply writes. If merged is nil, the merge
// did not change the object, so there are no leftovers.
func (r *request) findLeftovers(merged, live, config *typed.TypedValue, sets fieldpath.ManagedFields, ownerID string) (*leftovers, error) {
	l := &leftovers{}
	if merged == nil {
		return l, nil
	}
	merged = r.typedWithLiveResetFields(merged)
	var err error
	if l.normalized, l.all, err = r.normalizeUnions(merged, live, config); err != nil || len(l.all) == 0 {
		return l, err
	}
	if l.ownedByOthers, err = r.findOwnedByOthers(l, merged, sets, ownerID); err != nil {
		return nil, err
	}
	return l, nil
}

// normalizeUnions returns the members of unions that a request no longer selects, and the object
// without these members. Members that the request itself sets stay in the object (see
// typed.TypedValue.NormalizeUnions). Members with fields that the endpoint does not store also
// stay, and are not among the returned members. The argument next is the new object as the endpoint
// would store it (see typedWithLiveResetFields). config is nil for an update.
//
// If normalizeUnions returns no leftovers, callers must not use the returned object: it may lack
// members that must not be cleared.
func (r *request) normalizeUnions(next, live, config *typed.TypedValue) (*typed.TypedValue, []typed.Leftover, error) {
	normalized, all, err := next.NormalizeUnions(live, config)
	if err != nil {
		return nil, nil, fmt.Errorf("unions: %w", err)
	}
	var kept []typed.Leftover
	all = slices.DeleteFunc(all, func(m typed.Leftover) bool {
		stays := r.touchesResetField(m.Path)
		if stays {
			kept = append(kept, m)
		}
		return stays
	})
	if len(kept) == 0 || len(all) == 0 {
		return normalized, all, nil
	}
	// NormalizeUnions has also cleared the members to keep. Copy them from next into the result.
	allFields, err := next.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("unions: %w", err)
	}
	keptFields := next.ExtractItems(pathsAtOrBelow(unwrittenPaths(kept), allFields), typed.WithAppendKeyFields())
	if normalized, err = normalized.Merge(keptFields); err != nil {
		return nil, nil, fmt.Errorf("unions: %w", err)
	}
	return normalized, all, nil
}

// touchesResetField reports whether Options.ResetFields has the field at path, a field that contains it,
// or a field inside it.
func (r *request) touchesResetField(path fieldpath.Path) bool {
	reset := r.resetFields()
	if reset == nil {
		return false
	}
	for i := range path {
		if reset.Has(path[:i+1]) {
			return true
		}
	}
	return hasAtOrBelow(reset, path)
}

// typedWithLiveResetFields does the same as withLiveResetFields for a typed object. It does not validate
// the result.
func (r *request) typedWithLiveResetFields(tv *typed.TypedValue) *typed.TypedValue {
	if r.resetFields() == nil {
		return tv
	}
	return place.TypedOf(r.liveType, r.withLiveResetFields(plainObject(tv)))
}

// withRequestedResetFields undoes the effect of typedWithLiveResetFields. The fields in
// Options.ResetFields get the values that they have in requested, the object before
// typedWithLiveResetFields.
func (r *request) withRequestedResetFields(object, requested *typed.TypedValue) *typed.TypedValue {
	if r.resetFields() == nil {
		return object
	}
	return place.TypedOf(r.liveType, r.copyResetFields(plainObject(object), plainObject(requested)))
}

// findOwnedByOthers returns the fields of the cleared members that belong to owners other than
// ownerID. The keys of the result are the IDs of these owners.
func (r *request) findOwnedByOthers(l *leftovers, merged *typed.TypedValue, sets fieldpath.ManagedFields, ownerID string) (fieldpath.ManagedFields, error) {
	others := fieldpath.ManagedFields{}
	cleared := unwrittenPaths(l.all)
	removedByVersion := map[fieldpath.APIVersion]*fieldpath.Set{} // the cleared fields, by API version
	for _, otherID := range slices.Sorted(maps.Keys(sets)) {
		vs := sets[otherID]
		if otherID == ownerID {
			continue
		}
		version := vs.APIVersion()
		var set *fieldpath.Set
		if version == fieldpath.APIVersion(r.apiVersion) {
			set = pathsAtOrBelow(cleared, vs.Set())
		} else {
			removed, ok := removedByVersion[version]
			if !ok {
				var err error
				if removed, err = r.removedIn(version, merged, l.normalized); err != nil {
					return nil, err
				}
				removedByVersion[version] = removed
			}
			set = vs.Set().Intersection(removed)
		}
		if !set.Empty() {
			others[otherID] = fieldpath.NewVersionedSet(set, version, vs.Applied())
		}
	}
	return others, nil
}

// unwrittenPaths returns the paths of the leftovers that the request itself does not set. Of these
// members, the request clears those that the endpoint stores.
func unwrittenPaths(all []typed.Leftover) *fieldpath.Set {
	var roots []fieldpath.Path
	for i := range all {
		if m := &all[i]; !m.Written {
			roots = append(roots, m.Path)
		}
	}
	return fieldpath.NewSet(roots...)
}

// pathsAtOrBelow returns the paths in set that are among the roots, or below one of them.
func pathsAtOrBelow(roots, set *fieldpath.Set) *fieldpath.Set {
	return set.Difference(set.RecursiveDifference(roots))
}

// hasAtOrBelow reports whether set has path or a path below it. path must not be empty.
func hasAtOrBelow(set *fieldpath.Set, path fieldpath.Path) bool {
	last := len(path) - 1
	for _, pe := range path[:last] {
		set = set.WithPrefix(pe)
	}
	return set.Members.Has(path[last]) || !set.WithPrefix(path[last]).Empty()
}

// removedIn converts both objects to the given API version, and returns the fields of merged that
// are missing in normalized. The result is empty if the version does not exist.
func (r *request) removedIn(version fieldpath.APIVersion, merged, normalized *typed.TypedValue) (*fieldpath.Set, error) {
	var both [2]*typed.TypedValue
	for i, tv := range []*typed.TypedValue{merged, normalized} {
		converted, err := r.converter.Convert(tv, version)
		if r.converter.IsMissingVersionError(err) {
			return fieldpath.NewSet(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("unions: %w", err)
		}
		both[i] = converted
	}
	compared, err := both[0].Compare(both[1])
	if err != nil {
		return nil, fmt.Errorf("unions: %w", err)
	}
	return compared.Removed.EnsureNamedFieldsAreMembers(both[0].Schema(), both[0].TypeRef()), nil
}

// withConflictsOverCleared returns the given conflicts, and a conflict for each leaf field of a cleared
// member that another manager owns. The argument has the sorted conflicts of the merge. The result is
// also sorted, and has each conflict only once.
func (l *leftovers) withConflictsOverCleared(conflicts merge.Conflicts) merge.Conflicts {
	if len(l.ownedByOthers) == 0 {
		return conflicts
	}
	all := fieldpath.ManagedFields{}
	for ownerID, vs := range l.ownedByOthers {
		// Report only leaves. Conflicts over the maps and lists that contain them add no
		// information.
		all[ownerID] = fieldpath.NewVersionedSet(vs.Set().Leaves(), "", false)
	}
	conflicting := map[string]*fieldpath.Set{} // the paths of conflicts, by the ID of the owner
	for _, c := range conflicts {
		if conflicting[c.Manager] == nil {
			conflicting[c.Manager] = fieldpath.NewSet()
		}
		conflicting[c.Manager].Insert(c.Path)
	}
	for ownerID, set := range conflicting {
		if cleared, ok := all[ownerID]; ok {
			set = set.Union(cleared.Set())
		}
		all[ownerID] = fieldpath.NewVersionedSet(set, "", false)
	}
	return merge.ConflictsFromManagers(all)
}

// clearLeftovers returns the merged object without the cleared union members. It also removes the
// fields of these members from the field sets of other managers, and adds a warning for each leftover.
// If no member is cleared, it returns merged itself, which may be nil.
func (r *request) clearLeftovers(l *leftovers, merged *typed.TypedValue, sets fieldpath.ManagedFields) *typed.TypedValue {
	if len(l.all) == 0 {
		return merged
	}
	for ownerID, vs := range l.ownedByOthers {
		removePaths(sets, ownerID, vs.Set())
	}
	r.warnLeftovers(l)
	if !l.clearsAny() {
		return merged
	}
	return r.withRequestedResetFields(l.normalized, merged)
}

// clearsAny reports whether the request clears any leftover.
func (l *leftovers) clearsAny() bool {
	return slices.ContainsFunc(l.all, func(m typed.Leftover) bool { return !m.Written })
}

// unionsProposal marks messages about Options.Unions, because no released API server behaves
// like this.
const unionsProposal = "KEP-1027, a proposal"

// warnLeftovers adds a warning for each union member that the request clears. It also adds
// a warning for each member that the request keeps although the union selects another
// member.
func (r *request) warnLeftovers(l *leftovers) {
	names := l.ownerNames()
	for i := range l.all {
		m := &l.all[i]
		if m.Written {
			r.warn(m.Path.String(), "%s; this field is kept, because the request sets it (%s)", m.Why(), unionsProposal)
			continue
		}
		effect := "this field is cleared"
		if len(names[i]) > 0 {
			effect += ", and removed from the field sets of " + strings.Join(names[i], ", ")
		}
		r.warn(m.Path.String(), "%s; %s (%s)", m.Why(), effect, unionsProposal)
	}
}

// ownerNames returns the other owners of each cleared member, as texts for a warning. The keys of the
// map are indexes in l.all. The paths of owners in other API versions are used without
// conversion, so an owner is missing if the member has another path in its version.
func (l *leftovers) ownerNames() map[int][]string {
	all := map[int][]string{}
	for ownerID, vs := range l.ownedByOthers {
		owner, err := managedfields.ParseOwner(ownerID)
		if err != nil {
			continue
		}
		name, seen := fmt.Sprintf("%v (%s)", owner, owner.Operation), map[int]bool{}
		for path := range vs.Set().All() {
			if i := l.clearedMemberAround(path); i >= 0 && !seen[i] {
				seen[i] = true
				all[i] = append(all[i], name)
			}
		}
	}
	for _, names := range all {
		slices.Sort(names)
	}
	return all
}

// clearedMemberAround returns the index in l.all of the cleared member that contains path, or -1 if there
// is no such member.
func (l *leftovers) clearedMemberAround(path fieldpath.Path) int {
	for i := range path {
		index, found := slices.BinarySearchFunc(l.all, path[:i+1], func(m typed.Leftover, p fieldpath.Path) int { return m.Path.Compare(p) })
		if found && !l.all[index].Written {
			return index
		}
	}
	return -1
}

// clearReason explains why the request clears the union member that contains path. If the request
// clears no such member, it returns "". l may be nil.
func (l *leftovers) clearReason(path fieldpath.Path) string {
	if l != nil {
		if i := l.clearedMemberAround(path); i >= 0 {
			return l.all[i].Why()
		}
	}
	return ""
}

// conflictReason explains a conflict over a union member that the request clears. For any other
// conflict, it returns "". l may be nil.
func (l *leftovers) conflictReason(c merge.Conflict) string {
	if l == nil {
		return ""
	}
	if vs, ok := l.ownedByOthers[c.Manager]; !ok || !vs.Set().Has(c.Path) {
		return ""
	}
	if why := l.clearReason(c.Path); why != "" {
		return why
	}
	return "the union no longer selects this member, so the apply clears it"
}

// clearLeftoversOfUpdate clears the union members that an update no longer selects, except those that
// the update itself sets. It adds a warning for each leftover, cleared or not, and sets r.leftovers. The
// caller passes the new object as plain data and with its type, and clearLeftoversOfUpdate
// returns it in the same two forms. It ignores who owns the members, because an update never
// conflicts.
func (r *request) clearLeftoversOfUpdate(object map[string]any, tv, live *typed.TypedValue) (map[string]any, *typed.TypedValue, error) {
	normalized, all, err := r.normalizeUnions(r.typedWithLiveResetFields(tv), live, nil)
	if err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return object, tv, nil
	}
	r.leftovers = &leftovers{normalized: normalized, all: all}
	r.warnLeftovers(r.leftovers)
	if !r.leftovers.clearsAny() {
		return object, tv, nil
	}
	object = plainObject(r.withRequestedResetFields(normalized, tv))
	tv, err = r.liveType.FromUnstructured(object, typed.AllowDuplicates)
	return object, tv, err
}
