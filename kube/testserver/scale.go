// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// scaling are the paths of what a Scale of a custom resource shows, such as .spec.replicas.
type scaling struct{ replicas, status, selector string }

// scaleOf is the Scale of an object.
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
		return []string{""} // no field has this name
	}
	return strings.Split(strings.TrimPrefix(path, "."), ".")
}

// selectorOf is a label selector in its short form, or the labels of one.
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

// replaceScale answers a PUT to a scale.
func (s *Server) replaceScale(w http.ResponseWriter, r *http.Request, t target, o options) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	sent, _, err := decodeObject(data, mediaType(r))
	if err != nil {
		return err
	}
	return s.changeScale(w, r, &write{target: t, options: o}, func(map[string]any) (map[string]any, error) { return sent, nil })
}

// changeScale stores what a change makes of the scale of an object, and answers with the scale.
func (s *Server) changeScale(w http.ResponseWriter, r *http.Request, q *write, change func(map[string]any) (map[string]any, error)) error {
	q.verb = predict.Update
	q.change = func(live map[string]any) (map[string]any, error) {
		scale, err := change(scaleOf(q.resource, live))
		if err != nil {
			return nil, err
		}
		if scale["kind"] != nil && scale["kind"] != "Scale" {
			return nil, apierrors.NewBadRequest("want a Scale")
		}
		sent := at(scale, "spec", "replicas")
		replicas, ok := sent.(int64)
		if !ok && sent != nil {
			return nil, apierrors.NewBadRequest("spec.replicas: want an integer")
		}
		if replicas < 0 || replicas > 1<<31-1 {
			return nil, apierrors.NewInvalid(q.resource.gvk().GroupKind(), q.name, field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), replicas, "must be greater than or equal to 0, and fit into 32 bits")})
		}
		path := []string{"spec", "replicas"}
		if q.resource.custom != nil {
			path = steps(q.resource.scaling.replicas)
		}
		object, metadata := document.WithMetadata(with(live, path, replicas))
		for _, name := range []string{"uid", "resourceVersion"} {
			if v := document.MetaString(scale, name); v != "" {
				metadata[name] = v
			}
		}
		return object, nil
	}
	object, _, err := s.write(q)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, scaleOf(q.resource, object))
	return nil
}

// with is an object with a value at a path of fields.
func with(object map[string]any, path []string, v any) map[string]any {
	object = document.Shallow(object)
	if len(path) > 1 {
		below, _ := object[path[0]].(map[string]any)
		v = with(below, path[1:], v)
	}
	object[path[0]] = v
	return object
}
