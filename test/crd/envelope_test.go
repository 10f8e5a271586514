// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestEnvelopes compares the validation of everything in a CRD except its schemas with
// apiextensions. It uses random names, conversions, columns, subresources, selectable fields
// and metadata. The versions of a CRD are partly equal.
func TestEnvelopes(t *testing.T) {
	accepted, refused := 0, 0
	rules := map[crd.Rule]int{}
	for seed := *first; seed < *first+*crds/2; seed++ {
		g := &generator{rand.New(rand.NewPCG(seed, 11)), 6}
		doc := g.envelope()
		errs, err := upstream(t, doc)
		theirs := len(errs) > 0 || err != nil
		defs, readErr := crd.Read("crd", []byte(plain.Text(doc)))
		if readErr != nil {
			if !theirs {
				t.Errorf("seed %d: kube/crd: %v\n%s", seed, readErr, plain.Text(doc))
			}
			continue // the name of the CRD is not a string
		}
		found := defs[0].Validate()
		for _, f := range found {
			rules[f.Rule]++
		}
		if theirs {
			refused++
		} else {
			accepted++
		}
		if theirs != (len(found) > 0) {
			t.Errorf("seed %d: apiextensions: %v %v\nkube/crd: %v\n%s", seed, errs, err, found, plain.Text(doc))
		}
	}
	t.Logf("%d CRDs accepted, %d rejected", accepted, refused)
	for _, r := range slices.Sorted(maps.Keys(rules)) {
		t.Logf("%6d  %s", rules[r], r)
	}
	if accepted < refused/4 || refused < accepted/4 {
		t.Error("too little was tested")
	}
	for _, r := range []crd.Rule{crd.Name, crd.Names, crd.Versions, crd.Conversion, crd.Columns, crd.Subresources, crd.Selectable, crd.Approval, crd.NoSchema, crd.Malformed} {
		if rules[r] == 0 {
			t.Errorf("no CRD broke the rule %s", r)
		}
	}
}

// envelope returns a CRD with simple schemas and with all other fields that a CRD may have.
func (g *generator) envelope() map[string]any {
	word := func(good ...string) string {
		if g.oops(8) {
			return pick(g, "", "Bad", "a b", "1x", "x.y", "-x", "x-", "straße", strings.Repeat("x", 64), strings.Repeat("x", 63), "a_b")
		}
		return pick(g, good...)
	}
	names := map[string]any{"kind": word("Thing", "THING", "thing"), "plural": word("things", "thing", "t-h")}
	if g.chance(3) {
		names["singular"] = word("thing", "th")
	}
	if g.chance(3) {
		names["listKind"] = word("ThingList", "Things", "thinglist", "Thing")
	}
	if g.chance(4) {
		names["shortNames"] = g.texts(word, "t", "th")
	}
	if g.chance(4) {
		names["categories"] = g.texts(word, "all", "mine")
	}
	group := "example.com"
	if g.oops(3) {
		group = pick(g, "", "example", "Example.com", "x.k8s.io", "storage.kubernetes.io", "k8s.io", "a.b.c", ".com", "a..b", strings.Repeat("a", 250)+".com")
	}
	m := map[string]any{"name": fmt.Sprintf("%v.%s", names["plural"], group)}
	if g.oops(10) {
		m["name"] = pick(g, "", "things", "Things.example.com")
	}
	if g.chance(4) {
		m["annotations"] = map[string]any{
			pick(g, "api-approved.kubernetes.io", "a", "a/b"): pick(g, "", "unapproved, test", "https://github.com/kubernetes/kubernetes/pull/1", "https://x", "no", "x\ny"),
		}
	}
	if g.chance(4) {
		m["labels"] = map[string]any{pick(g, "a", "a/b", "A-b"): pick(g, "", "x")}
		if g.oops(1) {
			m["labels"] = map[string]any{pick(g, "a", "a b", "a/", "a/b/c", "-"): pick(g, "x", "x y", "-")}
		}
	}
	if g.oops(4) {
		maps.Copy(m, pick(g, map[string]any{"finalizers": []any{pick(g, "a", "a.b/c", "x y")}}, map[string]any{"generateName": pick(g, "x-", "X")},
			map[string]any{"namespace": "x"}, map[string]any{"generation": pick(g, -1, 1)},
			map[string]any{"ownerReferences": []any{map[string]any{"apiVersion": pick(g, "v1", ""), "kind": "X", "name": pick(g, "x", ""), "uid": "1", "controller": true}}},
			map[string]any{"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "X", "name": "x", "uid": pick(g, "1", ""), "controller": g.chance(2)}}}))
	}
	spec := map[string]any{"group": group, "names": names, "scope": word("Namespaced", "Cluster")}
	if g.chance(8) {
		spec["preserveUnknownFields"] = g.chance(3)
	}
	if g.chance(3) {
		spec["conversion"] = g.conversion()
	}
	// Some fields are the same in all versions, and the other fields differ.
	var versions []any
	count := 1 + g.IntN(3)
	if g.oops(20) {
		count = 0
	}
	storage := g.IntN(max(count, 1))
	common := map[string]any{}
	for i := range count {
		v := map[string]any{"name": fmt.Sprintf("v%d", i+1), "served": !g.chance(4), "storage": i == storage}
		if g.oops(6) {
			v["name"] = word("v1", "v2")
		}
		if g.oops(6) {
			v["storage"] = g.chance(2)
		}
		for _, part := range []struct {
			name string
			make func() any
		}{
			{"schema", g.plainSchema},
			{"subresources", g.subresources},
			{"additionalPrinterColumns", g.columns},
			{"selectableFields", g.selectable},
		} {
			p := part.make()
			if shared, ok := common[part.name]; ok && !g.chance(6) {
				p = shared
			}
			common[part.name] = p
			if p != nil {
				v[part.name] = p
			}
		}
		if g.chance(6) {
			v["deprecated"] = g.chance(2)
		}
		if g.chance(8) {
			v["deprecationWarning"] = pick(g, "old", "old", "old", "", strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("é", 129), "a\tb", "a\u00a0b", "é", "a\u200bb")
			v["deprecated"] = !g.oops(1)
		}
		versions = append(versions, v)
	}
	spec["versions"] = versions
	doc := map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": m, "spec": spec}
	if g.oops(10) {
		// Give one field a value of the wrong type.
		wrong := pick[any](g, 5, "x", true, []any{1}, map[string]any{"a": 1}, nil)
		at := pick(g, doc, m, spec, names)
		if len(versions) > 0 && g.chance(3) {
			at = versions[0].(map[string]any)
		}
		at[pick(g, slices.Sorted(maps.Keys(at))...)] = wrong
		doc["apiVersion"], doc["kind"] = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	}
	return doc
}

func (g *generator) texts(word func(good ...string) string, good ...string) []any {
	all := []any{}
	for range g.IntN(3) {
		all = append(all, word(good...))
	}
	return all
}

func (g *generator) conversion() map[string]any {
	c := map[string]any{"strategy": pick(g, "None", "Webhook", "Webhook", "Webhook")}
	if g.oops(6) {
		c["strategy"] = pick(g, "", "none", "Magic")
	}
	if c["strategy"] == "None" && !g.oops(3) {
		return c
	}
	client := map[string]any{}
	if g.chance(2) {
		client["url"] = "https://example.com/convert"
		if g.oops(2) {
			client["url"] = pick(g, "", "http://example.com", "https://", "https://u:p@example.com", "https://example.com?a=b", "https://example.com#a",
				"https://example.com:443/", "https://[::1]:1/", "https://a b", "example.com", "https:///x", "https://example.com/#", "https://example.com/?", "https://127.0.0.1", "HTTPS://example.com")
		}
	}
	if (client["url"] == nil) != g.oops(6) {
		s := map[string]any{"name": "hook", "namespace": "default"}
		if g.chance(2) {
			s["path"] = "/convert"
			if g.oops(2) {
				s["path"] = pick(g, "", "/", "//", "x", "/a//b", "/a/", "/a/b", "/A", "/a b", "/a_b", "/.", "/a/..", "///")
			}
		}
		if g.chance(2) {
			s["port"] = pick(g, 443, 1, 65535)
			if g.oops(2) {
				s["port"] = pick[any](g, 0, 65536, -1, 443.5, "443", nil, 4294967739)
			}
		}
		if g.oops(4) {
			s[pick(g, "name", "namespace")] = pick[any](g, "", "A B", nil)
		}
		client["service"] = s
	}
	if g.chance(3) {
		client["caBundle"] = pick(g, "", "eA==", "LS0t")
		if g.oops(2) {
			client["caBundle"] = pick[any](g, "x", "not base64!", 5)
		}
	}
	hook := map[string]any{}
	if !g.oops(6) {
		hook["clientConfig"] = client
	}
	reviews := []any{"v1"}
	if g.oops(1) {
		reviews = pick(g, []any{"v1beta1"}, []any{"v1", "v1"}, []any{"v2"}, []any{}, []any{"v2", "v1"}, []any{"v1", "A b"}, []any{"v1", ""}, []any{"v1beta1", "v1"})
	}
	hook["conversionReviewVersions"] = reviews
	if g.oops(4) {
		delete(hook, "conversionReviewVersions")
	}
	if !g.oops(8) {
		c["webhook"] = hook
	}
	return c
}

// plainSchema returns one of a few simple schemas. The API server treats some of them as equal.
func (g *generator) plainSchema() any {
	field := func(kind string) map[string]any {
		return map[string]any{"type": kind}
	}
	root := map[string]any{"type": "object", "properties": map[string]any{
		"spec":   map[string]any{"type": "object", "properties": map[string]any{"a": field("string"), "b": field("integer"), "c": field("object"), "d": field("boolean"), "e": field("number")}},
		"status": map[string]any{"type": "object", "properties": map[string]any{"a": field("string")}},
	}}
	switch g.IntN(6) {
	case 0:
		root["description"] = "another one"
	case 1:
		root["required"] = []any{} // the API server treats this schema as equal
	case 2:
		root["x-unknown"] = true // the API server ignores this keyword, so this schema is also equal
	case 3:
		root["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.oops(10) {
		root["maxProperties"] = 5 // not allowed with a status subresource
	}
	if g.oops(20) {
		return pick[any](g, nil, map[string]any{}, map[string]any{"openAPIV3Schema": nil})
	}
	return map[string]any{"openAPIV3Schema": root}
}

func (g *generator) subresources() any {
	if g.chance(2) {
		return nil
	}
	s := map[string]any{}
	if g.chance(2) {
		s["status"] = map[string]any{}
	}
	if g.oops(20) {
		s["status"] = pick[any](g, nil, map[string]any{"x": 1})
	}
	if g.chance(2) {
		scale := map[string]any{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
		if g.chance(2) {
			scale["labelSelectorPath"] = pick(g, ".status.selector", ".spec.selector", "")
		}
		if g.oops(2) {
			scale[pick(g, "specReplicasPath", "statusReplicasPath", "labelSelectorPath")] = pick[any](g, "", ".", "spec.replicas", ".spec", ".spec.", ".status.", ".spec.a[0]", ".metadata.x", nil, ".spec..")
		}
		s["scale"] = scale
	}
	return s
}

func (g *generator) columns() any {
	if g.chance(2) {
		return nil
	}
	all := []any{}
	for range g.IntN(3) {
		c := map[string]any{"name": pick(g, "Age", "A b"), "type": pick(g, "boolean", "date", "integer", "number", "string"), "jsonPath": pick(g, ".spec.a", ".", ".a[0]", ".metadata.labels['a\\.b']")}
		if g.chance(4) {
			c["format"] = pick(g, "", "byte", "date", "date-time", "double", "float", "int32", "int64", "password")
		}
		if g.chance(4) {
			c["priority"] = pick(g, 0, 1, -1)
		}
		if g.chance(8) {
			c["description"] = pick(g, "", "x")
		}
		if g.oops(4) {
			k := pick(g, "name", "type", "jsonPath", "format", "priority", "description", "JSONPath")
			c[k] = pick[any](g, "", "x", 5, nil, "String", "{.spec.a}", 4294967296, 1.5)
		}
		all = append(all, c)
	}
	return all
}

func (g *generator) selectable() any {
	if !g.chance(4) {
		return nil
	}
	all := []any{}
	count := g.IntN(3)
	if g.oops(10) {
		count = 9
	}
	for range count {
		f := map[string]any{"jsonPath": pick(g, ".spec.a", ".spec.b", ".spec.d", ".status.a")}
		if g.oops(4) {
			f["jsonPath"] = pick[any](g, "", ".", "spec.a", ".spec.c", ".spec.e", ".spec.none", ".metadata.name", ".spec['a']", ".spec[0]", ".kind", ".apiVersion", nil, 5, ".spec.a.", "..a")
		}
		all = append(all, f)
	}
	return all
}
