// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// TestModules checks that each drop-in has the major version in its path.
func TestModules(t *testing.T) {
	all, err := modules("v0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.String()+" "+m.tag())
	}
	want := []string{
		root + "@v0.2.1 v0.2.1", root + "/kube@v0.2.1 kube/v0.2.1", root + "/gen@v0.2.1 gen/v0.2.1", root + "/kube/crd@v0.2.1 kube/crd/v0.2.1",
		root + "/kube/policy@v0.2.1 kube/policy/v0.2.1", root + "/kube/testserver@v0.2.1 kube/testserver/v0.2.1", root + "/kube/gate@v0.2.1 kube/gate/v0.2.1",
		root + "/cmd@v0.2.1 cmd/v0.2.1", root + "/compat/v4@v4.2.1 compat/v4.2.1", root + "/compat/v6@v6.2.1 compat/v6.2.1", root + "/compat/v7@v7.2.1 compat/v7.2.1",
		root + "/kube/native/engine@v0.2.1 kube/native/engine/v0.2.1", root + "/kube/native/1.35@v0.2.1 kube/native/1.35/v0.2.1",
		root + "/kube/native/1.36@v0.2.1 kube/native/1.36/v0.2.1", root + "/kube/native/1.37@v0.2.1 kube/native/1.37/v0.2.1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, bad := range []string{"0.2.1", "v0.2", "v2.0.0", "v0.2.1-pre.1", ""} {
		if _, err := modules(bad); err == nil {
			t.Errorf("%q is accepted as a version", bad)
		}
	}
}

// TestArchives checks that an archive contains a program for each Kubernetes release that has
// one, built from the module of this release. krew must install these programs next to the
// command.
func TestArchives(t *testing.T) {
	b := &build{version: "v0.2.1", out: t.TempDir(), tree: "../..", native: nativeReleases(), at: time.Unix(1_700_000_000, 0)}
	folders, err := filepath.Glob("../../kube/native/1.*")
	if err != nil {
		t.Fatal(err)
	}
	if len(b.native) == 0 || len(folders) != len(b.native) {
		t.Errorf("the release has programs for %v, but kube/native has folders for %v", b.native, folders)
	}
	for _, p := range b.nativePrograms() {
		if _, err := os.Stat(filepath.Join(b.tree, strings.TrimPrefix(p.pkg, root), "main.go")); err != nil {
			t.Error(err)
		}
	}
	for platform, ending := range map[string]string{"linux/amd64": "", "windows/arm64": ".exe"} {
		bin, docs := t.TempDir(), t.TempDir()
		for _, p := range b.inArchive() {
			if err := os.WriteFile(filepath.Join(bin, p.name+ending), []byte(p.name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.archive(platform, bin, docs); err != nil {
			t.Fatal(err)
		}
		members, err := b.unpack(platform)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"dovetail", "dovetail-gen", "dovetail-native-1.35", "dovetail-native-1.36", "dovetail-native-1.37"} {
			if m := members[name]; string(m.data) != name || m.mode.Perm() != 0o755 {
				t.Errorf("%s: %s has mode %v", platform, name, m.mode)
			}
		}
	}
	if err := b.krew(); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(b.out, "krew.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dovetail_0.2.1_linux_amd64/dovetail-native-1.37\n", "dovetail_0.2.1_windows_arm64/dovetail-native-1.35.exe\n"} {
		if !strings.Contains(string(manifest), want) {
			t.Errorf("krew does not install %s", want)
		}
	}
}

// TestPrepare checks that each module of the repository is listed as released or as not
// released. A prepared module must require the new version of the other modules, must not
// replace these modules, and must have their checksums.
func TestPrepare(t *testing.T) {
	top, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	b := &build{version: "v0.3.0", tree: t.TempDir()}
	if err := b.checkOut(top); err != nil {
		t.Fatal(err)
	}
	files, err := output(b.tree, "find", ".", "-name", "go.mod", "-not", "-path", "*/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range strings.Fields(files) {
		dir := strings.TrimPrefix(filepath.Dir(file), "./")
		top, _, _ := strings.Cut(dir, "/")
		if slices.Contains(published, dir) == slices.Contains([]string{"test", "examples"}, top) {
			t.Errorf("module %s: neither listed as released nor as not released", dir)
		}
		// A module that is not released uses the other modules from the tree, at any version.
		data, err := os.ReadFile(filepath.Join(b.tree, file))
		if err != nil {
			t.Fatal(err)
		}
		f, err := modfile.Parse(file, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Replace {
			if !slices.Contains(published, dir) && strings.HasPrefix(r.Old.Path, root) && r.Old.Version != "" {
				t.Errorf("%s replaces %v only at one version", file, r.Old)
			}
		}
	}
	if b.modules, err = modules(b.version); err != nil {
		t.Fatal(err)
	}
	if err := b.prepared(); err == nil {
		t.Error("prepared accepts a tree that was not prepared")
	}
	if err := prepare(b.tree, b.version); err != nil {
		t.Fatal(err)
	}
	if err := b.prepared(); err != nil {
		t.Error(err)
	}
	// No proxy has this version, so the go command must find the modules in the workspace.
	list := exec.Command("go", "list", "./cmd/...", "./gen/...")
	list.Dir, list.Env = b.tree, append(os.Environ(), "GOWORK=", "GOFLAGS=")
	if text, err := list.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	data, err := os.ReadFile(filepath.Join(b.tree, "cmd/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(b.tree, "cmd/go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, r := range f.Require {
		if !strings.HasPrefix(r.Mod.Path, root) {
			continue
		}
		own++
		if r.Mod.Version != "v0.3.0" || strings.Count(string(sums), r.Mod.Path+" v0.3.0") != 2 {
			t.Errorf("cmd requires %v, and go.sum has %d hashes for it", r.Mod, strings.Count(string(sums), r.Mod.Path+" v0.3.0"))
		}
	}
	if own != 5 {
		t.Errorf("cmd requires %d modules of the repository", own)
	}
	for _, m := range b.modules {
		lines, err := hashes(b.tree, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if strings.Contains(string(sums), m.Path+" ") && !strings.Contains(string(sums), line+"\n") {
				t.Errorf("go.sum of cmd lacks the hash of the prepared module: %s", line)
			}
		}
	}
}

// TestNextVersion checks nextVersion. After a release, the next version is the next patch.
// After a prerelease, it is the release.
func TestNextVersion(t *testing.T) {
	for version, want := range map[string]string{"v0.1.0": "v0.1.1", "v0.2.19": "v0.2.20", "v0.2.0-rc.1": "v0.2.0"} {
		if got := nextVersion(version); got != want {
			t.Errorf("after %s: got %s, want %s", version, got, want)
		}
	}
}

// TestDiffering checks that the error lists the files that differ.
func TestDiffering(t *testing.T) {
	one := map[string]file{"a": {1, "x"}, "b": {1, "y"}, "c": {1, "z"}}
	two := map[string]file{"a": {1, "x"}, "b": {1, "Y"}, "d": {1, "z"}}
	if err := differing(one, two); err == nil || err.Error() != "two builds differ in b, c, d" {
		t.Error(err)
	}
	if err := differing(one, one); err != nil {
		t.Error(err)
	}
}

// TestBuiltWith checks that builtWith detects a program with another version of a module. The
// program is the test itself.
func TestBuiltWith(t *testing.T) {
	for version, right := range map[string]bool{xmod(t): true, "v0.1.0": false} {
		all := []released{{"", module.Version{Path: "golang.org/x/mod", Version: version}}}
		if err := builtWith(os.Args[0], all); (err == nil) != right {
			t.Errorf("%s: got %v", version, err)
		}
	}
}

// xmod returns the version of golang.org/x/mod that go.mod requires.
func xmod(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Require {
		if r.Mod.Path == "golang.org/x/mod" {
			return r.Mod.Version
		}
	}
	t.Fatal("go.mod does not require golang.org/x/mod")
	return ""
}

// TestCheckProgram checks that checkProgram rejects programs for another platform or version.
func TestCheckProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"right": {"-trimpath"}, "paths": nil} {
		cmd := exec.Command("go", append(append([]string{"build", "-o", name}, args...), "main.go")...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=windows", "GOARCH=arm64", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const pkg = "command-line-arguments"
	b := &build{tree: "/nowhere/tree", out: "/nowhere/out"}
	if err := b.checkProgram(read("right"), "windows/arm64", pkg); err != nil {
		t.Error(err)
	}
	for _, wrong := range []struct {
		b             *build
		name, at, pkg string
	}{
		{b, "right", "windows/amd64", pkg}, {b, "right", "linux/arm64", pkg}, {b, "right", "darwin/arm64", pkg},
		{b, "right", "windows/arm64", "other"}, {b, "paths", "windows/arm64", pkg},
		{&build{version: "v0.1.0", tree: "/nowhere/tree", out: "/nowhere/out"}, "right", "windows/arm64", pkg},
		{&build{tree: "runtime", out: "/nowhere/out"}, "right", "windows/arm64", pkg},
	} {
		if err := wrong.b.checkProgram(read(wrong.name), wrong.at, wrong.pkg); err == nil {
			t.Errorf("checkProgram accepts %s as the program %s for %s in version %q", wrong.name, wrong.pkg, wrong.at, wrong.b.version)
		}
	}
}

// TestArchivesAreTheSame checks that the bytes of archives do not depend on the user or on the
// time of the build.
func TestArchivesAreTheSame(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	members := []member{{"d/a", []byte("x"), 0o755}, {"d/b", bytes.Repeat([]byte("y"), 100_000), 0o644}}
	for name, write := range map[string]func(string, []member, time.Time) error{"tar.gz": writeTar, "zip": writeZip} {
		var texts [2][]byte
		for i := range texts {
			file := filepath.Join(t.TempDir(), name)
			if err := write(file, members, at); err != nil {
				t.Fatal(err)
			}
			var err error
			if texts[i], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s: two archives of the same files differ", name)
		}
	}
}
