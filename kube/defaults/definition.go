// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "strings"

// What a CustomResourceDefinition takes from the names that it has.
var definitionRules = []*rule{
	{
		name:   "names-of-kind",
		says:   "The singular name of a custom resource is its kind in lower case, that of its lists is the kind with List.",
		types:  []string{crds + "v1.CustomResourceDefinitionSpec", crds + "v1beta1.CustomResourceDefinitionSpec"},
		writes: []string{"names.singular", "names.listKind"},
		fill: func(p *place) {
			names := p.at("names")
			kind := text(names.data["kind"])
			if kind == "" {
				return
			}
			if zero(names.data["singular"]) {
				names.set("singular", strings.ToLower(kind))
			}
			if zero(names.data["listKind"]) {
				names.set("listKind", kind+"List")
			}
		},
	},
	{
		name:   "version-of-versions",
		says:   "In v1beta1, version and versions say the same.",
		types:  []string{crds + "v1beta1.CustomResourceDefinition"},
		writes: []string{"spec.version", "spec.versions"},
		fill: func(p *place) {
			spec := object(p.data["spec"])
			version, versions := text(spec["version"]), array(spec["versions"])
			switch {
			case len(versions) == 0 && version != "":
				p.at("spec").set("versions", []any{map[string]any{"name": version, "served": true, "storage": true}})
			case len(versions) > 0 && version == "":
				if name := text(object(versions[0])["name"]); name != "" {
					p.at("spec").set("version", name)
				}
			}
		},
	},
	{
		name:   "review-versions",
		says:   "In v1beta1, a webhook that converts speaks v1beta1.",
		types:  []string{crds + "v1beta1.CustomResourceConversion"},
		writes: []string{"conversionReviewVersions"},
		fill: func(p *place) {
			if p.data["strategy"] == "Webhook" && zero(p.data["conversionReviewVersions"]) {
				p.set("conversionReviewVersions", []any{"v1beta1"})
			}
		},
	},
	{
		name:   "stored-versions",
		says:   "The versions that are stored begin with the one that is to be.",
		types:  []string{crds + "v1.CustomResourceDefinition", crds + "v1beta1.CustomResourceDefinition"},
		writes: []string{"status.storedVersions"},
		fill: func(p *place) {
			if len(array(object(p.data["status"])["storedVersions"])) > 0 {
				return
			}
			for _, v := range array(object(p.data["spec"])["versions"]) {
				if v := object(v); v["storage"] == true {
					p.at("status").set("storedVersions", []any{text(v["name"])})
					return
				}
			}
		},
	},
}

// crds begins the names of definitions of apiextensions.k8s.io.
const crds = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions."
