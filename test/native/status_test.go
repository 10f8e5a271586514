// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

// TestStatusOfNewObjects creates objects with a status. A server keeps the status of new Nodes, and
// removes it from all other new objects. Package kube/predict relies on this.
func TestStatusOfNewObjects(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string, e *native.Engine) {
		types, err := openapi.BuiltinRelease(release, openapi.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept, removed := map[string]bool{}, map[string]bool{}
		for _, o := range objects(t, release) {
			apiVersion, kind := o["apiVersion"].(string), o["kind"].(string)
			k, ok := types.Kind(apiVersion, kind)
			if !ok || !slices.Contains(k.Subresources, "status") {
				continue
			}
			p, ok := types.Type(apiVersion, kind)
			if !ok {
				t.Fatal(name(o))
			}
			for field, v := range statusFields(p.Schema, p.TypeRef) {
				if field == "qosClass" {
					continue // before 1.37, a server keeps the QoS class that a new Pod sends; kube/predict does not
				}
				o["status"] = map[string]any{field: v}
				r := send(t, e, &native.Request{Verb: native.Create, Object: o})
				if r.Unknown || r.Status != nil {
					continue
				}
				status, _ := r.Object["status"].(map[string]any)
				if got := status[field]; reflect.DeepEqual(got, v) {
					kept[name(o)] = true
				} else {
					removed[name(o)] = true
				}
			}
		}
		if len(kept) != 1 || !kept["v1 Node"] {
			t.Errorf("new objects of these kinds keep their status: %v", kept)
		}
		if len(removed) < 20 {
			t.Errorf("only new objects of these kinds lose their status: %v", removed)
		}
	})
}

// statusFields returns fields of the status of a type, each with a value. It skips fields for which
// it cannot make a value.
func statusFields(s *schema.Schema, object schema.TypeRef) map[string]any {
	values := map[string]any{}
	for _, status := range fieldsOf(s, object) {
		if status.Name != "status" {
			continue
		}
		for _, f := range fieldsOf(s, status.Type) {
			if v := someValue(s, f.Type, 0); v != nil {
				values[f.Name] = v
			}
		}
	}
	return values
}

func fieldsOf(s *schema.Schema, ref schema.TypeRef) []schema.StructField {
	if atom, ok := s.Resolve(ref); ok && atom.Map != nil {
		return atom.Map.Fields
	}
	return nil
}

// someValue returns a value of a type, or nil if it cannot make one.
func someValue(s *schema.Schema, ref schema.TypeRef, depth int) any {
	atom, ok := s.Resolve(ref)
	switch {
	case !ok || depth > 3:
	case atom.Scalar != nil:
		switch *atom.Scalar {
		case schema.String:
			return "1"
		case schema.Numeric:
			return int64(1)
		case schema.Boolean:
			return true
		}
	case atom.List != nil:
		if item := someValue(s, atom.List.ElementType, depth+1); item != nil {
			return []any{item}
		}
	case atom.Map != nil && len(atom.Map.Fields) == 0:
		if v := someValue(s, atom.Map.ElementType, depth+1); v != nil {
			return map[string]any{"cpu": v}
		}
	case atom.Map != nil:
		m := map[string]any{}
		for _, f := range atom.Map.Fields {
			if v := someValue(s, f.Type, depth+1); v != nil && !strings.Contains(strings.ToLower(f.Name), "time") {
				m[f.Name] = v
			}
		}
		return m
	}
	return nil
}
