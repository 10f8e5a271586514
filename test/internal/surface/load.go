// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package surface describes the exported API of Go packages as text, so that the APIs of two
// modules can be compared.
package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"

	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
)

// Load returns the packages with the given import paths, in the versions that the module in
// dir requires. It reads the compiler's export data, which has the exported API without
// function bodies. If necessary, it compiles the packages first.
func Load(dir string, paths ...string) (map[string]*types.Package, error) {
	return load(gocmd.Output, dir, paths)
}

// LoadInWorkspace is like Load, but uses the modules of the workspace in dir.
func LoadInWorkspace(dir string, paths ...string) (map[string]*types.Package, error) {
	return load(gocmd.InWorkspace, dir, paths)
}

func load(run func(dir string, args ...string) ([]byte, error), dir string, paths []string) (map[string]*types.Package, error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Export"}, paths...)
	out, err := run(dir, args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", dir, err)
		}
		exports[p.ImportPath] = p.Export
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	pkgs := map[string]*types.Package{}
	for _, path := range paths {
		if pkgs[path], err = imp.Import(path); err != nil {
			return nil, err
		}
	}
	return pkgs, nil
}
