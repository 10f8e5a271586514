// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/stored"
)

// An Entry is one entry of metadata.managedFields.
type Entry struct {
	Owner
	// Time is the time of the last write, or nil if the entry has no time. As in the API server,
	// the entry of an applier has no time if the apply changed only ownership and not the
	// object.
	Time *time.Time
	// Set contains the paths that the owner owns. It is read-only.
	Set *fieldpath.Set
}

// Managed is the decoded form of metadata.managedFields. It is immutable and
// safe for concurrent use. A nil Managed has no entries.
type Managed struct {
	// entries contains one entry for each owner, in stored order.
	entries []entry
	// index finds an entry by its identifier (Owner.ID).
	index    finder
	warnings []Warning
}

// New returns managed fields with the given entries. It returns an *EntryError if two
// entries have the same owner, or if an entry is invalid. An entry is invalid if the API
// version or the set is missing, if the operation is unknown, or if the set cannot be
// encoded.
func New(entries []Entry) (*Managed, error) {
	list := make([]entry, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		if err := e.check(); err != nil {
			err.Index = i
			return nil, err
		}
		id := e.Owner.ID()
		if seen[id] {
			return nil, &EntryError{Index: i, Err: fmt.Errorf("second entry of %v", e.Owner)}
		}
		seen[id] = true
		encoded, err := newEntry(e, id, stored.Written{})
		if err != nil {
			return nil, &EntryError{Index: i, Field: "fieldsV1", Err: err}
		}
		list = append(list, encoded)
	}
	return arrange(list), nil
}

func (e *Entry) check() *EntryError {
	switch {
	case e.Operation != OperationApply && e.Operation != OperationUpdate:
		return &EntryError{Field: "operation", Err: fmt.Errorf("want Apply or Update, got %q", string(e.Operation))}
	case e.APIVersion == "":
		return &EntryError{Field: "apiVersion", Err: errMissing}
	case e.Set == nil:
		return &EntryError{Field: "fieldsV1", Err: errMissing}
	}
	return nil
}

// arrange returns a Managed with the given entries. It sorts them into the order in which the
// API server stores them.
func arrange(list []entry) *Managed {
	slices.SortStableFunc(list, func(p, q entry) int {
		return cmp.Or(
			cmp.Compare(p.Operation, q.Operation),
			cmp.Compare(document.Seconds(p.Time), document.Seconds(q.Time)),
			cmp.Compare(p.Manager, q.Manager),
			cmp.Compare(p.APIVersion, q.APIVersion),
			cmp.Compare(p.Subresource, q.Subresource),
		)
	})
	m := &Managed{entries: list}
	m.index.add(list)
	return m
}

// finder finds entries by their identifier. It searches a short list linearly, and uses a map
// for a longer list.
type finder struct{ positions map[string]int }

// fewEntries is the maximum length of a list that find searches linearly.
const fewEntries = 16

// add does nothing for a short list. For a longer list, it adds all new entries to the map. If there
// are no new entries, add writes nothing, so concurrent calls of find are safe.
func (f *finder) add(entries []entry) {
	if len(entries) <= fewEntries || len(f.positions) == len(entries) {
		return
	}
	if f.positions == nil {
		f.positions = make(map[string]int, len(entries))
	}
	for i := len(f.positions); i < len(entries); i++ {
		f.positions[entries[i].id] = i
	}
}

// find returns the position of the entry with the identifier id, or -1 if there is none. No
// two entries have the same identifier.
func (f *finder) find(entries []entry, id string) int {
	f.add(entries)
	if f.positions == nil {
		for i := range entries {
			if entries[i].id == id {
				return i
			}
		}
		return -1
	}
	if i, ok := f.positions[id]; ok {
		return i
	}
	return -1
}

// Len returns the number of entries.
func (m *Managed) Len() int {
	if m == nil {
		return 0
	}
	return len(m.entries)
}

// Fields returns the field sets of all entries, for package merge. The keys of the map are the
// identifiers of the owners (Owner.ID). The caller may change the map, but not the sets.
func (m *Managed) Fields() fieldpath.ManagedFields {
	fields := make(fieldpath.ManagedFields, m.Len())
	for i := 0; i < m.Len(); i++ {
		e := &m.entries[i]
		if e.lazy != nil {
			fields[e.id] = e.lazy
			continue
		}
		fields[e.id] = fieldpath.NewVersionedSet(e.Set, fieldpath.APIVersion(e.APIVersion), e.Operation == OperationApply)
	}
	return fields
}

// Entries returns the entries in the order in which the API server stores them: first by
// operation, with Apply before Update, then by time, manager, API version and subresource. The
// caller may change the list.
func (m *Managed) Entries() []Entry {
	list := make([]Entry, m.Len())
	for i := range list {
		list[i] = m.entries[i].read()
	}
	return list
}

// Find returns the entry of the owner with the given identifier (Owner.ID), and whether it
// exists.
func (m *Managed) Find(id string) (Entry, bool) {
	if e := m.find(id); e != nil {
		return e.read(), true
	}
	return Entry{}, false
}

func (m *Managed) find(id string) *entry {
	if m == nil {
		return nil
	}
	if i := m.index.find(m.entries, id); i >= 0 {
		return &m.entries[i]
	}
	return nil
}

// Times returns the time stamps of all entries. The keys of the map are the identifiers of the
// owners (Owner.ID). The time stamp is nil for an entry without a time. The caller may change the
// map.
func (m *Managed) Times() map[string]*time.Time {
	times := make(map[string]*time.Time, m.Len()+1)
	for i := 0; i < m.Len(); i++ {
		times[m.entries[i].id] = m.entries[i].Time
	}
	return times
}

// Index returns the index that the entry of an owner had in the decoded list. id is the
// identifier of the owner (Owner.ID). Index returns -1 if the list had no such entry.
func (m *Managed) Index(id string) int {
	if e := m.find(id); e != nil {
		return e.index
	}
	return -1
}

// Warnings returns the warnings of Decode about several entries with the same owner.
func (m *Managed) Warnings() []Warning {
	if m == nil {
		return nil
	}
	return slices.Clone(m.warnings)
}

// Encode returns the list for metadata.managedFields, in the order of Entries. It returns nil
// if there are no entries. The caller may change the list, but not the maps in it: for an
// entry that did not change, the map is the decoded map itself.
func (m *Managed) Encode() []any {
	if m.Len() == 0 {
		return nil
	}
	list := make([]any, len(m.entries))
	for i := range list {
		list[i] = m.entries[i].plain
	}
	return list
}

// EncodeInto returns a copy of object whose managed fields are those in m. If m has no entries,
// the copy has no managed fields. The copy has its own root and metadata, and shares everything
// else with object.
func (m *Managed) EncodeInto(object map[string]any) map[string]any {
	if m.Len() == 0 {
		return document.WithoutManagedFields(object)
	}
	copied, metadata := document.WithMetadata(object)
	metadata["managedFields"] = m.Encode()
	return copied
}

// With returns the managed fields after a request. The parameter fields has the managers that package
// merge returned for a request that started with m.Fields(). The parameter times has the new time
// stamps. Its keys are the identifiers of the owners (Owner.ID).
//
// An owner without a key in fields loses its entry. An owner without a key in times keeps its time
// stamp. Entries that did not change keep their stored form. If a change of API version makes two
// owners equal, With joins their entries. It returns an error if a set cannot be encoded, or if a key
// of fields is not the identifier of an owner.
func (m *Managed) With(fields fieldpath.ManagedFields, times map[string]*time.Time) (*Managed, error) {
	list := make([]entry, 0, len(fields))
	positions := finder{}
	// If several owners cause an error, failure is the error of the owner whose identifier sorts
	// first.
	var failure error
	var firstID string
	fail := func(id string, err error) {
		if failure == nil || id < firstID {
			failure, firstID = err, id
		}
	}
	for writtenBy, vs := range fields {
		id := writtenBy
		before := m.find(id)
		var e Entry
		switch {
		case before != nil:
			e.Owner, e.Time = before.Owner, before.Time
		default:
			var err error
			if e.Owner, err = ParseOwner(id); err != nil {
				fail(writtenBy, err)
				continue
			}
		}
		lazy := e.setFrom(before, vs)
		if t, ok := times[id]; ok {
			e.Time = t
		}
		var err error
		encoded := entry{Entry: e}
		if before != nil && before.Set == e.Set && before.lazy == lazy && before.Owner == e.Owner && sameTime(before.Time, e.Time) {
			encoded = *before
		} else {
			var was stored.Written
			if lazy != nil {
				was.Fields = lazy.Fields
			} else if before != nil {
				was.Set = before.set()
				was.Fields, _ = before.plain["fieldsV1"].(map[string]any)
			}
			switch {
			case before != nil && before.Owner == e.Owner:
				id = before.id
			default:
				id = e.Owner.ID()
			}
			if encoded, err = newEntry(e, id, was); err != nil {
				fail(writtenBy, fmt.Errorf("managed fields of %v: %w", e.Owner, err))
				continue
			}
			encoded.lazy = lazy
		}
		i := positions.find(list, encoded.id)
		if i < 0 {
			list = append(list, encoded)
			continue
		}
		joined := list[i].read()
		joined.Set = joined.Set.Union(encoded.set())
		if document.Seconds(e.Time) > document.Seconds(joined.Time) {
			joined.Time = e.Time
		}
		if list[i], err = newEntry(joined, encoded.id, stored.Written{}); err != nil {
			fail(writtenBy, fmt.Errorf("managed fields of %v: %w", e.Owner, err))
		}
	}
	if failure != nil {
		return nil, failure
	}
	return arrange(list), nil
}

// EqualExceptTimes reports whether m and o have equal entries in the same order, ignoring time
// stamps. Servers do not store a request that changes only time stamps.
func (m *Managed) EqualExceptTimes(o *Managed) bool {
	if m.Len() != o.Len() {
		return false
	}
	for i := 0; i < m.Len(); i++ {
		p, q := &m.entries[i], &o.entries[i]
		if p.Owner != q.Owner {
			return false
		}
		if !p.sameSet(q) {
			return false
		}
	}
	return true
}

// entry is an Entry with its stored form, so that encoding an unchanged entry costs nothing.
type entry struct {
	Entry // Entry.Set is nil if the set is not decoded yet
	// lazy is the field set, if it has not been decoded yet.
	lazy *stored.Set
	id   string
	// plain is the stored form of the entry.
	plain map[string]any
	// index is the index in the decoded list. It is -1 if the entry was not decoded.
	index int
}

// newEntry encodes e, and returns an entry with the result. The argument before is the stored form of
// the same set or of a similar set, or it is empty. If possible, newEntry reuses parts of it.
func newEntry(e Entry, id string, before stored.Written) (entry, error) {
	fields := before.Fields
	if before.Set != e.Set || fields == nil {
		var err error
		if fields, err = stored.Write(e.Set, before); err != nil {
			return entry{}, err
		}
	}
	plain := make(map[string]any, 7)
	plain["operation"] = string(e.Operation)
	plain["apiVersion"] = e.APIVersion
	plain["fieldsType"] = fieldsType
	plain["fieldsV1"] = fields
	if e.Manager != "" {
		plain["manager"] = e.Manager
	}
	if e.Subresource != "" {
		plain["subresource"] = e.Subresource
	}
	if e.Time != nil {
		plain["time"] = writeTime(*e.Time)
	}
	return entry{Entry: e, id: id, plain: plain, index: -1}, nil
}

// setFrom fills in the API version, the operation and the set of e from the managers that package merge
// returned. The argument before is the current entry of the owner, or nil. If the set did not change,
// setFrom uses the set of the current entry, because that set already has a stored form. If the set
// that it uses is not decoded yet, setFrom returns that set, and e.Set is nil. If the set is decoded,
// setFrom returns nil.
func (e *Entry) setFrom(before *entry, vs fieldpath.VersionedSet) (lazy *stored.Set) {
	e.APIVersion = string(vs.APIVersion())
	if vs.Applied() {
		e.Operation = OperationApply
	}
	if lazy, ok := vs.(*stored.Set); ok {
		if before != nil && before.lazy != nil && before.lazy.Equal(lazy) {
			return before.lazy
		}
		return lazy
	}
	if e.Set = vs.Set(); before == nil {
		return nil
	}
	if set := before.set(); set.Equals(e.Set) {
		e.Set, lazy = before.Set, before.lazy
	}
	return lazy
}

// set returns the field set of the owner. It is read-only.
func (e *entry) set() *fieldpath.Set {
	if e.lazy != nil {
		return e.lazy.Set()
	}
	return e.Set
}

// sameSet reports whether both entries have the same field set.
func (e *entry) sameSet(o *entry) bool {
	if e.lazy != nil && o.lazy != nil {
		return e.lazy.Equal(o.lazy)
	}
	p, q := e.set(), o.set()
	return p == q || p.Equals(q)
}

// read returns the Entry. It decodes the field set if necessary.
func (e *entry) read() Entry {
	read := e.Entry
	read.Set = e.set()
	return read
}
