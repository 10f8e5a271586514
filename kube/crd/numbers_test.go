// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
)

// Lint must report a bound if and only if the API server's validator rejects valid
// values because of the bound. The error about a value must have the path of the value.
func TestBoundFormat(t *testing.T) {
	const message = "no value is valid"
	for _, typ := range []string{
		"type: integer", "type: integer, format: int32", "type: integer, format: int64", "type: integer, format: uint32",
		"type: number", "type: number, format: float", "type: number, format: double", "type: number, format: int32",
		"x-kubernetes-int-or-string: true",
	} {
		for _, bound := range []string{
			"maximum: 2147483647", "maximum: 2147483648", "maximum: 4294967295", "maximum: 9223372036854774784",
			"maximum: 9223372036854775807", "maximum: 18446744073709551615", "maximum: 1.5", "maximum: 3.4028235e+38",
			"maximum: 3.5e+38", "maximum: 1e+40", "minimum: -2147483648", "minimum: -2147483649", "minimum: -9223372036854775807",
			"minimum: -9223372036854775808", "minimum: -1e+40", "multipleOf: 0.5", "multipleOf: 4294967296",
			"maximum: 2147483648, exclusiveMaximum: true", "minimum: -2147483649, exclusiveMinimum: true",
		} {
			d := crdtest.Read(t, crdtest.Document("type: object\nproperties: {spec: {type: object, properties: {list: {type: array, x-kubernetes-list-type: atomic, items: {"+typ+", "+bound+"}}}}}"))
			reported := false
			for _, f := range d.Lint() {
				reported = reported || f.Rule == crd.BoundFormat
			}
			rejected := false
			object := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{"list": []any{int64(1)}}}
			found, err := d.Versions[0].Validate(object, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if !strings.Contains(f.Message, message) {
					continue
				}
				rejected = true
				if keyword, _, _ := strings.Cut(bound, ":"); f.Path != ".spec.list[0]" || !strings.Contains(f.Message, keyword) {
					t.Errorf("{%s, %s}: got %v", typ, bound, f)
				}
			}
			if reported != rejected {
				t.Errorf("{%s, %s}: reported by Lint %v, rejected %v: %v", typ, bound, reported, rejected, found)
			}
		}
	}
}
