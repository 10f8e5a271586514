// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// An Entry is one element of metadata.managedFields.
type Entry struct {
	Owner
	// Time is nil when the entry has none.
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

// NewManaged makes managed fields from entries. Two entries of one owner, an
// entry without API version or set, an operation that does not exist, or a
// set that cannot be written are errors (*ManagedFieldsError).
func NewManaged(entries []Entry) (*Managed, error) {
	list := make([]entry, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for i, e := range entries {
		if err := e.check(); err != nil {
			err.Index = i
			return nil, err
		}
		id := e.Owner.ID()
		if seen[id] {
			return nil, &ManagedFieldsError{Index: i, Err: fmt.Errorf("second entry of %v", e.Owner)}
		}
		seen[id] = true
		made, err := newEntry(e, id, written{})
		if err != nil {
			return nil, &ManagedFieldsError{Index: i, Field: "fieldsV1", Err: err}
		}
		list = append(list, made)
	}
	return arrange(list), nil
}

func (e *Entry) check() *ManagedFieldsError {
	switch {
	case e.Operation != OperationApply && e.Operation != OperationUpdate:
		return &ManagedFieldsError{Field: "operation", Err: fmt.Errorf("want Apply or Update, got %q", string(e.Operation))}
	case e.APIVersion == "":
		return &ManagedFieldsError{Field: "apiVersion", Err: errMissing}
	case e.Set == nil:
		return &ManagedFieldsError{Field: "fieldsV1", Err: errMissing}
	}
	return nil
}

// arrange sorts entries into the order in which the API server stores them.
func arrange(list []entry) *Managed {
	slices.SortStableFunc(list, func(p, q entry) int {
		return cmp.Or(
			cmp.Compare(p.Operation, q.Operation),
			cmp.Compare(seconds(p.Time), seconds(q.Time)),
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

// Into is a copy of object with the managed fields m, without any when m has
// no entries; it shares all but the object's root and its metadata.
func (m *Managed) Into(object map[string]any) map[string]any {
	if m.Len() == 0 {
		return withoutManagedFields(object)
	}
	copied, metadata := withMetadata(object)
	metadata["managedFields"] = m.Encode()
	return copied
}

// next is the Managed after a request that left fields owned as given, with
// the time stamps in times (those not listed are unchanged). writer is who sent
// it, writerID its ID. What did not change keeps its stored form. Owners that have become one,
// which a change of API version can do, have one entry.
func (m *Managed) next(fields fieldpath.ManagedFields, times map[string]*time.Time, writer Owner, writerID string) (*Managed, error) {
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
		case id == writerID:
			e.Owner = writer
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
			var was written
			if late != nil {
				was.fields = late.fields
			} else if before != nil {
				was.set = before.set()
				was.fields, _ = before.plain["fieldsV1"].(map[string]any)
			}
			switch {
			case before != nil && before.Owner == e.Owner:
				id = before.id
			case e.Owner == writer:
				id = writerID
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
		if seconds(e.Time) > seconds(joined.Time) {
			joined.Time = e.Time
		}
		if list[i], err = newEntry(joined, made.id, written{}); err != nil {
			note(writtenBy, fmt.Errorf("managed fields of %v: %w", e.Owner, err))
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	return arrange(list), nil
}

// sameButTimes tells whether m and o differ in nothing but time stamps, in
// the order in which they are stored.
func (m *Managed) sameButTimes(o *Managed) bool {
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
