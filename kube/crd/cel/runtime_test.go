// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/flow"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/crdtest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// The test updates the largest objects that the bounds allow. An API server accepts a rule
// because of its estimated cost, but could still stop the rule at run time if the actual
// cost is too high. The lists in these schemas have no bounds, so the test adds the bounds
// that Translate suggests.
func TestRuntimeCost(t *testing.T) {
	if testing.Short() {
		t.Skip("large objects")
	}
	for _, c := range []struct {
		name, schema string
		// item returns the item with the given index. The list has as many items as its bound
		// allows. If reverse is set, the new object has the items in reverse order.
		item    func(i int) string
		reverse bool
	}{
		{"set of objects", "{type: array, x-kubernetes-list-type: set, x-kubernetes-immutable: true, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string, maxLength: 64}, b: {type: integer}}}}",
			func(i int) string { return fmt.Sprintf("{a: '%064d', b: %d}", i, i) }, true},
		{"set of lists", "{type: array, x-kubernetes-list-type: set, x-kubernetes-immutable: true, items: {type: array, maxItems: 8, items: {type: string, maxLength: 64}}}",
			func(i int) string { return fmt.Sprintf("['%064d', b, c, d, e, f, g, h]", i) }, true},
		{"keys of other names", "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [namespace, a-b], x-kubernetes-immutable-keys: true, items: {type: object, required: [namespace, a-b], properties: {namespace: {type: string, maxLength: 63, x-kubernetes-immutable: true}, a-b: {type: string, maxLength: 253, x-kubernetes-immutable: true}}}}",
			func(i int) string { return fmt.Sprintf("{namespace: '%063d', a-b: '%0253d'}", i, i) }, true},
		{"objects by index", "{type: array, items: {type: object, properties: {a: {type: string, maxLength: 253, x-kubernetes-immutable: true}, b: {type: string, maxLength: 253, x-kubernetes-immutable: true}}}}",
			func(i int) string { return fmt.Sprintf("{a: '%0253d', b: '%0253d'}", i, i) }, false},
		{"cells", "{type: array, items: {type: array, items: {type: boolean, x-kubernetes-immutable: true}}}",
			func(int) string { return "[" + strings.Repeat("true, ", 127) + "true]" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := crdtest.Document("type: object\nproperties:\n  l: " + c.schema)
			_, translation := translated(t, doc, cel.Options{})
			count := 0
			for len(translation.Missing) > 0 {
				doc = bounded(t, doc, translation.Missing, &count)
				_, translation = translated(t, doc, cel.Options{})
			}
			out, _ := translated(t, doc, cel.Options{})
			items := make([]string, count)
			for i := range items {
				items[i] = c.item(i)
			}
			object := func() map[string]any {
				return crdtest.Values(t, "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x, namespace: ns}, l: ["+strings.Join(items, ", ")+"]}")[0]
			}
			old := object()
			if c.reverse {
				slices.Reverse(items)
			}
			v, _ := crdtest.Read(t, out).Version("v1")
			found, err := v.Validate(object(), old)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d items", count)
			if len(found) > 0 {
				t.Errorf("%d items: %.1000v", count, found)
			}
			if count < 10 {
				t.Errorf("the bound of %d items is too low to be useful", count)
			}
		})
	}
}

// bounded adds the missing bounds to a CRD. It stores the bound of the list field l in
// *count.
func bounded(t *testing.T, doc string, missing []cel.MissingBound, count *int) string {
	t.Helper()
	objects, err := manifest.Read("crd.yaml", []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missing {
		if len(m.Bounds) == 0 {
			t.Fatal(m.Message)
		}
		for _, b := range m.Bounds {
			var schema any = objects[0].Content
			for _, s := range b.Steps {
				if i, ok := s.(int); ok {
					schema = schema.([]any)[i]
				} else {
					schema = schema.(map[string]any)[s.(string)]
				}
			}
			if found, ok := schema.(map[string]any)[b.Keyword].(int64); !ok || found > b.Most {
				schema.(map[string]any)[b.Keyword] = b.Most
			}
			if strings.HasSuffix(b.Path, ".properties.l") {
				*count = int(b.Most)
			}
		}
	}
	return flow.Of(objects[0].Content, 1<<20)
}
