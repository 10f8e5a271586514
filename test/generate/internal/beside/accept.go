// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/cel"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Acceptance reports which CRDs of a project the API server accepts.
type Acceptance struct {
	// CRDs is the number of validated CRDs of dovetail-gen. Each CRD counts twice: it is
	// validated with and without the implied defaults, which follow from Go types.
	CRDs int
	// Accepted is the number of CRDs that are valid and have no unknown fields.
	Accepted int
	// Translated is the number of CRDs with immutability markers. API servers do not support
	// these markers, so Accept first converts them to CEL rules, as dovetail cel does.
	Translated int
	// AsTheirs lists the CRDs of dovetail-gen that the API server rejects for the same reasons
	// as controller-gen's CRDs. Each entry contains the server's messages.
	AsTheirs []string
	// Differences are the API server's errors for a CRD of dovetail-gen that do not occur for
	// controller-gen's CRD of that name.
	Differences []*Difference
}

// Accept validates dovetail-gen's CRDs with the code of the API server.
func Accept(o *Output) *Acceptance {
	a := &Acceptance{}
	for _, how := range []struct {
		made    map[string][]byte
		keyword string
	}{{o.Ours, "refused"}, {o.Implied, "refused, with implied defaults"}} {
		for _, name := range slices.Sorted(maps.Keys(how.made)) {
			a.CRDs++
			said, translated := accepted(how.made[name], true)
			if translated {
				a.Translated++
			}
			if len(said) == 0 {
				a.Accepted++
				continue
			}
			theirs, _ := refusals(o, name)
			alone := false
			for _, s := range said {
				if !slices.Contains(theirs, s) {
					alone = true
					a.Differences = append(a.Differences, &Difference{Project: o.Project.Name, CRD: name, Keyword: how.keyword, Side: Ours, Ours: s})
				}
			}
			if !alone {
				a.AsTheirs = append(a.AsTheirs, fmt.Sprintf("%s: %s: %s", o.Project.Name, strings.TrimSuffix(name, ".yaml"), strings.Join(said, "; ")))
			}
		}
	}
	return a
}

// refusals returns the errors of the API server for a CRD of controller-gen. The second result is
// false if controller-gen wrote no such CRD.
func refusals(o *Output, name string) (errs []string, ok bool) {
	text, ok := o.Theirs[name]
	if ok {
		errs, _ = accepted(text, false)
	}
	return errs, ok
}

// accepted validates a CRD as an API server does, and returns the errors. It first adds the
// annotation that CRDs in Kubernetes' API groups require. If ours is true, it also converts
// immutability markers to CEL rules. The second result reports whether it converted any markers.
func accepted(text []byte, ours bool) (errs []string, translated bool) {
	text, err := approved(text)
	if err != nil {
		return []string{err.Error()}, false
	}
	if ours {
		if text, translated, err = withRules(text); err != nil {
			return []string{err.Error()}, false
		}
	}
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &v1); err != nil {
		return []string{"strict decoding: " + err.Error()}, translated
	}
	// For the schemas of list items, even the strict decoder ignores unknown fields. To find
	// them, compare the decoded CRD with the document.
	gone, err := lostPaths(text, &v1)
	if err != nil {
		return []string{"strict decoding: " + err.Error()}, translated
	}
	for _, at := range gone {
		errs = append(errs, "strict decoding: "+at+" is not known")
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	for _, v := range v1.Spec.Versions {
		if v.Storage { // the server does the same when it creates the CRD
			v1.Status.StoredVersions = append(v1.Status.StoredVersions, v.Name)
		}
	}
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&v1, &internal, nil); err != nil {
		return []string{"conversion: " + err.Error()}, translated
	}
	for _, e := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
		if !strings.HasPrefix(e.Field, "status.") { // generators write no status
			errs = append(errs, fmt.Sprintf("%s: %s", e.Field, e.ErrorBody()))
		}
	}
	return errs, translated
}

// lostPaths returns the paths in the document that are missing in the decoded CRD.
func lostPaths(document []byte, v1 *apiextensionsv1.CustomResourceDefinition) (at []string, err error) {
	read, err := yaml.Marshal(v1)
	if err != nil {
		return nil, err
	}
	before, err := decode(document)
	if err != nil {
		return nil, err
	}
	after, err := decode(read)
	if err != nil {
		return nil, err
	}
	return lostBelow("", before, after), nil
}

func lostBelow(path string, before, after any) (at []string) {
	switch x := before.(type) {
	case map[string]any:
		y, _ := after.(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(x)) {
			v, there := y[k]
			if empty := slices.Contains([]string{"null", "false", `""`, "0", "[]", "{}"}, text(x[k])); !there && !empty {
				at = append(at, path+"."+k)
			} else {
				at = append(at, lostBelow(path+"."+k, x[k], v)...)
			}
		}
	case []any:
		y, _ := after.([]any)
		for i := range min(len(x), len(y)) {
			at = append(at, lostBelow(fmt.Sprintf("%s[%d]", path, i), x[i], y[i])...)
		}
	}
	return at
}

// approved adds the annotation that CRDs in Kubernetes' API groups require. It returns CRDs in
// other groups unchanged.
func approved(text []byte) ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	spec, _ := doc["spec"].(map[string]any)
	group, _ := spec["group"].(string)
	if !strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, ".kubernetes.io") {
		return text, nil
	}
	meta, _ := doc["metadata"].(map[string]any)
	annotations, ok := meta["annotations"].(map[string]any)
	if !ok {
		annotations = map[string]any{}
		meta["annotations"] = annotations
	}
	annotations["api-approved.kubernetes.io"] = "unapproved, experimental-only"
	return yaml.Marshal(doc)
}

// withRules replaces immutability markers with CEL rules.
func withRules(text []byte) (out []byte, translated bool, err error) {
	for _, change := range []func(t *cel.Translation) []manifest.Change{(*cel.Translation).Changes, (*cel.Translation).Strip} {
		text, err = manifest.Edit("crd.yaml", text, func(o *manifest.Object) ([]manifest.Change, error) {
			d := crd.New(o)
			if !cel.HasMarkers(d) {
				return nil, nil
			}
			t, err := cel.Translate(d, cel.Options{})
			if err != nil {
				return nil, err
			}
			translated = true
			return change(t), nil
		})
		if err != nil {
			return nil, false, fmt.Errorf("rules of CEL for transition rules: %w", err)
		}
	}
	return text, translated, nil
}

// Implied checks the defaults that follow from Go types. It compares dovetail-gen's CRDs with
// these defaults (o.Implied) and without them (o.Ours). Only two kinds of differences are
// expected: a field has the zero value of its type as a default, or a field with a default is not
// required. The first result is the number of zero-value defaults. The second result lists all
// unexpected differences.
func Implied(o *Output) (defaults int, wrong []*Difference, err error) {
	c, err := Compare(&Output{Project: o.Project, Ours: o.Implied, Theirs: o.Ours})
	if err != nil {
		return 0, nil, err
	}
	zero := []string{"{}", `""`, "0", "false"}
	for _, d := range c.Differences {
		switch {
		case d.Keyword == "default" && d.Side == Ours && slices.Contains(zero, d.Ours):
			defaults++
		case d.Keyword == "required" && d.Side == Theirs && slices.Contains(d.Facts, "default"):
		default:
			d.Keyword += ", with implied defaults"
			wrong = append(wrong, d)
		}
	}
	return defaults, wrong, nil
}
