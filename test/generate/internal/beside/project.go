// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// Project is a set of API packages of published modules.
type Project struct {
	Name string `json:"name"`
	// Modules are required by the module that both generators run in, as PATH@VERSION.
	// The first one's version is that of the project.
	Modules []string `json:"modules"`
	// Replace are replacements that the project's own go.mod has, as OLD=NEW@VERSION.
	Replace []string `json:"replace,omitempty"`
	// Packages are patterns of the go command.
	Packages []string `json:"packages"`
	// Options are those of controller-gen's generator crd, besides [Options].
	Options []string `json:"options,omitempty"`
}

// Options are given to controller-gen for each project: what dovetail-gen does anyway.
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
			return nil, fmt.Errorf("projects: %q: want a name of its own, modules and packages", p.Name)
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
