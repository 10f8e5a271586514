package fieldmanager

import "errors"

// A FieldManager handles the requests to one endpoint. It holds no state
// between requests and is safe for concurrent use.
type FieldManager struct {
	o Options
}

// ErrUnknownType is wrapped by the error of a TypeSource that knows no such
// type.
var ErrUnknownType = errors.New("unknown type")

// ErrUnknownVersion is wrapped by the error of a Converter asked for an API
// version that does not exist.
var ErrUnknownVersion = errors.New("unknown version")

// A BadRequestError says that a request cannot be understood: the API server
// answers it with status 400.
type BadRequestError struct{ Message string }

func (e *BadRequestError) Error() string { return e.Message }

// Result is what the API server would store.
type Result struct {
	// Object is the object with its managed fields. It shares parts with the
	// live object and the request; it is the live object itself when
	// Changed is false.
	Object map[string]any

	// Changed is false when the request changed nothing, time stamps
	// included.
	Changed bool

	// Managed is the ownership after the request, as written into Object.
	Managed *Managed

	// Warnings are what the request lost or what its author should know, in
	// order.
	Warnings []Warning
}

// A Warning is something that did not fail the request.
type Warning struct {
	// Path is where, in the notation of the API server; it may be empty.
	Path string
	// Message is what.
	Message string
}

// Apply does what the API server does for a server-side apply of config by
// manager. live is the stored object, nil when there is none yet.
//
// The error is a *ConflictError when config contradicts other managers and
// force is false, a *BadRequestError when the request itself is wrong.
// Neither live nor config is modified.
func (m *FieldManager) Apply(live, config map[string]any, manager string, force bool) (*Result, error) {
	return nil, errors.New("apply: not built yet")
}

// Update does what the API server does to the managed fields when object
// replaces live: create (live is nil), replace, and every patch but apply.
// object is the complete new object, after defaulting and admission.
//
// Managed fields in object replace those of live, when they are well formed;
// an empty list there ("managedFields: []") resets the tracking; absent or null ones
// keep those of live. On a subresource those of live are always kept.
//
// Unlike the API server, an error is returned to the caller instead of storing the
// object with its managed fields untouched. Neither live nor object is modified.
func (m *FieldManager) Update(live, object map[string]any, manager string) (*Result, error) {
	return nil, errors.New("update: not built yet")
}

// Extract returns what manager owns in live by applying through this
// endpoint's subresource, as a config that can be applied again without a
// change: its leaves, list keys, apiVersion, kind and metadata.name and
// namespace. The config is nil when the manager never applied.
func (m *FieldManager) Extract(live map[string]any, manager string) (map[string]any, error) {
	return nil, errors.New("extract: not built yet")
}
