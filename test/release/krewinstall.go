// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// krewModule is the Go module of krew, and of the program that validates manifests for krew's
// index.
const krewModule = "sigs.k8s.io/krew"

// krewInstall validates the manifest, and then installs each archive with krew.
func (b *build) krewInstall() error {
	dir := filepath.Join(b.tree, ".krew")
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOBIN="+dir)
	for _, tool := range []string{"krew", "validate-krew-manifest"} {
		cmd := exec.Command("go", "install", krewModule+"/cmd/"+tool+"@v0.4.3")
		cmd.Env = env
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
		}
	}
	data, err := os.ReadFile(filepath.Join(b.out, "krew.yaml"))
	if err != nil {
		return err
	}
	manifest := filepath.Join(dir, "dovetail.yaml") // the index requires this name
	if err := os.WriteFile(manifest, data, 0o644); err != nil {
		return err
	}
	// Skip the installation, because the validator would download the archives. The code below
	// installs them instead.
	if _, err := output("", filepath.Join(dir, "validate-krew-manifest"), "-v=-1", "-stderrthreshold=FATAL", "-logtostderr=false", "-manifest", manifest, "-skip-install"); err != nil {
		return err
	}
	for _, platform := range b.platforms {
		goos, goarch, _ := strings.Cut(platform, "/")
		home := filepath.Join(dir, goos+"_"+goarch)
		archive := filepath.Join(b.out, b.archiveName(platform)+archiveEnding(platform))
		cmd := exec.Command(filepath.Join(dir, "krew"), "install", "--manifest="+manifest, "--archive="+archive)
		cmd.Env = append(os.Environ(), "KREW_ROOT="+home, "KREW_OS="+goos, "KREW_ARCH="+goarch, "KREW_NO_UPGRADE_CHECK=1")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("krew install for %s: %w\n%s", platform, err, text)
		}
		name := "kubectl-dovetail"
		if goos == "windows" {
			name += ".exe"
		}
		program := filepath.Join(home, "bin", name)
		if platform != runtime.GOOS+"/"+runtime.GOARCH {
			if _, err := os.Stat(program); err != nil {
				return err
			}
			continue
		}
		text, err := output("", program, "version")
		if err != nil {
			return err
		}
		if !strings.Contains(text, b.version) {
			return fmt.Errorf("krew installed %s", text)
		}
	}
	fmt.Println("krew installs:", strings.Join(b.platforms, " "))
	return nil
}
