// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Command ssadiff compares compat/v7 with structured-merge-diff v7 on random cases. See package
// ssadiff.
package main

import (
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/ssadiff"
	_ "github.com/dovetail-ssa/dovetail/test/differential/structs/kube"
	"github.com/dovetail-ssa/dovetail/test/v7/upstream7"
)

func main() {
	ssadiff.Main([]string{"v7", "upstream"}, map[string]ssadiff.Pair{
		"v7":       {Oracle: upstream7.New, Engine: ours.New, Policies: schema.Policies{Version: schema.Version7}, Idle: true, FixedUpstream: []string{"to-json-errors"}},
		"upstream": {Oracle: upstream7.New, Engine: upstream7.New, Random: true},
	})
}
