// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Places sets the defaults for two folders. The default folder of the benchmarks is the module
// test, and the default folder of the engine is this repository. Places makes the engine's path
// absolute, and returns the root of the repository.
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

// BuildOwn builds the tests of test/bench with both engines, below the folder work. Dovetail's
// engine is this repository.
func BuildOwn(work string) ([]Binary, error) {
	var module, engine string
	root, err := Places(&module, &engine)
	if err != nil {
		return nil, err
	}
	return Build(work, root, engine, module, "./bench")
}
