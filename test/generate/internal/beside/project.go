// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// Project is a set of published modules, with patterns for their API packages.
type Project struct {
	Name string `json:"name"`
	// Modules are the required modules, as PATH@VERSION. The version of the project is the
	// version of the first module.
	Modules []string `json:"modules"`
	// Replace has the replacements in the project's own go.mod, as OLD=NEW@VERSION.
	Replace []string `json:"replace,omitempty"`
	// Packages are patterns of packages for the go command.
	Packages []string `json:"packages"`
	// Options are additional options for controller-gen's generator "crd" (see [Options]).
	Options []string `json:"options,omitempty"`
}

// Options are the options of controller-gen for all projects. dovetail-gen always behaves as
// if these options were set.
var Options = []string{"generateEmbeddedObjectMeta=true"}

// ReadProjects reads a list of projects.
func ReadProjects(text []byte) ([]Project, error) {
	var all []Project
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("projects: %w", err)
	}
	seen := map[string]bool{}
	for _, p := range all {
		if p.Name == "" || len(p.Modules) == 0 || len(p.Packages) == 0 || seen[p.Name] {
			return nil, fmt.Errorf("projects: %q: want a unique name, at least one module and at least one package", p.Name)
		}
		seen[p.Name] = true
		for _, m := range p.Modules {
			if _, version, _ := strings.Cut(m, "@"); version == "" {
				return nil, fmt.Errorf("projects: %s: %s has no version", p.Name, m)
			}
		}
	}
	return all, nil
}

// Version returns the version of the first module.
func (p *Project) Version() string {
	_, version, _ := strings.Cut(p.Modules[0], "@")
	return version
}
