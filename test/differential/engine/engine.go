// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine defines an interface for the operations of structured-merge-diff. With this
// interface, one program can run two implementations and compare them.
//
// An adapter implements the interface for one implementation. All adapters have the same
// source, except for import paths, so they observe the same facts about each implementation.
// Package upstream is written by hand, and the other adapters are copies of it. After a change
// to upstream, run
//
//	go generate ./engine
//
// Methods do not recover from a panic of the implementation.
package engine

//go:generate go test -run ^TestAdapters$ -update .

// Engine is one implementation.
type Engine interface {
	// Schema reads a schema. If strict is true, it uses the validating parser. If strict is
	// false, it decodes the text directly into the schema structs. An empty text selects the
	// deduced type.
	Schema(text string, strict bool) (Schema, error)
	// Set decodes FieldsV1.
	Set(fieldsV1 []byte) (Set, error)
	// Managers returns an empty list of managed fields.
	Managers() Managers
	Updater(Config) Updater
	// Conflicts reports whether err is a list of conflicts. It does not unwrap err.
	Conflicts(err error) ([]Conflict, bool)
	// Values calls the functions of package value with two values, and lists the results.
	Values(a, b any) []string
	// Walk lists the results of all read-only methods of two values.
	Walk(a, b Input) ([]string, error)
	// Write sets or deletes an entry of a value that is a map.
	Write(in Input, key string, to any) (any, error)
	// Decode reads JSON into a value and returns it as plain Go data.
	Decode(json []byte) (any, error)
	// Element decodes a path element. It returns the element encoded again, and the text that
	// the element's method String returns.
	Element(serialized string) (back, printed string, err error)
	// Probe runs a small program that shows one difference between the engines. The id is the
	// difference's id in DIFFERENCES.md, and n selects a variant of the program. If the program
	// panics, the result is Panics. See package run.
	Probe(id string, n int) string
	// MatcherEqualsItself creates a matcher for the element, and reports whether the matcher
	// equals a copy of itself.
	MatcherEqualsItself(serialized string) (bool, error)
}

// Panics is the result of a probe that panics.
const Panics = "panics"

// A fact is a text that describes one result. A fact about a conversion to JSON starts with
// JSONFact, a fact about a printed text starts with StringFact, and a fact about equality
// starts with EqualFact. YAMLPanics and YAMLFails are complete facts about values that YAML
// cannot express.
const (
	JSONFact   = "json "
	StringFact = "string "
	EqualFact  = "equal "
	YAMLPanics = "yaml panics"
	YAMLFails  = "yaml fails"
)

// Mode selects how a typed value is created from an object.
type Mode string

const (
	Validated       Mode = "validated"
	AllowDuplicates Mode = "duplicates"
	Unvalidated     Mode = "unvalidated"
	// Absent creates a typed value that contains nothing, not even null. It is not validated.
	Absent Mode = "absent"
)

// Input is an object that an engine receives: plain data, a pointer to a Go struct, or YAML
// text that the engine parses.
type Input struct {
	Data       any
	Structured bool
	Text       string
	IsText     bool
}

// Schema creates typed values.
type Schema interface {
	// Typed creates a typed value of the named type. If override is not empty, it replaces the
	// element relationship of the type, for example by "atomic". Calls with the same override
	// pass the same pointer to the implementation. If the override starts with "!", each call
	// passes a new pointer.
	Typed(name, override string, in Input, mode Mode) (Typed, error)
	TypeNames() []string
	// Facts lists facts about the structs of the schema. Some of these facts are results of
	// comparisons with the schema in the argument "other".
	Facts(other Schema) []string
}

// Typed is a value with its type.
type Typed interface {
	// Type and Override return the arguments of Schema.Typed.
	Type() string
	Override() string
	// Object returns the plain data. The second result is false if there is no value, not even
	// null.
	Object() (data any, present bool)
	Validate(allowDuplicates bool) error
	FieldSet() (Set, error)
	Compare(Typed) (Comparison, error)
	Merge(Typed) (Typed, error)
	Remove(Set) Typed
	Extract(set Set, appendKeys bool) Typed
	// Reconcile returns nil if the schema requires no change of the set.
	Reconcile(Set) (Set, error)
	EnsureNamed(Set) Set
	Empty() Typed
}

// Comparison is the result of comparing two typed values.
type Comparison struct {
	Removed, Modified, Added Set
	Same                     bool
	Printed                  string
}

// Set is a set of paths.
type Set interface {
	JSON() ([]byte, error)
	String() string
	Size() int
	Empty() bool
	Equals(Set) bool
	// Apply returns the result of an operation. The operations union, intersection, difference
	// and recursive (a recursive difference) combine the set with a second set. The operations
	// leaves and copy ignore the second set.
	Apply(op string, other Set) Set
	// Prefix returns the set of paths below an element.
	Prefix(serialized string) (Set, error)
	// Has reports for each of the given paths whether the set contains it.
	Has(paths Set) []bool
	Filter(Filter) (Set, error)
	// Parts lists facts about the set's members, children and paths. Some of these facts are
	// results of comparisons with the set in the argument "other".
	Parts(other Set) []string
	// First lists the first n paths, in the order in which the set iterates over its paths.
	First(n int) []string
}

// Filter selects paths of a set. It either excludes the paths in another set, or includes the
// paths that match a pattern. A pattern is a list of path elements, in which "*" stands for any
// element.
type Filter struct {
	Exclude string     `yaml:"exclude,omitempty"`
	Include [][]string `yaml:"include,omitempty"`
}

// Manager is one entry of managed fields.
type Manager struct {
	Name    string
	Version string
	Applied bool
	Set     Set
}

// Managers contains the managed fields of an object. The methods With and Without return a
// changed copy.
type Managers interface {
	// Entries returns the entries sorted by name.
	Entries() []Manager
	With(Manager) Managers
	Without(name string) Managers
	Equals(Managers) bool
	Difference(Managers) Managers
	// Lines prints the managed fields and returns the printed lines.
	Lines() []string
}

// Conflict is one path over which managers conflict.
type Conflict struct {
	Manager  string
	Path     string
	Elements string // the elements of the path, as in FieldsV1, each followed by a newline
}

// Config configures an updater.
type Config struct {
	Convert           func(Typed, string) (Typed, error)
	IsMissing         func(error) bool
	Ignored           map[string]Set
	Filters           map[string]Filter
	ReturnInputOnNoop bool
	// Literal creates the updater as a struct literal, without the builder.
	Literal bool
}

// Updater merges objects and updates their managers.
type Updater interface {
	// Apply returns nil as the object if the apply changed nothing.
	Apply(live, config Typed, version string, managers Managers, manager string, force bool) (Typed, Managers, error)
	Update(live, object Typed, version string, managers Managers, manager string) (Typed, Managers, error)
}
