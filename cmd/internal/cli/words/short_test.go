// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
)

func TestShort(t *testing.T) {
	image := fieldpath.MakePathOrDie("spec", "template", "spec", "containers", fieldpath.KeyByFields("name", "api"), "image")
	port := fieldpath.MakePathOrDie("spec", "ports", fieldpath.KeyByFields("port", 9090, "protocol", "TCP"), "targetPort")
	for _, tt := range []struct {
		d       Difference
		columns int
		want    string
	}{
		{Difference{port, "metrics", 9091, true, true}, 80, ".spec.ports[9090/TCP].targetPort: metrics → 9091"},
		{Difference{port, nil, 9091, false, true}, 80, ".spec.ports[9090/TCP].targetPort: 9091"},
		{Difference{image, "registry.example.com/shop/api:2.4.0", "registry.example.com/shop/api:2.5.0", true, true}, 120,
			".spec.template.spec.containers[api].image: registry.example.com/shop/api:2.4.0 → registry.example.com/shop/api:2.5.0"},
		{Difference{image, "registry.example.com/shop/api:2.4.0", "registry.example.com/shop/api:2.5.0", true, true}, 80,
			".spec.template.spec.containers[api].image: …/api:2.4.0 → …/api:2.5.0"},
		{Difference{image, "registry.example.com/shop/api:2.4.0", "registry.example.com/shop/api:2.5.0", true, true}, 50,
			"….spec.containers[api].image: …:2.4.0 → …:2.5.0"},
		{Difference{image, "registry.example.com/shop/api:2.4.0", "registry.example.com/shop/api:2.5.0", true, true}, 30,
			"…[api].image: …:2.4.0 → …:2.5.0"},
		{Difference{fieldpath.MakePathOrDie("data", "a"), "a\nb\n", "a\nc\nd\n", true, true}, 80, ".data.a: (2 lines) → (3 lines, 2 of them new)"},
	} {
		if got, _ := tt.d.Short(tt.columns); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
