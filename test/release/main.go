// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 1 && args[0] == "api" {
		args = append(args, "")
	}
	if len(args) < 2 {
		return fmt.Errorf("want prepare, build, try or api, and a version")
	}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("out", "dist", "`directory` for what is published")
	only := flags.String("platforms", strings.Join(platforms, ","), "`platforms` with archives")
	native := flags.String("native", strings.Join(nativeReleases(), ","), "`releases` of Kubernetes whose programs are in the archives")
	prepared := flags.Bool("prepare", false, "build the commit as prepare would change it; used by try")
	cold := flags.Bool("cold", false, "make try compile everything a second time, without the build cache")
	database := flags.String("vulndb", "https://vuln.go.dev", "`address` of the vulnerability database")
	if err := flags.Parse(args[2:]); err != nil {
		return err
	}
	top, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	b := &build{version: args[1], out: *out, platforms: strings.Split(*only, ",")}
	for _, release := range strings.Split(*native, ",") {
		if !slices.Contains(nativeReleases(), release) {
			return fmt.Errorf("-native %q: want some of %s", release, strings.Join(nativeReleases(), ","))
		}
		b.native = append(b.native, release)
	}
	if b.out, err = filepath.Abs(b.out); err != nil {
		return err
	}
	b.proxy = filepath.Join(b.out, "proxy")
	switch args[0] {
	case "prepare":
		return prepare(top, b.version)
	case "api":
		return api(top, b.version)
	case "build", "try":
	default:
		return fmt.Errorf("want prepare, build, try or api, got %q", args[0])
	}
	if b.tree, err = os.MkdirTemp("", "dovetail-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.tree)
	if err := b.checkOut(top); err != nil {
		return err
	}
	if args[0] == "try" || *prepared {
		if err := prepare(b.tree, b.version); err != nil {
			return err
		}
	}
	if err := b.run(); err != nil {
		return err
	}
	if args[0] == "try" {
		return b.try(top, *database, *cold)
	}
	for _, m := range b.modules {
		fmt.Printf("git tag %s\n", m.tag())
	}
	return nil
}

// try builds the release, and uses the published files as users do.
func (b *build) try(top, database string, cold bool) error {
	env, err := b.environment()
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.buildAgain(top, cold) },
		b.inspect, b.container, b.action, b.krewInstall,
		func() error { return b.preCommit(top) },
		func() error { return vulnerabilities(b.tree, database, published, env) },
		b.useWeb,
		func() error { return b.use(top) },
	} {
		start := time.Now()
		if err := step(); err != nil {
			return err
		}
		fmt.Printf("\t%.0f s\n", time.Since(start).Seconds())
	}
	return nil
}

// build has the settings and folders of one build of a version.
type build struct {
	version   string
	tree, out string
	proxy     string // the folder with the module proxy of the release
	platforms []string
	native    []string // Kubernetes releases whose programs are in the archives
	modules   []released
	tools     map[string]string // versions of the tools that build the files
	commit    string
	at        time.Time // the time of the commit
}

// checkOut copies the files of the checked-out commit to the tree. It ignores uncommitted
// changes.
func (b *build) checkOut(top string) error {
	var err error
	if b.commit, err = output(top, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	seconds, err := output(top, "git", "show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	b.at = time.Unix(n, 0).UTC()
	return copyCommit(top, b.tree, b.commit)
}

// copyCommit writes the files of a commit to a folder.
func copyCommit(top, dir, commit string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tar := exec.Command("sh", "-c", `git archive "$1" | tar -x -C "$2"`, "sh", commit, dir)
	tar.Dir, tar.Stderr = top, os.Stderr
	return tar.Run()
}

// output runs a program and returns its output.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
