// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// envelope checks the parts of the CRD that are not schemas.
func (d *Definition) envelope(r reading) {
	d.metadata(r)
	d.naming(r)
	if b, ok := r.OptionalFlag(d.doc.Spec, d.doc.SpecAt, "preserveUnknownFields"); ok && b && !d.doc.Beta {
		r.add(Versions, d.doc.SpecAt.At("preserveUnknownFields"), "want false, found true; remove it, and set x-kubernetes-preserve-unknown-fields in the schemas instead")
	}
	d.versions(r)
	d.conversion(r)
	d.preserving(r)
	if d.doc.Beta {
		d.betaEnvelope(r)
	}
	if slices.ContainsFunc(r.report.listed, func(f *Finding) bool { return f.Rule == Malformed }) {
		return
	}
	// Decode everything except the schemas. This finds the remaining values of a wrong type.
	rest := maps.Clone(d.object.Content)
	if d.doc.Spec != nil {
		spec := maps.Clone(d.doc.Spec)
		versions := make([]any, len(d.Versions))
		for i, v := range d.Versions {
			raw := maps.Clone(v.doc.Raw)
			delete(raw, "schema")
			versions[i] = raw
		}
		spec["versions"] = versions
		rest["spec"] = spec
	}
	if err := decode(rest, &apiextensionsv1.CustomResourceDefinition{}); err != nil {
		var root *tree.Place
		r.add(Malformed, root, "not a CustomResourceDefinition: %v", err)
	}
}

func (d *Definition) metadata(r reading) {
	var root *tree.Place
	at := root.At("metadata")
	m := r.Mapping(d.object.Content, root, "metadata")
	name := r.Text(m, at, "name")
	if want := d.Plural + "." + d.Group; name != want && d.Plural != "" && d.Group != "" {
		r.add(Name, at.At("name"), "want %s (spec.names.plural and spec.group), found %s", tree.Shorten(want, tree.MaxValue), tree.OrNone(tree.Shorten(name, tree.MaxValue)))
	}
	if r.Text(m, at, "generateName") != "" {
		r.add(Name, at.At("generateName"), "the name of a CRD cannot be generated, because it consists of spec.names.plural and spec.group; remove generateName")
	}
	meta := &metav1.ObjectMeta{}
	rest := maps.Clone(m)
	for _, f := range []string{"name", "annotations", "labels"} {
		delete(rest, f)
	}
	_ = decode(rest, meta) // this error is reported by the method envelope
	meta.Name = name
	annotations := r.Mapping(m, at, "annotations")
	meta.Annotations = map[string]string{}
	for _, k := range tree.SortedKeys(annotations) {
		meta.Annotations[k] = r.Text(annotations, at.At("annotations"), k)
	}
	labels := r.Mapping(m, at, "labels")
	meta.Labels = map[string]string{}
	for _, k := range tree.SortedKeys(labels) {
		meta.Labels[k] = r.Text(labels, at.At("labels"), k)
	}
	for _, err := range validation.ValidateObjectMeta(meta, false, validation.NameIsDNSSubdomain, field.NewPath("metadata")) {
		r.add(Name, at.At(strings.Split(strings.TrimPrefix(err.Field, "metadata."), ".")[0]), "%s", errorText(err, d.object.Content))
	}
	if apihelpers.IsProtectedCommunityGroup(d.Group) {
		switch state, reason := apihelpers.GetAPIApprovalState(meta.Annotations); state {
		case apihelpers.APIApproved, apihelpers.APIApprovalBypassed:
		default:
			r.add(Approval, at.At("annotations"), "the group %[2]s belongs to the Kubernetes community, so its CRDs need the annotation %[1]s: %[3]s",
				apiextensionsv1.KubeAPIApprovedAnnotation, d.Group, reason)
		}
	}
}

// decode converts plain data to a type of the API server.
func decode(data, into any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return utiljson.Unmarshal(text, into)
}

// naming checks group, scope and names.
func (d *Definition) naming(r reading) {
	at, names := d.doc.SpecAt, d.doc.SpecAt.At("names")
	bad := func(at *tree.Place, value string, errs []string) {
		if len(errs) > 0 {
			r.add(Names, at, "found %q: %s", tree.Shorten(value, tree.MaxValue), brief(errs))
		}
	}
	switch {
	case d.Group == "":
		r.add(Names, at, "want a group, found none")
	case !strings.Contains(d.Group, "."):
		r.add(Names, at.At("group"), "want a domain name with a dot, such as %s.example.com", tree.Shorten(d.Group, tree.MaxValue))
		fallthrough
	default:
		bad(at.At("group"), d.Group, utilvalidation.IsDNS1123Subdomain(d.Group))
	}
	if scope := r.Text(d.doc.Spec, at, "scope"); scope != "Namespaced" && scope != "Cluster" {
		r.add(Names, at.At("scope"), "want Namespaced or Cluster, found %s", tree.OrNone(tree.Shorten(scope, tree.MaxValue)))
	}
	listKind := r.Text(d.doc.Names, names, "listKind")
	for _, c := range []struct {
		field, value string
		required     bool
	}{
		{"plural", d.Plural, true},
		{"singular", r.Text(d.doc.Names, names, "singular"), false},
		{"kind", d.Kind, true},
		{"listKind", listKind, false},
	} {
		switch {
		case c.value == "" && c.required:
			r.add(Names, names, "want %s, found none", c.field)
		case c.value != "":
			bad(names.At(c.field), c.value, utilvalidation.IsDNS1035Label(strings.ToLower(c.value)))
			if strings.ToLower(c.value) != c.value && (c.field == "plural" || c.field == "singular") {
				r.add(Names, names.At(c.field), "want lower case, found %q", tree.Shorten(c.value, tree.MaxValue))
			}
		}
	}
	if errs := utilvalidation.IsDNS1035Label(strings.ToLower(d.Kind)); listKind == "" && d.Kind != "" && len(errs) == 0 {
		// If listKind is absent, the API server uses the kind with the suffix List.
		bad(names, d.Kind+"List", utilvalidation.IsDNS1035Label(strings.ToLower(d.Kind+"List")))
	}
	if listKind != "" && listKind == d.Kind {
		r.add(Names, names.At("listKind"), "want a name that differs from kind, found %s in both", d.Kind)
	}
	for _, f := range []string{"shortNames", "categories"} {
		for i, s := range r.Texts(d.doc.Names, names, f) {
			bad(names.At(f).Nth(i), s, utilvalidation.IsDNS1035Label(s))
		}
	}
}

// versions checks the list of versions, and each version except its schema.
func (d *Definition) versions(r reading) {
	at := d.doc.SpecAt.At("versions")
	var seen, storage []string
	for _, v := range d.Versions {
		if slices.Contains(seen, v.Name) {
			r.add(Versions, v.doc.At.At("name"), "want each version name only once, found %q twice", tree.Shorten(v.Name, tree.MaxValue))
		}
		seen = append(seen, v.Name)
		if v.Storage {
			storage = append(storage, v.Name)
		}
		if errs := utilvalidation.IsDNS1035Label(v.Name); len(errs) > 0 {
			r.add(Versions, v.doc.At.At("name"), "found %q: %s", tree.Shorten(v.Name, tree.MaxValue), brief(errs))
		}
		v.deprecation(r)
		v.scale(r)
		v.columns(r)
	}
	if len(storage) != 1 {
		r.add(Versions, at, "want one version with storage: true, found %d", len(storage))
	}
}

func (v *Version) deprecation(r reading) {
	at := v.doc.At.At("deprecationWarning")
	warning, ok := r.OptionalText(v.doc.Raw, v.doc.At, "deprecationWarning")
	if !ok {
		return
	}
	if !r.Flag(v.doc.Raw, v.doc.At, "deprecated") {
		r.add(Versions, at, "a deprecation warning has no effect without deprecated: true; add it")
	}
	if n := len(warning); n == 0 || n > 256 {
		r.add(Versions, at, "want 1 to 256 bytes, found %d", n)
	}
	if i := strings.IndexFunc(warning, func(c rune) bool { return !unicode.IsPrint(c) }); i >= 0 {
		r.add(Versions, at, "want only printable characters, found another character at byte %d", i)
	}
}

func (v *Version) scale(r reading) {
	at := v.doc.Part("subresources")
	m := r.Mapping(r.Mapping(v.doc.Raw, v.doc.At, "subresources"), at, "scale")
	if m == nil {
		return
	}
	at = at.At("scale")
	for _, c := range []struct {
		field    string
		required bool
		below    []string
	}{
		{"specReplicasPath", true, []string{".spec."}},
		{"statusReplicasPath", true, []string{".status."}},
		{"labelSelectorPath", false, []string{".spec.", ".status."}},
	} {
		path := r.Text(m, at, c.field)
		ok := slices.ContainsFunc(c.below, func(p string) bool { return strings.HasPrefix(path, p) })
		switch {
		case path == "" && c.required:
			r.add(Subresources, at, "want %s, found none", c.field)
		case path != "" && !ok:
			r.add(Subresources, at.At(c.field), "want a path such as %sreplicas, found %q", c.below[0], tree.Shorten(path, tree.MaxValue))
		}
	}
}

var (
	columnTypes   = []string{"boolean", "date", "integer", "number", "string"}
	columnFormats = []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
)

func (v *Version) columns(r reading) {
	at, jsonPath := v.doc.Part("additionalPrinterColumns"), v.columnPath()
	for i, item := range r.List(v.doc.Raw, v.doc.At, "additionalPrinterColumns") {
		at := at.Nth(i)
		m := r.Item(item, at)
		if r.Text(m, at, "name") == "" {
			r.add(Columns, at, "want a name, found none")
		}
		if kind := r.Text(m, at, "type"); !slices.Contains(columnTypes, kind) {
			r.add(Columns, at.At("type"), "want one of %s, found %s", strings.Join(columnTypes, ", "), tree.OrNone(tree.Shorten(kind, tree.MaxValue)))
		}
		if format := r.Text(m, at, "format"); format != "" && !slices.Contains(columnFormats, format) {
			r.add(Columns, at.At("format"), "want one of %s, found %s", strings.Join(columnFormats, ", "), tree.Shorten(format, tree.MaxValue))
		}
		if path := r.Text(m, at, jsonPath); !strings.HasPrefix(path, ".") {
			r.add(Columns, at.At(jsonPath), "want a path that begins with a dot, such as .spec.replicas, found %s", tree.OrNone(tree.Shorten(path, tree.MaxValue)))
		}
		r.Integer(m, at, "priority")
		r.Text(m, at, "description")
	}
}

// preserving reports defaults and a conversion webhook in a CRD that preserves unknown fields,
// because the API server allows neither. Only CRDs that were created in v1beta1 can preserve
// unknown fields.
func (d *Definition) preserving(r reading) {
	if !d.doc.Preserves() {
		return
	}
	at := d.doc.SpecAt.At("preserveUnknownFields")
	for _, v := range d.Versions {
		if v.doc.Schema != nil && hasDefault(v.doc.Schema) {
			r.add(Versions, at, "found true, want false, because a schema has defaults")
		}
	}
	if c := r.Mapping(d.doc.Spec, d.doc.SpecAt, "conversion"); c != nil && c["strategy"] == "Webhook" {
		r.add(Versions, at, "want false, because a webhook converts objects, found true")
	}
}

// conversion checks the conversion of objects between versions.
func (d *Definition) conversion(r reading) {
	m := r.Mapping(d.doc.Spec, d.doc.SpecAt, "conversion")
	if m == nil {
		return
	}
	at := d.doc.SpecAt.At("conversion")
	hook := r.Mapping(m, at, "webhook")
	hookAt := at.At("webhook")
	clientAt, reviewsAt := hookAt.At("clientConfig"), hookAt.At("conversionReviewVersions")
	if d.doc.Beta {
		hookAt, clientAt, reviewsAt = at, at.At("webhookClientConfig"), at.At("conversionReviewVersions")
	}
	client := r.Mapping(hook, hookAt, "clientConfig")
	versions := r.Texts(hook, hookAt, "conversionReviewVersions")
	switch strategy := r.Text(m, at, "strategy"); strategy {
	case "None":
		if client != nil || len(versions) > 0 {
			r.add(Conversion, hookAt, "the strategy None has no webhook; remove it, or use the strategy Webhook")
		}
	case "Webhook":
		d.webhook(r, client, clientAt)
		var known bool
		for i, v := range versions {
			known = known || v == "v1" || v == "v1beta1"
			if slices.Contains(versions[:i], v) {
				r.add(Conversion, reviewsAt.Nth(i), "want each version only once, found %q twice", tree.Shorten(v, tree.MaxValue))
			}
			if errs := utilvalidation.IsDNS1035Label(v); len(errs) > 0 {
				r.add(Conversion, reviewsAt.Nth(i), "found %q: %s", tree.Shorten(v, tree.MaxValue), brief(errs))
			}
		}
		if !known {
			r.add(Conversion, reviewsAt, "want v1 or v1beta1 in the list, found %s", tree.OrNone(strings.Join(versions, ", ")))
		}
	default:
		r.add(Conversion, at.At("strategy"), "want None or Webhook, found %s", tree.OrNone(tree.Shorten(strategy, tree.MaxValue)))
	}
}

// webhook checks the address of a conversion webhook.
func (d *Definition) webhook(r reading, client map[string]any, at *tree.Place) {
	text, hasURL := r.OptionalText(client, at, "url")
	service := r.Mapping(client, at, "service")
	if _, err := base64.StdEncoding.DecodeString(r.Text(client, at, "caBundle")); err != nil {
		r.add(Conversion, at.At("caBundle"), "want certificates in base64: %v", err)
	}
	switch {
	case hasURL == (service != nil):
		r.add(Conversion, at, "want a url or a service, found %s", map[bool]string{true: "both", false: "neither"}[hasURL])
	case hasURL:
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" || u.RawQuery != "" {
			r.add(Conversion, at.At("url"), "want https://HOST/PATH without user, query or fragment, found %q", tree.Shorten(text, tree.MaxValue))
		}
	default:
		at := at.At("service")
		for _, f := range []string{"name", "namespace"} {
			if r.Text(service, at, f) == "" {
				r.add(Conversion, at, "want a %s, found none", f)
			}
		}
		if path, ok := r.OptionalText(service, at, "path"); ok && !isServicePath(path) {
			r.add(Conversion, at.At("path"), "want /SEGMENT/SEGMENT… with lower case letters, digits, dots and dashes, found %q", tree.Shorten(path, tree.MaxValue))
		}
		r.Integer(service, at, "port")
		if port, ok := service["port"].(int64); ok && (port < 1 || port > 65535) {
			r.add(Conversion, at.At("port"), "want 1 to 65535, found %d", port)
		}
	}
}

func isServicePath(path string) bool {
	rest, ok := strings.CutPrefix(path, "/")
	if path == "" || rest == "" {
		return path == "" || ok
	}
	if !ok {
		return false
	}
	for _, segment := range strings.Split(strings.TrimSuffix(rest, "/"), "/") {
		if len(utilvalidation.IsDNS1123Subdomain(segment)) > 0 {
			return false
		}
	}
	return true
}

// brief joins error messages of the API server's libraries. It removes the examples and
// regular expressions at the end of each message.
func brief(errs []string) string {
	short := make([]string, len(errs))
	for i, e := range errs {
		short[i], _, _ = strings.Cut(e, " (e.g. ")
	}
	return strings.Join(short, "; ")
}
