// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

var volumeRules = []*rule{{
	name:    "empty-dir",
	summary: "A volume without a source is an emptyDir.",
	types:   core("Volume"),
	writes:  []string{"emptyDir"},
	fill: func(p *place) {
		for name, v := range p.data {
			if name != "name" && v != nil {
				return
			}
		}
		p.set("emptyDir", map[string]any{})
	},
}}
