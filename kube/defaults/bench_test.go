// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "testing"

func BenchmarkReadTable(b *testing.B) {
	text, err := tables.ReadFile("tables/1.37.txt")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		readTable(string(text), "1.37").kind("apps/v1", "Deployment")
	}
}

func BenchmarkFill(b *testing.B) {
	pod := read(b, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{name: a, image: x, ports: [{containerPort: 80}]}]}}}}`).(map[string]any)
	full := newest(b).Fill(pod, Options{})
	release := newest(b)
	for name, object := range map[string]map[string]any{"New": pod, "Full": full} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				release.Fill(object, Options{})
			}
		})
	}
}
