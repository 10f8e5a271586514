// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "github.com/dovetail-ssa/dovetail/internal/data"

var nodeRules = []*rule{{
	name:    "allocatable",
	summary: "The allocatable resources of a node are set to its capacity.",
	types:   core("NodeStatus"),
	writes:  []string{"allocatable"},
	fill: func(p *place) {
		if capacity := object(p.data["capacity"]); p.data["allocatable"] == nil && len(capacity) > 0 {
			p.set("allocatable", data.Clone(capacity))
		}
	},
}}
