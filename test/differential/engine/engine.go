// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine describes, in neutral terms, what a structured-merge-diff
// implementation does, so that one runner can drive two of them in lockstep.
//
// The adapters of all engines are the same source with other import paths, so all of them
// observe the same. Only package upstream is written by hand; after a change there, run
//
//	go generate ./engine
//
// Methods panic when the implementation below them panics.
package engine

//go:generate go test -run ^TestAdapters$ -update .

// Engine is one implementation.
type Engine interface {
	// Schema reads a schema. Strict goes through the validating parser,
	// otherwise the text is decoded straight into schema structs. The empty
	// text stands for the deduced type.
	Schema(text string, strict bool) (Schema, error)
	// Set decodes FieldsV1.
	Set(fieldsV1 []byte) (Set, error)
	// Managers returns managed fields without entries.
	Managers() Managers
	Updater(Config) Updater
	// Conflicts reports whether err is, without unwrapping, a list of conflicts.
	Conflicts(err error) ([]Conflict, bool)
	// Values lists what the value package says about a pair.
	Values(a, b any) []string
	// Walk lists what two values say through all methods that read.
	Walk(a, b Input) ([]string, error)
	// Write sets and deletes entries of a value that is a map.
	Write(in Input, key string, to any) (any, error)
	// Decode reads JSON into a value and gives it as plain Go data.
	Decode(json []byte) (any, error)
	// Element decodes and encodes a path element, and prints it.
	Element(serialized string) (back, printed string, err error)
	// Probe asks one of the questions of package run that belong to an id of
	// DIFFERENCES.md, in one of n ways. The answer is Panics if it panics.
	Probe(id string, n int) string
	// MatcherEqualsItself compares a matcher for the element with a copy.
	MatcherEqualsItself(serialized string) (bool, error)
}

// Panics is the answer to a probe that panics.
const Panics = "panics"

// JSONFact and StringFact begin what Values tells of JSON, right after whether
// that was an error, and of ToString. YAMLPanics and YAMLFails are all that it
// tells of YAML that cannot be written. EqualFact begins what Facts tells of
// equality.
const (
	JSONFact   = "json "
	StringFact = "string "
	EqualFact  = "equal "
	YAMLPanics = "yaml panics"
	YAMLFails  = "yaml fails"
)

// Mode says how an object becomes typed.
type Mode string

const (
	Validated       Mode = "validated"
	AllowDuplicates Mode = "duplicates"
	Unvalidated     Mode = "unvalidated"
	// Absent is unvalidated and without a value, which is not null.
	Absent Mode = "absent"
)

// Input is one object on its way into an engine: plain data, a pointer to a
// Go struct, or YAML text for the engine to parse.
type Input struct {
	Data       any
	Structured bool
	Text       string
	IsText     bool
}

// Schema makes typed values.
type Schema interface {
	// Typed types in as the named type; override, when not empty, is the
	// element relationship of the reference. References share the pointer to
	// it unless the override starts with "!".
	Typed(name, override string, in Input, mode Mode) (Typed, error)
	TypeNames() []string
	// Facts lists what the schema structs say, next to another schema's.
	Facts(other Schema) []string
}

// Typed is a value with its type.
type Typed interface {
	// Type and Override are what the value was typed with.
	Type() string
	Override() string
	// Object is the plain data; present is false when there is no value at
	// all, which is not the same as null.
	Object() (data any, present bool)
	Validate(allowDuplicates bool) error
	FieldSet() (Set, error)
	Compare(Typed) (Comparison, error)
	Merge(Typed) (Typed, error)
	Remove(Set) Typed
	Extract(set Set, appendKeys bool) Typed
	// Reconcile returns nil when the set needs no change.
	Reconcile(Set) (Set, error)
	EnsureNamed(Set) Set
	Empty() Typed
}

// Comparison is the outcome of comparing two typed values.
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
	// Apply runs a binary operation by name: union, intersection,
	// difference, recursive; or, ignoring the argument, leaves or copy.
	Apply(op string, other Set) Set
	// Prefix is the subset below an element.
	Prefix(serialized string) (Set, error)
	// Has reports membership of each path that the other set holds.
	Has(paths Set) []bool
	Filter(Filter) (Set, error)
	// Parts lists what members, children and paths say, next to another set's.
	Parts(other Set) []string
	// First ranges over all paths and stops after n.
	First(n int) []string
}

// Filter is a set filter: either an exclusion or patterns of serialized path
// elements to include, with "*" as wildcard.
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

// Managers is managed fields. With and Without return changed copies.
type Managers interface {
	// Entries are sorted by name.
	Entries() []Manager
	With(Manager) Managers
	Without(name string) Managers
	Equals(Managers) bool
	Difference(Managers) Managers
	// Lines is what they print as, line by line.
	Lines() []string
}

// Conflict is one conflicting path.
type Conflict struct {
	Manager  string
	Path     string
	Elements string // of the path, serialized, each with a newline
}

// Config configures an updater.
type Config struct {
	Convert           func(Typed, string) (Typed, error)
	IsMissing         func(error) bool
	Ignored           map[string]Set
	Filters           map[string]Filter
	ReturnInputOnNoop bool
	// Literal builds the updater as a struct literal, not with the builder.
	Literal bool
}

// Updater merges and keeps track of managers.
type Updater interface {
	// Apply returns a nil object when nothing changed.
	Apply(live, config Typed, version string, managers Managers, manager string, force bool) (Typed, Managers, error)
	Update(live, object Typed, version string, managers Managers, manager string) (Typed, Managers, error)
}
