// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managedfields

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/stored"
)

// fieldsType is the only format of field sets.
const fieldsType = "FieldsV1"

var errMissing = errors.New("missing")

// A Warning reports a problem that does not make the request fail.
type Warning struct {
	// Path is the path of the problem, in the notation of the API server. It may be empty.
	Path string
	// Message describes the problem.
	Message string
	// Live is true if Path is a path in the live object. The object in the request may not have
	// this path.
	Live bool
}

// String returns the message. If Path is not empty, the result begins with Path.
func (w Warning) String() string {
	if w.Path == "" {
		return w.Message
	}
	return w.Path + ": " + w.Message
}

// An EntryError is an error in metadata.managedFields.
type EntryError struct {
	// Index is the index of the entry with the error. It is -1 if the error is about the list
	// itself.
	Index int
	// Field is the invalid field of the entry, such as "operation". It may be empty.
	Field string
	// Err is the underlying error.
	Err error
}

// Error returns a message such as:
//
//	metadata.managedFields[2].operation: want Apply or Update, got "Patch"
func (e *EntryError) Error() string {
	var b strings.Builder
	b.WriteString("metadata.managedFields")
	if e.Index >= 0 {
		fmt.Fprintf(&b, "[%d]", e.Index)
	}
	if e.Field != "" {
		b.WriteString("." + e.Field)
	}
	var in *stored.Error
	if !errors.As(e.Err, &in) {
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns Err.
func (e *EntryError) Unwrap() error { return e.Err }

// Decode decodes the managed fields of an object. If they are absent, null or an empty
// list, the Managed has no entries. Errors are *EntryError.
//
// If two entries have the same owner, Decode keeps the last one, as the API server
// does. Managed.Warnings has a warning for each entry that replaces an earlier one.
func Decode(object map[string]any) (*Managed, error) {
	return decode(object, &stored.Reading{})
}

// Package fieldmanager calls decode through stored.Decode, with options that Decode does not
// have.
func init() { stored.Decode = decode }

func decode(object map[string]any, reading *stored.Reading) (*Managed, error) {
	metadata, ok := object["metadata"]
	if !ok || metadata == nil {
		return arrange(nil), nil
	}
	m, ok := metadata.(map[string]any)
	if !ok {
		return nil, &EntryError{Index: -1, Err: fmt.Errorf("metadata is %s, want an object", document.Kind(metadata))}
	}
	return decodeEntries(m["managedFields"], reading)
}

// DecodeEntries is like Decode, but takes the value of metadata.managedFields, which is a []any
// or nil.
func DecodeEntries(value any) (*Managed, error) {
	return decodeEntries(value, &stored.Reading{})
}

// entriesReader decodes the entries of one object.
type entriesReader struct {
	*stored.Reading
	stored.Reader
	// other is the entry at the same index in Reading.Sent. It is compared with the current entry.
	other map[string]any
}

func decodeEntries(value any, reading *stored.Reading) (*Managed, error) {
	r := &entriesReader{Reading: reading}
	if value == nil {
		return arrange(nil), nil
	}
	list, ok := value.([]any)
	if !ok {
		return nil, &EntryError{Index: -1, Err: fmt.Errorf("want a list, got %s", document.Kind(value))}
	}
	entries := make([]entry, 0, len(list))
	r.Same = r.Sent != nil && len(r.Sent) == len(list)
	var warnings []Warning
	seen := finder{}
	for i, item := range list {
		plain, ok := item.(map[string]any)
		if !ok {
			return nil, &EntryError{Index: i, Err: fmt.Errorf("want an object, got %s", document.Kind(item))}
		}
		if r.Same {
			r.other, r.Same = r.Sent[i].(map[string]any)
		}
		e, err := r.readEntry(plain)
		if err != nil {
			err.Index = i
			return nil, err
		}
		e.index = i
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

func (r *entriesReader) readEntry(plain map[string]any) (entry, *EntryError) {
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
			return entry{}, &EntryError{Field: f.name, Err: fmt.Errorf("want a string, got %s", document.Kind(v))}
		}
	}
	e.Operation = Operation(operation)
	canonicalEntry := true // false if the stored form is not the form that Encode would write
	if v := plain["time"]; v != nil {
		t, text, err := readTime(v)
		if err != nil {
			return entry{}, &EntryError{Field: "time", Err: err}
		}
		if t.IsZero() {
			canonicalEntry = false
		} else {
			e.Time = &t
			canonicalEntry = text == writeTime(t)
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
		return entry{}, &EntryError{Field: "fieldsType", Err: errMissing}
	default:
		return entry{}, &EntryError{Field: "fieldsType", Err: fmt.Errorf("want %s, got %q", fieldsType, format)}
	}
	var fields map[string]any
	var lazy *stored.Set
	switch v := plain["fieldsV1"].(type) {
	case nil:
		fields, canonicalEntry = map[string]any{}, false
	case map[string]any:
		if r.Lazy && len(v) > 0 && !r.isApplier(&e.Owner) {
			if lazy = r.lazySet(v, &e); lazy != nil {
				e.Set, fields = nil, v
				known++
				break
			}
		}
		set, canonical, err := r.Read(v)
		if err != nil {
			return entry{}, &EntryError{Field: "fieldsV1", Err: err}
		}
		e.Set = set
		if canonical && v != nil {
			fields = v
			known++
		}
	default:
		return entry{}, &EntryError{Field: "fieldsV1", Err: fmt.Errorf("want an object, got %s", document.Kind(v))}
	}
	r.Same = r.Same && sameEntry(plain, r.other, lazy != nil)
	id := e.Owner.ID()
	if canonicalEntry && known == len(plain) {
		return entry{Entry: e, lazy: lazy, id: id, plain: plain}, nil
	}
	encoded, err := newEntry(e, id, stored.Written{Set: e.Set, Fields: fields})
	if err != nil {
		return entry{}, &EntryError{Field: "fieldsV1", Err: err}
	}
	encoded.lazy = lazy
	return encoded, nil
}

// lazySet returns a set that decodes its FieldsV1 only when the set is first needed. If lazySet cannot
// make such a set, it returns nil, and the caller must decode the fields at once.
func (r *entriesReader) lazySet(fields map[string]any, e *Entry) *stored.Set {
	c := stored.Check{Same: r.Same}
	var n *graph.Node
	if e.APIVersion == r.Version {
		c.Reconciled, n = true, r.Node
	}
	var others map[string]any
	if r.Same {
		others, _ = r.other["fieldsV1"].(map[string]any)
	}
	if !c.IsPlain(fields, 0, n, others) {
		return nil
	}
	lazy := &stored.Set{Fields: fields, Version: fieldpath.APIVersion(e.APIVersion), ByApply: e.Operation == OperationApply}
	if c.Reconciled {
		lazy.ReconciledFor = n
	}
	r.Same = c.Same
	return lazy
}

// sameEntry reports whether two entries are equal. It ignores their field sets if ignoreFields
// is true.
func sameEntry(plain, other map[string]any, ignoreFields bool) bool {
	if !ignoreFields {
		return document.Equal(plain, other)
	}
	if len(plain) != len(other) {
		return false
	}
	for name, v := range plain {
		if name == "fieldsV1" {
			continue
		}
		if w, ok := other[name]; !ok || !document.Equal(v, w) {
			return false
		}
	}
	return true
}

// isApplier reports whether o is the owner of the Apply entry of r.Applier.
func (r *entriesReader) isApplier(o *Owner) bool {
	return r.Applier != nil && o.Operation == OperationApply && *r.Applier == stored.Applier{Manager: o.Manager, Subresource: o.Subresource}
}

// RequestsReset reports whether object asks the server to reset its managed fields. It does so
// if metadata.managedFields is an empty list, or a list with a single entry in which nothing is
// set.
func RequestsReset(object map[string]any) bool {
	list, ok := document.Metadata(object)["managedFields"].([]any)
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

// readTime parses a time stamp. It also returns the original text, because writeTime may write
// the same time differently, for example without fractions of a second.
func readTime(v any) (time.Time, string, error) {
	text, ok := v.(string)
	if !ok {
		return time.Time{}, "", fmt.Errorf("want a string, got %s", document.Kind(v))
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, "", fmt.Errorf("want a time such as 2006-01-02T15:04:05Z, got %q", text)
	}
	return t, text, nil
}

func writeTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}
