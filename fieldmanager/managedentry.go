// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import "github.com/dovetail-ssa/dovetail/fieldpath"

// entry is an Entry with what makes it cheap to write again.
type entry struct {
	Entry // Set is nil if late is not
	// late is the set while nobody has read it.
	late *lateSet
	id   string
	// plain is the entry as it is stored.
	plain map[string]any
	// at is where the entry was decoded from.
	at int
}

// newEntry makes an entry and its stored form; before is what is known to be
// written of its set, or of a similar one.
func newEntry(e Entry, id string, before written) (entry, error) {
	fields := before.fields
	if before.set != e.Set || fields == nil {
		var err error
		if fields, err = writeFields(e.Set, before); err != nil {
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
	return entry{Entry: e, id: id, plain: plain}, nil
}

// become takes over what vs says. The set is that of before, the entry until
// now, if it is equal; it is late if nobody has read it.
func (e *Entry) become(before *entry, vs fieldpath.VersionedSet) (late *lateSet) {
	e.APIVersion = string(vs.APIVersion())
	if vs.Applied() {
		e.Operation = OperationApply
	}
	if late, ok := vs.(*lateSet); ok {
		if before != nil && before.late != nil && before.late.equal(late) {
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
		return e.late.equal(o.late)
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
