// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"

// betaEnvelope checks what v1beta1 says of a CRD besides its schemas and v1 does not.
func (d *Definition) betaEnvelope(r reading) {
	for _, c := range []struct{ top, field string }{
		{"validation", "schema"}, {"subresources", "subresources"}, {"additionalPrinterColumns", "additionalPrinterColumns"},
	} {
		for i, v := range r.List(d.doc.BetaSpec, d.doc.SpecAt, "versions") {
			if m, _ := v.(map[string]any); m[c.field] != nil && d.doc.BetaSpec[c.top] != nil {
				r.add(Versions, d.doc.SpecAt.At("versions").Nth(i).At(c.field), "want it here or in spec.%s, found both", c.top)
			}
		}
	}
	if name := r.Text(d.doc.BetaSpec, d.doc.SpecAt, "version"); name != "" && len(d.Versions) > 0 && d.Versions[0].Name != name {
		r.add(Versions, d.doc.SpecAt.At("version"), "want %s, which is the first of spec.versions, found %s; or remove it", tree.OrNone(d.Versions[0].Name), tree.Shorten(name, tree.MaxValue))
	}
	if !d.doc.Preserves() {
		return
	}
	at := d.doc.SpecAt.At("preserveUnknownFields")
	for _, v := range d.Versions {
		if v.doc.Schema != nil && hasDefault(v.doc.Schema) {
			r.add(Versions, at, "want false, since there are defaults")
		}
	}
	if c := r.Mapping(d.doc.Spec, d.doc.SpecAt, "conversion"); c != nil && c["strategy"] == "Webhook" {
		r.add(Versions, at, "want false, since a webhook converts")
	}
}

// toV1 says what v1 writes otherwise.
func (d *Definition) toV1(r *report) {
	var root *tree.Place
	spec, raw := d.doc.SpecAt, d.doc.BetaSpec
	r.add(OldVersion, root.At("apiVersion"), "API servers of Kubernetes 1.22 and later do not know this version; write %s", tree.APIVersion)
	if raw["version"] != nil {
		r.add(OldVersion, spec.At("version"), "v1 has versions only; remove it, and where there are none, write versions: [{name: %s, served: true, storage: true}]", tree.Flow(raw["version"]))
	}
	if raw["scope"] == nil {
		r.add(OldVersion, spec, "v1 has no scope unless you say it; write scope: Namespaced")
	}
	for _, c := range []struct{ top, field string }{
		{"validation", "schema"}, {"subresources", "subresources"}, {"additionalPrinterColumns", "additionalPrinterColumns"}, {"selectableFields", "selectableFields"},
	} {
		if raw[c.top] != nil {
			r.add(OldVersion, spec.At(c.top), "v1 has it in each of versions, as %s; move it there", c.field)
		}
	}
	for _, v := range d.Versions {
		columns, _ := v.doc.Raw["additionalPrinterColumns"].([]any)
		for i, c := range columns {
			if m, _ := c.(map[string]any); m["JSONPath"] != nil {
				r.add(OldVersion, v.doc.Part("additionalPrinterColumns").Nth(i).At("JSONPath"), "v1 writes jsonPath")
			}
		}
		if d.doc.Preserves() && v.doc.Raw["schema"] == nil {
			r.add(OldVersion, v.doc.At, "v1 wants a schema; what holds now is schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}")
		}
	}
	if d.doc.Preserves() {
		r.add(OldVersion, spec.At("preserveUnknownFields"), "v1 drops what the schema does not have; remove it, and write x-kubernetes-preserve-unknown-fields: true in the schemas whose fields are to stay")
	} else if raw["preserveUnknownFields"] != nil {
		r.add(OldVersion, spec.At("preserveUnknownFields"), "v1 needs no word for it; remove it")
	}
	at := spec.At("conversion")
	c, _ := raw["conversion"].(map[string]any)
	if c["webhookClientConfig"] != nil {
		r.add(OldVersion, at.At("webhookClientConfig"), "v1 writes webhook: {clientConfig: …}; move it there")
	}
	switch {
	case c["conversionReviewVersions"] != nil:
		r.add(OldVersion, at.At("conversionReviewVersions"), "v1 writes webhook: {conversionReviewVersions: …}; move it there")
	case c["strategy"] == "Webhook":
		r.add(OldVersion, at, "v1 does not know which versions the webhook reads unless you say it; write webhook: {conversionReviewVersions: [v1beta1]}")
	}
}

// beta refuses all markers in a CRD of v1beta1.
func (c *checker) beta(n *tree.Node) {
	for _, m := range tree.Markers {
		if n.Raw[m] != nil {
			c.add(MarkerVersion, n.At.At(m), "want %s, which has %s, found a CRD of v1beta1; convert the CRD, or remove the marker", tree.APIVersion, m)
		}
	}
	n.Each(c.beta)
	n.Nested(c.beta)
}

// betaDefaults refuses defaults in a CRD of v1beta1, which may stay in one that had some.
func (c *checker) betaDefaults(n *tree.Node) {
	if n.Def != nil {
		c.add(DefaultVersion, n.At.At("default"), "want %s, which has defaults, found a new CRD of v1beta1; write the CRD as v1", tree.APIVersion)
	}
	n.Each(c.betaDefaults)
}

// betaFindings are the markers of d as far as v1beta1 refuses them, whatever
// version d was written in.
func (d *Definition) betaFindings() Findings {
	r := &report{object: d.object}
	for _, v := range d.Versions {
		if v.doc.Schema != nil {
			(&checker{r}).beta(v.doc.Schema)
		}
	}
	return r.findings()
}
