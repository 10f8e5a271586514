package openapi

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/schema"
)

// Catalog finds the merge schema of a kind. It is filled from documents; what
// is added later wins over what was there, definition by definition.
//
// Adding is not safe for concurrent use; everything else is, once nothing is
// added any more. A method that returns an error leaves the catalog as it was.
type Catalog struct {
	options options
}

// Option changes what a Catalog makes of its documents.
type Option func(*options)

type options struct {
	gateOff bool
	keys    schema.KeyPolicy
}

// DeclarativeDefaults sets schema.Schema.DeclarativeDefaults of every schema
// the catalog returns. Without this option it is true.
func DeclarativeDefaults(on bool) Option { return func(o *options) { o.gateOff = !on } }

// MissingKeys sets schema.Schema.MissingKeys of every schema the catalog
// returns. Without this option it is schema.OptionalKeys.
func MissingKeys(p schema.KeyPolicy) Option { return func(o *options) { o.keys = p } }

// New returns an empty catalog. Definitions of the API machinery that a CRD
// needs, such as ObjectMeta, are taken from the built-in types until a
// document provides them.
func New(opts ...Option) *Catalog {
	c := &Catalog{}
	for _, o := range opts {
		o(&c.options)
	}
	return c
}

// Builtin returns a catalog of the built-in types of the Kubernetes release
// that Release names. It costs next to nothing: a type is decoded when it is
// first looked up.
func Builtin(opts ...Option) *Catalog { return New(opts...) }

var errSkeleton = errors.New("not there yet")

// Document is an OpenAPI document.
type Document struct {
	// Name is what messages call it, usually the file's name.
	Name string
	// Data is JSON or YAML.
	Data []byte
}

// AddOpenAPI adds the definitions and kinds of an OpenAPI document, v2 or v3,
// JSON or YAML.
//
// The error is an *Error or several of them joined: not JSON or YAML, not an
// OpenAPI document, a reference to a definition that neither the document nor
// the catalog has, a definition that contradicts itself. What upstream
// tolerates in a published document is not an error but a warning, see
// Warnings.
func (c *Catalog) AddOpenAPI(name string, doc []byte) error {
	return c.AddOpenAPIs(Document{name, doc})
}

// AddOpenAPIs adds several OpenAPI documents that belong together, such as the
// group documents that an API server has under /openapi/v3 and that Kubernetes
// keeps in api/openapi-spec/v3: a definition may be in another document than
// the reference to it. Errors are those of AddOpenAPI.
func (c *Catalog) AddOpenAPIs(docs ...Document) error { return errSkeleton }

// AddCRD adds every served version of the CustomResourceDefinitions in doc:
// apiextensions.k8s.io/v1, JSON or YAML, one or several documents or a List.
// name is what messages call it.
//
// The error is an *Error or several of them joined. Besides malformed input,
// these are: a list-map key that its items do not have, that is nullable or
// whose default is not a scalar.
func (c *Catalog) AddCRD(name string, doc []byte) error { return errSkeleton }

// AddDefaults gives defaults to definitions that the catalog already has.
// They replace the defaults that are there. doc is one of
//
//   - an OpenAPI document, v2 or v3: its definitions' defaults are given to
//     the definitions of the same name; definitions and fields that the
//     catalog does not have are passed over;
//   - a table, definition by field, as in
//
//     io.k8s.api.core.v1.ServicePort:
//     protocol: TCP
//
// In a table a field may be a path into the definition: spec.ports[].protocol
// goes through the items of a list, labels{} through the values of a map. A
// path that ends in [] or {} gives the default of the item or value; the empty
// path that of the definition. It is an error if the catalog has no such
// definition or field, or if the default is of the wrong type.
func (c *Catalog) AddDefaults(name string, doc []byte) error { return errSkeleton }

// Lookup returns the type of a kind: a schema of this type and all types that
// can be reached from it, and the reference to it. It returns false if the
// catalog does not have the kind. The same call returns the same schema until
// something is added.
func (c *Catalog) Lookup(apiVersion, kind string) (*schema.Schema, schema.TypeRef, bool) {
	return nil, schema.TypeRef{}, false
}

// LookupType is Lookup for the name of a definition, such as
// io.k8s.api.core.v1.PodSpec or com.example.v1.Widget.
func (c *Catalog) LookupType(name string) (*schema.Schema, schema.TypeRef, bool) {
	return nil, schema.TypeRef{}, false
}

// Types returns the names of all definitions, sorted.
func (c *Catalog) Types() []string { return nil }

// Release returns the Kubernetes release of the built-in types, such as
// v1.36.3.
func Release() string { return "" }

// Release returns the Kubernetes release of the built-in types that are in the
// catalog, empty if it was made with New.
func (c *Catalog) Release() string { return "" }

// Warnings returns what was odd about the added documents without making them
// unusable, sorted by document and path.
func (c *Catalog) Warnings() []*Error { return nil }
