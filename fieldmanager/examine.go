// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
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
	// ClientSideOrphan is a field that only client-side apply owns, or set, in an
	// object that is applied server-side: no apply removes it.
	ClientSideOrphan ProblemRule = "client-side-orphan"
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
	// the list itself.
	Index int
	// Owner and Time are those of the entry, empty if it cannot be read.
	Owner managedfields.Owner
	Time  *time.Time
	// Path is what it is about, empty for the entry.
	Path fieldpath.Path
	// Message says what is wrong, and what comes of it.
	Message string
	// Repair is what was done, empty if that is for somebody to decide.
	Repair string
	// Other is the other owner of TwoNames.
	Other managedfields.Owner
}

// Examined is what Examine found.
type Examined struct {
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
func (m *FieldManager) Examine(live map[string]any, o ExamineOptions) (*Examined, error) {
	apiVersion, kind := document.TypeOf(live)
	if _, err := m.typeFor(apiVersion, kind); err != nil {
		return nil, fmt.Errorf("live object (%s): %w", document.Describe(live), err)
	}
	metadata, ok := live["metadata"]
	if ok && metadata != nil && document.Metadata(live) == nil {
		return nil, &managedfields.Error{Index: -1, Err: fmt.Errorf("metadata is %s, want an object", document.Kind(metadata))}
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
	x.twoNames()
	if o.Defaults {
		if err := x.defaults(); err != nil {
			return nil, err
		}
	}
	return x.result()
}

// examination is one run of Examine.
type examination struct {
	m           *FieldManager
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
	var bad *managedfields.Error
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
		_, err := x.m.typeFor(e.APIVersion, kind)
		if err != nil && !errors.Is(err, ErrUnknownType) {
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
func (x *examination) result() (*Examined, error) {
	out := &Examined{Problems: x.problems, Object: x.live, Changed: x.changed}
	if !x.changed {
		return out, nil
	}
	managed, err := x.managed()
	if err != nil {
		return nil, err
	}
	out.Object = managed.Into(x.live)
	return out, nil
}

func (x *examination) managed() (*managedfields.Managed, error) {
	entries := make([]managedfields.Entry, len(x.entries))
	for i := range x.entries {
		entries[i] = x.entries[i].Entry
	}
	return managedfields.New(entries)
}
