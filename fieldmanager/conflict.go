package fieldmanager

import (
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
)

// A Conflict is a field that an applied config wants to be other than
// another manager left it.
type Conflict struct {
	// Owner is who owns the live value. APIVersion is set for an Apply too.
	Owner
	// Time is when the owner wrote last, nil when unknown.
	Time *time.Time
	// Path is the field; Path.String is the API server's notation.
	Path fieldpath.Path
	// Yours is the value in the config, Live the value in the live object;
	// nil when null. They are shared with the inputs: read-only.
	Yours, Live any
	// HasYours and HasLive are false where there is no such value: the
	// config drops the field, or the live object does not have it.
	HasYours, HasLive bool
	// Hint is a sentence for the user when there is more to say, such as
	// that the owner is the same manager through Update; it may be empty.
	Hint string
}

// ConflictError reports all conflicts of an apply, sorted by owner, then path.
// errors.As finds the merge.Conflicts it was made from.
type ConflictError struct {
	Conflicts []Conflict
	cause     merge.Conflicts
}

// Error is the message of the API server.
func (e *ConflictError) Error() string { return "" }

// Unwrap returns the merge.Conflicts.
func (e *ConflictError) Unwrap() error { return e.cause }
