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

// leftovers are the members of unions that a request leaves behind by choosing
// another one. The zero value is none.
type leftovers struct {
	// settled is the object without them.
	settled *typed.TypedValue
	members []typed.Leftover
	// tops are those of them that go, as within has made them.
	tops *fieldpath.Set
	// held is what others own of them, by the ID of the owner.
	held fieldpath.ManagedFields
}

// leftovers returns those of an apply by the owner with that ID which made merged of
// live, and fields of its owners. merged is nil if nothing has changed.
func (r *request) leftovers(merged, live, config *typed.TypedValue, fields fieldpath.ManagedFields, id string) (*leftovers, error) {
	l := &leftovers{}
	if merged == nil {
		return l, nil
	}
	merged = r.asStored(merged)
	var err error
	if l.settled, l.members, err = r.settle(merged, live, config); err != nil || len(l.members) == 0 {
		return l, err
	}
	if l.held, err = r.holders(l, merged, fields, id); err != nil {
		return nil, err
	}
	return l, nil
}

// settle is typed.TypedValue.SettleUnions of what the endpoint stores. A member of which
// it does not store all stays as it is.
func (r *request) settle(stored, live, config *typed.TypedValue) (*typed.TypedValue, []typed.Leftover, error) {
	settled, members, err := stored.SettleUnions(live, config)
	if err != nil {
		return nil, nil, fmt.Errorf("unions: %w", err)
	}
	kept := &leftovers{}
	members = slices.DeleteFunc(members, func(m typed.Leftover) bool {
		stays := r.resets(m.Path)
		if stays {
			kept.members = append(kept.members, m)
		}
		return stays
	})
	if len(kept.members) == 0 || len(members) == 0 {
		return settled, members, nil
	}
	all, err := stored.ToFieldSet()
	if err != nil {
		return nil, nil, fmt.Errorf("unions: %w", err)
	}
	back := stored.ExtractItems(kept.within(all), typed.WithAppendKeyFields())
	if settled, err = settled.Merge(back); err != nil {
		return nil, nil, fmt.Errorf("unions: %w", err)
	}
	return settled, members, nil
}

// resets says whether the endpoint does not store what is at path, or part of it.
func (r *request) resets(path fieldpath.Path) bool {
	reset := r.m.o.ResetFields[fieldpath.APIVersion(r.apiVersion)]
	if reset == nil {
		return false
	}
	for i := range path {
		if reset.Has(path[:i+1]) {
			return true
		}
	}
	return holds(reset, path)
}

// asStored is an object as the endpoint stores it.
func (r *request) asStored(tv *typed.TypedValue) *typed.TypedValue {
	if r.m.o.ResetFields == nil {
		return tv
	}
	return place.TypedOf(r.liveType, r.reset(plainOf(tv)))
}

// holders returns what others than the owner with that ID own of members that go.
func (r *request) holders(l *leftovers, merged *typed.TypedValue, fields fieldpath.ManagedFields, id string) (fieldpath.ManagedFields, error) {
	held := fieldpath.ManagedFields{}
	elsewhere := map[fieldpath.APIVersion]*fieldpath.Set{} // what goes in other versions
	for _, owner := range slices.Sorted(maps.Keys(fields)) {
		vs := fields[owner]
		if owner == id {
			continue
		}
		version := vs.APIVersion()
		var set *fieldpath.Set
		if version == fieldpath.APIVersion(r.apiVersion) {
			set = l.within(vs.Set())
		} else {
			gone, ok := elsewhere[version]
			if !ok {
				var err error
				if gone, err = r.goneIn(version, merged, l.settled); err != nil {
					return nil, err
				}
				elsewhere[version] = gone
			}
			set = vs.Set().Intersection(gone)
		}
		if !set.Empty() {
			held[owner] = fieldpath.NewVersionedSet(set, version, vs.Applied())
		}
	}
	return held, nil
}

// within returns what of set is at or below members that go.
func (l *leftovers) within(set *fieldpath.Set) *fieldpath.Set {
	if l.tops == nil {
		var tops []fieldpath.Path
		for i := range l.members {
			if m := &l.members[i]; !m.Written {
				tops = append(tops, m.Path)
			}
		}
		l.tops = fieldpath.NewSet(tops...)
	}
	return set.Difference(set.RecursiveDifference(l.tops))
}

// holds says whether set has path or anything below it.
func holds(set *fieldpath.Set, path fieldpath.Path) bool {
	last := len(path) - 1
	for _, pe := range path[:last] {
		set = set.WithPrefix(pe)
	}
	return set.Members.Has(path[last]) || !set.WithPrefix(path[last]).Empty()
}

// goneIn returns what settled lacks of merged in another version, nothing if that
// version is gone.
func (r *request) goneIn(version fieldpath.APIVersion, merged, settled *typed.TypedValue) (*fieldpath.Set, error) {
	var both [2]*typed.TypedValue
	for i, tv := range []*typed.TypedValue{merged, settled} {
		converted, err := r.versions.Convert(tv, version)
		if r.versions.IsMissingVersionError(err) {
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

// join adds to conflicts those with the owners of what goes.
func (l *leftovers) join(conflicts merge.Conflicts) merge.Conflicts {
	if len(l.held) == 0 {
		return conflicts
	}
	all := fieldpath.ManagedFields{}
	for owner, held := range l.held {
		// That a container is owned, too, says nothing more.
		all[owner] = fieldpath.NewVersionedSet(held.Set().Leaves(), "", false)
	}
	others := map[string]*fieldpath.Set{}
	for _, c := range conflicts {
		if others[c.Manager] == nil {
			others[c.Manager] = fieldpath.NewSet()
		}
		others[c.Manager].Insert(c.Path)
	}
	for owner, set := range others {
		if more, ok := all[owner]; ok {
			set = set.Union(more.Set())
		}
		all[owner] = fieldpath.NewVersionedSet(set, "", false)
	}
	return merge.ConflictsFromManagers(all)
}

// clear takes what goes out of merged, which it returns, and out of what fields, which
// it writes to, have of it.
func (l *leftovers) clear(r *request, merged *typed.TypedValue, fields fieldpath.ManagedFields) *typed.TypedValue {
	if len(l.members) == 0 {
		return merged
	}
	for owner, held := range l.held {
		vs := fields[owner]
		rest := vs.Set().Difference(held.Set())
		if rest.Empty() {
			delete(fields, owner)
		} else {
			fields[owner] = fieldpath.NewVersionedSet(rest, vs.APIVersion(), vs.Applied())
		}
	}
	r.warnLeft(l)
	return l.settled
}

// unionsProposal says in messages that no API server does what Options.Unions does.
const unionsProposal = "KEP-1027, a proposal"

// warnLeft says what goes, and what stays though it should not.
func (r *request) warnLeft(l *leftovers) {
	owners := l.owners()
	for i := range l.members {
		m := &l.members[i]
		if m.Written {
			r.warn(m.Path.String(), "%s; it is written all the same and stays (%s)", m.Why(), unionsProposal)
			continue
		}
		what := "it is cleared"
		if names := owners[i]; len(names) > 0 {
			what += " and taken from " + strings.Join(names, ", ")
		}
		r.warn(m.Path.String(), "%s; %s (%s)", m.Why(), what, unionsProposal)
	}
}

// owners describes the owners, in the version of the endpoint, of the members that
// go, by their index.
func (l *leftovers) owners() map[int][]string {
	owners := map[int][]string{}
	for id, held := range l.held {
		owner, err := managedfields.ParseOwner(id)
		if err != nil {
			continue
		}
		name, seen := fmt.Sprintf("%v (%s)", owner, owner.Operation), map[int]bool{}
		for path := range held.Set().All() {
			if i := l.memberOf(path); i >= 0 && !seen[i] {
				seen[i] = true
				owners[i] = append(owners[i], name)
			}
		}
	}
	for _, names := range owners {
		slices.Sort(names)
	}
	return owners
}

// memberOf is the member that goes at path or above it, -1 if there is none.
func (l *leftovers) memberOf(path fieldpath.Path) int {
	for i := range path {
		at, found := slices.BinarySearchFunc(l.members, path[:i+1], func(m typed.Leftover, p fieldpath.Path) int { return m.Path.Compare(p) })
		if found && !l.members[at].Written {
			return at
		}
	}
	return -1
}

// why says why a conflict is one, empty if it is not about a member that goes.
func (l *leftovers) why(c merge.Conflict) string {
	if l == nil {
		return ""
	}
	if held, ok := l.held[c.Manager]; !ok || !held.Set().Has(c.Path) {
		return ""
	}
	if i := l.memberOf(c.Path); i >= 0 {
		return l.members[i].Why()
	}
	return "a member of a union goes that has not been chosen"
}

// settleUpdate returns object, which an update makes of live, without the members of
// unions that it leaves behind. Nobody is asked: an update takes what it changes.
func (r *request) settleUpdate(object map[string]any, tv, live *typed.TypedValue) (map[string]any, *typed.TypedValue, error) {
	settled, members, err := r.settle(r.asStored(tv), live, nil)
	if err != nil {
		return nil, nil, err
	}
	l := &leftovers{settled: settled, members: members}
	if len(l.members) == 0 {
		return object, tv, nil
	}
	r.warnLeft(l)
	object, _ = settled.AsValue().Unstructured().(map[string]any) // what was an object stays one
	settled, err = r.liveType.FromUnstructured(object, typed.AllowDuplicates)
	return object, settled, err
}
