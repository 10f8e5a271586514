// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/compiled"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// A ProblemRule names a kind of problem.
type ProblemRule string

// The problems that Examine knows. The first seven are repaired.
const (
	// BrokenEntry cannot be read.
	BrokenEntry ProblemRule = "broken-entry"
	// DuplicateEntry is another entry of an owner that has one.
	DuplicateEntry ProblemRule = "duplicate-entry"
	// VersionGone is an entry in an API version that there is no more.
	VersionGone ProblemRule = "version-gone"
	// MissingKeyDefault is a path that names an item without a key that has a
	// default by now.
	MissingKeyDefault ProblemRule = "missing-key-default"
	// OutdatedPath is a path into what the schema has as one whole by now.
	OutdatedPath ProblemRule = "outdated-path"
	// LostPath is a path of an Update that leads nowhere in the object. Of an Apply
	// it may be what was applied as null.
	LostPath ProblemRule = "lost-path"
	// DeadManager is an entry of which nothing is in the object.
	DeadManager ProblemRule = "dead-manager"
	// StaleManager has not written for longer than ExamineOptions.Stale.
	StaleManager ProblemRule = "stale-manager"
	// ClientSideOrphan is a field that client-side apply owns, or set, and no server-side
	// apply owns, in an object that has one: it stays when it is left out.
	ClientSideOrphan ProblemRule = "client-side-orphan"
	// SecretKeyOrphan is a key of a Secret's data that nobody owns, in a Secret that has an owner
	// of stringData: it was written through stringData, and stays when it is left out.
	SecretKeyOrphan ProblemRule = "secret-key-orphan"
	// TwoNames are two entries of one tool, by Update and Apply or under two
	// names: it conflicts with itself, and what it drops stays.
	TwoNames ProblemRule = "two-names"
	// OwnedDefault is a field with its default that only an Update owns: whoever
	// created the object may never have written it, and yet another value conflicts.
	// It is looked for with ExamineOptions.Defaults, as is the next.
	OwnedDefault ProblemRule = "owned-default"
	// WrittenByUpdate is a field of an applied object that only an Update owns, and
	// that has no default or another value: a program fills it in, where the schema
	// could.
	WrittenByUpdate ProblemRule = "written-by-update"
)

// A Problem is something that is wrong with managed fields.
type Problem struct {
	Rule ProblemRule
	// Index is that of the entry in metadata.managedFields as they were; -1 for
	// the list itself, and where no entry has the field.
	Index int
	// Owner and Time are those of the entry that the problem is about, as that entry
	// was when it was found: of VersionGone with the version that is gone, of what was
	// found after that with the version that it was moved to. It is not who did wrong.
	// Both are empty if the entry cannot be read, and where there is none: for the list
	// itself, and for a ClientSideOrphan that nobody owns.
	Owner managedfields.Owner
	Time  *time.Time
	// Path is what it is about, empty for the entry.
	Path fieldpath.Path
	// Message says what is wrong, and what comes of it.
	Message string
	// Repair is what was done, empty if that is for somebody to decide.
	Repair string
	// Other is the other owner of TwoNames: the one that applies.
	Other managedfields.Owner
}

// ExamineResult is what Examine found.
type ExamineResult struct {
	// Problems are in the order of the rules, then of the entries.
	Problems []Problem
	// Object has the repaired managed fields; it is the object itself if
	// Changed is false. Nothing else differs.
	Object  map[string]any
	Changed bool
}

// ExamineOptions say what Examine looks for.
type ExamineOptions struct {
	// Stale is how long a manager may not have written. Zero: as long as it
	// likes, since an apply that changes nothing does not count as a write.
	Stale time.Duration

	// Defaults looks for fields that an Update owns where a default of the schema
	// would do, outside of metadata and status.
	Defaults bool
}

// Examine finds what is wrong with the managed fields of live, and repairs what
// can be without taking anything that is there from its owner. Fields of
// versions that are gone are taken to have the same names in live's version.
//
// An error means that there is no type for live, or that live is no object with
// metadata. live is not modified.
func Examine(m *fieldmanager.FieldManager, live map[string]any, o ExamineOptions) (*ExamineResult, error) {
	apiVersion, kind := document.TypeOf(live)
	if _, err := m.Type(apiVersion, kind); err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	metadata, ok := live["metadata"]
	if ok && metadata != nil && document.Metadata(live) == nil {
		return nil, &managedfields.EntryError{Index: -1, Err: fmt.Errorf("metadata is %s, want an object", document.Kind(metadata))}
	}
	x := &examination{m: m, live: live, plain: document.WithoutManagedFields(live), o: o}
	x.read(document.Metadata(live)["managedFields"])
	if err := x.versions(apiVersion, kind); err != nil {
		return nil, err
	}
	if err := x.paths(); err != nil {
		return nil, err
	}
	x.stale()
	if err := x.clientSide(); err != nil {
		return nil, err
	}
	x.secretKeys(apiVersion, kind)
	x.twoNames()
	if o.Defaults {
		if err := x.defaults(); err != nil {
			return nil, err
		}
	}
	return x.result()
}

// secretKeys finds keys of a Secret that were written through stringData by a manager that no
// longer does. The server copies stringData to data, and managed fields name stringData alone.
func (x *examination) secretKeys(apiVersion, kind string) {
	data, ok := x.plain["data"].(map[string]any)
	if apiVersion != "v1" || kind != "Secret" || !ok {
		return
	}
	stringData := fieldpath.FieldNameElement("stringData")
	var writer *examinedEntry
	for i := range x.entries {
		if e := &x.entries[i]; !e.Set.WithPrefix(stringData).Empty() {
			writer = e
			break
		}
	}
	if writer == nil {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		path := fieldpath.MakePathOrDie("data", key)
		written := fieldpath.MakePathOrDie("stringData", key)
		owned := slices.ContainsFunc(x.entries, func(e examinedEntry) bool { return e.Set.Has(path) || e.Set.Has(written) })
		if !owned {
			x.found(SecretKeyOrphan, nil, path, "", "nobody owns it: it was written through stringData, and stays when it is left out; remove it with kubectl edit, or apply it in data once and then leave it out")
		}
	}
}

// examination is one run of Examine.
type examination struct {
	m           *fieldmanager.FieldManager
	live, plain map[string]any
	o           ExamineOptions
	// entries are what can be read, as repaired so far, and at where they are by the
	// IDs of their owners.
	entries  []examinedEntry
	at       map[string]int
	problems []Problem
	changed  bool
}

type examinedEntry struct {
	managedfields.Entry
	index int
	// more are sets that are joined with that of the entry.
	more []*fieldpath.Set
}

func (x *examination) found(rule ProblemRule, e *examinedEntry, path fieldpath.Path, repair, format string, args ...any) *Problem {
	p := Problem{Rule: rule, Index: -1, Path: path, Repair: repair, Message: fmt.Sprintf(format, args...)}
	if e != nil {
		p.Index, p.Owner, p.Time = e.index, e.Owner, e.Time
	}
	x.changed = x.changed || repair != ""
	x.problems = append(x.problems, p)
	return &x.problems[len(x.problems)-1]
}

// read reads the entries one by one.
func (x *examination) read(value any) {
	list, ok := value.([]any)
	if !ok && value != nil {
		x.found(BrokenEntry, nil, nil, "left out: nobody owns anything until somebody writes", "want a list, got %s", document.Kind(value))
		return
	}
	for i, item := range list {
		managed, err := managedfields.DecodeEntries([]any{item})
		if err != nil {
			x.found(BrokenEntry, &examinedEntry{index: i}, nil, "left out", "%s", reason(err))
			continue
		}
		e := examinedEntry{Entry: managed.Entries()[0], index: i}
		if at := x.find(e.Owner); at >= 0 {
			x.found(DuplicateEntry, &e, nil, "joined with the first",
				"is another entry of the same owner as entry %d, which the API server forgets", x.entries[at].index)
			x.join(at, e)
			continue
		}
		x.add(e)
	}
}

// reason is what is wrong with the only entry of a list.
func reason(err error) string {
	var bad *managedfields.EntryError
	if !errors.As(err, &bad) {
		return err.Error()
	}
	var in *stored.Error
	switch {
	case errors.As(bad.Err, &in):
		return bad.Field + bad.Err.Error()
	case bad.Field != "":
		return bad.Field + ": " + bad.Err.Error()
	}
	return bad.Err.Error()
}

func (x *examination) find(o managedfields.Owner) int {
	if i, ok := x.at[o.ID()]; ok {
		return i
	}
	return -1
}

func (x *examination) add(e examinedEntry) {
	if x.at == nil {
		x.at = map[string]int{}
	}
	x.at[e.Owner.ID()] = len(x.entries)
	x.entries = append(x.entries, e)
}

// join adds what e owns to the entry at an index, which joined has to see.
func (x *examination) join(at int, e examinedEntry) {
	to := &x.entries[at]
	to.more = append(to.more, e.Set)
	if document.Seconds(e.Time) > document.Seconds(to.Time) {
		to.Time = e.Time
	}
}

// joined gives the entries what was joined with them.
func (x *examination) joined() {
	for i := range x.entries {
		if e := &x.entries[i]; e.more != nil {
			e.Set, e.more = stored.Union(append(e.more, e.Set)), nil
		}
	}
}

// versions moves the entries of versions that are gone to that of the object.
func (x *examination) versions(apiVersion, kind string) error {
	list := x.entries
	x.entries, x.at = nil, nil
	for _, e := range list {
		_, err := x.m.Type(e.APIVersion, kind)
		if err != nil && !errors.Is(err, fieldmanager.ErrUnknownType) {
			return err
		}
		if err != nil {
			x.found(VersionGone, &e, nil, "now in "+apiVersion,
				"%s %s is not known any more: applies fail, or what is owned in it is forgotten", e.APIVersion, kind)
			e.APIVersion = apiVersion
		}
		if at := x.find(e.Owner); at >= 0 {
			x.entries[at].more = append(x.entries[at].more, e.more...)
			x.join(at, e)
			continue
		}
		x.add(e)
	}
	x.joined()
	return nil
}

// result writes the managed fields if any were repaired.
func (x *examination) result() (*ExamineResult, error) {
	out := &ExamineResult{Problems: x.problems, Object: x.live, Changed: x.changed}
	if !x.changed {
		return out, nil
	}
	managed, err := x.managed()
	if err != nil {
		return nil, err
	}
	out.Object = managed.EncodeInto(x.live)
	return out, nil
}

func (x *examination) managed() (*managedfields.Managed, error) {
	entries := make([]managedfields.Entry, len(x.entries))
	for i := range x.entries {
		entries[i] = x.entries[i].Entry
	}
	return managedfields.New(entries)
}

// paths brings the paths of the entries up to date and takes out those that
// lead nowhere.
func (x *examination) paths() error {
	apiVersion, kind := document.TypeOf(x.live)
	t, err := x.m.Type(apiVersion, kind)
	if err != nil {
		return err
	}
	for i := range x.entries {
		e := &x.entries[i]
		if set := today(x.m, &e.Entry, x.plain, t); !set.Equals(e.Set) {
			if err := x.outdated(e, set, kind); err != nil {
				return err
			}
			e.Set = set
		}
	}
	managed, err := x.managed()
	if err != nil {
		return err
	}
	b, err := Blame(x.m, managed.EncodeInto(x.plain))
	if err != nil {
		return err
	}
	lost := make([][]fieldpath.Path, len(x.entries))
	for _, c := range b.Lost {
		at := x.find(b.Entries[c.Entry].Owner)
		lost[at] = append(lost[at], c.Path)
	}
	dead := make([]bool, len(x.entries))
	differ := differing(x.m, x.plain, apiVersion)
	for i, paths := range lost {
		e := &x.entries[i]
		if differ(e.APIVersion) != nil {
			continue // what is lost here may have another name there
		}
		left := e.Set.RecursiveDifference(fieldpath.NewSet(paths...))
		if left.Empty() {
			what := "nothing of what it owns is in the object"
			if e.Set.Empty() {
				what = "it owns nothing"
			}
			x.found(DeadManager, e, nil, "left out", "%s", what)
			dead[i] = true
			continue
		}
		if e.Operation == managedfields.OperationApply {
			continue // it may have been applied as null
		}
		for _, path := range paths {
			x.found(LostPath, e, path, "left out", "owned, but not in the object")
		}
		e.Set = left
	}
	list := x.entries
	x.entries, x.at = nil, nil
	for i, e := range list {
		if !dead[i] {
			x.add(e)
		}
	}
	return nil
}

// outdated notes what of an entry reads otherwise by the schema of today.
func (x *examination) outdated(e *examinedEntry, today *fieldpath.Set, kind string) error {
	t, err := x.m.Type(e.APIVersion, kind)
	if err != nil {
		return err
	}
	n := compiled.Node(t.Schema, t.TypeRef)
	gone, come := e.Set.Difference(today), today.Difference(e.Set)
	seen := map[string]bool{}
	for path := range gone.All() {
		old, now, isKey := rekeyed(path, come, n)
		if !isKey {
			now = longestIn(path, come)
			if now == nil {
				old, now = path, path
			} else {
				old = path[:len(now)+1]
			}
		}
		old = old.Copy()
		if name := old.String(); seen[name] {
			continue
		} else {
			seen[name] = true
		}
		if isKey {
			x.found(MissingKeyDefault, e, old, "now "+now.String(), "names an item without a key that has a default: it means %s", now)
		} else {
			x.found(OutdatedPath, e, old, "now "+now.String(), "is part of what the schema has as one whole by now: it means %s", now)
		}
	}
	return nil
}

// rekeyed finds the path in come that is path with more or other keys, in a value of
// type n; both are cut behind the item.
func rekeyed(path fieldpath.Path, come *fieldpath.Set, n *graph.Node) (old, now fieldpath.Path, ok bool) {
	set := come
	for i, element := range path {
		next, has := set.Children.Get(element)
		if element.Key != nil && !has && !set.Members.Has(element) && n.List != nil {
			if other, ok := item.Named(n.List, element); ok && (set.Members.Has(other) || !set.WithPrefix(other).Empty()) {
				return path[:i+1], append(path[:i:i], other), true
			}
		}
		if !has {
			return nil, nil, false
		}
		switch {
		case element.FieldName != nil && n.Map != nil:
			n = n.Map.At(*element.FieldName)
		case element.FieldName == nil && n.List != nil:
			n = n.List.Item
		default:
			return nil, nil, false
		}
		set = next
	}
	return nil, nil, false
}

// longestIn is the longest beginning of path that is in set, nil if there is none.
func longestIn(path fieldpath.Path, set *fieldpath.Set) fieldpath.Path {
	for n := len(path) - 1; n > 0; n-- {
		if set.Has(path[:n]) {
			return path[:n]
		}
	}
	return nil
}

// stale finds the managers that have not written for long.
func (x *examination) stale() {
	if x.o.Stale <= 0 {
		return
	}
	now := x.m.Options().Clock()
	for i := range x.entries {
		e := &x.entries[i]
		if e.Time != nil && now.Sub(*e.Time) > x.o.Stale {
			x.found(StaleManager, e, nil, "", "wrote last on %s: see whether anybody still answers for it, or hand its fields over with a migration", e.Time.UTC().Format(time.DateOnly))
		}
	}
}

// clientSide finds the fields that client-side apply left behind in an object
// that is applied server-side by now.
func (x *examination) clientSide() error {
	var all, byApply []*fieldpath.Set
	to := ""
	for i := range x.entries {
		e := &x.entries[i]
		all = append(all, e.Set)
		if e.Operation == managedfields.OperationApply && e.Subresource == "" {
			byApply = append(byApply, e.Set)
			if to == "" || e.Manager == clientside.Kubectl {
				to = e.Manager
			}
		}
	}
	if to == "" {
		return nil
	}
	applied, owned := stored.Union(byApply), stored.Union(all)
	for i := range x.entries {
		e := &x.entries[i]
		if !clientside.IsEntry(&e.Entry) {
			continue
		}
		for _, path := range tops(e.Set.Difference(applied), applied) {
			x.found(ClientSideOrphan, e, path, "", "client-side apply owns it, and no server-side apply: it stays when it is left out of an apply; hand it over to %s with a migration", to)
		}
	}
	for _, path := range x.forgotten(owned) {
		x.found(ClientSideOrphan, nil, path, "", "client-side apply set it, by the annotation %s, and nobody owns it: it stays when it is left out of an apply", fieldmanager.LastAppliedAnnotation)
	}
	return nil
}

// tops are the paths of set, each without those below it, that hold nothing of
// others; the annotation of client-side apply is not among them.
func tops(set, others *fieldpath.Set) []fieldpath.Path {
	var list []fieldpath.Path
	taken := fieldpath.NewSet()
	for path := range set.All() {
		if len(path) <= len(clientside.Path) && clientside.Path[:len(path)].Equals(path) || contains(others, path) {
			continue
		}
		below := false
		for n := 1; n < len(path) && !below; n++ {
			below = taken.Has(path[:n])
		}
		if !below {
			taken.Insert(path.Copy())
			list = append(list, path.Copy())
		}
	}
	return list
}

// contains tells whether set has something below path.
func contains(set *fieldpath.Set, path fieldpath.Path) bool {
	for _, e := range path {
		next, ok := set.Children.Get(e)
		if !ok {
			return false
		}
		set = next
	}
	return true
}

// forgotten are the fields of the last-applied annotation that the object still
// has as they were and that nobody owns.
func (x *examination) forgotten(owned *fieldpath.Set) []fieldpath.Path {
	own, err := lastAppliedFields(x.m, x.plain)
	if err != nil {
		return nil // there is none, or it cannot be read: it says nothing
	}
	return tops(own.Difference(document.NeverOwned).Difference(owned), owned)
}

// lastAppliedFields are the fields in the annotation of object that have the same
// value in it.
func lastAppliedFields(m *fieldmanager.FieldManager, object map[string]any) (*fieldpath.Set, error) {
	apiVersion, kind := document.TypeOf(object)
	t, err := m.Type(apiVersion, kind)
	if err != nil {
		return nil, err
	}
	return clientside.Fields(object, apiVersion, t)
}

// twoNames finds the entries by which a tool stands in its own way.
func (x *examination) twoNames() {
	orphans := map[int]bool{}
	for _, p := range x.problems {
		if p.Rule == ClientSideOrphan {
			orphans[p.Index] = true
		}
	}
	applies, all := map[tool][]int{}, map[tool][]int{}
	for i := range x.entries {
		t := toolOf(&x.entries[i])
		if all[t] = append(all[t], i); x.entries[i].Operation == managedfields.OperationApply {
			applies[t] = append(applies[t], i)
		}
	}
	var pairs [][2]int // of an apply and another entry
	add := func(i, j int) {
		other := &x.entries[j]
		if i != j && !orphans[other.index] && !(other.Operation == managedfields.OperationApply && i > j) {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	for k := range x.entries {
		own := toolOf(&x.entries[k])
		for t := range own.shorter() {
			for _, i := range first(applies[t]) {
				add(i, k)
			}
			if x.entries[k].Operation == managedfields.OperationApply && t != own {
				for _, j := range first(all[t]) {
					add(k, j)
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, p := range pairs {
		apply, other := &x.entries[p[0]], &x.entries[p[1]]
		shared := apply.Set.Intersection(other.Set).Leaves().Size()
		if other.Operation == managedfields.OperationApply && shared == 0 {
			continue
		}
		only := other.Set.Difference(apply.Set).Leaves().Size()
		p := x.found(TwoNames, other, nil, "",
			"the same tool as %v (%s): %d of its fields are both's, %d only its own; what the tool leaves out of an apply stays, and it may conflict with itself; a migration joins the two",
			apply.Owner, apply.Operation, shared, only)
		p.Other = apply.Owner
	}
}

// maxNamesakes is how many entries of one name are compared with others: there are as
// many as the tool has API versions.
const maxNamesakes = 16

func first(list []int) []int { return list[:min(len(list), maxNamesakes)] }

// tool is a program by the name of its manager: helm and Helm are one, and so are
// kubectl and kubectl-client-side-apply, argocd and argocd-controller.
type tool struct{ name, subresource string }

func toolOf(e *examinedEntry) tool { return tool{strings.ToLower(e.Manager), e.Subresource} }

// shorter yields t, and the names of the same program that are shorter.
func (t tool) shorter() iter.Seq[tool] {
	return func(yield func(tool) bool) {
		if !yield(t) {
			return
		}
		for i := 1; i < len(t.name); i++ {
			if t.name[i] == '-' && !yield(tool{t.name[:i], t.subresource}) {
				return
			}
		}
	}
}

// defaults finds the fields that only an Update owns, and that have their default,
// or could have one.
func (x *examination) defaults() error {
	managed, err := x.managed()
	if err != nil {
		return err
	}
	b, err := Blame(x.m, managed.EncodeInto(x.plain))
	if err != nil {
		return err
	}
	t, err := x.m.Type(document.TypeOf(x.live))
	if err != nil {
		return err
	}
	applied := slices.ContainsFunc(x.entries, func(e examinedEntry) bool {
		return e.Operation == managedfields.OperationApply && e.Subresource == ""
	})
	tv := typed.AsTypedUnvalidated(value.NewValueInterface(x.plain), t.Schema, t.TypeRef)
	find := place.Finders{}
	for path, p := range b.All() {
		if p.State != Owned || len(p.Children) > 0 && !p.Whole || !mayHaveDefault(path) {
			continue
		}
		byUpdate := func(i int) bool {
			e := &b.Entries[i]
			return e.Operation == managedfields.OperationUpdate && e.Subresource == "" && !clientside.IsEntry(e)
		}
		if slices.ContainsFunc(p.Owners, func(i int) bool { return !byUpdate(i) }) {
			continue
		}
		at, ok := find.Place(tv, path)
		if !ok || !applied && !at.IsDefault() {
			continue
		}
		for _, i := range p.Owners {
			e := &x.entries[x.find(b.Entries[i].Owner)]
			switch {
			case at.IsDefault():
				x.found(OwnedDefault, e, path.Copy(), "", "has its default, which nobody need have written; it is owned yet, and whoever applies another value conflicts: apply it with force once, or have it migrated")
			case at.Declared() != nil:
				x.found(WrittenByUpdate, e, path.Copy(), "", "written by an update, has another value than its default, and nobody applies it: whoever applies another one conflicts; if all objects are to have it, make it the default of the schema, which nobody owns")
			default:
				x.found(WrittenByUpdate, e, path.Copy(), "", "written by an update, has no default in the schema, and nobody applies it: whoever applies another value conflicts; if all objects are to have it, make it the default of the schema, which nobody owns")
			}
		}
	}
	return nil
}

// mayHaveDefault tells whether a field is one that users write: not of metadata or
// status, no item, and no key that names one.
func mayHaveDefault(path fieldpath.Path) bool {
	last := path[len(path)-1].FieldName
	if last == nil || path[0].FieldName == nil {
		return false
	}
	switch *path[0].FieldName {
	case "apiVersion", "kind", "metadata", "status":
		return false
	}
	if len(path) < 2 || path[len(path)-2].Key == nil {
		return true
	}
	return !slices.ContainsFunc(*path[len(path)-2].Key, func(k value.Field) bool { return k.Name == *last })
}
