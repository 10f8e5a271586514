// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/dovetail-ssa/dovetail/test/internal/webpackages"
)

// toolVersions returns the versions of the tools that build the published files. The bytes of
// the files depend on these versions.
func (b *build) toolVersions() (map[string]string, error) {
	python, err := webpackages.Python()
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for name, command := range map[string][]string{
		"go": {"go", "env", "GOVERSION"}, "node": {"node", "--version"}, "npm": {"npm", "--version"},
		"python": {python, "-c", "import setuptools, wheel, sys; print(sys.version.split()[0], 'setuptools', setuptools.__version__, 'wheel', wheel.__version__)"},
	} {
		if all[name], err = output(b.tree, command[0], command[1:]...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// runIn runs a program of the build in a folder of the tree, with additional environment
// variables.
func (b *build) runIn(dir string, more []string, name string, args ...string) error {
	env, err := b.environment(more...)
	if err != nil {
		return err
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = filepath.Join(b.tree, dir), env
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return nil
}

// plain returns the version without the leading "v".
func (b *build) plain() string { return strings.TrimPrefix(b.version, "v") }

// playground packs the engine as an npm package. It also builds the playground in the folder
// site, and packs it.
func (b *build) playground(site string) error {
	if err := b.runIn("web/engine", nil, "node", "build.mjs", "--version", b.plain(), "--out", b.out); err != nil {
		return err
	}
	if err := b.runIn("web/playground", nil, "node", "build.mjs", "--no-engine", "--out", site); err != nil {
		return err
	}
	return b.packPlayground(site)
}

// packPlayground packs the playground in the folder site. It also writes the SBOM files of the
// playground and the engine.
func (b *build) packPlayground(site string) error {
	if err := b.webSBOMs(site); err != nil {
		return err
	}
	base := b.siteName()
	var members []member
	err := filepath.WalkDir(site, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		members = append(members, member{base + filepath.ToSlash(strings.TrimPrefix(path, site)), data, 0o644})
		return err
	})
	if err != nil {
		return err
	}
	return writeTar(filepath.Join(b.out, base+".tar.gz"), members, b.at)
}

// siteName returns the name of the folder in the archive of the playground.
func (b *build) siteName() string { return "dovetail-playground_" + b.plain() }

// bundled matches the lines that name an npm package in the playground's LICENSES.txt.
var bundled = regexp.MustCompile(`(?m)^---- (\S+) (\S+), (.+)$`)

// webSBOMs writes two SBOM files. The file for the engine lists its Go modules. The file for
// the playground also lists the npm packages.
func (b *build) webSBOMs(site string) error {
	program, err := os.ReadFile(filepath.Join(site, "engine.wasm"))
	if err != nil {
		return err
	}
	info, err := wasmInfo(program)
	if err != nil {
		return err
	}
	info.GoVersion = b.tools["go"]
	components := goComponents(info)
	if err := b.writeSBOM("engine.cdx.json", component("npm", "@dovetail-ssa/engine", b.plain()), components); err != nil {
		return err
	}
	licenses, err := os.ReadFile(filepath.Join(site, "LICENSES.txt"))
	if err != nil {
		return err
	}
	found := bundled.FindAllStringSubmatch(string(licenses), -1)
	if len(found) == 0 {
		return errors.New("LICENSES.txt of the playground lists no packages")
	}
	for _, m := range found {
		c := component("npm", m[1], m[2])
		c.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: m[3]}}}
		components = append(components, c)
	}
	return b.writeSBOM("playground.cdx.json", component("generic", "dovetail-playground", b.plain()), components)
}

// wasmInfo returns the build information of a WebAssembly program, but not its Go version. The
// package debug/buildinfo cannot read such programs. The go command puts the build information
// between two marks (see cmd/go/internal/modload).
func wasmInfo(program []byte) (*debug.BuildInfo, error) {
	const start, end = "0w\xaf\f\x92t\b\x02A\xe1\xc1\a\xe6\xd6\x18\xe6", "\xf92C1\x86\x18 r\x00\x82B\x10A\x16\xd8\xf2"
	_, rest, ok := bytes.Cut(program, []byte(start))
	text, _, ended := bytes.Cut(rest, []byte(end))
	if !ok || !ended {
		return nil, errors.New("the WebAssembly program has no build information")
	}
	return debug.ParseBuildInfo(string(text))
}

// testservers packs the test server for npm and for Python. The argument has the folder of the
// programs for each platform.
func (b *build) testservers(bins map[string]string) error {
	var programs []string
	for _, platform := range b.platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		program := filepath.Join(bins[platform], "dovetail")
		if goos == "windows" {
			program += ".exe"
		}
		programs = append(programs, webpackages.Platform(goos, goarch)+"="+program)
	}
	options := append(programs, "--version", b.plain(), "--out", b.out)
	if err := b.runIn("web/testserver", nil, "node", append([]string{"build.mjs"}, options...)...); err != nil {
		return err
	}
	python, err := webpackages.Python()
	if err != nil {
		return err
	}
	return b.runIn("web/python", []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.at.Unix())}, python, append([]string{"build.py"}, options...)...)
}
