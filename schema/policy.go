// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/internal/edition"
)

// KeyPolicy says what becomes of a list item that lacks a key for which the
// schema has no default.
type KeyPolicy string

const (
	// OptionalKeys leaves the key out of the item's identity; it is an error
	// only if all keys are missing. This is structured-merge-diff v6.
	OptionalKeys KeyPolicy = ""
	// StrictKeys makes it an error. This is structured-merge-diff v4.
	StrictKeys KeyPolicy = "strict"
)

// UnknownFieldPolicy says what pruning does to fields that a map does not
// declare.
type UnknownFieldPolicy string

const (
	// PruneUnknown drops them, even if the map would allow them.
	PruneUnknown UnknownFieldPolicy = "prune"
	// PreserveUnknown keeps them, even if the map does not allow them.
	PreserveUnknown UnknownFieldPolicy = "preserve"
	// ShallowUnknown keeps them, but of maps in them all fields are dropped: this
	// is what the API server does for additionalProperties: true.
	ShallowUnknown UnknownFieldPolicy = "shallow"
)

// UnmarshalYAML reads a policy and refuses other spellings: a policy that is not
// understood would drop, or keep, what it should not.
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
	return fmt.Errorf("unknownFields: want prune, preserve or shallow, found %q", text)
}

// Policies are the policies of a [Schema], whose fields of the same names say
// what they mean.
type Policies struct {
	DeclarativeDefaults bool
	MissingKeys         KeyPolicy
	ZeroKeysUnset       bool

	// ShareTypes lets schemas hold equal types once. It is for programs with
	// many schemas that have much in common, and means something for a whole
	// process only, see [SetProcessPolicies]: the first use of a schema, or a
	// parser's Type, then replaces its Types by equal ones, with fields in the
	// order of their names, whose maps and lists other schemas may hold too. So
	// these must neither be changed from then on, nor may a goroutine read Types
	// while another one may be the first to use the schema.
	ShareTypes bool

	// Version is the major version of structured-merge-diff to do alike. It means
	// something for a whole process only.
	Version Version
}

// Version is a major version of structured-merge-diff.
type Version uint8

const (
	// Version6 is v6.
	Version6 Version = iota
	// Version4 makes ExtractItems leave what v4 leaves, and readers of JSON pass over
	// what follows a value, a path element or a field set, as it does.
	Version4
)

// process holds the policies of every schema in the process: those that a schema can
// have itself, and whether equal types are shared.
var process struct {
	policies atomic.Uint32
	sharing  atomic.Bool
}

// SetProcessPolicies sets the policies of every schema in the process that does
// not set them itself. It is for programs whose schemas others make, such as an
// API server: it cannot turn off what a schema turns on. Call it before the
// first use of a schema, from an init function or the start of main; a schema
// that is in use may follow either setting until it has been compiled.
func SetProcessPolicies(p Policies) {
	process.policies.Store(uint32(p.set()))
	process.sharing.Store(p.ShareTypes)
	edition.Set(edition.Edition(p.Version)) // which are in the same order
}

// policies is a set of policies.
type policies uint8

const (
	declarative policies = 1 << iota
	strictKeys
	zeroKeysUnset

	// waysToSet is how many sets of policies there are.
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

// policies returns those of s and those of the process.
func (s *Schema) policies() policies { return s.ownPolicies() | policies(process.policies.Load()) }

func (s *Schema) ownPolicies() policies {
	return Policies{DeclarativeDefaults: s.DeclarativeDefaults, MissingKeys: s.MissingKeys, ZeroKeysUnset: s.ZeroKeysUnset}.set()
}

// withTypes returns a schema of those types with the policies of s.
func (s *Schema) withTypes(types []TypeDef) *Schema {
	return &Schema{Types: types, DeclarativeDefaults: s.DeclarativeDefaults, MissingKeys: s.MissingKeys, ZeroKeysUnset: s.ZeroKeysUnset}
}
