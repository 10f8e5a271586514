// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command dovetail-gen reads Go packages of API types, and the markers in their comments. It
// generates OpenAPI definitions, CustomResourceDefinitions, and functions that set defaults. See
// dovetail-gen --help.
package main

import (
	"os"

	"github.com/dovetail-ssa/dovetail/gen/internal/command"
)

func main() {
	os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr))
}
