// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package specs finds the OpenAPI documents of a Kubernetes release, and the kinds that
// the release no longer serves. Generators and tests use this package.
//
// The data is in the modules k8s.io/kubernetes and k8s.io/api. If necessary, the go
// command downloads them into the module cache (300 MB unpacked).
package specs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

// V2 returns the path of the OpenAPI v2 document of a version such as v1.36.3.
func V2(release string) (string, error) {
	dir, err := moduleDir("k8s.io/kubernetes", release)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "api/openapi-spec/swagger.json"), nil
}

// V3 returns the paths of the OpenAPI v3 documents of a version such as v1.36.3, sorted.
func V3(release string) ([]string, error) {
	dir, err := moduleDir("k8s.io/kubernetes", release)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "api/openapi-spec/v3/*_openapi.json"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no OpenAPI v3 documents in k8s.io/kubernetes@%s", release)
	}
	return files, err
}

// removed matches a generated Go method that returns the first release in which a type is not
// served.
var removed = regexp.MustCompile(`func \(in \*(\w+)\) APILifecycleRemoved\(\) \(major, minor int\) {\n\treturn 1, (\d+)\n`)

// RemovedKinds returns the OpenAPI definition names of kinds that a release no longer serves,
// according to Kubernetes' Go code. The OpenAPI documents of a prerelease can still contain these
// kinds.
func RemovedKinds(release string) (names []string, err error) {
	dir, err := moduleDir("k8s.io/api", "v0"+strings.TrimPrefix(release, "v1"))
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*/*/zz_generated.prerelease-lifecycle.go"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("k8s.io/api of Kubernetes %s has no files about removed types", release)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		version := filepath.Dir(file)
		for _, m := range removed.FindAllStringSubmatch(string(text), -1) {
			last, _ := strconv.Atoi(m[2])
			minor, _ := strconv.Atoi(strings.TrimPrefix(releases.Minor(release), "1."))
			if last <= minor {
				names = append(names, "io.k8s.api."+filepath.Base(filepath.Dir(version))+"."+filepath.Base(version)+"."+m[1])
			}
		}
	}
	return names, err
}

// moduleDir returns the directory of a module at a version.
func moduleDir(module, version string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	// Run the go command outside of the current module and workspace, so that their
	// files have no effect.
	cmd.Dir = os.TempDir()
	// Allow downloading a newer Go toolchain, because a newer Kubernetes release may require
	// it.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=auto")
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &found); jerr == nil && found.Error != "" {
		return "", fmt.Errorf("go mod download: %s", found.Error)
	}
	if err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return found.Dir, nil
}
