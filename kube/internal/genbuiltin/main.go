// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Genbuiltin writes the built-in types of a Kubernetes release as a file that package
// openapi embeds.
//
//	go run ./internal/genbuiltin -release v1.37.2 -o internal/releases/1.37/openapi.types
//
// It reads the OpenAPI v3 documents in the module k8s.io/kubernetes. If necessary, the go
// command downloads the module into the module cache (300 MB unpacked). Usually,
// releases/make.sh runs genbuiltin.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "", "file to write")
	of := flag.String("release", "", "Kubernetes release")
	flag.Parse()
	if *out == "" || *of == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*out, *of); err != nil {
		fmt.Fprintln(os.Stderr, "genbuiltin:", err)
		os.Exit(1)
	}
}

func run(out, release string) error {
	docs, err := documents(release)
	if err != nil {
		return err
	}
	data, err := generate(release, docs)
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}
