// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package webpackages tests the packages in the folder web. It installs them into empty projects, as
// users do, and runs the programs of their READMEs in these projects.
package webpackages

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Platform converts a Go platform to the name that Node and the builders of the packages use.
func Platform(goos, goarch string) string {
	if goos == "windows" {
		goos = "win32"
	}
	if goarch == "amd64" {
		goarch = "x64"
	}
	return goos + "-" + goarch
}

// Run runs a program in a folder and returns its standard output.
func Run(dir, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errs
	// Let builds use the workspace of the repository, and keep npm from using the network.
	c.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=", "npm_config_offline=true", "npm_config_audit=false", "npm_config_fund=false")
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), nil
}

var fence = regexp.MustCompile("(?ms)^```([a-z ]+)\n(.*?)^```")

// Blocks returns the fenced code blocks of a Markdown document. The keys of the map are the words
// after the opening fence, such as "js".
func Blocks(file string) (map[string][]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = append(all[m[1]], m[2])
	}
	return all, nil
}

// RunNpm installs archives of npm packages into an empty project in the folder dir. There, it
// runs the JavaScript programs of a README, except the programs for a browser, and returns
// their outputs. The first program must print a text that starts with prefix.
func RunNpm(dir, readme, prefix string, archives ...string) ([]string, error) {
	if err := write(filepath.Join(dir, "package.json"), `{"type": "module"}`); err != nil {
		return nil, err
	}
	if _, err := Run(dir, "npm", append([]string{"install", "--ignore-scripts"}, archives...)...); err != nil {
		return nil, err
	}
	return runBlocks(dir, readme, "js", "readme.js", prefix, "node")
}

// RunWheel installs a wheel into a new virtual environment of the interpreter python, in the
// folder dir. In the folder dir/project, it runs the programs of a README, except tests, in
// this environment. The first program must print a text that starts with prefix. RunWheel
// returns the environment's interpreter.
func RunWheel(dir, python, readme, prefix, wheel string) (interpreter string, err error) {
	environment := filepath.Join(dir, "environment")
	if _, err := Run(".", python, "-m", "venv", "--system-site-packages", "--without-pip", environment); err != nil {
		return "", err
	}
	interpreter = filepath.Join(environment, "bin/python")
	if _, err := Run(".", interpreter, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel); err != nil {
		return "", err
	}
	_, err = runBlocks(filepath.Join(dir, "project"), readme, "python", "readme.py", prefix, interpreter)
	return interpreter, err
}

// Python returns a Python interpreter that can build and install wheels, and has the given
// modules. It also tries Debian's Python, which may have modules that the first Python in PATH
// lacks.
func Python(modules ...string) (string, error) {
	wanted := append([]string{"setuptools", "wheel", "pip", "venv"}, modules...) // import setuptools before the other packages
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import "+strings.Join(wanted, ", ")).Run() == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("no Python has the packages %s", strings.Join(wanted, ", "))
}

// runBlocks runs the programs of a README with an interpreter, and returns their outputs.
func runBlocks(dir, readme, language, file, prefix, interpreter string) ([]string, error) {
	blocks, err := Blocks(readme)
	if err != nil {
		return nil, err
	}
	var outputs []string
	for _, program := range blocks[language] {
		if err := write(filepath.Join(dir, file), program); err != nil {
			return nil, err
		}
		out, err := Run(dir, interpreter, file)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, out)
	}
	if len(outputs) == 0 || !strings.HasPrefix(outputs[0], prefix) {
		return nil, fmt.Errorf("the programs of %s print %q, want a text that starts with %q", readme, outputs, prefix)
	}
	return outputs, nil
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
