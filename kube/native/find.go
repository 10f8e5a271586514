// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// Name returns the name of the program for a release, such as 1.37.
func Name(release string) string {
	name := "dovetail-native-" + release
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// NotFoundError means that Find found no program for a release.
type NotFoundError struct {
	// Release is a minor release, such as 1.37.
	Release string
	// Where is the second argument of Find: the path of the program, or the folder that Find
	// searched. It is empty if Find searched the default folders.
	Where string
}

func (e *NotFoundError) Error() string {
	if e.Where != "" {
		return fmt.Sprintf("%s: there is no %s", e.Where, Name(e.Release))
	}
	return fmt.Sprintf("there is no %s beside this program or on PATH", Name(e.Release))
}

// Find returns the path of the program for a release. The argument "where" is the path of the
// program, or of the folder that contains the program. If where is empty, Find searches the
// folder of the running program and then PATH. The error is a *NotFoundError.
func Find(release, where string) (string, error) {
	name := Name(release)
	if where != "" {
		if info, err := os.Stat(where); err == nil && info.IsDir() {
			if path := filepath.Join(where, name); isFile(path) {
				return path, nil
			}
		} else if err == nil {
			return where, nil
		}
		return "", &NotFoundError{Release: release, Where: where}
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if path := filepath.Join(filepath.Dir(self), name); isFile(path) {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", &NotFoundError{Release: release}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// programs lists the releases for which this repository has a program.
var programs = []string{"1.35", "1.36", "1.37"}

// HasProgram reports whether this repository has a program for a release, such as 1.37.
func HasProgram(release string) bool { return slices.Contains(programs, release) }

// InstallCommand returns the command that installs the program for a release. The command
// must run in a clone of this repository. The repository must have the program; see
// HasProgram.
func InstallCommand(release string) string {
	return "go -C kube/native/" + release + " install ./dovetail-native-" + release
}
