// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Places sets an empty path to its default. The default of module, the folder of the benchmarks,
// is the module test. The default of engine, the folder of the engine, is this repository. Places
// makes the path of the engine absolute, and returns the root of the repository.
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

// BuildOwn builds the tests of test/bench with both engines. Dovetail's code comes from this
// repository. The programs are in the folder work.
func BuildOwn(work string) ([]Binary, error) {
	var module, engine string
	root, err := Places(&module, &engine)
	if err != nil {
		return nil, err
	}
	return Build(work, root, engine, module, "./bench")
}
