// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine has an interface for the operations of a structured-merge-diff implementation.
// So one runner can compare two implementations.
//
// The adapters of all engines are the same source with other import paths, so all of them
// observe the same facts. Only package upstream is written by hand; after a change there, run
//
//	go generate ./engine
//
// Methods panic when the implementation panics.
package engine

//go:generate go test -run ^TestAdapters$ -update .

// Engine is one implementation.
type Engine interface {
	// Schema reads a schema. If strict, it uses the validating parser. Otherwise it decodes the
	// text directly into schema structs. An empty text means the deduced type.
	Schema(text string, strict bool) (Schema, error)
	// Set decodes FieldsV1.
	Set(fieldsV1 []byte) (Set, error)
	// Managers returns managed fields without entries.
	Managers() Managers
	Updater(Config) Updater
	// Conflicts reports whether err is a list of conflicts, without unwrapping it.
	Conflicts(err error) ([]Conflict, bool)
	// Values lists the results of the value package for a pair.
	Values(a, b any) []string
	// Walk lists the results of all reading methods of two values.
	Walk(a, b Input) ([]string, error)
	// Write sets and deletes entries of a value that is a map.
	Write(in Input, key string, to any) (any, error)
	// Decode reads JSON into a value and returns it as plain Go data.
	Decode(json []byte) (any, error)
	// Element decodes and encodes a path element, and prints it.
	Element(serialized string) (back, printed string, err error)
	// Probe runs one of n variants of a probe for an entry of DIFFERENCES.md, see package run.
	// It returns Panics if the probe panics.
	Probe(id string, n int) string
	// MatcherEqualsItself compares a matcher for the element with a copy.
	MatcherEqualsItself(serialized string) (bool, error)
}

// Panics is the result of a probe that panics.
const Panics = "panics"

// These are prefixes and values of facts. JSONFact is the prefix for the result of a conversion
// to JSON, which begins with success or failure. StringFact is the prefix for the result of
// ToString. YAMLPanics and YAMLFails are the facts for values that YAML cannot express.
// EqualFact is the prefix of facts about equality.
const (
	JSONFact   = "json "
	StringFact = "string "
	EqualFact  = "equal "
	YAMLPanics = "yaml panics"
	YAMLFails  = "yaml fails"
)

// Mode selects how an object gets a type.
type Mode string

const (
	Validated       Mode = "validated"
	AllowDuplicates Mode = "duplicates"
	Unvalidated     Mode = "unvalidated"
	// Absent gives an unvalidated typed value without any value, which differs from null.
	Absent Mode = "absent"
)

// Input is an object for an engine: plain data, a pointer to a Go struct, or YAML text for the
// engine to parse.
type Input struct {
	Data       any
	Structured bool
	Text       string
	IsText     bool
}

// Schema creates typed values.
type Schema interface {
	// Typed creates a typed value of the named type. If override is not empty, it is the
	// element relationship of the type reference. References share a pointer to this
	// relationship, unless override starts with "!".
	Typed(name, override string, in Input, mode Mode) (Typed, error)
	TypeNames() []string
	// Facts lists facts about the schema structs, some of them compared with another schema.
	Facts(other Schema) []string
}

// Typed is a value with its type.
type Typed interface {
	// Type and Override are the arguments with which the value was created.
	Type() string
	Override() string
	// Object returns the plain data. present is false if there is no value, which differs from
	// null.
	Object() (data any, present bool)
	Validate(allowDuplicates bool) error
	FieldSet() (Set, error)
	Compare(Typed) (Comparison, error)
	Merge(Typed) (Typed, error)
	Remove(Set) Typed
	Extract(set Set, appendKeys bool) Typed
	// Reconcile returns nil if the set needs no change.
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
	// Apply runs a binary operation by name: union, intersection, difference or recursive. The
	// operations leaves and copy ignore the argument.
	Apply(op string, other Set) Set
	// Prefix returns the subset below an element.
	Prefix(serialized string) (Set, error)
	// Has reports for each path of the other set whether this set contains it.
	Has(paths Set) []bool
	Filter(Filter) (Set, error)
	// Parts lists facts about members, children and paths, some of them compared with another
	// set.
	Parts(other Set) []string
	// First lists the first n paths of an iteration over all paths.
	First(n int) []string
}

// Filter is a set filter: either an exclusion, or patterns of serialized path elements to
// include, with "*" as a wildcard.
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

// Managers are managed fields. With and Without return changed copies.
type Managers interface {
	// Entries returns the entries sorted by name.
	Entries() []Manager
	With(Manager) Managers
	Without(name string) Managers
	Equals(Managers) bool
	Difference(Managers) Managers
	// Lines returns the printed form, line by line.
	Lines() []string
}

// Conflict is one conflicting path.
type Conflict struct {
	Manager  string
	Path     string
	Elements string // serialized elements of the path, each followed by a newline
}

// Config configures an updater.
type Config struct {
	Convert           func(Typed, string) (Typed, error)
	IsMissing         func(error) bool
	Ignored           map[string]Set
	Filters           map[string]Filter
	ReturnInputOnNoop bool
	// Literal creates the updater as a struct literal instead of with the builder.
	Literal bool
}

// Updater merges objects and keeps track of managers.
type Updater interface {
	// Apply returns a nil object if nothing changed.
	Apply(live, config Typed, version string, managers Managers, manager string, force bool) (Typed, Managers, error)
	Update(live, object Typed, version string, managers Managers, manager string) (Typed, Managers, error)
}
