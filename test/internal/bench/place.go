// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Places fills in where the module with the benchmarks and that with the engine
// are, as far as nobody said: module test and this repository. The engine's
// becomes absolute. It returns the root of the repository.
func Places(module, engine *string) (root string, err error) {
	if root, err = repo.Root(); err != nil {
		return "", err
	}
	if *module == "" {
		*module = filepath.Join(root, "test")
	}
	if *engine == "" {
		*engine = root
	}
	*engine, err = filepath.Abs(*engine)
	return root, err
}

// BuildOwn builds the tests of test/bench over both engines, the engine of
// this repository being ours, below the directory work.
func BuildOwn(work string) ([]Binary, error) {
	var module, engine string
	root, err := Places(&module, &engine)
	if err != nil {
		return nil, err
	}
	return Build(work, root, engine, module, "./bench")
}
