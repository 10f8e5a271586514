// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"fmt"
	"net/http"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// scaling contains the paths in a custom resource that correspond to the fields of a
// Scale, such as .spec.replicas for the replicas.
type scaling struct{ replicas, status, selector string }

// scaleOf returns the Scale of an object, as a GET of the scale subresource shows it.
func scaleOf(r *resource, object map[string]any) map[string]any {
	paths := r.scaling
	if r.custom == nil {
		paths = scaling{".spec.replicas", ".status.replicas", ""}
	}
	number := func(path string) int64 {
		n, _ := at(object, steps(path)...).(int64)
		return n
	}
	status := map[string]any{"replicas": number(paths.status)}
	selector := text(at(object, steps(paths.selector)...))
	if r.custom == nil {
		selector = selectorOf(at(object, "spec", "selector"))
	}
	if selector != "" {
		status["selector"] = selector
	}
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if v := document.MetaString(object, name); v != "" {
			metadata[name] = v
		}
	}
	spec := map[string]any{}
	if n := number(paths.replicas); n != 0 || r.custom != nil {
		spec["replicas"] = n
	}
	return map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": spec, "status": status}
}

func steps(path string) []string {
	if path == "" {
		return []string{""} // there is no field with the name ""
	}
	return strings.Split(strings.TrimPrefix(path, "."), ".")
}

// selectorOf returns a label selector in its short form, such as a=b. v is a LabelSelector or a map
// of labels.
func selectorOf(v any) string {
	m, _ := v.(map[string]any)
	var selector metav1.LabelSelector
	if m["matchLabels"] == nil && m["matchExpressions"] == nil {
		selector.MatchLabels = map[string]string{}
		for name, v := range m {
			selector.MatchLabels[name] = text(v)
		}
	} else if runtime.DefaultUnstructuredConverter.FromUnstructured(m, &selector) != nil {
		return ""
	}
	if len(m) == 0 {
		return ""
	}
	s, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		return ""
	}
	return s.String()
}

// scaleKind is the kind of the objects that scale subresources use.
var scaleKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")

// bodyKind returns the kind that the object in the request body must have.
func (t *target) bodyKind() schema.GroupVersionKind {
	if t.subresource == "scale" {
		return scaleKind
	}
	return t.resource.gvk()
}

// replaceScale handles a PUT to the scale subresource.
func (s *Server) replaceScale(w http.ResponseWriter, r *http.Request, t target, o options) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	sent, duplicates, err := decodeObject(data, mediaType(r))
	if err != nil {
		return err
	}
	q := &write{target: t, options: o, verb: predict.Update, duplicates: duplicates, object: sent}
	if _, err := checkKind(q); err != nil {
		return err
	}
	if err := checkNameGiven(sent, t.name); err != nil {
		return err
	}
	q.change = func(map[string]any) (map[string]any, error) { return sent, nil }
	return s.answerScale(w, q)
}

// patchScale handles a patch of the scale subresource. It does not handle applies.
func (s *Server) patchScale(w http.ResponseWriter, q *write, patch func(map[string]any) (map[string]any, error)) error {
	q.verb = predict.Update
	q.change = func(live map[string]any) (map[string]any, error) {
		scale := scaleOf(q.resource, live)
		replicas := q.resource.scaling.replicas
		unset := q.resource.custom != nil && at(live, steps(replicas)...) == nil
		if unset {
			delete(scale["spec"].(map[string]any), "replicas")
		}
		scale, err := patch(scale)
		if err == nil && unset && at(scale, "spec", "replicas") == nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", replicas))
		}
		return scale, err
	}
	return s.answerScale(w, q)
}

// answerScale stores an object whose Scale was changed by the request, and responds with the new
// Scale.
func (s *Server) answerScale(w http.ResponseWriter, q *write) error {
	object, _, err := s.write(q)
	addWarnings(w, q.warnings...)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, scaleOf(q.resource, object))
	return nil
}

// withValue returns a copy of an object with the value v at a path of fields.
func withValue(object map[string]any, path []string, v any) map[string]any {
	object = document.Shallow(object)
	if len(path) > 1 {
		below, _ := object[path[0]].(map[string]any)
		v = withValue(below, path[1:], v)
	}
	object[path[0]] = v
	return object
}
