// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package scenario defines the text form of a test case: schemas, versions, an updater and
// steps. A case is printed as YAML, and that text replays it.
package scenario

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
	yaml "go.yaml.in/yaml/v2"
)

// Case is a sequence of steps on one object.
type Case struct {
	Seed uint64 `yaml:"seed"`
	// Kind is the Go type of objects that are structs (see package structs).
	Kind string `yaml:"kind,omitempty"`
	// Structs makes conversions return structs.
	Structs  bool      `yaml:"structs,omitempty"`
	Schemas  []Schema  `yaml:"schemas"`
	Versions []Version `yaml:"versions"`
	Updater  Updater   `yaml:"updater,omitempty"`
	Initial  *Object   `yaml:"initial,omitempty"`
	// RoundTrip encodes and decodes managed fields between steps.
	RoundTrip bool   `yaml:"roundTrip,omitempty"`
	Steps     []Step `yaml:"steps"`
}

// Schema is a schema document. A Schema without a tree means the deduced type.
type Schema struct {
	Tree any
	// Literal schemas are decoded without validation.
	Literal bool
	text    string
}

// Text returns the document as YAML.
func (s *Schema) Text() string {
	if s.Tree == nil {
		return ""
	}
	if s.text == "" {
		s.text = tree.Text(s.Tree)
	}
	return s.text
}

// Version is an API version. Conversion renames the top-level fields of an object. Names that
// are not listed do not change.
type Version struct {
	Name string `yaml:"name"`
	// Type is the version's type in the schema. Override is the relationship of the type
	// reference.
	Type     string `yaml:"type"`
	Override string `yaml:"override,omitempty"`
	// Rename maps the common name of a field to its name in the version.
	Rename map[string]string `yaml:"rename,omitempty"`
	// Drop lists fields that do not exist in the version.
	Drop []string `yaml:"drop,omitempty"`
	// Missing versions are reported as missing. Broken versions cause another error.
	Missing bool `yaml:"missing,omitempty"`
	Broken  bool `yaml:"broken,omitempty"`
}

// Updater configures the updater. Ignored and Filters have an entry for each version.
type Updater struct {
	Ignored map[string]string        `yaml:"ignored,omitempty"`
	Filters map[string]engine.Filter `yaml:"filters,omitempty"`
	Noop    bool                     `yaml:"returnInputOnNoop,omitempty"`
	Literal bool                     `yaml:"literal,omitempty"`
	// Strict makes conversion validate the converted object.
	Strict bool `yaml:"strictConversion,omitempty"`
}

// Object is an object for the engines.
type Object struct {
	Tree   any
	Flavor tree.Flavor
	Mode   engine.Mode
	// Forms selects the representation in memory, if the object is a struct.
	Forms structs.Forms
}

// Step is one operation. Which fields are used depends on the operation.
type Step struct {
	Op      string `yaml:"op"`
	Manager string `yaml:"manager,omitempty"`
	Version string `yaml:"version,omitempty"`
	// Force is the force flag of apply, and a flag of other operations.
	Force  bool    `yaml:"force,omitempty"`
	Object *Object `yaml:"object,omitempty"`
	Other  *Object `yaml:"other,omitempty"`
	// Set and Set2 are FieldsV1. The text "@name" means the set of the manager with this name.
	Set    string         `yaml:"set,omitempty"`
	Set2   string         `yaml:"set2,omitempty"`
	Filter *engine.Filter `yaml:"filter,omitempty"`
	// Schema is the index of a schema. Some operations use this number for another purpose.
	Schema int `yaml:"schema,omitempty"`
}

// String returns the case as YAML.
func (c *Case) String() string {
	out, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Sprintf("%+v (%v)", *c, err)
	}
	return string(out)
}

// Parse parses a case.
func Parse(text []byte) (*Case, error) {
	c := &Case{}
	if err := yaml.UnmarshalStrict(text, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Clone copies the case. Trees are shared and must be replaced, not changed.
func (c *Case) Clone() *Case {
	out := *c
	out.Schemas = append([]Schema(nil), c.Schemas...)
	out.Versions = append([]Version(nil), c.Versions...)
	out.Steps = append([]Step(nil), c.Steps...)
	return &out
}
