// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

func BenchmarkReadTable(b *testing.B) {
	all := known.Releases()
	newest := all[len(all)-1]
	text := newest.Text(releases.Defaults)
	b.ReportAllocs()
	for b.Loop() {
		readTable(text, newest.Minor).kind("apps/v1", "Deployment")
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
