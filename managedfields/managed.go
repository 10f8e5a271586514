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

// An Entry is one element of metadata.managedFields.
type Entry struct {
	Owner
	// Time is nil when the entry has none: an apply that changes nothing but who owns
	// what writes none, in an API server, too.
	Time *time.Time
	// Set is what the owner owns; read-only.
	Set *fieldpath.Set
}

// Managed is the decoded form of metadata.managedFields. It is immutable and
// safe for concurrent use. A nil Managed has no entries.
type Managed struct {
	// entries are in the order in which they are stored, one per owner.
	entries []entry
	// index finds entries by Owner.ID.
	index    finder
	warnings []Warning
}

// New makes managed fields from entries. Two entries of one owner, an
// entry without API version or set, an operation that does not exist, or a
// set that cannot be written are errors (*EntryError).
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
		made, err := newEntry(e, id, stored.Written{})
		if err != nil {
			return nil, &EntryError{Index: i, Field: "fieldsV1", Err: err}
		}
		list = append(list, made)
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

// arrange sorts entries into the order in which the API server stores them.
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
	m.index.learn(list)
	return m
}

// finder finds entries by identifier: one by one if they are few, else with a map.
type finder struct{ at map[string]int }

// fewEntries is up to how many entries are looked at one by one.
const fewEntries = 16

// learn makes all entries known. Finding some of entries that are known does not
// write to the finder.
func (f *finder) learn(entries []entry) {
	if len(entries) <= fewEntries || len(f.at) == len(entries) {
		return
	}
	if f.at == nil {
		f.at = make(map[string]int, len(entries))
	}
	for i := len(f.at); i < len(entries); i++ {
		f.at[entries[i].id] = i
	}
}

// find is where the entry with an identifier is, -1 if there is none. No two
// entries have the same.
func (f *finder) find(entries []entry, id string) int {
	f.learn(entries)
	if f.at == nil {
		for i := range entries {
			if entries[i].id == id {
				return i
			}
		}
		return -1
	}
	if i, ok := f.at[id]; ok {
		return i
	}
	return -1
}

// Len is the number of entries.
func (m *Managed) Len() int {
	if m == nil {
		return 0
	}
	return len(m.entries)
}

// Fields is the ownership by identifier (Owner.ID), as package merge takes
// it. The map is the caller's; the sets are read-only.
func (m *Managed) Fields() fieldpath.ManagedFields {
	fields := make(fieldpath.ManagedFields, m.Len())
	for i := 0; i < m.Len(); i++ {
		e := &m.entries[i]
		if e.late != nil {
			fields[e.id] = e.late
			continue
		}
		fields[e.id] = fieldpath.NewVersionedSet(e.Set, fieldpath.APIVersion(e.APIVersion), e.Operation == OperationApply)
	}
	return fields
}

// Entries are the entries in the order in which the API server stores them:
// Apply before Update, then by time, manager, API version, subresource.
// The list is the caller's.
func (m *Managed) Entries() []Entry {
	list := make([]Entry, m.Len())
	for i := range list {
		list[i] = m.entries[i].read()
	}
	return list
}

// Find returns the entry of an owner, by its identifier (Owner.ID).
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

// Times are the time stamps by identifier (Owner.ID), nil for an entry without one. The
// map is the caller's.
func (m *Managed) Times() map[string]*time.Time {
	times := make(map[string]*time.Time, m.Len()+1)
	for i := 0; i < m.Len(); i++ {
		times[m.entries[i].id] = m.entries[i].Time
	}
	return times
}

// Index is where in the list that was decoded the entry of an owner was, by its
// identifier (Owner.ID); -1 if it was not there.
func (m *Managed) Index(id string) int {
	if e := m.find(id); e != nil {
		return e.at
	}
	return -1
}

// Warnings say what Decode had to leave out.
func (m *Managed) Warnings() []Warning {
	if m == nil {
		return nil
	}
	return slices.Clone(m.warnings)
}

// Encode is the list for metadata.managedFields, in the order of Entries; nil
// when there are no entries. Entries that were decoded and did not change are
// the maps they were decoded from: read-only, except for the list itself.
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

// EncodeInto returns a copy of object with the managed fields m, without any when m has
// no entries; it shares all but the object's root and its metadata.
func (m *Managed) EncodeInto(object map[string]any) map[string]any {
	if m.Len() == 0 {
		return document.WithoutManagedFields(object)
	}
	copied, metadata := document.WithMetadata(object)
	metadata["managedFields"] = m.Encode()
	return copied
}

// With is m with fields owned as given, which package merge makes of what Fields gives,
// and with the time stamps in times; those not listed are unchanged. What did not
// change keeps its stored form. Owners that have become one, which a change of API
// version can do, have one entry.
func (m *Managed) With(fields fieldpath.ManagedFields, times map[string]*time.Time) (*Managed, error) {
	list := make([]entry, 0, len(fields))
	at := finder{}
	// wrong is what is wrong with the first one by its ID.
	var wrong error
	var first string
	note := func(id string, err error) {
		if wrong == nil || id < first {
			wrong, first = err, id
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
				note(writtenBy, err)
				continue
			}
		}
		late := e.become(before, vs)
		if t, ok := times[id]; ok {
			e.Time = t
		}
		var err error
		made := entry{Entry: e}
		if before != nil && before.Set == e.Set && before.late == late && before.Owner == e.Owner && sameTime(before.Time, e.Time) {
			made = *before
		} else {
			var was stored.Written
			if late != nil {
				was.Fields = late.Fields
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
			if made, err = newEntry(e, id, was); err != nil {
				note(writtenBy, fmt.Errorf("managed fields of %v: %w", e.Owner, err))
				continue
			}
			made.late = late
		}
		i := at.find(list, made.id)
		if i < 0 {
			list = append(list, made)
			continue
		}
		joined := list[i].read()
		joined.Set = joined.Set.Union(made.set())
		if document.Seconds(e.Time) > document.Seconds(joined.Time) {
			joined.Time = e.Time
		}
		if list[i], err = newEntry(joined, made.id, stored.Written{}); err != nil {
			note(writtenBy, fmt.Errorf("managed fields of %v: %w", e.Owner, err))
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	return arrange(list), nil
}

// EqualExceptTimes tells whether m and o differ in nothing but time stamps, in the order
// in which they are stored. A request that changes no more than that is not stored.
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

// entry is an Entry with what makes it cheap to write again.
type entry struct {
	Entry // Set is nil if late is not
	// late is the set while nobody has read it.
	late *stored.Set
	id   string
	// plain is the entry as it is stored.
	plain map[string]any
	// at is where the entry was decoded from, -1 if it was not.
	at int
}

// newEntry makes an entry and its stored form; before is what is known to be
// written of its set, or of a similar one.
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
	return entry{Entry: e, id: id, plain: plain, at: -1}, nil
}

// become gives the entry the version, the operation and the set of vs. If the set is equal
// to that of before, the entry until now, it takes the set of before, so that its stored
// form can be kept, too. The result is the set where nobody has made it of its stored form
// yet, else nil.
func (e *Entry) become(before *entry, vs fieldpath.VersionedSet) (late *stored.Set) {
	e.APIVersion = string(vs.APIVersion())
	if vs.Applied() {
		e.Operation = OperationApply
	}
	if late, ok := vs.(*stored.Set); ok {
		if before != nil && before.late != nil && before.late.Equal(late) {
			return before.late
		}
		return late
	}
	if e.Set = vs.Set(); before == nil {
		return nil
	}
	if set := before.set(); set.Equals(e.Set) {
		e.Set, late = before.Set, before.late
	}
	return late
}

// set is what the entry's owner owns; read-only.
func (e *entry) set() *fieldpath.Set {
	if e.late != nil {
		return e.late.Set()
	}
	return e.Set
}

// sameSet tells whether the owners of both entries own the same.
func (e *entry) sameSet(o *entry) bool {
	if e.late != nil && o.late != nil {
		return e.late.Equal(o.late)
	}
	p, q := e.set(), o.set()
	return p == q || p.Equals(q)
}

// read is the entry with its set.
func (e *entry) read() Entry {
	read := e.Entry
	read.Set = e.set()
	return read
}
