// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
)

// fieldsType is the only format of field sets there is.
const fieldsType = "FieldsV1"

var errMissing = errors.New("missing")

// A ManagedFieldsError says what is wrong with metadata.managedFields.
type ManagedFieldsError struct {
	// Index is the entry, -1 for the list itself.
	Index int
	// Field is the field of the entry ("operation"); it may be empty.
	Field string
	// Err is what is wrong.
	Err error
}

// Error reads: metadata.managedFields[2].operation: want Apply or Update, got "Patch".
func (e *ManagedFieldsError) Error() string {
	var b strings.Builder
	b.WriteString("metadata.managedFields")
	if e.Index >= 0 {
		fmt.Fprintf(&b, "[%d]", e.Index)
	}
	if e.Field != "" {
		b.WriteString("." + e.Field)
	}
	var in *fieldsError
	if !errors.As(e.Err, &in) {
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns what is wrong.
func (e *ManagedFieldsError) Unwrap() error { return e.Err }

// Decode reads the managed fields of an object. Absent, null and empty lists
// give a Managed without entries. Errors are *ManagedFieldsError.
//
// Of two entries of one owner the last counts, as in the API server; the
// other is named in Managed.Warnings.
func Decode(object map[string]any) (*Managed, error) {
	return new(fieldsReader).decode(object)
}

// decode is Decode, late if r is.
func (r *fieldsReader) decode(object map[string]any) (*Managed, error) {
	metadata, ok := object["metadata"]
	if !ok || metadata == nil {
		return arrange(nil), nil
	}
	m, ok := metadata.(map[string]any)
	if !ok {
		return nil, &ManagedFieldsError{Index: -1, Err: fmt.Errorf("metadata is %s, want an object", kindOf(metadata))}
	}
	return r.decodeEntries(m["managedFields"])
}

// DecodeEntries reads the value of metadata.managedFields: []any or nil.
func DecodeEntries(value any) (*Managed, error) {
	return new(fieldsReader).decodeEntries(value)
}

func (r *fieldsReader) decodeEntries(value any) (*Managed, error) {
	if value == nil {
		return arrange(nil), nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, &ManagedFieldsError{Index: -1, Err: fmt.Errorf("want a list, got %s", kindOf(value))}
	}
	entries := make([]entry, 0, len(list))
	r.same = r.sent != nil && len(r.sent) == len(list)
	var warnings []Warning
	seen := finder{}
	for i, item := range list {
		plain, ok := item.(map[string]any)
		if !ok {
			return nil, &ManagedFieldsError{Index: i, Err: fmt.Errorf("want an object, got %s", kindOf(item))}
		}
		if r.same {
			r.other, r.same = r.sent[i].(map[string]any)
		}
		e, err := r.readEntry(plain)
		if err != nil {
			err.Index = i
			return nil, err
		}
		e.at = i
		if j := seen.find(entries, e.id); j >= 0 {
			warnings = append(warnings, Warning{
				Path:    fmt.Sprintf(".metadata.managedFields[%d]", i),
				Message: fmt.Sprintf("replaces an earlier entry of the same owner, %v", e.Owner),
			})
			entries[j] = e
			continue
		}
		entries = append(entries, e)
	}
	m := arrange(entries)
	m.warnings = warnings
	return m, nil
}

func (r *fieldsReader) readEntry(plain map[string]any) (entry, *ManagedFieldsError) {
	var e Entry
	var format, operation string
	known := 0
	for _, f := range []struct {
		name string
		to   *string
	}{
		{"manager", &e.Manager},
		{"operation", &operation},
		{"apiVersion", &e.APIVersion},
		{"subresource", &e.Subresource},
		{"fieldsType", &format},
	} {
		switch v := plain[f.name].(type) {
		case nil:
		case string:
			*f.to = v
			if v != "" {
				known++
			}
		default:
			return entry{}, &ManagedFieldsError{Field: f.name, Err: fmt.Errorf("want a string, got %s", kindOf(v))}
		}
	}
	e.Operation = Operation(operation)
	stored := true // whether plain is what we would store
	if v := plain["time"]; v != nil {
		t, text, err := readTime(v)
		if err != nil {
			return entry{}, &ManagedFieldsError{Field: "time", Err: err}
		}
		if t.IsZero() {
			stored = false
		} else {
			e.Time = &t
			stored = text == writeTime(t)
			known++
		}
	}
	e.Set = fieldpath.NewSet()
	if err := e.check(); err != nil {
		return entry{}, err
	}
	switch format {
	case fieldsType:
	case "":
		return entry{}, &ManagedFieldsError{Field: "fieldsType", Err: errMissing}
	default:
		return entry{}, &ManagedFieldsError{Field: "fieldsType", Err: fmt.Errorf("want %s, got %q", fieldsType, format)}
	}
	var fields map[string]any
	var late *lateSet
	switch v := plain["fieldsV1"].(type) {
	case nil:
		fields, stored = map[string]any{}, false
	case map[string]any:
		if r.late && len(v) > 0 && !r.isApplier(&e.Owner) {
			if late = r.readLate(v, &e); late != nil {
				e.Set, fields = nil, v
				known++
				break
			}
		}
		set, canonical, err := r.readFields(v)
		if err != nil {
			return entry{}, &ManagedFieldsError{Field: "fieldsV1", Err: err}
		}
		e.Set = set
		if canonical && v != nil {
			fields = v
			known++
		}
	default:
		return entry{}, &ManagedFieldsError{Field: "fieldsV1", Err: fmt.Errorf("want an object, got %s", kindOf(v))}
	}
	r.same = r.same && sameEntry(plain, r.other, late != nil)
	id := e.Owner.ID()
	if stored && known == len(plain) {
		return entry{Entry: e, late: late, id: id, plain: plain}, nil
	}
	made, err := newEntry(e, id, written{e.Set, fields})
	if err != nil {
		return entry{}, &ManagedFieldsError{Field: "fieldsV1", Err: err}
	}
	made.late = late
	return made, nil
}

// readLate is the set of an entry while nobody has read it, nil if it has to be read
// at once.
func (r *fieldsReader) readLate(fields map[string]any, e *Entry) *lateSet {
	c := plainCheck{same: r.same}
	var n *graph.Node
	if e.APIVersion == r.version {
		c.settled, n = true, r.node
	}
	var others map[string]any
	if r.same {
		others, _ = r.other["fieldsV1"].(map[string]any)
	}
	if !c.isPlain(fields, 0, n, others) {
		return nil
	}
	late := &lateSet{fields: fields, version: fieldpath.APIVersion(e.APIVersion), applied: e.Operation == OperationApply}
	if c.settled {
		late.settled = n
	}
	r.same = c.same
	return late
}

// sameEntry tells whether two entries are equal, but maybe for their fields if these
// are known to be.
func sameEntry(plain, other map[string]any, but bool) bool {
	if !but {
		return equal(plain, other)
	}
	if len(plain) != len(other) {
		return false
	}
	for name, v := range plain {
		if name == "fieldsV1" {
			continue
		}
		if w, ok := other[name]; !ok || !equal(v, w) {
			return false
		}
	}
	return true
}

// isApplier tells whether an entry is that of the applier.
func (r *fieldsReader) isApplier(o *Owner) bool {
	return r.applier != nil && o.Manager == r.applier.Manager && o.Operation == r.applier.Operation && o.Subresource == r.applier.Subresource
}

// ResetsManagedFields tells whether object asks for its managed fields to be
// reset: metadata.managedFields is an empty list, or a list of one entry in
// which nothing is set.
func ResetsManagedFields(object map[string]any) bool {
	list, ok := metadataOf(object)["managedFields"].([]any)
	if !ok || list == nil || len(list) > 1 {
		return false
	}
	if len(list) == 0 {
		return true
	}
	entry, ok := list[0].(map[string]any)
	if !ok {
		return false
	}
	for _, name := range []string{"manager", "operation", "apiVersion", "subresource", "fieldsType"} {
		if v := entry[name]; v != nil && v != "" {
			return false
		}
	}
	return entry["time"] == nil && entry["fieldsV1"] == nil
}
