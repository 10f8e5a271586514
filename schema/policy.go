// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/edition"
)

// KeyPolicy selects how to treat a list item that lacks a key without a default.
type KeyPolicy string

const (
	// OptionalKeys omits a missing key from the item's identity. Only an item without any
	// key is an error. This is the behavior of structured-merge-diff v6.
	OptionalKeys KeyPolicy = ""
	// StrictKeys makes a missing key an error. This is the behavior of structured-merge-diff v4.
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

// Policies are settings for all schemas in a process (see [SetProcessPolicies]). The first three
// are also fields of [Schema], and are documented there.
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

// process holds the settings of SetProcessPolicies. The field policies has those settings that a
// schema can also have by itself, and sharing is Policies.ShareTypes.
var process struct {
	policies atomic.Uint32
	sharing  atomic.Bool
}

// SetProcessPolicies sets policies for all schemas in the process. It is for programs that do
// not create their schemas themselves, such as an API server. It cannot turn off a policy that a
// schema turns on. Call it before the first use of any schema, in an init function or at the
// start of main. If a schema is already in use, it may follow the old or the new policies.
func SetProcessPolicies(p Policies) {
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
