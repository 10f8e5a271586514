// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// This command validates CRDs, and updates of their objects, with the code of an API server.
// It reads requests from standard input. Each request is a JSON value, and gets one answer.
// The test builds this command for several releases: go.mod requires the newest release, and
// releases/1.36.mod and releases/1.30.mod require older ones (go build -modfile).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// request is a CRD with one version, and updates of its objects.
type request struct {
	CRD   json.RawMessage      `json:"crd"`
	Pairs [][2]json.RawMessage `json:"pairs"`
}

// answer has the reasons for which the server rejects the CRD, or one verdict for each update.
type answer struct {
	Refused  []string  `json:"refused,omitempty"`
	Verdicts []verdict `json:"verdicts,omitempty"`
}

// verdict is the result of one update.
type verdict struct {
	// Invalid is the reason for which the server would not create one of the two objects.
	Invalid string `json:"invalid,omitempty"`
	// Errors are the errors of the update, as "Type Path: Detail".
	Errors []string `json:"errors,omitempty"`
}

func main() {
	debug.SetGCPercent(400) // collect garbage less often, because it would take half of the time
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var r request
		err := in.Decode(&r)
		if err == io.EOF {
			return
		}
		if err == nil {
			err = out.Encode(evaluate(r))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func evaluate(r request) (a answer) {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(r.CRD, v1); err != nil {
		return answer{Refused: []string{err.Error()}}
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(v1)
	crd := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(v1, crd, nil); err != nil {
		return answer{Refused: []string{err.Error()}}
	}
	if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), crd); len(errs) > 0 {
		return answer{Refused: words(errs)}
	}
	s, err := serve(crd, v1.Spec.Versions[0].Name)
	if err != nil {
		return answer{Refused: []string{err.Error()}}
	}
	for _, p := range r.Pairs {
		a.Verdicts = append(a.Verdicts, s.update(p))
	}
	return a
}

// server has the schema of one CRD version, and the strategy that validates its objects.
type server struct {
	schema *structuralschema.Structural
	strategy
}

type strategy interface {
	Validate(ctx context.Context, obj runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
}

func serve(crd *apiextensions.CustomResourceDefinition, version string) (*server, error) {
	found, err := apiextensions.GetSchemaForVersion(crd, version)
	if err != nil {
		return nil, err
	}
	s, err := structuralschema.NewStructural(found.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	if err := defaulting.PruneDefaults(s); err != nil {
		return nil, err
	}
	values, _, err := validation.NewSchemaValidator(found.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind}
	namespaced := crd.Spec.Scope == apiextensions.NamespaceScoped
	return &server{s, customresource.NewStrategy(nil, namespaced, kind, values, nil, s, nil, nil, nil)}, nil
}

// update validates both objects, and then an update from the first object to the second.
func (s *server) update(pair [2]json.RawMessage) verdict {
	var objects [2]map[string]any
	for i, text := range pair {
		// Decode numbers as the API server does: 1 becomes an int64, 1.0 a float64.
		if err := utiljson.Unmarshal(text, &objects[i]); err != nil {
			return verdict{Invalid: err.Error()}
		}
		defaulting.PruneNonNullableNullsWithoutDefaults(objects[i], s.schema)
		defaulting.Default(objects[i], s.schema)
		pruning.Prune(objects[i], s.schema, true)
		if err := objectmeta.Coerce(nil, objects[i], s.schema, false, false); err != nil {
			return verdict{Invalid: err.Error()}
		}
		if errs := s.Validate(context.Background(), object(objects[i])); len(errs) > 0 {
			return verdict{Invalid: errs.ToAggregate().Error()}
		}
	}
	return verdict{Errors: words(s.ValidateUpdate(context.Background(), object(objects[1]), object(objects[0])))}
}

func object(content map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: runtime.DeepCopyJSON(content)}
}

func words(errs field.ErrorList) []string {
	var all []string
	for _, e := range errs {
		all = append(all, fmt.Sprintf("%s %s: %s", e.Type, e.Field, e.Detail))
	}
	return all
}
