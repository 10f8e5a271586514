// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command ssadiff compares two engines: Dovetail with structured-merge-diff v6, compat/v4 with
// structured-merge-diff v4, or structured-merge-diff v6 with itself. See package ssadiff. For
// v7, use test/v7/cmd/ssadiff.
package main

import (
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream4"
	"github.com/dovetail-ssa/dovetail/test/differential/gen"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/differential/ssadiff"
	_ "github.com/dovetail-ssa/dovetail/test/differential/structs/kube"
)

func main() {
	ssadiff.Main([]string{"ours", "upstream", "v4"}, map[string]ssadiff.Pair{
		"ours":     {Oracle: upstream.New, Engine: ours.New, Idle: true, KnowsPanics: true},
		"upstream": {Oracle: upstream.New, Engine: upstream.New, Random: true},
		"v4":       {Oracle: upstream4.New, Engine: ours.New, Policies: run.Version4, Maker: gen.Maker{Version4: true}},
	})
}
