// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

var limitRules = []*rule{{
	name:    "container-limits",
	summary: "For containers, the default limit is the maximum. The default request is the default limit, or the minimum if there is no default limit.",
	types:   core("LimitRangeItem"),
	writes:  []string{"default", "defaultRequest"},
	fill: func(p *place) {
		if p.data["type"] != "Container" {
			return
		}
		limits := object(p.data["default"])
		if more := missing(limits, object(p.data["max"])); more != nil {
			p.set("default", more)
			limits = more
		}
		requests := object(p.data["defaultRequest"])
		more := missing(requests, limits)
		if more != nil {
			requests = more
		}
		if least := missing(requests, object(p.data["min"])); least != nil {
			more = least
		}
		if more != nil {
			p.set("defaultRequest", more)
		}
	},
}}
