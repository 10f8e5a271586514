package main

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/conformance/differential/engine"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/conformance/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/conformance/differential/run"
)

// engines are what can be compared with upstream, itself included.
var engines = map[string]func() engine.Engine{
	"ours":     ours.New,
	"upstream": upstream.New,
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
	r := run.New(upstream.New(), engines[name]())
	r.Random = name == "upstream"
	return r
}
