// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
)

type textSchema struct {
	Text    string `yaml:"text"`
	Literal bool   `yaml:"literal,omitempty"`
}

// MarshalYAML writes the schema as text.
func (s Schema) MarshalYAML() (any, error) {
	return textSchema{Text: s.Text(), Literal: s.Literal}, nil
}

// UnmarshalYAML reads the schema from its text.
func (s *Schema) UnmarshalYAML(unmarshal func(any) error) error {
	var t textSchema
	if err := unmarshal(&t); err != nil {
		return err
	}
	*s = Schema{Literal: t.Literal}
	if t.Text == "" {
		return nil
	}
	var err error
	s.Tree, err = tree.Parse(t.Text)
	return err
}

type textObject struct {
	Data   string      `yaml:"data"`
	Flavor tree.Flavor `yaml:"flavor,omitempty"`
	Mode   engine.Mode `yaml:"mode,omitempty"`

	Forms structs.Forms `yaml:"forms,omitempty"`
}

// MarshalYAML writes the data as text, in which integers and floats differ.
func (o Object) MarshalYAML() (any, error) {
	return textObject{Data: tree.Text(o.Tree), Flavor: o.Flavor, Mode: o.Mode, Forms: o.Forms}, nil
}

// UnmarshalYAML reads the data from its text.
func (o *Object) UnmarshalYAML(unmarshal func(any) error) error {
	t := textObject{Flavor: tree.JSON, Mode: engine.Validated}
	if err := unmarshal(&t); err != nil {
		return err
	}
	data, err := tree.Parse(t.Data)
	*o = Object{Tree: data, Flavor: t.Flavor, Mode: t.Mode, Forms: t.Forms}
	return err
}
