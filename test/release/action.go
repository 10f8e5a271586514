// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// actionSteps has the steps of the GitHub action in action.yml.
type actionSteps struct {
	Inputs map[string]struct {
		Default string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Steps []struct {
			Name string            `yaml:"name"`
			Env  map[string]string `yaml:"env"`
			Run  string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// action runs the steps of action.yml in a shell, as a GitHub runner does. The steps install
// the new archive.
func (b *build) action() error {
	data, err := os.ReadFile(filepath.Join(b.tree, "action.yml"))
	if err != nil {
		return err
	}
	var a actionSteps
	if err := yaml.Unmarshal(data, &a); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.tree, "runner-")
	if err != nil {
		return err
	}
	// Let the action download the release from a local folder.
	if err := os.Symlink(b.out, filepath.Join(dir, b.version)); err != nil {
		return err
	}
	path, result := filepath.Join(dir, "path"), filepath.Join(dir, "version.json")
	inputs := map[string]string{"version": b.version, "releases": "file://" + dir, "args": "version -o json", "output": result}
	for _, step := range a.Runs.Steps {
		added, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GITHUB_PATH="+path, "PATH="+strings.TrimSpace(string(added))+":"+os.Getenv("PATH"))
		for name, value := range step.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
			if _, ok := a.Inputs[input]; !ok {
				return fmt.Errorf("action.yml, %s: %s is not an input", step.Name, value)
			}
			cmd.Env = append(cmd.Env, name+"="+inputs[input])
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("action.yml, %s: %w\n%s", step.Name, err, out)
		}
	}
	text, err := os.ReadFile(result)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), `"dovetail": "`+b.version+`"`) {
		return fmt.Errorf("the action does not run version %s: %s", b.version, text)
	}
	fmt.Println("runs: action.yml")
	return nil
}
