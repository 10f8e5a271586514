// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// platforms are the platforms for which there are archives.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// command is a program in a release archive. pkg is its package. arg is an argument for trying the program,
// for which it needs no input files.
type command struct{ name, pkg, arg string }

var programs = []command{
	{"dovetail", root + "/cmd/dovetail", "version"},
	{"dovetail-gen", root + "/gen/cmd/dovetail-gen", "--help"},
}

// nativeReleases returns the Kubernetes releases for which there is a native program. A native
// program contains the release's own code.
func nativeReleases() (all []string) {
	for _, dir := range published {
		if release, ok := strings.CutPrefix(dir, "kube/native/"); ok && release != "engine" {
			all = append(all, release)
		}
	}
	return all
}

// nativePrograms returns the native programs to publish, one for each Kubernetes release in
// b.native.
func (b *build) nativePrograms() (all []command) {
	for _, release := range b.native {
		name := "dovetail-native-" + release
		all = append(all, command{name, root + "/kube/native/" + release + "/" + name, "-feature-gates="})
	}
	return all
}

// inArchive returns the programs in an archive.
func (b *build) inArchive() []command { return slices.Concat(programs, b.nativePrograms()) }

// run builds all published files of a version. The command prepare must have changed the
// modules in the tree.
func (b *build) run() error {
	var err error
	if b.modules, err = modules(b.version); err != nil {
		return err
	}
	if left, err := os.ReadDir(b.out); err == nil && len(left) > 0 {
		return fmt.Errorf("-out: %s is not empty", b.out)
	}
	if err := b.prepared(); err != nil {
		return err
	}
	if b.tools, err = b.toolVersions(); err != nil {
		return err
	}
	if err := writeProxy(b.tree, filepath.Join(b.out, "proxy"), b.modules, b.at); err != nil {
		return err
	}
	if err := b.playground(filepath.Join(b.tree, documentsDir, "playground")); err != nil {
		return err
	}
	own := runtime.GOOS + "/" + runtime.GOARCH
	var docs string
	bins := map[string]string{}
	for _, platform := range append([]string{own}, b.platforms...) {
		bin, err := b.install(platform)
		if err != nil {
			return err
		}
		bins[platform] = bin
		if platform == own && docs == "" {
			if docs, err = b.documents(bin); err != nil {
				return err
			}
		}
		if !slices.Contains(b.platforms, platform) {
			continue
		}
		if err := b.archive(platform, bin, docs); err != nil {
			return err
		}
		if platform == "linux/amd64" {
			if err := b.image(filepath.Join(bin, "dovetail")); err != nil {
				return err
			}
			if err := b.sbom(filepath.Join(bin, "dovetail"), "sbom.cdx.json"); err != nil {
				return err
			}
			for _, p := range b.nativePrograms() {
				if err := b.sbom(filepath.Join(bin, p.name), p.name+".cdx.json"); err != nil {
					return err
				}
			}
		}
	}
	if err := b.krew(); err != nil {
		return err
	}
	if err := b.testservers(bins); err != nil {
		return err
	}
	if err := b.provenance(); err != nil {
		return err
	}
	return b.checksums()
}

// prepared checks that the modules in the tree require each other at the new version.
func (b *build) prepared() error {
	for _, m := range b.modules {
		data, err := os.ReadFile(filepath.Join(b.tree, m.dir, "go.mod"))
		if err != nil {
			return err
		}
		if strings.Contains(string(data), root+" v0.0.0") || strings.Contains(string(data), "\nreplace ") {
			return fmt.Errorf("%s/go.mod is not prepared: run prepare %s, and commit", m.dir, b.version)
		}
	}
	return nil
}

// environment returns the environment for go commands that use the new version, with the given
// additional variables. The go commands get the new version from the module proxy of the release,
// and all other modules from the user's module cache or proxy. They do not add the new version to
// the user's module cache. They may share the build cache, because the builds do not depend on
// the names of folders.
func (b *build) environment(more ...string) ([]string, error) {
	known, err := output("", "go", "env", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	proxy, err := output("", "go", "env", "GOPROXY")
	if err != nil {
		return nil, err
	}
	return append(os.Environ(), append([]string{
		"GOWORK=off", "GOFLAGS=-mod=mod -modcacherw -trimpath", "CGO_ENABLED=0", "GOTOOLCHAIN=auto",
		"GOPATH=" + filepath.Join(b.tree, ".gopath"),
		"GOPROXY=file://" + b.proxy + ",file://" + filepath.Join(known, "cache/download") + "," + proxy,
		"GONOSUMDB=" + root + "," + root + "/*", "GONOSUMCHECK=1",
	}, more...)...), nil
}

// install builds the programs for a platform with "go install", as users do. It returns the
// folder with the programs.
func (b *build) install(platform string) (string, error) {
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return "", fmt.Errorf("platform %q: want one like linux/arm64", platform)
	}
	env, err := b.environment("GOOS="+goos, "GOARCH="+goarch)
	if err != nil {
		return "", err
	}
	for _, p := range b.inArchive() {
		cmd := exec.Command("go", "install", "-ldflags=-s -w -buildid=", p.pkg+"@"+b.version)
		cmd.Dir, cmd.Env, cmd.Stderr = b.tree, env, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
		}
	}
	bin := filepath.Join(b.tree, ".gopath/bin")
	if goos != runtime.GOOS || goarch != runtime.GOARCH {
		bin = filepath.Join(bin, goos+"_"+goarch)
	}
	return bin, nil
}

// documentsDir is the folder in the tree with the files that are the same in all archives.
const documentsDir = ".documents"

// documents writes man pages, completions and the schema of reports. To get them, it runs the
// program for this machine.
func (b *build) documents(bin string) (string, error) {
	dir := filepath.Join(b.tree, documentsDir)
	program := filepath.Join(bin, "dovetail")
	if err := os.MkdirAll(filepath.Join(dir, "man"), 0o755); err != nil {
		return "", err
	}
	if _, err := output("", program, "man", filepath.Join(dir, "man")); err != nil {
		return "", err
	}
	schema, err := output("", program, "report-schema")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "reports.schema.json"), []byte(schema+"\n"), 0o644); err != nil {
		return "", err
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := output("", program, "completion", shell)
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Join(dir, "completions"), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, "completions", "dovetail."+shell), []byte(text+"\n"), 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}
