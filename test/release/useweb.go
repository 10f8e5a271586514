// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/webpackages"
)

// manifest has the fields of a package.json file that the test reads.
type manifest struct {
	Name, Version, License string
	Repository             struct{ URL string }
	OS, CPU, Files         []string
	OptionalDependencies   map[string]string
}

// useWeb checks the version and the content of the npm packages, the wheels and the playground. It
// installs the packages in empty projects, runs the programs of their READMEs there, and loads the
// playground from the command.
func (b *build) useWeb() error {
	engine, err := b.npmPackage("@dovetail-ssa/engine")
	if err != nil {
		return err
	}
	if err := b.checkEngine(engine); err != nil {
		return err
	}
	if err := b.checkTestservers(); err != nil {
		return err
	}
	if err := b.checkPlayground(engine["dist/engine.wasm"].data); err != nil {
		return err
	}
	fmt.Println("packages below web: version, contents and programs are right")
	own := runtime.GOOS + "/" + runtime.GOARCH
	if !slices.Contains(b.platforms, own) {
		fmt.Printf("packages below web: NOT installed, because there is no program for %s\n", own)
		return nil
	}
	// The packages must work outside of the tree.
	dir, err := os.MkdirTemp("", "dovetail-web-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	platform := webpackages.Platform(runtime.GOOS, runtime.GOARCH)
	readme := func(in string) string { return filepath.Join(b.tree, "web", in, "README.md") }
	if _, err := webpackages.RunNpm(filepath.Join(dir, "engine"), readme("engine"), "apiVersion: v1\n", b.npmArchive("@dovetail-ssa/engine")); err != nil {
		return err
	}
	if _, err := webpackages.RunNpm(filepath.Join(dir, "testserver"), readme("testserver"), "https://127.0.0.1:",
		b.npmArchive("@dovetail-ssa/testserver"), b.npmArchive("@dovetail-ssa/testserver-"+platform)); err != nil {
		return err
	}
	python, err := webpackages.Python()
	if err != nil {
		return err
	}
	wheel, err := b.wheel(own)
	if err != nil {
		return err
	}
	if _, err := webpackages.RunWheel(filepath.Join(dir, "python"), python, readme("python"), "https://127.0.0.1:", wheel); err != nil {
		return err
	}
	if err := b.servePlayground(filepath.Join(dir, "served")); err != nil {
		return err
	}
	fmt.Println("installs and runs: @dovetail-ssa/engine, @dovetail-ssa/testserver, the wheel dovetail-testserver; the command serves the playground")
	return nil
}

// npmArchive returns the archive of an npm package.
func (b *build) npmArchive(name string) string {
	name = strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")
	return filepath.Join(b.out, name+"-"+b.plain()+".tgz")
}

// npmPackage returns the files in the archive of an npm package, and checks its description.
func (b *build) npmPackage(name string) (map[string]member, error) {
	all, err := readTar(b.npmArchive(name), "package/")
	if err != nil {
		return nil, err
	}
	m, err := readManifest(all)
	if err != nil {
		return nil, err
	}
	if m.Name != name || m.Version != b.plain() || m.License != "Apache-2.0" || m.Repository.URL != "git+https://"+root+".git" {
		return nil, fmt.Errorf("%s %s: package.json has %+v", name, b.plain(), m)
	}
	for dependency, version := range m.OptionalDependencies {
		if version != b.plain() {
			return nil, fmt.Errorf("%s requires %s %s", name, dependency, version)
		}
	}
	for _, file := range append(m.Files, "README.md") {
		found := false
		for have := range all {
			found = found || have == file || strings.HasPrefix(have, file+"/")
		}
		if !found {
			return nil, fmt.Errorf("%s does not contain %s", name, file)
		}
	}
	return all, b.checkLicense(name, all["LICENSE"].data)
}

func readManifest(all map[string]member) (m manifest, err error) {
	return m, json.Unmarshal(all["package.json"].data, &m)
}

// checkLicense returns an error if the text is not the license of Dovetail.
func (b *build) checkLicense(name string, text []byte) error {
	license, err := os.ReadFile(filepath.Join(b.tree, "LICENSE"))
	if err == nil && !bytes.Equal(license, text) {
		err = fmt.Errorf("%s does not contain the license", name)
	}
	return err
}

// checkEngine checks the engine's WebAssembly program, and the files that belong to it.
func (b *build) checkEngine(all map[string]member) error {
	program := all["dist/engine.wasm"].data
	info, err := wasmInfo(program)
	if err != nil {
		return err
	}
	for _, d := range info.Deps {
		for _, m := range b.modules {
			if d.Path == m.Path && (d.Version != m.Version.Version || d.Replace != nil) {
				return fmt.Errorf("engine.wasm is built with %v, not with %s", d, m)
			}
		}
		if !bytes.Contains(all["dist/LICENSES.txt"].data, []byte(d.Path+" "+d.Version+"\n")) && !strings.HasPrefix(d.Path, root) {
			return fmt.Errorf("dist/LICENSES.txt does not contain the license of %s", d.Path)
		}
	}
	for _, dir := range []string{b.tree, b.out} {
		if bytes.Contains(program, []byte(dir)) {
			return fmt.Errorf("engine.wasm contains %s", dir)
		}
	}
	if text := string(all["dist/version.js"].data); !strings.Contains(text, `"`+b.plain()+`"`) {
		return fmt.Errorf("dist/version.js is %q", text)
	}
	if _, ok := all["dist/releases/"+b.native[0]+".gz"]; !ok {
		return fmt.Errorf("the engine has no types of Kubernetes %s", b.native[0])
	}
	return nil
}

// checkTestservers checks the npm packages and the wheels of the test server. They must contain
// the same programs as the archives.
func (b *build) checkTestservers() error {
	all, err := b.npmPackage("@dovetail-ssa/testserver")
	if err != nil {
		return err
	}
	m, err := readManifest(all)
	if err != nil {
		return err
	}
	for _, platform := range b.platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		inArchive, err := b.unpack(platform)
		if err != nil {
			return err
		}
		program, file := inArchive["dovetail"].data, "dovetail"
		if goos == "windows" {
			file += ".exe"
		}
		name := "@dovetail-ssa/testserver-" + webpackages.Platform(goos, goarch)
		if _, ok := m.OptionalDependencies[name]; !ok {
			return fmt.Errorf("@dovetail-ssa/testserver does not require %s", name)
		}
		own, err := b.npmPackage(name)
		if err != nil {
			return err
		}
		described, err := readManifest(own)
		if err != nil {
			return err
		}
		system, cpu, _ := strings.Cut(webpackages.Platform(goos, goarch), "-")
		if !slices.Equal(described.OS, []string{system}) || !slices.Equal(described.CPU, []string{cpu}) {
			return fmt.Errorf("%s is for %v %v", name, described.OS, described.CPU)
		}
		if p := own[file]; !bytes.Equal(p.data, program) || p.mode.Perm() != 0o755 {
			return fmt.Errorf("%s: the program is not the one in the release archive for %s", name, platform)
		}
		if err := b.checkWheel(platform, file, program); err != nil {
			return err
		}
	}
	return nil
}

// wheelTags maps each platform to a pattern for the platform tag in the file name of a wheel.
var wheelTags = map[string]string{
	"linux/amd64": "manylinux*_x86_64", "linux/arm64": "manylinux*_aarch64", "darwin/amd64": "macosx*_x86_64", "darwin/arm64": "macosx*_arm64",
	"windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
}

// pythonVersion returns the version as PEP 440 writes it.
func (b *build) pythonVersion() string {
	return strings.NewReplacer("-alpha.", "a", "-beta.", "b", "-rc.", "rc").Replace(b.plain())
}

// wheel returns the wheel for a platform.
func (b *build) wheel(platform string) (string, error) {
	pattern := "dovetail_testserver-" + b.pythonVersion() + "-py3-none-" + wheelTags[platform] + ".whl"
	found, err := filepath.Glob(filepath.Join(b.out, pattern))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("want one wheel %s, found %q", pattern, found)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// checkWheel checks the description, the license and the program in the wheel for a platform.
func (b *build) checkWheel(platform, file string, program []byte) error {
	wheel, err := b.wheel(platform)
	if err != nil {
		return err
	}
	all, err := readZip(wheel, "")
	if err != nil {
		return err
	}
	base := "dovetail_testserver-" + b.pythonVersion() + ".dist-info/"
	for name, wants := range map[string][]string{
		base + "METADATA":              {"Name: dovetail-testserver\n", "Version: " + b.pythonVersion() + "\n", "License: Apache-2.0\n"},
		base + "WHEEL":                 {"Tag: py3-none-"},
		base + "entry_points.txt":      {"dovetail = dovetail_testserver.plugin"},
		"dovetail_testserver/py.typed": {""},
	} {
		m, ok := all[name]
		for _, want := range wants {
			if !ok || !strings.Contains(string(m.data), want) {
				return fmt.Errorf("%s: %s does not contain %q", wheel, name, want)
			}
		}
	}
	if p := all["dovetail_testserver/bin/"+file]; !bytes.Equal(p.data, program) || p.mode.Perm() != 0o755 {
		return fmt.Errorf("%s: the program is not the one in the release archive for %s", wheel, platform)
	}
	license, ok := all[base+"LICENSE"]
	if !ok {
		license = all[base+"licenses/LICENSE"] // newer versions of setuptools
	}
	return b.checkLicense(wheel, license.data)
}

// checkPlayground checks the archive of the playground, and the playground in the archives with
// programs.
func (b *build) checkPlayground(engine []byte) error {
	site, err := readTar(filepath.Join(b.out, b.siteName()+".tar.gz"), b.siteName()+"/")
	if err != nil {
		return err
	}
	for _, name := range []string{"index.html", "app.js", "style.css", "examples.json", "LICENSES.txt", "releases/" + b.native[0] + ".gz"} {
		if len(site[name].data) == 0 {
			return fmt.Errorf("the playground has no %s", name)
		}
		for _, dir := range []string{b.tree, b.out} {
			if bytes.Contains(site[name].data, []byte(dir)) {
				return fmt.Errorf("%s of the playground contains %s", name, dir)
			}
		}
	}
	if !bytes.Equal(site["engine.wasm"].data, engine) {
		return fmt.Errorf("the playground has another engine than the npm package")
	}
	for _, platform := range b.platforms {
		all, err := b.unpack(platform)
		if err != nil {
			return err
		}
		for name, m := range site {
			if !bytes.Equal(all["playground/"+name].data, m.data) {
				return fmt.Errorf("the archive for %s lacks playground/%s, or has another version of this file", platform, name)
			}
		}
	}
	return nil
}

// servePlayground unpacks the archive for this machine into a folder, and starts the command
// there. The command must serve the playground in the same folder.
func (b *build) servePlayground(dir string) error {
	all, err := b.unpack(runtime.GOOS + "/" + runtime.GOARCH)
	if err != nil {
		return err
	}
	for name, m := range all {
		if name != "dovetail" && !strings.HasPrefix(name, "playground/") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, m.data, m.mode); err != nil {
			return err
		}
	}
	cmd := exec.Command(filepath.Join(dir, "dovetail"), "playground")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("dovetail playground prints no address: %w", err)
	}
	for _, name := range []string{"", "app.js", "engine.wasm"} {
		response, err := http.Get(strings.TrimSpace(address) + name)
		if err != nil {
			return err
		}
		data, err := io.ReadAll(response.Body)
		response.Body.Close()
		if name == "" {
			name = "index.html"
		}
		if err != nil || response.StatusCode != http.StatusOK || !bytes.Equal(data, all["playground/"+name].data) {
			return fmt.Errorf("dovetail playground does not serve %s: %s, %v", name, response.Status, err)
		}
	}
	return nil
}
