// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"

// betaEnvelope checks the rules of v1beta1 that are not about schemas. For example, a v1beta1 CRD
// must not set both spec.subresources and the subresources of a version.
func (d *Definition) betaEnvelope(r reading) {
	for _, c := range []struct{ top, field string }{
		{"validation", "schema"}, {"subresources", "subresources"}, {"additionalPrinterColumns", "additionalPrinterColumns"},
	} {
		for i, v := range r.List(d.doc.BetaSpec, d.doc.SpecAt, "versions") {
			if m, _ := v.(map[string]any); m[c.field] != nil && d.doc.BetaSpec[c.top] != nil {
				r.add(Versions, d.doc.SpecAt.At("versions").Nth(i).At(c.field), "the field is both here and in spec.%s, and only one of them is allowed; remove one", c.top)
			}
		}
	}
	if name := r.Text(d.doc.BetaSpec, d.doc.SpecAt, "version"); name != "" && len(d.Versions) > 0 && d.Versions[0].Name != name {
		r.add(Versions, d.doc.SpecAt.At("version"), "want %s, which is the first name in spec.versions, found %s; correct or remove this field", tree.OrNone(d.Versions[0].Name), tree.Shorten(name, tree.MaxValue))
	}
}

// reportOldVersion reports each part of a v1beta1 CRD that must be written differently in v1.
func (d *Definition) reportOldVersion(r *report) {
	var root *tree.Place
	spec, raw := d.doc.SpecAt, d.doc.BetaSpec
	r.add(OldVersion, root.At("apiVersion"), "Kubernetes 1.22 and later do not serve this version; use %s", tree.APIVersion)
	if raw["version"] != nil {
		r.add(OldVersion, spec.At("version"), "v1 does not have the field version; remove it, and if the CRD has no field versions, add versions: [{name: %s, served: true, storage: true}]", tree.Flow(raw["version"]))
	}
	if raw["scope"] == nil {
		r.add(OldVersion, spec, "v1 has no default for scope; add scope: Namespaced")
	}
	for _, c := range []struct{ top, field string }{
		{"validation", "schema"}, {"subresources", "subresources"}, {"additionalPrinterColumns", "additionalPrinterColumns"}, {"selectableFields", "selectableFields"},
	} {
		if raw[c.top] != nil {
			r.add(OldVersion, spec.At(c.top), "in v1, each version has its own field for this; move the value to %s in each version", c.field)
		}
	}
	for _, v := range d.Versions {
		columns, _ := v.doc.Raw["additionalPrinterColumns"].([]any)
		for i, c := range columns {
			if m, _ := c.(map[string]any); m["JSONPath"] != nil {
				r.add(OldVersion, v.doc.Part("additionalPrinterColumns").Nth(i).At("JSONPath"), "v1 calls this field jsonPath; rename it")
			}
		}
		if d.doc.Preserves() && v.doc.Raw["schema"] == nil {
			r.add(OldVersion, v.doc.At, "v1 requires a schema; to accept every object as before, use schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}")
		}
	}
	if d.doc.Preserves() {
		r.add(OldVersion, spec.At("preserveUnknownFields"), "v1 drops fields that the schema does not have; remove this field, and set x-kubernetes-preserve-unknown-fields: true in the schemas that must keep unknown fields")
	} else if raw["preserveUnknownFields"] != nil {
		r.add(OldVersion, spec.At("preserveUnknownFields"), "v1 does not need this field; remove it")
	}
	at := spec.At("conversion")
	c, _ := raw["conversion"].(map[string]any)
	if c["webhookClientConfig"] != nil {
		r.add(OldVersion, at.At("webhookClientConfig"), "v1 has this field in webhook.clientConfig; move it there")
	}
	switch {
	case c["conversionReviewVersions"] != nil:
		r.add(OldVersion, at.At("conversionReviewVersions"), "v1 has this field in webhook.conversionReviewVersions; move it there")
	case c["strategy"] == "Webhook":
		r.add(OldVersion, at, "v1 requires a list of the ConversionReview versions that the webhook reads; add webhook: {conversionReviewVersions: [v1beta1]}")
	}
}

// beta reports the immutability markers in the schema n and in all schemas inside it. A v1beta1 CRD
// must not contain such markers.
func (c *checker) beta(n *tree.Node) {
	for _, m := range tree.Markers {
		if n.Raw[m] != nil {
			c.add(MarkerVersion, n.At.At(m), "%[2]s needs %[1]s, found a CRD of v1beta1; convert the CRD, or remove the marker", tree.APIVersion, m)
		}
	}
	n.Each(c.beta)
	n.Nested(c.beta)
}

// betaDefaults reports each default in a schema as an error, because a new CRD of v1beta1 cannot have
// defaults. A CRD that already has defaults may keep them, so betaDefaults is called only for new CRDs.
func (c *checker) betaDefaults(n *tree.Node) {
	if n.Def != nil {
		c.add(DefaultVersion, n.At.At("default"), "a new CRD of v1beta1 must not have defaults; convert the CRD to %s", tree.APIVersion)
	}
	n.Each(c.betaDefaults)
}

// betaFindings returns the findings that d would have as a CRD of v1beta1: all its immutability
// markers, because v1beta1 does not allow markers.
func (d *Definition) betaFindings() Findings {
	r := &report{object: d.object}
	for _, v := range d.Versions {
		if v.doc.Schema != nil {
			(&checker{r}).beta(v.doc.Schema)
		}
	}
	return r.findings()
}
