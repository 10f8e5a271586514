// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package unstructured

import (
	"reflect"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// What is hidden is hidden once, so that it can be revealed: objects of a cluster are looked at
// several times.
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
