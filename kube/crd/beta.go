// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

// betaEnvelope checks what v1beta1 says of a CRD besides its schemas and v1 does not.
func (d *Definition) betaEnvelope(r reader) {
	for _, c := range []struct{ top, field string }{
		{"validation", "schema"}, {"subresources", "subresources"}, {"additionalPrinterColumns", "additionalPrinterColumns"},
	} {
		for i, v := range r.list(d.betaSpec, d.specAt, "versions") {
			if m, _ := v.(map[string]any); m[c.field] != nil && d.betaSpec[c.top] != nil {
				r.add(Versions, d.specAt.at("versions").nth(i).at(c.field), "want it here or in spec.%s, found both", c.top)
			}
		}
	}
	if name := r.text(d.betaSpec, d.specAt, "version"); name != "" && len(d.Versions) > 0 && d.Versions[0].Name != name {
		r.add(Versions, d.specAt.at("version"), "want %s, which is the first of spec.versions, found %s; or remove it", orNone(d.Versions[0].Name), shorten(name, maxValue))
	}
	if !d.preserves() {
		return
	}
	at := d.specAt.at("preserveUnknownFields")
	for _, v := range d.Versions {
		if v.schema != nil && v.schema.hasDefault() {
			r.add(Versions, at, "want false, since there are defaults")
		}
	}
	if c := r.mapping(d.spec, d.specAt, "conversion"); c != nil && c["strategy"] == "Webhook" {
		r.add(Versions, at, "want false, since a webhook converts")
	}
}

// toV1 says what v1 writes otherwise.
func (d *Definition) toV1(r *report) {
	var root *place
	spec, raw := d.specAt, d.betaSpec
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
		columns, _ := v.raw["additionalPrinterColumns"].([]any)
		for i, c := range columns {
			if m, _ := c.(map[string]any); m["JSONPath"] != nil {
				r.add(OldVersion, v.part("additionalPrinterColumns").nth(i).at("JSONPath"), "v1 writes jsonPath")
			}
		}
		if d.preserves() && v.raw["schema"] == nil {
			r.add(OldVersion, v.at, "v1 wants a schema; what holds now is schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}")
		}
	}
	if d.preserves() {
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
