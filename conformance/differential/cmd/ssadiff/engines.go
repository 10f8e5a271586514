// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/conformance/differential/run"
	"github.com/dovetail-ssa/dovetail/schema"
)

// engines are what can be compared with upstream, itself included. "v4" is what
// compat/v4 makes of our engine, and is compared with structured-merge-diff v4.
var engines = map[string]func() engine.Engine{
	"ours":     ours.New,
	"upstream": upstream.New,
	"v4":       ours.New,
}

func engineNames() string {
	var names []string
	for name := range engines {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func newRunner(name string) *run.Runner {
	oracle := upstream.New
	if name == "v4" {
		schema.SetProcessPolicies(run.Version4)
		oracle = upstream4.New
	}
	r := run.New(oracle(), engines[name]())
	r.Random = name == "upstream"
	return r
}
