// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Gencompat writes the generated files of compat/v4, compat/v6 and compat/v7. It must run with
// Go 1.27, because compat/v7 requires it.
//
//	cd test/v7; GOTOOLCHAIN=auto go run ../cmd/gencompat [-engine dir]
//
// Each drop-in exports all names of one release of structured-merge-diff. The command fails if
// the engine does not have one of these names. With -engine, it reads the engine's names from
// the copy of the module in that folder.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/shim"
)

func main() {
	engine := flag.String("engine", "", "directory of the engine's `module` (default: this repository)")
	flag.Parse()
	if err := run(*engine); err != nil {
		fmt.Fprintln(os.Stderr, "gencompat:", err)
		os.Exit(1)
	}
}

func run(engine string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if engine == "" {
		engine = root
	}
	for _, major := range []repo.Major{repo.V4, repo.V6, repo.V7} {
		dir := filepath.Join(root, "test")
		if major == repo.V7 {
			dir = filepath.Join(dir, "v7")
		}
		files, err := shim.Generate(major, dir, engine)
		if err != nil {
			return err
		}
		if err := shim.Write(filepath.Join(root, "compat", major.Name), files); err != nil {
			return err
		}
		fmt.Printf("compat/%s: %d packages forward %s to %s\n", major.Name, len(files), major.Module(), repo.Module)
	}
	return nil
}
