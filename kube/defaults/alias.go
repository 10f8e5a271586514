// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

// aliasRules copy values between two fields that have the same meaning, so that the fields
// stay consistent.
var aliasRules = []*rule{
	{
		name:          "service-account",
		summary:       "The deprecated field serviceAccount always equals serviceAccountName; serviceAccountName takes precedence.",
		types:         core("PodSpec"),
		writes:        []string{"serviceAccount", "serviceAccountName"},
		convertsUntil: "1.36",
		fill: func(p *place) {
			name, old := text(p.data["serviceAccountName"]), text(p.data["serviceAccount"])
			if name == "" && old != "" {
				p.set("serviceAccountName", old)
			} else if name != old {
				p.set("serviceAccount", name)
			}
		},
	},
	{
		name:          "pod-ips",
		summary:       "podIP equals the first item of podIPs; podIP takes precedence.",
		types:         core("PodStatus"),
		writes:        []string{"podIP", "podIPs", "podIPs[].ip"},
		convertsUntil: "1.36",
		fill: func(p *place) {
			ip, all := text(p.data["podIP"]), array(p.data["podIPs"])
			first := ""
			if len(all) > 0 {
				first = text(object(all[0])["ip"])
			}
			switch {
			case ip == "" && first != "":
				p.set("podIP", first)
			case ip != "" && ip != first:
				p.set("podIPs", []any{map[string]any{"ip": ip}})
			}
		},
	},
}
