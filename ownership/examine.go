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

// A ProblemRule names a kind of problem in managed fields.
type ProblemRule string

// These are the problems that Examine finds. It can repair the problems up to DeadManager, but
// not the others.
const (
	// BrokenEntry means that an entry cannot be decoded, or that the managed fields are not a
	// list. If only the time of an entry or some keys of its fieldsV1 are invalid, Examine removes
	// only these.
	BrokenEntry ProblemRule = "broken-entry"
	// UnknownElement means that a path of an entry has an element of an unknown kind, such as x:a in
	// fieldsV1. API servers ignore such a path, and remove it when they write the managed fields.
	UnknownElement ProblemRule = "unknown-element"
	// DuplicateEntry means that an earlier entry has the same owner.
	DuplicateEntry ProblemRule = "duplicate-entry"
	// VersionGone means that an entry is in an API version that no longer exists. Examine moves the
	// entry to the version of the object. If ExamineOptions.Custom shows that the kind is built in,
	// Examine removes the entry, as an API server does.
	VersionGone ProblemRule = "version-gone"
	// VersionUnserved means that an entry is in an API version that a CustomResourceDefinition
	// defines but does not serve. The API server keeps the entry. If the version is later
	// removed from the definition, the API server rejects every apply to the object. Examine
	// reports this problem only if ExamineOptions.Unserved is set. It repairs the entry only if
	// the object has the same fields in this version and in its own version.
	VersionUnserved ProblemRule = "version-unserved"
	// VersionLacksField means that the API version of an entry does not declare a field of the object,
	// although the field survives a conversion to this version. The API server then rejects every apply
	// to the object.
	VersionLacksField ProblemRule = "version-lacks-field"
	// MissingKeyDefault means that a path lacks a key of a list item, and the key now has a
	// default.
	MissingKeyDefault ProblemRule = "missing-key-default"
	// OutdatedPath means that a path leads into a list or map that is now atomic. Examine
	// replaces it with the path of the list or map.
	OutdatedPath ProblemRule = "outdated-path"
	// LostPath means that an Update entry owns a path that the object does not have. Examine
	// does not report such paths in Apply entries, because a manager may have applied null
	// there.
	//
	// Examine also reports a path in any entry if the path may belong to a list item that lacks one of
	// the keys in the path. It does so if the schema has no default for this key, and all other keys
	// match. It does not remove such a path, because the default may only be missing in the schema. For
	// example, OpenAPI v2 documents contain no defaults. For the same reason, it reports and keeps a
	// path that has null in a key for which the schema has no default.
	LostPath ProblemRule = "lost-path"
	// DeadManager means that the object has none of the fields that an entry owns, or that the
	// entry owns no fields.
	DeadManager ProblemRule = "dead-manager"
	// StaleManager means that the last write of an entry is longer ago than
	// ExamineOptions.Stale.
	StaleManager ProblemRule = "stale-manager"
	// ClientSideOrphan is a field that client-side apply owns or has set, in an object that is
	// now applied server-side. No server-side apply owns the field, so an apply that omits the
	// field does not remove it.
	ClientSideOrphan ProblemRule = "client-side-orphan"
	// SecretKeyOrphan is a key in the data of a Secret that nobody owns, although some manager
	// owns fields in stringData. A manager wrote the key through stringData, so omitting the key
	// from a config does not remove it.
	SecretKeyOrphan ProblemRule = "secret-key-orphan"
	// TwoNames means that one tool has two entries: an Update and an Apply, or entries with two
	// manager names. The tool may conflict with itself, and fields that it no longer applies
	// stay in the object.
	TwoNames ProblemRule = "two-names"
	// OwnedDefault is a field that has its default value and that only Update entries own. The
	// creator of the object may never have sent the field, but applying a different value
	// conflicts. Examine reports this problem only if ExamineOptions.Defaults is set.
	OwnedDefault ProblemRule = "owned-default"
	// WrittenByUpdate is a field that only Update entries own, in an object that is also applied. Its
	// value is not the default. A program set the value by an update, although a default in the schema
	// may be able to provide the value. Examine reports this problem only if ExamineOptions.Defaults is
	// set.
	WrittenByUpdate ProblemRule = "written-by-update"
)

// A Problem is a problem in managed fields.
type Problem struct {
	Rule ProblemRule
	// Index is the index of the entry in the original metadata.managedFields. It is -1 if the
	// problem is about the whole list, or if no entry owns the field.
	Index int
	// Owner and Time are the owner and the time of the entry with the problem, even if another
	// manager has caused the problem. They are empty if the entry cannot be decoded, if the problem
	// is about the whole list, or if nobody owns the field. If Examine repairs a problem by moving
	// the entry to another API version, this problem has the old version, and later problems of the
	// entry have the new version.
	Owner managedfields.Owner
	Time  *time.Time
	// Path is the path of the field with the problem. It is empty if the problem is about a
	// whole entry or the whole list.
	Path fieldpath.Path
	// Message describes the problem and its consequence.
	Message string
	// Repair describes the repair that Examine made. It is empty if Examine made none, because a
	// person must decide.
	Repair string
	// Unowned is set if the repair removes an entry that a server cannot read: a BrokenEntry, or a
	// VersionGone of a built-in kind. It contains the fields of the object that then lose their last
	// owner. It is computed from the managed fields after all repairs. It is nil for other problems,
	// and if the fields of the removed entry cannot be decoded.
	Unowned *fieldpath.Set
	// Other is the owner of the second entry of a TwoNames problem. This entry is an Apply.
	Other managedfields.Owner
}

// ExamineResult is the result of Examine.
type ExamineResult struct {
	// Problems are in the order in which Examine found them. Most checks report the problems of all
	// entries before the next check starts, and some checks report several rules.
	Problems []Problem
	// Object is the given object with repaired managed fields. Everything else is unchanged. If
	// no entry is left, the managed fields are an empty list. If Changed is false, Object is the
	// given object itself.
	Object  map[string]any
	Changed bool
}

// ExamineOptions configure Examine.
type ExamineOptions struct {
	// An entry is stale if its last write is longer ago than Stale. Zero disables the check. An apply
	// that changes nothing does not count as a write.
	Stale time.Duration

	// Unserved reports whether a CustomResourceDefinition defines an API version of a kind but
	// does not serve it. Nil disables the check. The FieldManager must know the types of such a
	// version.
	Unserved func(apiVersion, kind string) bool

	// Custom reports whether a CustomResourceDefinition defines a kind. It decides the consequence
	// in the message of VersionGone: an API server rejects every apply to such a custom resource,
	// but removes the entries of other kinds. If Custom is nil, the message contains both.
	Custom func(apiVersion, kind string) bool

	// Defaults makes Examine report OwnedDefault and WrittenByUpdate for fields outside of
	// metadata and status.
	Defaults bool
}

// Examine finds problems in the managed fields of live. It repairs a problem if the repair takes no
// field of the object from an owner that a server can read. For entries in API versions that no longer
// exist, it assumes that fields have the same names as in the version of live. It finds
// VersionLacksField only if m can convert live to the version of the entry (see
// fieldmanager.Options.Converter).
//
// Examine returns an error if the type of live does not exist, or if the metadata of live is not
// a map. It also returns errors of Options.Types, except ErrUnknownType for the version of an
// entry. It does not modify live.
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
	if err := x.moveVersions(apiVersion, kind); err != nil {
		return nil, err
	}
	if err := x.updatePaths(); err != nil {
		return nil, err
	}
	x.reportStale()
	if err := x.reportClientSide(); err != nil {
		return nil, err
	}
	x.reportSecretKeys(apiVersion, kind)
	x.reportTwoNames()
	x.reportUnowned()
	if o.Defaults {
		if err := x.reportDefaults(); err != nil {
			return nil, err
		}
	}
	return x.result()
}

// reportSecretKeys reports keys of a Secret that a manager once wrote through stringData and no
// longer writes. The server copies stringData to data, but managed fields record only the paths
// in stringData.
func (x *examination) reportSecretKeys(apiVersion, kind string) {
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
			x.report(SecretKeyOrphan, nil, path, "", "nobody owns this key, because it was written through stringData, so it stays if a config leaves it out; remove it with kubectl edit, or apply it in data once and then leave it out")
		}
	}
}

// examination is the state of one call of Examine.
type examination struct {
	m           *fieldmanager.FieldManager
	live, plain map[string]any
	o           ExamineOptions
	// entries contains the entries that can be decoded, with the repairs made so far. positions
	// maps an owner ID to the index in entries.
	entries   []examinedEntry
	positions map[string]int
	problems  []Problem
	changed   bool
	// removed has entries that repairs remove. The key is the index of the Problem in x.problems.
	removed map[int]*managedfields.Entry
}

type examinedEntry struct {
	managedfields.Entry
	index int
	// extra has the field sets of entries that were joined with this entry. The method mergeJoined
	// adds them to the set of this entry.
	extra []*fieldpath.Set
}

func (x *examination) report(rule ProblemRule, e *examinedEntry, path fieldpath.Path, repair, format string, args ...any) *Problem {
	p := Problem{Rule: rule, Index: -1, Path: path, Repair: repair, Message: fmt.Sprintf(format, args...)}
	if e != nil {
		p.Index, p.Owner, p.Time = e.index, e.Owner, e.Time
	}
	x.changed = x.changed || repair != ""
	x.problems = append(x.problems, p)
	return &x.problems[len(x.problems)-1]
}

// read decodes the entries one by one.
func (x *examination) read(value any) {
	list, ok := value.([]any)
	if !ok && value != nil {
		x.report(BrokenEntry, nil, nil, "managed fields removed: no field has an owner until the next write", "want a list, got %s", document.Kind(value))
		return
	}
	for i, item := range list {
		entry, readable, parts, err := readPartly(item)
		if err != nil {
			x.reportBroken(i, item, err)
			continue
		}
		e := examinedEntry{Entry: entry, index: i}
		for _, part := range parts {
			x.report(BrokenEntry, &e, part.path, part.repair, "%s", part.message)
		}
		x.reportUnknownElements(&e, readable)
		if at := x.find(e.Owner); at >= 0 {
			x.report(DuplicateEntry, &e, nil, fmt.Sprintf("merged into entry %d", x.entries[at].index),
				"this entry has the same owner as entry %d, so the API server ignores entry %[1]d", x.entries[at].index)
			x.join(at, e)
			continue
		}
		x.add(e)
	}
}

// brokenPart is a part of an entry that cannot be decoded, although the rest of the entry can.
type brokenPart struct {
	path            fieldpath.Path
	message, repair string
}

// readPartly decodes an entry. If only the time or some keys of fieldsV1 cannot be decoded, it decodes
// the rest, and returns these parts. The result readable is the entry without these parts.
func readPartly(item any) (e managedfields.Entry, readable any, parts []brokenPart, err error) {
	for {
		managed, err := managedfields.DecodeEntries([]any{item})
		if err == nil {
			return managed.Entries()[0], item, parts, nil
		}
		var bad *managedfields.EntryError
		plain, _ := item.(map[string]any)
		if !errors.As(err, &bad) || plain == nil {
			return e, item, nil, err
		}
		plain = maps.Clone(plain)
		fields, isMap := plain["fieldsV1"].(map[string]any)
		switch {
		case bad.Field == "time":
			delete(plain, "time")
			parts = append(parts, brokenPart{message: reason(err), repair: "time removed; the manager keeps its fields"})
		case bad.Field == "fieldsV1" && isMap:
			fields, keys := withoutBrokenKeys(fields, nil, 0)
			if len(keys) == 0 || len(fields) == 0 {
				return e, item, nil, err
			}
			plain["fieldsV1"] = fields
			parts = append(parts, keys...)
		default:
			return e, item, nil, err
		}
		item = plain
	}
}

// withoutBrokenKeys returns a copy of fields, a map in fieldsV1, without the keys that cannot be
// decoded. It also returns these keys. path is the path of the map. Deeper than maxRepairDepth,
// withoutBrokenKeys finds nothing.
func withoutBrokenKeys(fields map[string]any, path fieldpath.Path, depth int) (readable map[string]any, broken []brokenPart) {
	readable = maps.Clone(fields)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key == "." || depth > maxRepairDepth {
			continue
		}
		below, isMap := fields[key].(map[string]any)
		message := ""
		element, err := stored.ReadElement(key)
		switch {
		case errors.Is(err, fieldpath.ErrUnknownPathElementType): // see reportUnknownElements
			continue
		case err != nil:
			message = "fieldsV1: " + err.Error()
		case !isMap && fields[key] != nil:
			message = fmt.Sprintf("fieldsV1[%q]: want an object, got %s", key, document.Kind(fields[key]))
		}
		if message != "" {
			delete(readable, key)
			broken = append(broken, brokenPart{path.Copy(), message, "key removed; the manager keeps its other fields"})
			continue
		}
		children, inside := withoutBrokenKeys(below, append(path[:len(path):len(path)], element), depth+1)
		switch broken = append(broken, inside...); {
		case len(inside) > 0 && len(children) == 0:
			delete(readable, key) // the empty map would make the manager own the whole field
		case len(inside) > 0:
			readable[key] = children
		}
	}
	return readable, broken
}

// maxRepairDepth is the maximum nesting of fieldsV1 in which broken keys are removed.
const maxRepairDepth = 1000

// reportBroken reports an entry that cannot be decoded. If its fieldsV1 can be decoded, it stores the
// fields for reportUnowned.
func (x *examination) reportBroken(index int, item any, err error) {
	plain, isMap := item.(map[string]any)
	if fields, ok := plain["fieldsV1"].(map[string]any); ok || isMap && plain["fieldsV1"] == nil {
		if set, _, err := new(stored.Reader).Read(fields); err == nil {
			e := &managedfields.Entry{Set: set}
			if e.APIVersion, _ = plain["apiVersion"].(string); e.APIVersion == "" {
				e.APIVersion, _ = document.TypeOf(x.live)
			}
			x.noteRemoved(e)
		}
	}
	x.report(BrokenEntry, &examinedEntry{index: index}, nil, "entry removed; its fields are unknown, because fieldsV1 cannot be read", "%s", reason(err))
}

// noteRemoved records the fields of a removed entry for reportUnowned. Call it before the problem of
// the entry is reported.
func (x *examination) noteRemoved(e *managedfields.Entry) {
	if x.removed == nil {
		x.removed = map[int]*managedfields.Entry{}
	}
	x.removed[len(x.problems)] = e
}

// maxUnowned is the maximum number of fields in the text of a repair.
const maxUnowned = 10

// reportUnowned completes each problem whose removed entry is in x.removed. It sets Unowned to those
// fields of the entry that the object has and that have no owner after all repairs. It also sets
// Repair.
func (x *examination) reportUnowned() {
	if len(x.removed) == 0 {
		return
	}
	t, err := x.m.Type(document.TypeOf(x.live))
	if err != nil {
		return
	}
	var all []*fieldpath.Set
	for i := range x.entries {
		all = append(all, x.entries[i].Set)
	}
	owned, root := stored.Union(all), place.ObjectOf(t, x.plain)
	for i, e := range x.removed {
		p, unowned := &x.problems[i], fieldpath.NewSet()
		var names []string
		for path := range currentSet(x.m, e, x.plain, t).Difference(owned).Leaves().All() {
			if _, ok := root.At(path); ok {
				unowned.Insert(path.Copy())
				names = append(names, path.String())
			}
		}
		p.Unowned = unowned
		if len(names) > maxUnowned {
			names = append(names[:maxUnowned], fmt.Sprintf("and %d more", len(names)-maxUnowned))
		}
		p.Repair = "entry removed; no field loses its owner"
		if len(names) > 0 {
			p.Repair = "entry removed; fields without an owner: " + strings.Join(names, ", ")
		}
	}
}

// reportUnknownElements reports the path elements of an entry whose kind is unknown. The entry can be
// decoded.
func (x *examination) reportUnknownElements(e *examinedEntry, item any) {
	plain, _ := item.(map[string]any)
	fields, _ := plain["fieldsV1"].(map[string]any)
	var walk func(fields map[string]any, above []string)
	walk = func(fields map[string]any, above []string) {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if key == "." {
				continue
			}
			if !strings.Contains("fkvi", key[:1]) {
				var path fieldpath.Path
				for _, k := range above {
					element, _ := fieldpath.DeserializePathElement(k) // it was decoded before
					path = append(path, element)
				}
				x.report(UnknownElement, e, path, "path removed", "contains the element %q, whose kind is unknown: servers ignore it, and remove it when they write the managed fields", key)
			} else if below, _ := fields[key].(map[string]any); len(below) > 0 {
				walk(below, append(above[:len(above):len(above)], key))
			}
		}
	}
	walk(fields, nil)
}

// reason returns the message of an error about an entry. It omits the index of the entry.
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
	if i, ok := x.positions[o.ID()]; ok {
		return i
	}
	return -1
}

func (x *examination) add(e examinedEntry) {
	if x.positions == nil {
		x.positions = map[string]int{}
	}
	x.positions[e.Owner.ID()] = len(x.entries)
	x.entries = append(x.entries, e)
}

// effectOfMissingVersion describes how an API server handles an entry whose version does not
// exist.
func (x *examination) effectOfMissingVersion(apiVersion, kind string) string {
	switch {
	case x.o.Custom == nil:
		return "an apply fails, or the API server removes the entry"
	case x.o.Custom(apiVersion, kind):
		return "the API server rejects every apply to the object"
	}
	return "the API server removes the entry at the next write of the object"
}

// join joins an entry to the earlier entry with the given index: it records the field set, and
// keeps the later of the two times. The caller must call mergeJoined afterwards.
func (x *examination) join(index int, e examinedEntry) {
	to := &x.entries[index]
	to.extra = append(to.extra, e.Set)
	if document.Seconds(e.Time) > document.Seconds(to.Time) {
		to.Time = e.Time
	}
}

// mergeJoined adds the field sets that join collected to the sets of their entries.
func (x *examination) mergeJoined() {
	for i := range x.entries {
		if e := &x.entries[i]; e.extra != nil {
			e.Set, e.extra = stored.Union(append(e.extra, e.Set)), nil
		}
	}
}

// moveVersions moves an entry to the version of the object if its own version does not exist,
// is not served, or does not declare a field of the object.
func (x *examination) moveVersions(apiVersion, kind string) error {
	list := x.entries
	x.entries, x.positions = nil, nil
	undeclared := undeclaredFinder(x.m, x.plain)
	for _, e := range list {
		_, err := x.m.Type(e.APIVersion, kind)
		if err != nil && !errors.Is(err, fieldmanager.ErrUnknownType) {
			return err
		}
		if err != nil {
			repair, drops := "entry moved to "+apiVersion, x.o.Custom != nil && !x.o.Custom(apiVersion, kind)
			if drops { // the repair must not give fields to a manager that a server would forget
				repair = "entry removed"
				x.noteRemoved(&managedfields.Entry{Owner: managedfields.Owner{APIVersion: apiVersion}, Set: stored.Union(append(e.extra, e.Set))})
			}
			x.report(VersionGone, &e, nil, repair, "this entry is for %s %s, which no longer exists, so %s", e.APIVersion, kind, x.effectOfMissingVersion(apiVersion, kind))
			if drops {
				continue
			}
			e.APIVersion = apiVersion
		} else if fields := undeclared(e.APIVersion); len(fields) > 0 {
			x.report(VersionLacksField, &e, nil, "entry moved to "+apiVersion,
				"%s does not declare %s: the API server rejects every apply to the object", e.APIVersion, fields[0].Path)
			e.APIVersion = apiVersion
		} else if x.o.Unserved != nil && x.o.Unserved(e.APIVersion, kind) {
			repair := ""
			if compareVersions(x.m, x.plain, e.APIVersion, apiVersion) == nil {
				repair = "entry moved to " + apiVersion
			}
			x.report(VersionUnserved, &e, nil, repair,
				"the CRD defines %s but does not serve it: the API server keeps the entry, but rejects every apply once the CRD no longer defines the version", e.APIVersion)
			if repair != "" {
				e.APIVersion = apiVersion
			}
		}
		if at := x.find(e.Owner); at >= 0 {
			x.entries[at].extra = append(x.entries[at].extra, e.extra...)
			x.join(at, e)
			continue
		}
		x.add(e)
	}
	x.mergeJoined()
	return nil
}

// result returns the ExamineResult. If any managed fields were repaired, it writes them into
// the object.
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
	if managed.Len() == 0 { // an update with an empty list removes all entries, and one without the field keeps them
		object, metadata := document.WithMetadata(x.live)
		metadata["managedFields"] = []any{}
		out.Object = object
	}
	return out, nil
}

func (x *examination) managed() (*managedfields.Managed, error) {
	entries := make([]managedfields.Entry, len(x.entries))
	for i := range x.entries {
		entries[i] = x.entries[i].Entry
	}
	return managedfields.New(entries)
}

// updatePaths converts the field sets of the entries to the current schema, and then removes
// lost paths and dead managers.
func (x *examination) updatePaths() error {
	apiVersion, kind := document.TypeOf(x.live)
	t, err := x.m.Type(apiVersion, kind)
	if err != nil {
		return err
	}
	kept := map[string]*fieldpath.Set{} // by owner ID, the paths that must not change
	for i := range x.entries {
		e := &x.entries[i]
		set := currentSet(x.m, &e.Entry, x.plain, t)
		if set.Equals(e.Set) {
			continue
		}
		nulls, err := x.reportNullKeys(e, t, kind)
		if err != nil {
			return err
		}
		if !nulls.Empty() {
			kept[e.Owner.ID()] = nulls
			e.Set = e.Set.Difference(nulls)
			set = currentSet(x.m, &e.Entry, x.plain, t)
		}
		if err := x.reportOutdated(e, set, kind); err != nil {
			return err
		}
		e.Set = set
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
	compareWith := versionComparer(x.m, x.plain, apiVersion)
	unsure := keylessItems{root: place.ObjectOf(t, x.plain)}
	for i, paths := range lost {
		e := &x.entries[i]
		if compareWith(e.APIVersion) != nil {
			continue // in the version of the entry, the field may have a different name
		}
		seen := map[string]bool{}
		paths = slices.DeleteFunc(paths, func(path fieldpath.Path) bool {
			item, key := unsure.find(path)
			if name := item.String(); item != nil && !seen[name] {
				seen[name] = true
				x.report(LostPath, e, item.Copy(), "", "no item has all these keys, but an item lacks the key %s, which has no default in this schema; if the server has a default for this key, use a schema with defaults, for example from /openapi/v3", key)
			}
			return item != nil
		})
		left := e.Set.RecursiveDifference(fieldpath.NewSet(paths...))
		if left.Empty() && kept[e.Owner.ID()] == nil {
			what := "the object has none of the fields that this manager owns"
			if e.Set.Empty() {
				what = "this manager owns nothing"
			}
			x.report(DeadManager, e, nil, "entry removed", "%s", what)
			dead[i] = true
			continue
		}
		if e.Operation == managedfields.OperationApply {
			continue // a manager may have applied null
		}
		for _, path := range paths {
			x.report(LostPath, e, path, "path removed", "this manager owns the path, but the object does not have it")
		}
		e.Set = left
	}
	list := x.entries
	x.entries, x.positions = nil, nil
	for i, e := range list {
		if nulls := kept[e.Owner.ID()]; nulls != nil {
			e.Set = e.Set.Union(nulls)
		}
		if !dead[i] {
			x.add(e)
		}
	}
	return nil
}

// reportNullKeys returns the paths of an entry that have null in a list key, and that must not change.
// There are two cases. First, an item in the object has null in the key, so the path is right. Second,
// no item has null in the key, and the schema has no default for the key. The default may only be
// missing in the schema, so a path without the key can be wrong. reportNullKeys reports only the second
// case. The object has the type t.
func (x *examination) reportNullKeys(e *examinedEntry, t typed.ParseableType, kind string) (*fieldpath.Set, error) {
	own, err := x.m.Type(e.APIVersion, kind)
	if err != nil {
		return nil, err
	}
	n, root := compiled.Node(own.Schema, own.TypeRef), place.ObjectOf(t, x.plain)
	nulls, seen := fieldpath.NewSet(), map[string]bool{}
	for path := range e.Set.All() {
		for _, k := range nullKeys(path, n) {
			at := path[:k.length:k.length]
			written := hasItem(root, at)
			if !written && k.hasDefault {
				continue
			}
			nulls.Insert(path.Copy())
			if name := at.String(); !written && !seen[name] {
				seen[name] = true
				x.report(LostPath, e, at.Copy(), "", "has null in the list key %s, which has no default in this schema; if the server has a default for this key, use a schema with defaults, for example from /openapi/v3", k.name)
			}
		}
	}
	return nulls, nil
}

// nullInKey is an element of a path that has null in a list key.
type nullInKey struct {
	// length is the length of the path up to the element.
	length     int
	name       string
	hasDefault bool
}

// nullKeys finds the elements of path that have null in a list key for which null counts as missing. n
// is the type of the root.
func nullKeys(path fieldpath.Path, n *graph.Node) (found []nullInKey) {
	for i, element := range path {
		switch {
		case element.FieldName != nil && n.Map != nil:
			n = n.Map.At(*element.FieldName)
			continue
		case element.FieldName != nil || n.List == nil:
			return found
		}
		if element.Key != nil {
			for _, f := range *element.Key {
				if k := n.List.Key(f.Name); k != nil && f.Value.IsNull() && item.CountsAsMissing(k, nil) {
					_, hasDefault := item.KeyDefault(k)
					found = append(found, nullInKey{i + 1, f.Name, hasDefault})
				}
			}
		}
		n = n.List.Item
	}
	return found
}

// hasItem reports whether path leads to a list item with exactly the keys in path. Null and a missing
// key are different here, as they are for a server.
func hasItem(root *place.Place, path fieldpath.Path) bool {
	keys := *path[len(path)-1].Key
	return slices.ContainsFunc(root.Items(path), func(it any) bool {
		m, isMap := it.(map[string]any)
		return isMap && !slices.ContainsFunc(keys, func(f value.Field) bool {
			v, written := m[f.Name]
			return !written || !value.Equals(value.NewValueInterface(v), f.Value)
		})
	})
}

// reportOutdated compares the set of an entry with current, which is the same set converted to the
// current schema. It reports the paths that the conversion replaced.
func (x *examination) reportOutdated(e *examinedEntry, current *fieldpath.Set, kind string) error {
	t, err := x.m.Type(e.APIVersion, kind)
	if err != nil {
		return err
	}
	n := compiled.Node(t.Schema, t.TypeRef)
	removed := e.Set.Difference(current)
	seen := map[string]bool{}
	for path := range removed.All() {
		old, now, isKey := pathWithDefaults(path, current, n)
		if !isKey {
			now = longestPrefixIn(path, current)
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
			what := "lacks a list key that has a default"
			if hasNullKey(old[len(old)-1]) {
				what = "has null in a list key that has a default"
			}
			x.report(MissingKeyDefault, e, old, "path replaced by "+now.String(), "%s: the complete path is %s", what, now)
		} else {
			x.report(OutdatedPath, e, old, "path replaced by "+now.String(), "is inside a value that is now atomic: the path of the whole value is %s", now)
		}
	}
	return nil
}

func hasNullKey(element fieldpath.PathElement) bool {
	return slices.ContainsFunc(*element.Key, func(k value.Field) bool { return k.Value.IsNull() })
}

// keylessItems finds list items that lack a key for which the schema has no default. A stored path that
// has this key may belong to such an item.
type keylessItems struct {
	root *place.Place
	// lists has the items of each list that lack a key. A list is identified by its first item.
	lists map[*any][]keylessGroup
}

// keylessGroup holds the items of a list that lack the same keys.
type keylessGroup struct {
	lacked []string
	others map[string]bool // the texts of the keys that the items have
}

// find checks the first element of path that the object does not have. If this element has the keys of
// a list item, find looks for an item in the list that lacks some of these keys, but has the same other
// keys. If there is such an item, find returns the prefix of path up to the element, and the name of a
// lacked key. Otherwise, it returns nil.
func (k *keylessItems) find(path fieldpath.Path) (fieldpath.Path, string) {
	at := *k.root
	for i, element := range path {
		next, ok := at.Step(element)
		if ok {
			at = next
			continue
		}
		list, isList := at.Plain.([]any)
		typ := at.List()
		if element.Key == nil || !isList || len(list) == 0 || typ == nil || !typ.IsAssociative() {
			return nil, ""
		}
		for _, g := range k.groups(typ, list) {
			if g.others[keysWithout(*element.Key, g.lacked)] {
				return path[:i+1], g.lacked[0]
			}
		}
		return nil, ""
	}
	return nil, ""
}

// groups returns the items of a list that lack keys. Each group has the items that lack the same keys.
func (k *keylessItems) groups(typ *graph.List, list []any) []keylessGroup {
	if groups, ok := k.lists[&list[0]]; ok {
		return groups
	}
	var groups []keylessGroup
	for _, it := range list {
		m, isMap := it.(map[string]any)
		lacked := item.KeysWithoutValueOrDefault(typ, it)
		if !isMap || len(lacked) == 0 {
			continue
		}
		at := slices.IndexFunc(groups, func(g keylessGroup) bool { return slices.Equal(g.lacked, lacked) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, keylessGroup{lacked, map[string]bool{}})
		}
		var has value.FieldList
		for i := range typ.Keys {
			if v, ok := item.KeyValue(m, &typ.Keys[i]); ok {
				has = append(has, value.Field{Name: typ.Keys[i].Name, Value: value.NewValueInterface(v)})
			}
		}
		groups[at].others[keysWithout(has, nil)] = true
	}
	if k.lists == nil {
		k.lists = map[*any][]keylessGroup{}
	}
	k.lists[&list[0]] = groups
	return groups
}

// keysWithout returns the text of keys, without the keys in lacked.
func keysWithout(keys value.FieldList, lacked []string) string {
	var b strings.Builder
	for _, k := range keys {
		if !slices.Contains(lacked, k.Name) {
			fmt.Fprintf(&b, "%s=%s,", k.Name, value.ToString(k.Value))
		}
	}
	return b.String()
}

// pathWithDefaults finds the first list item on path that has other keys in the current schema. The
// argument current has the paths after the change, and n is the type of the root. pathWithDefaults
// returns both paths up to that item, with the old keys and with the new keys.
func pathWithDefaults(path fieldpath.Path, current *fieldpath.Set, n *graph.Node) (old, now fieldpath.Path, ok bool) {
	set := current
	for i, element := range path {
		next, has := set.Children.Get(element)
		if element.Key != nil && !has && !set.Members.Has(element) && n.List != nil {
			if other, ok := item.NormalizeElement(n.List, element); ok && (set.Members.Has(other) || !set.WithPrefix(other).Empty()) {
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

// longestPrefixIn returns the longest proper prefix of path that is in set. It returns nil if
// set has no such prefix.
func longestPrefixIn(path fieldpath.Path, set *fieldpath.Set) fieldpath.Path {
	for n := len(path) - 1; n > 0; n-- {
		if set.Has(path[:n]) {
			return path[:n]
		}
	}
	return nil
}

// reportStale reports the entries whose last write is longer ago than the option Stale.
func (x *examination) reportStale() {
	if x.o.Stale <= 0 {
		return
	}
	now := x.m.Options().Clock()
	for i := range x.entries {
		e := &x.entries[i]
		if e.Time != nil && now.Sub(*e.Time) > x.o.Stale {
			x.report(StaleManager, e, nil, "", "the last write of this manager was on %s; check whether it is still in use, or migrate its fields to another manager", e.Time.UTC().Format(time.DateOnly))
		}
	}
}

// reportClientSide reports fields of client-side apply that remain in an object that is now
// applied server-side.
func (x *examination) reportClientSide() error {
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
		for _, path := range topmostPaths(e.Set.Difference(applied), applied) {
			x.report(ClientSideOrphan, e, path, "", "client-side apply owns this field, but no server-side apply does, so a server-side apply that leaves the field out does not remove it; migrate the field to %s", to)
		}
	}
	for _, path := range x.unownedLastApplied(owned) {
		x.report(ClientSideOrphan, nil, path, "", "according to the annotation %s, client-side apply set this field; no manager owns the field, so an apply that leaves it out does not remove it", fieldmanager.LastAppliedAnnotation)
	}
	return nil
}

// topmostPaths returns the paths of set. It omits a path that is below another path of the result, and
// a path below which others has a path. It also omits the annotation of client-side apply, and the
// parents of the annotation.
func topmostPaths(set, others *fieldpath.Set) []fieldpath.Path {
	var list []fieldpath.Path
	taken := fieldpath.NewSet()
	for path := range set.All() {
		if len(path) <= len(clientside.Path) && clientside.Path[:len(path)].Equals(path) || hasBelow(others, path) {
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

// hasBelow reports whether set has a path below path.
func hasBelow(set *fieldpath.Set, path fieldpath.Path) bool {
	for _, e := range path {
		next, ok := set.Children.Get(e)
		if !ok {
			return false
		}
		set = next
	}
	return true
}

// unownedLastApplied returns the fields in the last-applied annotation that have no owner, and
// whose value in the object is the same as in the annotation.
func (x *examination) unownedLastApplied(owned *fieldpath.Set) []fieldpath.Path {
	own, err := lastAppliedFields(x.m, x.plain)
	if err != nil {
		return nil // the object has no annotation, or the annotation cannot be decoded
	}
	return topmostPaths(own.Difference(document.NeverOwned).Difference(owned), owned)
}

// lastAppliedFields returns the fields of the last-applied annotation of object that have the
// same value in object.
func lastAppliedFields(m *fieldmanager.FieldManager, object map[string]any) (*fieldpath.Set, error) {
	apiVersion, kind := document.TypeOf(object)
	t, err := m.Type(apiVersion, kind)
	if err != nil {
		return nil, err
	}
	return clientside.Fields(object, apiVersion, t)
}

// reportTwoNames reports two entries of the same tool, which conflict with each other.
func (x *examination) reportTwoNames() {
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
	var pairs [][2]int // each pair has the index of an Apply entry and the index of another entry
	add := func(i, j int) {
		other := &x.entries[j]
		if i != j && !orphans[other.index] && !(other.Operation == managedfields.OperationApply && i > j) {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	for k := range x.entries {
		own := toolOf(&x.entries[k])
		for t := range own.shorter() {
			for _, i := range limitNamesakes(applies[t]) {
				add(i, k)
			}
			if x.entries[k].Operation == managedfields.OperationApply && t != own {
				for _, j := range limitNamesakes(all[t]) {
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
		p := x.report(TwoNames, other, nil, "",
			"this entry and the entry of %v (%s) belong to the same tool; the tool may conflict with itself, and fields that it stops applying stay in the object; a migration joins the two entries (fields in both entries: %d, only in this entry: %d)",
			apply.Owner, apply.Operation, shared, only)
		p.Other = apply.Owner
	}
}

// maxNamesakes is the maximum number of entries of one tool that are compared.
const maxNamesakes = 16

func limitNamesakes(list []int) []int { return list[:min(len(list), maxNamesakes)] }

// tool identifies a program by the name of its manager. For example, "helm" and "Helm" are the
// same tool. So are "argocd" and "argocd-controller", because the shorter name is a prefix (see
// shorter).
type tool struct{ name, subresource string }

func toolOf(e *examinedEntry) tool { return tool{strings.ToLower(e.Manager), e.Subresource} }

// shorter returns an iterator over t and the shorter names that the same program may have. These
// are the prefixes of the name that end before a hyphen.
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

// reportDefaults reports fields that only Update entries own, and that have their default value
// or could get a default in the schema.
func (x *examination) reportDefaults() error {
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
				x.report(OwnedDefault, e, path.Copy(), "", "the value is the default, but this manager owns it through an update, so an apply of another value conflicts; to resolve this, force such an apply once, or migrate the field")
			case at.Declared() != nil:
				x.report(WrittenByUpdate, e, path.Copy(), "", "an update set this field to a value other than the default; no manager applies the field, so an apply of another value conflicts; if all objects need this value, make it the default in the schema, because a default has no owner")
			default:
				x.report(WrittenByUpdate, e, path.Copy(), "", "an update set this field, which has no default; no manager applies the field, so an apply of another value conflicts; if all objects need this value, make it the default in the schema, because a default has no owner")
			}
		}
	}
	return nil
}

// mayHaveDefault reports whether path is a field that could have a default in the schema. It
// returns false for fields in metadata and status, for list items, and for the keys of list
// items.
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
