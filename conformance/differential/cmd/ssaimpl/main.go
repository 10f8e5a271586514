// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Ssaimpl answers what spec's ssa-conformance asks, by an engine: ours, or
// structured-merge-diff v6 or v4.
package main

import (
	"fmt"
	"os"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/conformance/differential/scopes"
	"github.com/dovetail-ssa/dovetail/spec/model"
)

var engines = map[string]func() engine.Engine{"dovetail": ours.New, "smd-v6": upstream.New, "smd-v4": upstream4.New}

func main() {
	if len(os.Args) != 2 || engines[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: ssaimpl dovetail|smd-v6|smd-v4")
		os.Exit(2)
	}
	if err := scopes.Serve(engines[os.Args[1]](), model.V6, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ssaimpl:", err)
		os.Exit(1)
	}
}
