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

// Scenario is a series of requests. Each scenario has its own namespace.
type Scenario struct {
	Name  string `json:"-"`
	Doc   string `json:"doc"`
	Steps []Step `json:"steps"`
}

// Step is one request or one run of kubectl, with the expected result.
type Step struct {
	Note string `json:"note"`

	// Do is "apply", "create", "update", "merge", "strategic", "get", "delete", "kubectl" or
	// "await". An await step repeats a get until the answer is as expected. If the step has a
	// Body, it repeats a dry-run apply of Body instead.
	Do string `json:"do"`

	// Path is the path of the object. For create, it is the path of the collection. In Path,
	// Body and Args, $NS stands for the namespace of the scenario.
	Path    string `json:"path,omitempty"`
	Manager string `json:"manager,omitempty"`
	Force   bool   `json:"force,omitempty"`

	// Body is an object or a patch. An update step merges Body into the live object as a JSON
	// merge patch, and sends the result. A kubectl step passes Body as standard input.
	Body any      `json:"body,omitempty"`
	Args []string `json:"args,omitempty"` // arguments of kubectl

	// Want is the expected HTTP status, or the expected exit code of kubectl.
	Want int `json:"want"`
	// WantDeclarative is the expected result on a server that uses declarative defaults. If it
	// is zero, the server must return Want.
	WantDeclarative int `json:"wantDeclarative,omitempty"`
	// The answer must contain all texts in Says, and none of the texts in Lacks.
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
