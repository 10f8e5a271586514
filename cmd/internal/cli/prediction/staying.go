// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/quantity"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// StayingField is a field that an apply keeps, although the config leaves it out and its author
// probably expects the apply to remove it. Either the manager of the apply wrote the field earlier,
// or another manager owns the field, and the config seems to replace the config of that manager.
type StayingField struct {
	Path string
	// Owners lists the owners of the field after the apply: other managers, or the same manager
	// with the operation Update. In a Secret, a key of data has no owner if it comes from
	// stringData.
	Owners []managedfields.Owner
	// GivenUp is set if the manager's previous apply contained the field.
	GivenUp bool
	// Remedy describes how to remove the field.
	Remedy string
}

// noteStaying warns about fields that the apply keeps, although the author of the
// config probably wants to remove them. It also calls recordAppliers.
func (m *Requester) noteStaying(o *Outcome) {
	if m.update || o.Live == nil || o.Result == nil || len(o.Errors) > 0 {
		return
	}
	before, err := managedfields.Decode(o.Live.Content)
	if err != nil {
		return // the apply has reported this error
	}
	after, err := managedfields.Decode(o.Result.Object)
	if err != nil {
		return
	}
	s := &stayingFinder{m: m, o: o, result: place.ObjectOf(o.LiveType, o.Result.Object), applied: fieldpath.NewSet()}
	entries := after.Entries()
	if own := ownEntry(entries, m.Manager, m.subresource, managedfields.OperationApply); own != nil {
		s.applied = own.Set
	}
	s.owned = fields.NewOwnership(slices.DeleteFunc(entries, func(e managedfields.Entry) bool {
		return e.Manager == m.Manager && e.Operation == managedfields.OperationApply && e.Subresource == m.subresource
	}))
	if last := ownEntry(before.Entries(), m.Manager, m.subresource, managedfields.OperationApply); last != nil {
		s.givenUp(last.Set.Difference(s.applied))
	}
	s.writtenByUpdate(before.Entries(), after.Entries())
	m.recordAppliers(o, before.Entries())
}

// ownEntry returns the first managed fields entry with the given manager, subresource and
// operation, or nil.
func ownEntry(entries []managedfields.Entry, manager, subresource string, operation managedfields.Operation) *managedfields.Entry {
	i := slices.IndexFunc(entries, func(e managedfields.Entry) bool {
		return e.Manager == manager && e.Operation == operation && e.Subresource == subresource
	})
	if i < 0 {
		return nil
	}
	return &entries[i]
}

// stayingFinder finds fields of one object that an apply keeps, although the config leaves them
// out.
type stayingFinder struct {
	m *Requester
	o *Outcome
	// result is the object after the request.
	result *place.Place
	// applied is the field set that the manager owns by Apply after the request.
	applied *fieldpath.Set
	// owned holds all other managed fields entries.
	owned *fields.Ownership
}

// topmost calls visit for each path in set that exists in the result. If visit returns true,
// topmost skips the paths below this path.
func (s *stayingFinder) topmost(set *fieldpath.Set, visit func(fieldpath.Path) bool) {
	var last fieldpath.Path
	set.Iterate(func(p fieldpath.Path) {
		if last != nil && len(p) > len(last) && p[:len(last)].Equals(last) {
			return
		}
		if _, there := s.result.At(p); there && visit(p) {
			last = slices.Clone(p)
		}
	})
}

// givenUp reports fields that the manager gives up, but that stay because they have other owners.
// The argument set holds the fields that the manager's previous apply contained and this apply
// leaves out. If "dovetail migrate" created the previous entry from updates, set also contains maps
// and lists themselves: an Update owns each map and list that it creates, but an Apply owns only
// their items. Therefore, for a map or list, givenUp reports the items that the manager owned.
func (s *stayingFinder) givenUp(set *fieldpath.Set) {
	s.topmost(set, func(p fieldpath.Path) bool {
		if !below(s.applied, p).Empty() || p[len(p)-1].FieldName != nil && !below(set, p).Empty() {
			return false // the config still has p, or the fields inside are visited separately
		}
		entries := s.owned.Of(p)
		if len(entries) == 0 {
			return false
		}
		f := StayingField{Path: p.String(), GivenUp: true}
		updater, subresource := "", ""
		for _, e := range entries {
			f.Owners = append(f.Owners, e.Owner)
			if e.Operation == managedfields.OperationUpdate {
				updater, subresource = e.Manager, e.Subresource
			}
		}
		f.Remedy = "it is removed when no manager applies it anymore"
		if updater != "" {
			f.Remedy = fmt.Sprintf("\"%v\" transfers its fields, and the next apply then removes this field", s.migration(updater, subresource))
		}
		s.add(f, fmt.Sprintf("this field is no longer in the config of %s, but stays because %s owns it; %s", words.Manager(s.m.Manager), words.Owners(entries), f.Remedy))
		return true
	})
	for _, p := range stringDataKeys(set) {
		s.leftKey(p)
	}
}

// leftKey reports a key of a Secret that stays in data. The manager's previous apply set the key
// in stringData, and the server copied it to data without an owner.
func (s *stayingFinder) leftKey(key string) {
	if !unstructured.IsSecret(s.o.Result.Object) {
		return
	}
	p := fieldpath.MakePathOrDie(unstructured.SecretData, key)
	if _, there := s.result.At(p); !there || s.applied.Has(p) || len(s.owned.Of(p)) > 0 {
		return
	}
	f := StayingField{Path: p.String(), GivenUp: true, Remedy: "apply the key in data once and then leave it out, or remove it with kubectl edit"}
	s.add(f, fmt.Sprintf("stays: %s wrote it through stringData, which the server copies to data without an owner; to remove it, %s", words.Manager(s.m.Manager), f.Remedy))
}

// stringDataKeys lists the keys of stringData in set.
func stringDataKeys(set *fieldpath.Set) (keys []string) {
	set.Iterate(func(p fieldpath.Path) {
		if len(p) == 2 && p[0].FieldName != nil && *p[0].FieldName == unstructured.SecretStringData && p[1].FieldName != nil {
			keys = append(keys, *p[1].FieldName)
		}
	})
	return keys
}

// writtenByUpdate reports fields that the config leaves out, but that stay because a manager owns
// them by Update. An apply does not remove such fields, even if it is from the same manager.
//
// The fields of another manager are reported only if the config probably replaces the config of
// that manager. Two conditions must hold. First, the manager has written at least half of the
// fields in the config. Controllers, autoscalers and "kubectl edit" usually have written fewer.
// Second, the config is complete, so that it could create the object, or it contains at least half
// of the fields that the manager owns.
func (s *stayingFinder) writtenByUpdate(before, after []managedfields.Entry) {
	earlier := fieldpath.NewSet()
	if last := ownEntry(before, s.m.Manager, s.m.subresource, managedfields.OperationApply); last != nil {
		earlier = last.Set
	}
	for _, e := range after {
		if e.Operation != managedfields.OperationUpdate || e.Subresource != s.m.subresource {
			continue
		}
		if e.Manager == s.m.Manager {
			s.warnOfUpdate(e.Owner, s.leftOut(e.Set.Difference(s.applied), e.Owner))
			continue
		}
		if k := s.o.Kubectl; k != nil && slices.Contains(k.From, e.Manager) {
			continue // followKubectl has reported the fields
		}
		both := s.writtenBy(before, e.Manager)
		if 2*both < s.applied.Leaves().Size() {
			continue
		}
		set := e.Set.Difference(s.applied).Difference(earlier) // givenUp has reported the fields in earlier
		paths := s.leftOut(set, e.Owner)
		if leavesAt(set, paths) <= both || s.complete() {
			s.warnOfUpdate(e.Owner, paths)
		}
	}
}

// writtenBy returns the number of fields in the config that the given manager owned by Update
// before the apply.
func (s *stayingFinder) writtenBy(before []managedfields.Entry, manager string) int {
	wrote := fieldpath.NewSet()
	for _, e := range before {
		if e.Manager == manager && e.Operation == managedfields.OperationUpdate && e.Subresource == s.m.subresource {
			wrote = wrote.Union(e.Set)
		}
	}
	return wrote.Intersection(s.applied.Leaves()).Size()
}

// leavesAt returns how many leaves of set are at or below paths.
func leavesAt(set *fieldpath.Set, paths []fieldpath.Path) (n int) {
	for _, p := range paths {
		n += max(1, below(set, p).Leaves().Size())
	}
	return n
}

// complete reports whether the config has all fields that a server requires to create the object.
func (s *stayingFinder) complete() bool {
	config := s.filledConfig()
	if config == nil {
		return false
	}
	causes, err := s.o.server.InvalidValues(config, nil, s.m.subresource)
	return err == nil && !slices.ContainsFunc(causes, func(c predict.Cause) bool { return c.Type == "FieldValueRequired" })
}

// filledConfig returns the config with the defaults that a server fills in. It returns nil if the
// defaults cannot be filled in.
func (s *stayingFinder) filledConfig() map[string]any {
	config, _, err := s.o.server.Fill(s.o.Sent(), s.o.Type, false, s.m.Now())
	if err != nil {
		return nil // the apply has reported this error
	}
	return config
}

// leftOut returns the fields of set that the config leaves out, but that the apply keeps. It
// returns only fields that have no other owner. It skips fields whose value is the default, which the
// server would set again, and fields that clients add to each config.
func (s *stayingFinder) leftOut(set *fieldpath.Set, owner managedfields.Owner) (paths []fieldpath.Path) {
	config := s.filledConfig()
	if config == nil {
		return nil
	}
	filled := place.ObjectOf(s.o.Type, config)
	s.topmost(set, func(p fieldpath.Path) bool {
		if p[0].FieldName != nil && *p[0].FieldName == "status" || s.applied.Has(p) || !below(s.applied, p).Empty() {
			return false
		}
		at, _ := s.result.At(p)
		v := at.Plain
		if def, ok := filled.At(p); ok && (document.Equal(def.Plain, v) || quantity.Equal(def.Plain, v)) || isObjectMeta(p) || isAddedByClient(p, v) {
			return false
		}
		if p[len(p)-1].FieldName != nil && !below(set, p).Empty() {
			return false // the fields inside are visited separately
		}
		if isEmpty(v) {
			return false // clients may send empty Go structs
		}
		if slices.ContainsFunc(s.owned.Of(p), func(e managedfields.Entry) bool {
			return e.Manager != owner.Manager || e.Operation != owner.Operation
		}) {
			return true
		}
		paths = append(paths, slices.Clone(p))
		return true
	})
	return paths
}

// warnOfUpdate warns about fields that stay, because their owner wrote them by Update.
func (s *stayingFinder) warnOfUpdate(owner managedfields.Owner, paths []fieldpath.Path) {
	if len(paths) == 0 {
		return
	}
	remedy := fmt.Sprintf("\"%v\" transfers the fields, and the next apply removes those that the config lacks", s.migration(owner.Manager, owner.Subresource))
	for _, p := range paths {
		s.o.Staying = append(s.o.Staying, StayingField{Path: p.String(), Owners: []managedfields.Owner{owner}, Remedy: remedy})
	}
	rule := "an apply does not remove such fields, even if the same manager sends it"
	if owner.Manager != s.m.Manager {
		rule = fmt.Sprintf("an apply by %s does not remove fields of another manager", words.Manager(s.m.Manager))
	}
	like, it := "", "it"
	if len(paths) > 1 {
		like, it = ", like "+shortPaths(paths[1:]), "these fields"
	}
	s.warn(paths[0].String(), fmt.Sprintf("stays%s: %s owns %s through Update, and %s; %s", like, words.Manager(owner.Manager), it, rule, remedy))
}

// migration returns a migration from another manager. If the outcome does not have this migration
// yet, it adds the migration to the outcome.
func (s *stayingFinder) migration(from, subresource string) *Migration {
	m := s.o.Migration([]string{from}, subresource)
	if !slices.ContainsFunc(s.o.Migrations, func(other *Migration) bool { return other.Join(m) }) {
		s.o.Migrations = append(s.o.Migrations, m)
	}
	return m
}

// shortPaths lists paths for a message. If there are many paths, it lists only the first ones.
func shortPaths(paths []fieldpath.Path) string {
	const most = 5
	var names []string
	for _, p := range paths[:min(len(paths), most)] {
		names = append(names, p.String())
	}
	if more := len(paths) - most; more > 0 {
		return strings.Join(names, ", ") + fmt.Sprintf(" and %s (-o report lists all)", words.Count(more, "other field"))
	}
	return words.And(names)
}

// isEmpty reports whether v is null or an empty map or list.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// below returns the part of set that is below path p, as paths relative to p.
func below(set *fieldpath.Set, p fieldpath.Path) *fieldpath.Set {
	for _, e := range p {
		set = set.WithPrefix(e)
	}
	return set
}

// isAddedByClient reports whether v, at path p, is a value that a client adds to each object, and
// that a config therefore lacks: the last-applied annotation of kubectl, or the annotations and the
// label of a Helm release.
func isAddedByClient(p fieldpath.Path, v any) bool {
	if len(p) != 3 || p[2].FieldName == nil {
		return false
	}
	name := *p[2].FieldName
	switch {
	case p[:2].Equals(lastAppliedPath[:2]):
		return name == fieldmanager.LastAppliedAnnotation || strings.HasPrefix(name, "meta.helm.sh/")
	case p[:2].Equals(labelsPath):
		return name == "app.kubernetes.io/managed-by" && v == "Helm"
	}
	return false
}

var labelsPath = fieldpath.MakePathOrDie("metadata", "labels")

// isObjectMeta reports whether p is apiVersion, kind, metadata or a field in metadata. It
// returns false for labels, annotations, finalizers and ownerReferences.
func isObjectMeta(p fieldpath.Path) bool {
	if p[0].FieldName == nil {
		return false
	}
	switch *p[0].FieldName {
	case "apiVersion", "kind":
		return true
	case "metadata":
		return len(p) == 1 || p[1].FieldName == nil || !slices.Contains([]string{"labels", "annotations", "finalizers", "ownerReferences"}, *p[1].FieldName)
	}
	return false
}

func (s *stayingFinder) add(f StayingField, message string) {
	s.o.Staying = append(s.o.Staying, f)
	s.warn(f.Path, message)
}

func (s *stayingFinder) warn(path, message string) {
	s.o.warnOfResult(warning{s.o.Live.Position(path), input.ShortenPath(path), message})
}

// recordAppliers collects facts for noteUnknownManager: whether the manager owns fields of the
// live object or, if it owns none, which managers apply the object. It also stores these managers
// in o.AppliedBy.
func (m *Requester) recordAppliers(o *Outcome, entries []managedfields.Entry) {
	var appliers []string
	for _, e := range entries {
		if e.Manager == m.Manager {
			m.ownsAny.Store(true)
			return
		}
		if e.Operation == managedfields.OperationApply {
			appliers = append(appliers, e.Manager)
		}
	}
	if len(appliers) == 0 {
		return
	}
	o.AppliedBy = appliers
	if len(o.Resolved) > 0 || !document.Equal(document.WithoutManagedFields(o.Before), document.WithoutManagedFields(o.Result.Object)) {
		m.anyChange.Store(true)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.appliers = append(m.appliers, appliers...)
	m.appliedByOthers++
}

// noteUnknownManager adds a note if the name of the manager is probably misspelled, or if the
// manager takes over from another tool without a migration. It adds the note only if the manager
// owns nothing in any live object, and other managers apply some of these objects. If the requests
// change an object that other managers apply, one of these managers must also have a similar name.
func (m *Requester) noteUnknownManager(r *command.Run) {
	if m.ownsAny.Load() || len(m.appliers) == 0 {
		return
	}
	slices.Sort(m.appliers)
	names := slices.Compact(m.appliers)
	similar := suggest.Nearest(m.Manager, names)
	if m.anyChange.Load() && similar == "" {
		return
	}
	name := words.Manager(m.Manager)
	r.Notef("%s owns nothing in the live objects, so fields that the config leaves out stay (%s applied %d of these objects): if the name is wrong, correct --field-manager%s If %s takes over from another tool, first transfer the fields of that tool with \"dovetail migrate\" (--from TOOL --to %s)",
		name, words.ShortList(quoted(names)), m.appliedByOthers, cmp.Or(words.DidYouMean(similar), "."), name, name)
}
