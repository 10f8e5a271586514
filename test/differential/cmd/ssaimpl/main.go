// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Ssaimpl handles the requests of the program ssa-conformance with one of several
// implementations. These are Dovetail, apimachinery's field manager with structured-merge-diff
// v6, and structured-merge-diff v6 and v4 alone.
package main

import (
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/test/differential/managed"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
)

// implementation handles the cases of levels 1 and 2 (by), and the cases of level 3 (managed).
type implementation struct{ by, managed scopes.Answerer }

func main() {
	implementations := map[string]implementation{
		"dovetail":     {scopes.By(ours.New()), managed.Ours},
		"apimachinery": {scopes.By(upstream.New()), managed.Apimachinery},
		"smd-v6":       {scopes.By(upstream.New()), nil},
		"smd-v4":       {scopes.By(upstream4.New()), nil},
	}
	if len(os.Args) != 2 || implementations[os.Args[1]].by == nil {
		fmt.Fprintln(os.Stderr, "usage: ssaimpl dovetail|apimachinery|smd-v6|smd-v4")
		os.Exit(2)
	}
	i := implementations[os.Args[1]]
	if err := scopes.Serve(i.by, i.managed, model.V6, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ssaimpl:", err)
		os.Exit(1)
	}
}
