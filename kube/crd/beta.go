// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

// betaEnvelope checks what v1beta1 says of a CRD besides its schemas and v1 does not.
func (d *Definition) betaEnvelope(r reading) {
	for _, c := range []struct{ top, field string }{
		{"validation", "schema"}, {"subresources", "subresources"}, {"additionalPrinterColumns", "additionalPrinterColumns"},
	} {
		for i, v := range r.list(d.doc.betaSpec, d.doc.specAt, "versions") {
			if m, _ := v.(map[string]any); m[c.field] != nil && d.doc.betaSpec[c.top] != nil {
				r.add(Versions, d.doc.specAt.at("versions").nth(i).at(c.field), "want it here or in spec.%s, found both", c.top)
			}
		}
	}
	if name := r.text(d.doc.betaSpec, d.doc.specAt, "version"); name != "" && len(d.Versions) > 0 && d.Versions[0].Name != name {
		r.add(Versions, d.doc.specAt.at("version"), "want %s, which is the first of spec.versions, found %s; or remove it", orNone(d.Versions[0].Name), shorten(name, maxValue))
	}
	if !d.doc.preserves() {
		return
	}
	at := d.doc.specAt.at("preserveUnknownFields")
	for _, v := range d.Versions {
		if v.doc.schema != nil && hasDefault(v.doc.schema) {
			r.add(Versions, at, "want false, since there are defaults")
		}
	}
	if c := r.mapping(d.doc.spec, d.doc.specAt, "conversion"); c != nil && c["strategy"] == "Webhook" {
		r.add(Versions, at, "want false, since a webhook converts")
	}
}

// toV1 says what v1 writes otherwise.
func (d *Definition) toV1(r *report) {
	var root *place
	spec, raw := d.doc.specAt, d.doc.betaSpec
	r.add(OldVersion, root.at("apiVersion"), "API servers of Kubernetes 1.22 and later do not know this version; write %s", apiVersion)
	if raw["version"] != nil {
		r.add(OldVersion, spec.at("version"), "v1 has versions only; remove it, and where there are none, write versions: [{name: %s, served: true, storage: true}]", flow(raw["version"]))
	}
	if raw["scope"] == nil {
		r.add(OldVersion, spec, "v1 has no scope unless you say it; write scope: Namespaced")
	}
	for _, c := range []struct{ top, field string }{
		{"validation", "schema"}, {"subresources", "subresources"}, {"additionalPrinterColumns", "additionalPrinterColumns"}, {"selectableFields", "selectableFields"},
	} {
		if raw[c.top] != nil {
			r.add(OldVersion, spec.at(c.top), "v1 has it in each of versions, as %s; move it there", c.field)
		}
	}
	for _, v := range d.Versions {
		columns, _ := v.doc.raw["additionalPrinterColumns"].([]any)
		for i, c := range columns {
			if m, _ := c.(map[string]any); m["JSONPath"] != nil {
				r.add(OldVersion, v.doc.part("additionalPrinterColumns").nth(i).at("JSONPath"), "v1 writes jsonPath")
			}
		}
		if d.doc.preserves() && v.doc.raw["schema"] == nil {
			r.add(OldVersion, v.doc.at, "v1 wants a schema; what holds now is schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}")
		}
	}
	if d.doc.preserves() {
		r.add(OldVersion, spec.at("preserveUnknownFields"), "v1 drops what the schema does not have; remove it, and write x-kubernetes-preserve-unknown-fields: true in the schemas whose fields are to stay")
	} else if raw["preserveUnknownFields"] != nil {
		r.add(OldVersion, spec.at("preserveUnknownFields"), "v1 needs no word for it; remove it")
	}
	at := spec.at("conversion")
	c, _ := raw["conversion"].(map[string]any)
	if c["webhookClientConfig"] != nil {
		r.add(OldVersion, at.at("webhookClientConfig"), "v1 writes webhook: {clientConfig: …}; move it there")
	}
	switch {
	case c["conversionReviewVersions"] != nil:
		r.add(OldVersion, at.at("conversionReviewVersions"), "v1 writes webhook: {conversionReviewVersions: …}; move it there")
	case c["strategy"] == "Webhook":
		r.add(OldVersion, at, "v1 does not know which versions the webhook reads unless you say it; write webhook: {conversionReviewVersions: [v1beta1]}")
	}
}

// beta refuses all markers in a CRD of v1beta1.
func (c *checker) beta(n *node) {
	for _, m := range markers {
		if n.raw[m] != nil {
			c.add(MarkerVersion, n.at.at(m), "want %s, which has %s, found a CRD of v1beta1; convert the CRD, or remove the marker", apiVersion, m)
		}
	}
	n.each(c.beta)
	n.nested(c.beta)
}

// betaDefaults refuses defaults in a CRD of v1beta1, which may stay in one that had some.
func (c *checker) betaDefaults(n *node) {
	if n.def != nil {
		c.add(DefaultVersion, n.at.at("default"), "want %s, which has defaults, found a new CRD of v1beta1; write the CRD as v1", apiVersion)
	}
	n.each(c.betaDefaults)
}

// betaFindings are the markers of d as far as v1beta1 refuses them, whatever
// version d was written in.
func (d *Definition) betaFindings() Findings {
	r := &report{object: d.object}
	for _, v := range d.Versions {
		if v.doc.schema != nil {
			(&checker{r}).beta(v.doc.schema)
		}
	}
	return r.findings()
}
