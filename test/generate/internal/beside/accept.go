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

// Acceptance says which CRDs of a project the API server accepts.
type Acceptance struct {
	// CRDs is the number of CRDs of dovetail-gen. Each CRD counts twice: with the defaults that
	// follow from Go types, and without them.
	CRDs int
	// Accepted is the number of CRDs that decode strictly and are valid.
	Accepted int
	// Translated is the number of CRDs whose immutability markers were first converted to CEL
	// rules, as dovetail cel does. API servers do not support these markers.
	Translated int
	// AsTheirs lists the CRDs that the API server rejects for the same reasons as the CRDs of
	// controller-gen, with the server's messages.
	AsTheirs []string
	// Differences are the reasons for which the API server rejects a CRD of dovetail-gen but
	// accepts the same CRD of controller-gen.
	Differences []*Difference
}

// Accept validates the generated CRDs with the code of the API server.
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

// refusals returns the errors of the API server for a CRD of controller-gen. ok is false if
// controller-gen wrote no such CRD.
func refusals(o *Output, name string) (errs []string, ok bool) {
	text, ok := o.Theirs[name]
	if ok {
		errs, _ = accepted(text, false)
	}
	return errs, ok
}

// accepted decodes a CRD strictly, validates it, and returns the errors of the API server. It
// marks CRDs in groups of Kubernetes as approved. translated reports whether markers were
// converted to CEL rules.
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
	// The decoder for schemas of items ignores unknown fields. To find these, compare the
	// decoded CRD with the document.
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
		if v.Storage { // when it creates the CRD, the server adds this version to the status
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

// lostPaths returns the paths that the document has and the decoded CRD does not.
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

// approved returns the document with an annotation that CRDs in groups of Kubernetes require.
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

// withRules replaces immutability markers by CEL rules.
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

// Implied compares the CRDs of dovetail-gen with and without the defaults that follow from Go
// types. With these defaults, a field may have the zero value of its type as default, and a
// field with a default is not required. defaults counts the additional defaults. wrong has all
// other changes.
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
