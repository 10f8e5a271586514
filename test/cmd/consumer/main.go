// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Consumer lists the projects in test/consumers. Tests build and test one release of each
// project with Dovetail. Consumer can also write the module of a project to a folder, or update
// its requirements.
//
//	go run ./cmd/consumer                    # list them
//	go run ./cmd/consumer -write DIR flux    # write go.mod and go.sum to DIR
//	go run ./cmd/consumer -tidy flux         # after a change of flux.mod
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/consumer"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

func main() {
	dir := flag.String("write", "", "write go.mod and go.sum of the consumer to this `directory`")
	tidy := flag.Bool("tidy", false, "run go mod tidy for the consumer, and rewrite its files")
	flag.Parse()
	if err := run(*dir, *tidy, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "consumer:", err)
		os.Exit(1)
	}
}

func run(dir string, tidy bool, names []string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		files, err := filepath.Glob(filepath.Join(consumer.Dir(root), "*.mod"))
		for _, file := range files {
			fmt.Println(strings.TrimSuffix(filepath.Base(file), ".mod"))
		}
		return err
	}
	for _, name := range names {
		switch {
		case tidy:
			err = consumer.Tidy(name, root)
		case dir != "":
			err = consumer.Write(dir, name, root)
		default:
			err = fmt.Errorf("%s: want -write DIR or -tidy", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
