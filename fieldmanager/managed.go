package fieldmanager

import (
	"errors"
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

// Managed is the decoded form of metadata.managedFields. The zero value is
// not usable; see Decode and NewManaged. It is immutable and safe for concurrent use.
type Managed struct {
	fields fieldpath.ManagedFields
	times  map[string]*time.Time
}

// Decode reads the managed fields of an object. Absent, null and empty lists
// give an empty Managed. Errors are *ManagedFieldsError.
func Decode(object map[string]any) (*Managed, error) { return nil, errors.New("not built yet") }

// DecodeEntries reads a list of managed fields entries: the value of
// metadata.managedFields, []any or nil.
func DecodeEntries(list any) (*Managed, error) { return nil, errors.New("not built yet") }

// NewManaged makes managed fields from entries. Two entries of one owner are
// an error.
func NewManaged(entries []Entry) (*Managed, error) { return nil, errors.New("not built yet") }

// ResetsManagedFields tells whether object asks for its managed fields to be reset:
// metadata.managedFields is an empty list, or a list of one empty entry.
func ResetsManagedFields(object map[string]any) bool { return false }

// Fields is the ownership by identifier (Owner.ID), as package merge takes
// it. The map is the caller's; the sets are read-only.
func (m *Managed) Fields() fieldpath.ManagedFields { return nil }

// Entries are the entries in the order in which the API server stores them:
// Apply before Update, then by time, manager, API version, subresource.
func (m *Managed) Entries() []Entry { return nil }

// Encode is the list for metadata.managedFields, in the order of Entries; nil
// when there are no entries. Entries that were decoded and did not change are
// the maps they were decoded from. Read-only.
func (m *Managed) Encode() []any { return nil }

// Into is a copy of object with the managed fields m; it shares all but
// the object's root and its metadata.
func (m *Managed) Into(object map[string]any) map[string]any { return nil }

// Upgrade hands what the managers from own by Update over to an Apply
// by manager to, as needed when an object moves from client-side to server-side
// apply. Entries are of subresource. The result is a new Managed; changed is
// false when there was nothing to hand over.
func (m *Managed) Upgrade(from []string, to, subresource string) (upgraded *Managed, changed bool) {
	return nil, false
}

// A ManagedFieldsError says what is wrong with metadata.managedFields.
type ManagedFieldsError struct {
	// Index is the entry, -1 for the list itself.
	Index int
	// Field is the field of the entry ("operation"); it may be empty.
	Field string
	// Err is what is wrong.
	Err error
}

func (e *ManagedFieldsError) Error() string { return "" }

func (e *ManagedFieldsError) Unwrap() error { return e.Err }
