// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/edition"
)

// KeyPolicy selects how to treat a list item that lacks a key without a default.
type KeyPolicy string

const (
	// OptionalKeys omits a missing key from the item's identity. Only an item without any
	// key is an error. This is the behavior of structured-merge-diff v6.
	OptionalKeys KeyPolicy = ""
	// StrictKeys makes a missing key without a default an error. This is the behavior of
	// structured-merge-diff v4.
	StrictKeys KeyPolicy = "strict"
)

// UnmarshalYAML reads a policy. It returns an error for an unknown policy, which would
// otherwise accept items that lack a key.
func (p *KeyPolicy) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	read := KeyPolicy(text)
	if !read.known() {
		return fmt.Errorf("missingKeys: expected strict or no value, got %q", text)
	}
	*p = read
	return nil
}

func (p KeyPolicy) known() bool { return p == OptionalKeys || p == StrictKeys }

// UnknownFieldPolicy determines which undeclared fields of a map are removed by pruning.
type UnknownFieldPolicy string

const (
	// PruneUnknown removes undeclared fields, even if the map allows them.
	PruneUnknown UnknownFieldPolicy = "prune"
	// PreserveUnknown keeps undeclared fields, even if the map does not allow them.
	PreserveUnknown UnknownFieldPolicy = "preserve"
	// ShallowUnknown keeps undeclared fields, but removes all fields of maps inside
	// them. API servers do this for additionalProperties: true.
	ShallowUnknown UnknownFieldPolicy = "shallow"
)

// UnmarshalYAML reads a policy. It returns an error for an unknown policy, which would
// otherwise keep or remove the wrong fields.
func (p *UnknownFieldPolicy) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	switch read := UnknownFieldPolicy(text); read {
	case "", PruneUnknown, PreserveUnknown, ShallowUnknown:
		*p = read
		return nil
	}
	return fmt.Errorf("unknownFields: expected prune, preserve or shallow, got %q", text)
}

// Policies are settings for all schemas in a process (see [SetProcessPolicies] and
// [SetInitialPolicies]). The first three are also fields of [Schema], and are documented there.
type Policies struct {
	DeclarativeDefaults bool
	MissingKeys         KeyPolicy
	ZeroKeysUnset       bool

	// ShareTypes makes schemas share equal types to save memory. It is for programs with many
	// similar schemas, and can be set only for the whole process.
	//
	// The first use of a schema, or of the Type method of its parser, then replaces Types with
	// equal types. In the new types, fields are sorted by name, and several schemas may share the
	// same maps and lists. So do not change Types after the first use. Do not read Types in one
	// goroutine while another goroutine may be the first to use the schema.
	ShareTypes bool
	// Version selects the major version of structured-merge-diff whose behavior the
	// package reproduces. It can be set only for the whole process.
	Version Version
}

// Version is a major version of structured-merge-diff.
type Version uint8

const (
	// Version6 is v6, the default.
	Version6 Version = iota
	// Version4 is v4. ExtractItems keeps the same data as in v4. Functions that read a value, a
	// path element or a field set from JSON ignore any data after it.
	Version4
)

// major returns the number in the name of the version. The constants are not in this order.
func (v Version) major() int {
	switch v {
	case Version6:
		return 6
	case Version4:
		return 4
	}
	return 7 // Version7 exists only with Go 1.27
}

// process holds the settings of SetProcessPolicies and SetInitialPolicies. The field policies has
// those settings that a schema can also have by itself, and sharing is Policies.ShareTypes.
var process struct {
	policies atomic.Uint32
	sharing  atomic.Bool

	mu      sync.Mutex
	set     bool // SetProcessPolicies has been called
	initial bool // SetInitialPolicies has been called, with the result in the next field
	all     Policies
}

// SetProcessPolicies sets policies for all schemas in the process. It is for programs that do
// not create their schemas themselves, such as an API server. It cannot turn off a policy that a
// schema turns on. Call it before the first use of any schema, in an init function or at the
// start of main. If a schema is already in use, it may follow the old or the new policies.
//
// There is one set of policies for the process. If the function is called again, the policies of
// the last call replace all earlier ones, for all packages of the program. They also replace the
// policies of [SetInitialPolicies], which the modules in compat call.
func SetProcessPolicies(p Policies) {
	process.mu.Lock()
	defer process.mu.Unlock()
	process.set = true
	p.apply()
}

// SetInitialPolicies sets policies for all schemas in the process, unless the program calls
// [SetProcessPolicies]. The modules in compat call it in init functions.
//
// If several modules call it, the policies with the highest major version of structured-merge-diff
// apply to the whole process, and the calls with other versions have no effect. So a program that
// replaces v4 and v6 gets the behavior of v6 in the packages of both modules. If several calls have
// this highest version, their policies are combined: a policy is on if one of the calls turns it
// on. So the order of the calls never matters.
func SetInitialPolicies(p Policies) {
	process.mu.Lock()
	defer process.mu.Unlock()
	switch {
	case process.set || process.initial && p.Version.major() < process.all.Version.major():
		return
	case process.initial && p.Version == process.all.Version:
		p = p.union(process.all)
	}
	process.initial, process.all = true, p
	p.apply()
}

// union returns the policies that p or q turns on, with the version of p.
func (p Policies) union(q Policies) Policies {
	p.DeclarativeDefaults = p.DeclarativeDefaults || q.DeclarativeDefaults
	if q.MissingKeys == StrictKeys {
		p.MissingKeys = StrictKeys
	}
	p.ZeroKeysUnset = p.ZeroKeysUnset || q.ZeroKeysUnset
	p.ShareTypes = p.ShareTypes || q.ShareTypes
	return p
}

// apply makes p the policies of the process. The caller holds process.mu.
func (p Policies) apply() {
	process.policies.Store(uint32(p.set()))
	process.sharing.Store(p.ShareTypes)
	edition.Set(edition.Edition(p.Version)) // both types have the same numbers
}

// policies is a set of policies.
type policies uint8

const (
	declarative policies = 1 << iota
	strictKeys
	zeroKeysUnset

	// waysToSet is the number of possible sets of policies.
	waysToSet = 1 << iota
)

func (p policies) has(one policies) bool { return p&one != 0 }

func (p Policies) set() policies {
	var set policies
	if p.DeclarativeDefaults {
		set |= declarative
	}
	if p.MissingKeys == StrictKeys {
		set |= strictKeys
	}
	if p.ZeroKeysUnset {
		set |= zeroKeysUnset
	}
	return set
}

// policies returns the union of the policies of s and the policies of the process.
func (s *Schema) policies() policies { return s.ownPolicies() | policies(process.policies.Load()) }

func (s *Schema) ownPolicies() policies {
	return Policies{DeclarativeDefaults: s.DeclarativeDefaults, MissingKeys: s.MissingKeys, ZeroKeysUnset: s.ZeroKeysUnset}.set()
}

// withTypes returns a schema with the given types and the policies of s.
func (s *Schema) withTypes(types []TypeDef) *Schema {
	return &Schema{Types: types, DeclarativeDefaults: s.DeclarativeDefaults, MissingKeys: s.MissingKeys, ZeroKeysUnset: s.ZeroKeysUnset}
}
