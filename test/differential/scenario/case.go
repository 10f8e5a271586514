// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package scenario defines a test case and its text form. A case has schemas, versions,
// settings of an updater, and steps. The text of a case is YAML, which ssadiff can run again.
package scenario

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
	yaml "go.yaml.in/yaml/v2"
)

// Case is a series of steps with one object.
type Case struct {
	Seed uint64 `yaml:"seed"`
	// Kind is the name of the Go type for objects that are structs (see package structs).
	Kind string `yaml:"kind,omitempty"`
	// Structs is set if conversions return Go structs.
	Structs  bool      `yaml:"structs,omitempty"`
	Schemas  []Schema  `yaml:"schemas"`
	Versions []Version `yaml:"versions"`
	Updater  Updater   `yaml:"updater,omitempty"`
	Initial  *Object   `yaml:"initial,omitempty"`
	// RoundTrip is set if managed fields are encoded and decoded again after each step.
	RoundTrip bool   `yaml:"roundTrip,omitempty"`
	Steps     []Step `yaml:"steps"`
}

// Schema is a schema as a YAML document. A nil Tree selects the deduced type.
type Schema struct {
	Tree any
	// Literal is set if an engine decodes the document without validating it.
	Literal bool
	text    string
}

// Text returns the document as YAML text.
func (s *Schema) Text() string {
	if s.Tree == nil {
		return ""
	}
	if s.text == "" {
		s.text = tree.Text(s.Tree)
	}
	return s.text
}

// Version is an API version. A conversion to it renames or drops top-level fields. Fields that
// Rename and Drop do not mention keep their names.
type Version struct {
	Name string `yaml:"name"`
	// Type is the name of the version's type in the schema. If Override is not empty, it is the
	// element relationship of references to this type (see engine.Schema).
	Type     string `yaml:"type"`
	Override string `yaml:"override,omitempty"`
	// Rename maps the common name of a field to its name in this version.
	Rename map[string]string `yaml:"rename,omitempty"`
	// Drop lists the fields that this version does not have.
	Drop []string `yaml:"drop,omitempty"`
	// If Missing is set, a conversion fails because the version does not exist. If Broken is
	// set, the conversion fails for a different reason.
	Missing bool `yaml:"missing,omitempty"`
	Broken  bool `yaml:"broken,omitempty"`
}

// Updater has the settings of an updater. Ignored and Filters have an entry for each version.
type Updater struct {
	Ignored map[string]string        `yaml:"ignored,omitempty"`
	Filters map[string]engine.Filter `yaml:"filters,omitempty"`
	Noop    bool                     `yaml:"returnInputOnNoop,omitempty"`
	Literal bool                     `yaml:"literal,omitempty"`
	// Strict is set if a conversion validates the converted object.
	Strict bool `yaml:"strictConversion,omitempty"`
}

// Object is an object for the engines.
type Object struct {
	Tree   any
	Flavor tree.Flavor
	Mode   engine.Mode
	// If the object is a struct, Forms selects its representation in memory.
	Forms structs.Forms
}

// Step is one operation. The operation determines which fields are used.
type Step struct {
	Op      string `yaml:"op"`
	Manager string `yaml:"manager,omitempty"`
	Version string `yaml:"version,omitempty"`
	// Force is the force flag of an apply. Other operations have a different flag here: for
	// example, an extraction includes the keys of list items if Force is set.
	Force  bool    `yaml:"force,omitempty"`
	Object *Object `yaml:"object,omitempty"`
	Other  *Object `yaml:"other,omitempty"`
	// Set and Set2 are FieldsV1. "@name" stands for the set of the manager with this name.
	Set    string         `yaml:"set,omitempty"`
	Set2   string         `yaml:"set2,omitempty"`
	Filter *engine.Filter `yaml:"filter,omitempty"`
	// Schema is the index of a schema. Other operations have a different number here, such as
	// the variant of a probe.
	Schema int `yaml:"schema,omitempty"`
}

// String returns the text of the case.
func (c *Case) String() string {
	out, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Sprintf("%+v (%v)", *c, err)
	}
	return string(out)
}

// Parse reads the text of a case.
func Parse(text []byte) (*Case, error) {
	c := &Case{}
	if err := yaml.UnmarshalStrict(text, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Clone returns a copy of the case. The copy shares its trees with the original, so replace a
// tree instead of modifying it.
func (c *Case) Clone() *Case {
	out := *c
	out.Schemas = append([]Schema(nil), c.Schemas...)
	out.Versions = append([]Version(nil), c.Versions...)
	out.Steps = append([]Step(nil), c.Steps...)
	return &out
}
