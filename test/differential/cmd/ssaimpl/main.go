// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Ssaimpl answers the requests of ssa-conformance. The answers come from Dovetail, from
// structured-merge-diff v6 or v4, or from the field manager of apimachinery with
// structured-merge-diff v6.
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

// implementation has two functions: basic answers cases of levels 1 and 2, and managed answers
// cases of level 3. managed is nil if level 3 is not supported.
type implementation struct{ basic, managed scopes.Answerer }

func main() {
	implementations := map[string]implementation{
		"dovetail":     {scopes.By(ours.New()), managed.Ours},
		"apimachinery": {scopes.By(upstream.New()), managed.Apimachinery},
		"smd-v6":       {scopes.By(upstream.New()), nil},
		"smd-v4":       {scopes.By(upstream4.New()), nil},
	}
	if len(os.Args) != 2 || implementations[os.Args[1]].basic == nil {
		fmt.Fprintln(os.Stderr, "usage: ssaimpl dovetail|apimachinery|smd-v6|smd-v4")
		os.Exit(2)
	}
	i := implementations[os.Args[1]]
	if err := scopes.Serve(i.basic, i.managed, model.V6, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ssaimpl:", err)
		os.Exit(1)
	}
}
