// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// preCommit tests the hooks for pre-commit. The tool pre-commit builds the hooks, and runs
// them in a repository that is configured as in docs/ci.md. The hooks must accept correct
// files and reject wrong files.
func (b *build) preCommit(top string) error {
	if _, err := exec.LookPath("pre-commit"); err != nil {
		fmt.Println("hooks of pre-commit: NOT tested, because it is not installed")
		return nil
	}
	dir := filepath.Join(b.tree, ".pre-commit")
	hooks, repo := filepath.Join(dir, "hooks"), filepath.Join(dir, "repo")
	env, err := b.environment("GOWORK=", "GOFLAGS=-trimpath -modcacherw", "PRE_COMMIT_HOME="+filepath.Join(dir, "home"), "PRE_COMMIT_COLOR=never",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if err != nil {
		return err
	}
	run := func(in, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = in, env
		text, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
		}
		return string(text), err
	}
	// The release's tag will contain the same files.
	if err := copyCommit(top, hooks, b.commit); err != nil {
		return err
	}
	if err := prepare(hooks, b.version); err != nil {
		return err
	}
	if _, err := run(hooks, "pre-commit", "validate-manifest", ".pre-commit-hooks.yaml"); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", b.version}, {"tag", b.version}} {
		if _, err := run(hooks, "git", args...); err != nil {
			return err
		}
	}
	guide, err := os.ReadFile(filepath.Join(hooks, "docs/ci.md"))
	if err != nil {
		return err
	}
	_, config, _ := strings.Cut(string(guide), "\n## pre-commit\n")
	_, config, _ = strings.Cut(config, "\n```yaml\n")
	config, _, found := strings.Cut(config, "\n```\n")
	if !found || !strings.Contains(config, "https://"+root+"\n") || !strings.Contains(config, " COMMIT ") {
		return fmt.Errorf("docs/ci.md has no configuration for pre-commit that names the repository and COMMIT:\n%s", config)
	}
	config = strings.NewReplacer("https://"+root, hooks, "COMMIT", b.version).Replace(config)
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(repo, ".pre-commit-config.yaml"), []byte(config), 0o644); err != nil {
		return err
	}
	for to, from := range map[string]string{"crds": "crd.yaml", "manifests": "database.yaml"} {
		data, err := os.ReadFile(filepath.Join(hooks, "examples/database", from))
		if err != nil {
			return err
		}
		if err := os.Mkdir(filepath.Join(repo, to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(repo, to, from), data, 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"git", "init", "-q"}, {"git", "add", "-A"}, {"pre-commit", "run", "--all-files"}} {
		if _, err := run(repo, args[0], args[1:]...); err != nil {
			return err
		}
	}
	for file, spoil := range map[string][3]string{
		"crds/crd.yaml":           {"x-kubernetes-list-type: map", "x-kubernetes-list-type: mapp", "dovetail-lint"},
		"manifests/database.yaml": {"spec:", "spec:\n  nobodyKnows: 1", "dovetail-validate"},
	} {
		data, err := os.ReadFile(filepath.Join(repo, file))
		if err != nil {
			return err
		}
		spoiled := strings.Replace(string(data), spoil[0], spoil[1], 1)
		if spoiled == string(data) {
			return fmt.Errorf("%s does not contain %s", file, spoil[0])
		}
		if err := os.WriteFile(filepath.Join(repo, file), []byte(spoiled), 0o644); err != nil {
			return err
		}
		text, err := run(repo, "pre-commit", "run", "--all-files", spoil[2])
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(text, file) {
			return fmt.Errorf("%s: pre-commit must reject it: %v\n%s", file, err, text)
		}
		if err := os.WriteFile(filepath.Join(repo, file), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Println("hooks of pre-commit: built and run")
	return nil
}
