// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "strings"

// definitionRules fill in names and versions of CustomResourceDefinitions.
var definitionRules = []*rule{
	{
		name:    "names-of-kind",
		summary: "The singular name of a custom resource is its kind in lower case; its list kind is the kind followed by List.",
		types:   []string{crds + "v1.CustomResourceDefinitionSpec", crds + "v1beta1.CustomResourceDefinitionSpec"},
		writes:  []string{"names.singular", "names.listKind"},
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
		name:    "version-of-versions",
		summary: "In v1beta1, version and the first item of versions are filled in from each other.",
		types:   []string{crds + "v1beta1.CustomResourceDefinition"},
		writes:  []string{"spec.version", "spec.versions"},
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
		name:    "review-versions",
		summary: "In v1beta1, a conversion webhook accepts review version v1beta1.",
		types:   []string{crds + "v1beta1.CustomResourceConversion"},
		writes:  []string{"conversionReviewVersions"},
		fill: func(p *place) {
			if p.data["strategy"] == "Webhook" && zero(p.data["conversionReviewVersions"]) {
				p.set("conversionReviewVersions", []any{"v1beta1"})
			}
		},
	},
	{
		name:    "stored-versions",
		summary: "storedVersions initially has the storage version.",
		types:   []string{crds + "v1.CustomResourceDefinition", crds + "v1beta1.CustomResourceDefinition"},
		writes:  []string{"status.storedVersions"},
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

// crds is the common prefix of the OpenAPI definition names of apiextensions.k8s.io.
const crds = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions."
