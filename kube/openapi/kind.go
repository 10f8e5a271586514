package openapi

// Kind is what a catalog knows of a kind.
type Kind struct {
	APIVersion string
	Kind       string
	// Type is the name of the definition.
	Type string
	// Resource is the plural name in URLs, empty if the source does not say.
	Resource string
	Scope    Scope
	// Subresources are the names of the subresources, such as status and
	// scale, sorted. Empty also if the source does not say.
	Subresources []string
	// Source is the name of the document, empty for built-in types.
	Source string
}

// Scope says whether objects of a kind are in a namespace.
type Scope int

const (
	// ScopeUnknown is the scope of a kind whose source does not say.
	ScopeUnknown Scope = iota
	// Namespaced objects are in a namespace.
	Namespaced
	// ClusterWide objects are not.
	ClusterWide
)

// Kinds returns all kinds, sorted by API version and kind.
func (c *Catalog) Kinds() []Kind { return nil }

// Kind returns what is known of one kind, and whether the catalog has it.
func (c *Catalog) Kind(apiVersion, kind string) (Kind, bool) { return Kind{}, false }
