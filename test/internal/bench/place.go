// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Places sets default paths if the user has not set them. The module with the benchmarks is in the folder
// test, and the engine is in the root of this repository. Places makes the path of the engine absolute. It
// returns the root of the repository.
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

// BuildOwn builds the tests of test/bench with both engines. It uses the Dovetail engine of
// this repository, and writes the programs to the folder work.
func BuildOwn(work string) ([]Binary, error) {
	var module, engine string
	root, err := Places(&module, &engine)
	if err != nil {
		return nil, err
	}
	return Build(work, root, engine, module, "./bench")
}
