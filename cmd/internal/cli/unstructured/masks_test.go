// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package unstructured

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// Hiding an object twice must give the same result as hiding it once, because objects from a
// cluster are hidden more than once.
func TestHiddenOnce(t *testing.T) {
	const data = `{"apiVersion":"v1","data":{"a":"MTIz"},"kind":"Secret"}`
	secret := map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": "s", "annotations": map[string]any{fieldmanager.LastAppliedAnnotation: data, "copy": "MTIzNDU2", "kapp.k14s.io/original": "x"}},
		"data":       map[string]any{"a": "MTIz", "b": "MTIzNDU2"},
		"stringData": map[string]any{"c": "plain"},
	}
	m := &Masks{}
	once := m.Hide(secret)
	twice := m.Hide(once)
	if !reflect.DeepEqual(once, twice) {
		t.Errorf("hidden once %v, twice %v", once, twice)
	}
	if got := m.Reveal(twice); !reflect.DeepEqual(got, secret) {
		t.Errorf("got %v, want %v", got, secret)
	}
}

// Values of any type are hidden, even if Hide is called twice. Reveal restores the
// values.
func TestHideShapes(t *testing.T) {
	const canary = "canary"
	for name, secret := range map[string]map[string]any{
		"scalars":      {"stringData": map[string]any{"a": int64(4711006), "b": 4711006.5, "c": true, "d": nil, "e": false}},
		"nested":       {"data": map[string]any{"a": map[string]any{canary: []any{canary, int64(4711006), map[string]any{canary: nil}}}}},
		"a text":       {"data": canary},
		"a list":       {"stringData": []any{canary, []any{int64(4711006)}}},
		"wrong field":  {"stringdata": map[string]any{"a": canary}, "password": canary},
		"wrong depth":  {"metadata": map[string]any{"name": "s", "stringData": map[string]any{"a": canary, "b": int64(4711006)}}},
		"list of them": {"kind": "Lst", "items": []any{map[string]any{"kind": "Secert", "data": map[string]any{"a": canary}}}},
		"wrong kind":   {"kind": "Cat", "stringData": map[string]any{"a": canary}},
		"wrong type":   {"kind": "Cat", "type": "Opaque", "data": map[string]any{"a": canary}},
		"applied as one": {"kind": "Cat", "data": map[string]any{"a": canary}, "metadata": map[string]any{"annotations": map[string]any{
			fieldmanager.LastAppliedAnnotation: `{"kind":"Secret","apiVersion":"v1","data":{"a":"canary"}}`,
		}}},
		"applied with a number": {"kind": "Cat", "data": map[string]any{"a": canary}, "metadata": map[string]any{"annotations": map[string]any{
			fieldmanager.LastAppliedAnnotation: `{"kind":"Secret","apiVersion":"v1","data":{"a":4711006}}`,
		}}},
		"annotations": {
			"stringData": map[string]any{"a": int64(4711006)},
			"metadata": map[string]any{"annotations": map[string]any{
				"number": "it is 4711006", "typo": `{"kind":"Secert","stringdata":{"a":"canary"}}`, "number in JSON": `{"kind":"secret","data":{"a":4711006}}`,
			}},
		},
	} {
		if secret["kind"] == nil {
			secret["kind"] = "Secret"
		}
		secret["apiVersion"] = "v1"
		m := &Masks{}
		once := m.Hide(secret)
		if text := fmt.Sprint(once); strings.Contains(text, canary) || strings.Contains(text, "4711006") || strings.Contains(text, "4.711") {
			t.Errorf("%s: hidden as %v", name, once)
		}
		if twice := m.Hide(once); !reflect.DeepEqual(once, twice) {
			t.Errorf("%s: hidden once %v, twice %v", name, once, twice)
		}
		if got := m.Reveal(once); !reflect.DeepEqual(got, secret) {
			t.Errorf("%s: got %v, want %v", name, got, secret)
		}
		if name != "list of them" && !Masked(once) || Masked(secret) {
			t.Errorf("%s: masked %v, and %v before it was hidden", name, Masked(once), Masked(secret))
		}
	}
}

// Reveal works even if a merge has removed the field by which an object was recognized.
func TestRevealAfterMerge(t *testing.T) {
	m := &Masks{}
	hidden := m.Hide(map[string]any{"apiVersion": "v1", "kind": "Cat", "type": "Opaque", "data": map[string]any{"a": "canary"}})
	delete(hidden, "type")
	want := map[string]any{"apiVersion": "v1", "kind": "Cat", "data": map[string]any{"a": "canary"}}
	if got := m.Reveal(hidden); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Reveal does not replace texts in other kinds that look like masks.
func TestRevealOtherKinds(t *testing.T) {
	m := &Masks{}
	m.Hide(map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"a": "canary", "b": int64(4711006)}})
	other := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "*** (1)", "b": int64(numberMasks)}}
	if got := m.Reveal(other); !reflect.DeepEqual(got, other) {
		t.Errorf("got %v", got)
	}
}

func TestLooksLikeSecret(t *testing.T) {
	for _, tt := range []struct {
		apiVersion, kind string
		want             bool
	}{
		{"v1", "Secret", true},
		{"v1", "secret", true},
		{"v1", "Secrets", true},
		{"v1", "Secert", true},
		{"v1", "Sercet", true},
		{"v1", "Sekrett", true},
		{"v1", " SECRET ", true},
		{"V1", "Secret", true},
		{"v2beta1", "Secret", true},
		{"core/v1", "Secret", true},
		{"apps/v1", "Secret", true},
		{"", "Secret", true},
		{"k8s.io/v1", "Secret", true},
		{"v1", "ConfigMap", false},
		{"v1", "Service", false},
		{"v1", "", false},
		{"bitnami.com/v1alpha1", "SealedSecret", false},
		{"external-secrets.io/v1", "ExternalSecret", false},
		{"secrets.example.com/v1", "Secret", false},
	} {
		if got := LooksLikeSecret(map[string]any{"apiVersion": tt.apiVersion, "kind": tt.kind}); got != tt.want {
			t.Errorf("%s %s: got %v", tt.apiVersion, tt.kind, got)
		}
	}
}
