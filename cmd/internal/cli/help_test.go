// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli"
)

// commands returns all commands, root first.
func commands() []*cobra.Command {
	all := []*cobra.Command{cli.Root()}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// Every command accepts --help-all, also if its short help is complete.
func TestHelpAll(t *testing.T) {
	for _, name := range []string{"apply", "completion", "playground", "report-schema", "undo", "version"} {
		status, help, stderr := run("", false, name, "--help-all")
		if status != 0 || stderr != "" || !strings.Contains(help, "Usage:") {
			t.Errorf("%s: %d, %s%s", name, status, help, stderr)
		}
		if _, short, _ := run("", false, name, "--help"); name != "apply" && strings.Contains(short, "help-all") {
			t.Errorf("%s: the short help names --help-all", name)
		}
	}
}

// Both help pages of each command fit a terminal of 80 columns. They show how to use the command.
func TestHelp(t *testing.T) {
	for _, c := range commands() {
		name := strings.Fields(c.CommandPath())[1:]
		status, help, stderr := run("", false, append(name, "--help")...)
		if status != 0 || stderr != "" {
			t.Fatalf("%v: %d, %s", name, status, stderr)
		}
		if c.HasParent() {
			if _, other, _ := run("", false, append([]string{"help"}, name...)...); other != help {
				t.Errorf("help %v prints something else", name)
			}
		}
		full := help
		if strings.Contains(help, "--help-all") {
			if status, full, stderr = run("", false, append(name, "--help-all")...); status != 0 || stderr != "" {
				t.Fatalf("%v --help-all: %d, %s", name, status, stderr)
			}
			if _, other, _ := run("", false, append(append([]string{"help"}, name...), "--help-all")...); c.HasParent() && c.Name() != "help" && other != full {
				t.Errorf("help %v --help-all prints something else", name)
			}
			if n := strings.Count(help, "\n"); n > 65 {
				t.Errorf("%s: the short help has %d lines", c.CommandPath(), n)
			}
		}
		for _, page := range []string{help, full} {
			for _, line := range strings.Split(page, "\n") {
				if n := len([]rune(line)); n > 80 || strings.TrimRight(line, " ") != line {
					t.Errorf("%s: %d columns: %q", c.CommandPath(), n, line)
				}
			}
			if !strings.Contains(page, "\nExamples:\n  ") {
				t.Errorf("%s has no example", c.CommandPath())
			}
		}
		for _, word := range strings.Fields(c.Long) {
			if !strings.Contains(full, word) {
				t.Errorf("%s: no %q", c.CommandPath(), word)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(full, "--"+f.Name) {
				t.Errorf("%s: no flag --%s", c.CommandPath(), f.Name)
			}
		})
	}
}

// TestExamplesRun runs the examples in the help of all commands in a shell. Their files are in
// testdata/help. Replacements for kubectl and helm print some of these files.
func TestExamplesRun(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("needs bash")
	}
	fixtures, err := filepath.Abs("testdata/help")
	if err != nil {
		t.Fatal(err)
	}
	bin := shellTools(t, bash)
	live := map[string]string{"apply": "service", "diff": "service", "immutable": "database", "upgrade-check": "database", "update": "deployment", "dovetail": "service"}
	ran := 0
	for _, c := range commands() {
		if c.Name() == "playground" {
			continue // needs a page that Node builds; test/playground runs this example
		}
		t.Run(c.Name(), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(fixtures)); err != nil {
				t.Fatal(err)
			}
			from := live[c.Name()]
			if from == "" {
				from = "deployment"
			}
			if err := os.Rename(filepath.Join(dir, from+"-live.yaml"), filepath.Join(dir, "live.yaml")); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(dir, ".config/fish/completions"), 0o700); err != nil {
				t.Fatal(err)
			}
			env := startCluster(t, dir)
			for _, example := range examples(t, c) {
				// A command that asks for confirmation gets --yes.
				agree := `case "$* " in *--yes*) ;; *"--write "*|undo*) set -- "$@" --yes ;; esac; `
				sh := exec.Command(bash, "-o", "pipefail", "-e", "-c", "dovetail() { "+agree+"command dovetail \"$@\" || test $? = 1; }\n"+example)
				sh.Dir = dir
				sh.Env = append(append(os.Environ(), env...), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "fpath="+dir)
				out, err := sh.CombinedOutput()
				if err != nil || strings.Contains(string(out), "error:") {
					t.Errorf("%s\n%v\n%.600s", example, err, out)
				}
				ran++
			}
		})
	}
	if ran < 40 {
		t.Errorf("%d examples were found", ran)
	}
}

// examples returns the examples in the help of a command, each with its lines.
func examples(t *testing.T, c *cobra.Command) []string {
	flag := "--help"
	if c.Flags().Lookup("help-all") != nil {
		flag = "--help-all"
	}
	_, help, _ := run("", false, append(strings.Fields(c.CommandPath())[1:], flag)...)
	_, text, _ := strings.Cut(help, "\nExamples:\n")
	text = regexp.MustCompile(`(?m)^\S`).Split(text, 2)[0]
	found := strings.Split(strings.TrimSpace(text), "\n\n")
	for _, example := range found {
		if !strings.Contains(example, c.CommandPath()) {
			t.Errorf("%s: not its example:\n%s", c.CommandPath(), example)
		}
	}
	return found
}

// shellTools returns a directory with the programs that documents and examples call. They are
// dovetail, and replacements of other programs, which print files of testdata/help.
func shellTools(t *testing.T, bash string) string {
	t.Helper()
	bin := t.TempDir()
	for name, script := range map[string]string{
		"dovetail": `exec dovetail-program "$@"`,
		"jq":       `cat`,
		"helm":     `cat service.yaml; echo ---; cat old.yaml`,
		"man":      `test -s "$1"`,
		"npm":      `test -s "$KUBECONFIG"`,
		"pytest":   `test -s "$KUBECONFIG"`,

		"kubectl": `case "$1" in get) case "$2" in --raw) cat openapi.json;; *) cat live.yaml;; esac;; *) cat "${3/#-/\/dev\/stdin}";; esac`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!"+bash+"\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}
