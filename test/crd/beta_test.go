// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestBeta reads random CRDs of v1beta1. apiextensions converts each of them to v1. The
// findings and the stored objects must be the same for both CRDs.
func TestBeta(t *testing.T) {
	good, bad, objects, moved := 0, 0, 0, 0
	for seed := *first; seed < *first+*crds/4; seed++ {
		g := &generator{rand.New(rand.NewPCG(seed, 12)), 30}
		doc := g.envelope()
		if g.chance(2) {
			doc = g.crd()
		}
		beta := g.beta(doc)
		if beta == nil {
			continue
		}
		v1, err := converted(beta)
		if err != nil {
			continue // the CRD cannot be decoded
		}
		ours, err := crd.Read("crd", []byte(plain.Text(beta)))
		if err != nil {
			t.Fatalf("seed %d: %v in %s", seed, err, plain.Text(beta))
		}
		theirs, err := crd.Read("crd", []byte(plain.Text(v1)))
		if err != nil {
			t.Fatalf("seed %d: %v in %s", seed, err, plain.Text(v1))
		}
		want := rules(theirs[0].Validate())
		got := rules(slices.DeleteFunc(slices.Clone(ours[0].Validate()), func(f *crd.Finding) bool {
			return f.Rule == crd.DefaultVersion || f.Rule == crd.MarkerVersion
		}))
		if !slices.Equal(got, want) {
			// The conversion to v1 drops markers and empty lists.
			if !strings.Contains(plain.Text(beta), "x-kubernetes-immutable") && !strings.Contains(plain.Text(beta), "only") && !strings.Contains(plain.Text(beta), `[]`) && !strings.Contains(plain.Text(beta), `null`) {
				t.Errorf("seed %d: the findings differ: v1beta1 %v\nv1 %v\n%s\n%s", seed, ours[0].Validate(), theirs[0].Validate(), plain.Text(beta), plain.Text(v1))
			}
			continue
		}
		if beta["spec"].(map[string]any)["validation"] != nil {
			moved++
		}
		if len(want) > 0 {
			bad++
			continue
		}
		good++
		for i, v := range theirs[0].Versions {
			w := ours[0].Versions[i]
			if w.Name != v.Name || w.Served != v.Served || w.Storage != v.Storage {
				t.Errorf("seed %d: the version of v1beta1 is %+v, that of v1 is %+v", seed, w, v)
			}
			versions := v1["spec"].(map[string]any)["versions"].([]any)
			root := versions[i].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
			for range 5 {
				object := g.sample(root)
				maps.Copy(object, meta(theirs[0], v.Name))
				wantObject, err := v.Default(object)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				gotObject, err := w.Default(object)
				if err != nil {
					t.Fatalf("seed %d: %v in %s", seed, err, plain.Text(beta))
				}
				wantFound, _ := v.Validate(object, nil)
				gotFound, _ := w.Validate(object, nil)
				if plain.Text(gotObject) != plain.Text(wantObject) || gotFound.Error() != wantFound.Error() {
					t.Errorf("seed %d: %s\ngot %s, %v\nwant %s, %v", seed, plain.Text(object), plain.Text(gotObject), gotFound, plain.Text(wantObject), wantFound)
				}
				objects++
			}
		}
	}
	t.Logf("%d CRDs are accepted, and %d rejected; %d of these have one schema for all versions; %d objects", good, bad, moved, objects)
	if good < 50 || bad < 50 || moved < 50 || objects < good {
		t.Error("too little was tested")
	}
}

// rules returns the rules that findings report, each once.
func rules(found crd.Findings) (all []crd.Rule) {
	for _, f := range found {
		all = append(all, f.Rule)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// beta returns a CRD of v1 in the form of v1beta1. It returns nil if parts of the CRD have the
// wrong type.
func (g *generator) beta(doc map[string]any) map[string]any {
	out := runtime.DeepCopyJSON(fromJSON(doc))
	spec, ok := out["spec"].(map[string]any)
	versions, isList := spec["versions"].([]any)
	if !ok || !isList || len(versions) == 0 {
		return nil
	}
	out["apiVersion"] = "apiextensions.k8s.io/v1beta1"
	spec["preserveUnknownFields"] = false
	for field, top := range map[string]string{"schema": "validation", "subresources": "subresources", "additionalPrinterColumns": "additionalPrinterColumns", "selectableFields": "selectableFields"} {
		same := true
		first, _ := versions[0].(map[string]any)
		for _, v := range versions {
			m, ok := v.(map[string]any)
			if !ok {
				return nil
			}
			same = same && m[field] != nil && plain.Text(m[field]) == plain.Text(first[field])
			if columns, ok := m["additionalPrinterColumns"].([]any); ok {
				for _, c := range columns {
					if c, ok := c.(map[string]any); ok && c["jsonPath"] != nil {
						c["JSONPath"] = c["jsonPath"]
						delete(c, "jsonPath")
					}
				}
			}
		}
		if same && !g.chance(4) {
			spec[top] = first[field]
			for _, v := range versions {
				delete(v.(map[string]any), field)
			}
		}
	}
	if only, _ := versions[0].(map[string]any); len(versions) == 1 && len(only) == 3 && only["served"] == true && only["storage"] == true && g.chance(2) {
		spec["version"] = only["name"]
		delete(spec, "versions")
	}
	if c, ok := spec["conversion"].(map[string]any); ok {
		hook, _ := c["webhook"].(map[string]any)
		delete(c, "webhook")
		if hook["clientConfig"] != nil {
			c["webhookClientConfig"] = hook["clientConfig"]
		}
		if hook["conversionReviewVersions"] != nil {
			c["conversionReviewVersions"] = hook["conversionReviewVersions"]
		}
	}
	if spec["scope"] == "Namespaced" && g.chance(2) {
		delete(spec, "scope")
	}
	return out
}

func fromJSON(doc map[string]any) (out map[string]any) {
	if err := utiljson.Unmarshal([]byte(plain.Text(doc)), &out); err != nil {
		panic(err)
	}
	return out
}

// converted returns a CRD of v1beta1 after apiextensions has converted it to v1.
func converted(doc map[string]any) (map[string]any, error) {
	old := &apiextensionsv1beta1.CustomResourceDefinition{}
	if err := utiljson.Unmarshal([]byte(plain.Text(doc)), old); err != nil {
		return nil, err
	}
	apiextensionsv1beta1.SetDefaults_CustomResourceDefinition(old)
	if c := old.Spec.Conversion; c.WebhookClientConfig != nil && c.WebhookClientConfig.Service != nil {
		apiextensionsv1beta1.SetDefaults_ServiceReference(c.WebhookClientConfig.Service)
	}
	def, v1 := &apiextensions.CustomResourceDefinition{}, &apiextensionsv1.CustomResourceDefinition{}
	if err := apiextensionsv1beta1.Convert_v1beta1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(old, def, nil); err != nil {
		return nil, err
	}
	if err := apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(def, v1, nil); err != nil {
		return nil, err
	}
	v1.APIVersion, v1.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	out := map[string]any{}
	err := utiljson.Unmarshal([]byte(plain.Text(v1)), &out)
	delete(out, "status")
	return out, err
}
