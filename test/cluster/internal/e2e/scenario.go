// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package e2e sends the same requests to API servers with different engines, and compares all
// answers.
package e2e

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed scenarios/*.yaml
var files embed.FS

// Scenario is a series of requests in a namespace of its own.
type Scenario struct {
	Name  string `json:"-"`
	Doc   string `json:"doc"`
	Steps []Step `json:"steps"`
}

// Step is one request, or one run of kubectl, and the wanted result.
type Step struct {
	Note string `json:"note"`

	// Do is apply, create, update, merge, strategic, get, delete, kubectl, or await. An await
	// repeats a get, or a dry-run apply of Body, until the answer is the wanted one.
	Do string `json:"do"`

	// Path is the path of the object, or the path of its collection for create. $NS means the
	// scenario's namespace here, in Body and in Args.
	Path    string `json:"path,omitempty"`
	Manager string `json:"manager,omitempty"`
	Force   bool   `json:"force,omitempty"`

	// Body is an object or a patch. For update, it is merged into the live object as a JSON
	// merge patch, and the result is sent. For kubectl, it is the standard input.
	Body any      `json:"body,omitempty"`
	Args []string `json:"args,omitempty"` // arguments of kubectl

	// Want is the HTTP status, or kubectl's exit code.
	Want int `json:"want"`
	// WantDeclarative is Want with declarative defaults, if it differs.
	WantDeclarative int `json:"wantDeclarative,omitempty"`
	// Says lists texts that the answer must contain, and Lacks lists texts that it must not
	// contain.
	Says  []string `json:"says,omitempty"`
	Lacks []string `json:"lacks,omitempty"`
}

// Scenarios returns the scenarios of the package.
func Scenarios() ([]Scenario, error) {
	entries, err := files.ReadDir("scenarios")
	if err != nil {
		return nil, err
	}
	var all []Scenario
	for _, e := range entries {
		text, err := files.ReadFile(path.Join("scenarios", e.Name()))
		if err != nil {
			return nil, err
		}
		s := Scenario{Name: strings.TrimSuffix(e.Name(), ".yaml")}
		if err := yaml.UnmarshalStrict(text, &s); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, s)
	}
	return all, nil
}
