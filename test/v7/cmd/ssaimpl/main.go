// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Ssaimpl answers the requests of ssa-conformance with structured-merge-diff v7.
package main

import (
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
	"github.com/dovetail-ssa/dovetail/test/v7/upstream7"
)

func main() {
	if err := scopes.Serve(scopes.By(upstream7.New()), nil, model.V7, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ssaimpl:", err)
		os.Exit(1)
	}
}
