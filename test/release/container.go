// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// container checks the content of the image. It also runs the program in the image, as far as
// this is possible without a container runtime: in a chroot with the files of the image, as the
// user of the image.
func (b *build) container() error {
	image, err := tarball.ImageFromPath(filepath.Join(b.out, "image.tar"), nil)
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	if config.Config.User != nobody || !slices.Equal(config.Config.Entrypoint, []string{"/dovetail"}) {
		return fmt.Errorf("the image runs %q as %q", config.Config.Entrypoint, config.Config.User)
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	dir := filepath.Join(b.tree, ".container")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, layer := range layers {
		r, err := layer.Uncompressed()
		if err != nil {
			return err
		}
		err = unpackLayer(r, dir)
		r.Close()
		if err != nil {
			return err
		}
	}
	all, err := files(dir)
	if err != nil {
		return err
	}
	if _, ok := all["dovetail"]; !ok || len(all) != 1 {
		return fmt.Errorf("the image contains %v, want only the program", all)
	}
	platform := config.OS + "/" + config.Architecture
	if os.Geteuid() != 0 || platform != runtime.GOOS+"/"+runtime.GOARCH {
		fmt.Printf("image: contains only the program; NOT run, which needs root on %s\n", platform)
		return nil
	}
	// Create the files that a user would mount as a volume.
	for name, mode := range map[string]os.FileMode{"object.yaml": 0o644, "wrong.yaml": 0o644, "secret.yaml": 0o600} {
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
		if name == "wrong.yaml" {
			text += "data: [1]\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			return err
		}
	}
	for _, run := range []struct {
		args   []string
		status int
		prints string
	}{
		{[]string{"/dovetail", "version"}, 0, b.version},
		{[]string{"/dovetail", "validate", "-f", "/object.yaml"}, 0, ""},
		{[]string{"/dovetail", "validate", "-f", "/wrong.yaml"}, 3, "data"},
		{[]string{"/dovetail", "validate", "-f", "/secret.yaml"}, 3, "permission denied"}, // only root may read this file
		{[]string{"/bin/sh", "-c", ":"}, 127, "No such file"},
	} {
		cmd := exec.Command("chroot", append([]string{"--userspec=" + nobody, "--groups=", dir}, run.args...)...)
		cmd.Env = []string{} // the environment of the image is empty
		text, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return err
		}
		if status := cmd.ProcessState.ExitCode(); status != run.status || !strings.Contains(string(text), run.prints) {
			return fmt.Errorf("in the image %s: status %d, want %d and %q:\n%s", strings.Join(run.args, " "), status, run.status, run.prints, text)
		}
	}
	fmt.Println("runs: the image, in a chroot, as", nobody)
	return nil
}

// unpackLayer writes the files of a layer of the image to a folder.
func unpackLayer(r io.Reader, dir string) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) || h.FileInfo().Mode()&os.ModeSetuid != 0 {
			return fmt.Errorf("the image contains %s, which is not a plain file", h.Name)
		}
		data, err := io.ReadAll(t)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, h.Name), data, h.FileInfo().Mode().Perm()); err != nil {
			return err
		}
	}
}
