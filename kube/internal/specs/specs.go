// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package specs finds the OpenAPI documents of a Kubernetes release.
//
// They are in the module k8s.io/kubernetes, which the go command downloads into
// the module cache if it is not there (300 MB unpacked). For generators and
// tests.
package specs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// V2 returns the path of the OpenAPI v2 document of a release, such as v1.36.3.
func V2(release string) (string, error) {
	dir, err := moduleDir(release)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "api/openapi-spec/swagger.json"), nil
}

// V3 returns the paths of the OpenAPI v3 documents of a release, sorted.
func V3(release string) ([]string, error) {
	dir, err := moduleDir(release)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "api/openapi-spec/v3/*_openapi.json"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no OpenAPI v3 documents in k8s.io/kubernetes@%s", release)
	}
	return files, err
}

// moduleDir returns the directory of the module k8s.io/kubernetes at a release.
func moduleDir(release string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@"+release)
	// Whatever module or workspace this runs in has no say.
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &module); jerr == nil && module.Error != "" {
		return "", fmt.Errorf("go mod download: %s", module.Error)
	}
	if err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return module.Dir, nil
}
