// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	many := func(n int, name func(i int) string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = name(i)
		}
		return out
	}
	for what, all := range map[string][]string{
		"one":         {"spec"},
		"empty name":  {"", "a"},
		"usual":       {"apiVersion", "kind", "metadata", "spec", "status"},
		"similar":     {"aXbXc", "aYbYc", "aZbZc", "aVbVc", "aWbWc"},
		"numbered":    many(2000, func(i int) string { return fmt.Sprintf("field%04d", i) }),
		"hash floods": many(3000, func(i int) string { return fmt.Sprintf("a%04da%04da", i, i) }),
		"too many":    many(70000, func(i int) string { return fmt.Sprint(i) }),
	} {
		slices.Sort(all)
		fields := make([]Field, len(all))
		for i, name := range all {
			fields[i] = Field{Name: name, Type: &Node{}}
		}
		m := NewMap(fields, &Node{})
		for i, name := range all {
			if f := m.Field(strings.Clone(name)); f != &fields[i] {
				t.Fatalf("%s: %q is not found", what, name)
			}
			for _, other := range []string{name + "x", "x" + name, strings.ToUpper(name) + "\x00"} {
				if _, is := slices.BinarySearch(all, other); !is && m.Field(other) != nil {
					t.Fatalf("%s: %q is found", what, other)
				}
			}
		}
		if slotted := m.names.byName == nil; slotted != (what != "hash floods" && what != "too many" && what != "numbered") {
			t.Errorf("%s: every field has a slot of its own: %v", what, slotted)
		}
	}
}

// TestNamesOfTypes checks that types like those of Kubernetes get slots, even large types and
// types with similar field names.
func TestNamesOfTypes(t *testing.T) {
	for what, names := range map[string]string{
		"any object": "apiVersion kind metadata spec status",
		"metadata": "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName" +
			" generation labels managedFields name namespace ownerReferences resourceVersion selfLink uid",
		"container": "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe" +
			" resizePolicy resources restartPolicy securityContext startupProbe stdin stdinOnce terminationMessagePath" +
			" terminationMessagePolicy tty volumeDevices volumeMounts workingDir",
		"schema": "$ref $schema additionalItems additionalProperties allOf anyOf default definitions dependencies" +
			" description enum example exclusiveMaximum exclusiveMinimum externalDocs format id items maxItems maxLength" +
			" maxProperties maximum minItems minLength minProperties minimum multipleOf not nullable oneOf pattern" +
			" patternProperties properties required title type uniqueItems x-kubernetes-embedded-resource" +
			" x-kubernetes-int-or-string x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type" +
			" x-kubernetes-preserve-unknown-fields x-kubernetes-validations",
	} {
		all := strings.Fields(names)
		slices.Sort(all)
		fields := make([]Field, len(all))
		for i := range fields {
			fields[i] = Field{Name: all[i], Type: &Node{}}
		}
		m := NewMap(fields, &Node{})
		if m.names.byName != nil || len(m.names.slots) > maxSpread*len(all) {
			t.Errorf("%s: %d fields have %d slots", what, len(all), len(m.names.slots))
		}
	}
}
