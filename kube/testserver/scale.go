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

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// scaling has the paths of the fields in a Scale of a custom resource, such as
// .spec.replicas.
type scaling struct{ replicas, status, selector string }

// scaleOf returns the Scale of an object.
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

// selectorOf returns a label selector, or a set of labels, in its short form.
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

// replaceScale handles a PUT to a scale.
func (s *Server) replaceScale(w http.ResponseWriter, r *http.Request, t target, o options) error {
	data, err := body(r)
	if err != nil {
		return err
	}
	sent, _, err := decodeObject(data, mediaType(r))
	if err != nil {
		return err
	}
	return s.changeScale(w, &write{target: t, options: o}, func(_, _ map[string]any) (map[string]any, error) { return sent, nil })
}

// changeScale applies change to the scale of a live object, stores the object, and
// responds with the scale.
func (s *Server) changeScale(w http.ResponseWriter, q *write, change func(scale, live map[string]any) (map[string]any, error)) error {
	q.verb = predict.Update
	q.change = func(live map[string]any) (map[string]any, error) {
		scale, err := change(scaleOf(q.resource, live), live)
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

// applyScale handles an apply to a scale. It merges the Scale alone, with the owners of
// the replicas, and then copies the replicas and their owners to the object.
func (s *Server) applyScale(w http.ResponseWriter, q *write) error {
	applied, verb := q.object, q.verb
	var parent, owners *managedfields.Managed
	var scales managedfields.Scale
	q.owned = func(object map[string]any) (map[string]any, error) {
		all, err := scales.ToParent(parent, owners)
		if err != nil {
			return nil, err
		}
		return all.EncodeInto(object), nil
	}
	return s.changeScale(w, q, func(scale, live map[string]any) (_ map[string]any, err error) {
		if parent, err = managedfields.Decode(live); err != nil {
			return nil, &predict.LiveError{Err: err}
		}
		scales = s.scales(q.resource, parent)
		if owners, err = scales.ToSubresource(parent); err != nil {
			return nil, err
		}
		fm, err := fieldmanager.New(fieldmanager.Options{
			Types: s.predict.FieldManager.Types, APIVersion: managedfields.ScaleVersion, Kind: "Scale", Subresource: "scale", Clock: s.options.Now,
		})
		if err != nil {
			return nil, err
		}
		result, err := fm.Apply(owners.EncodeInto(scale), applied, q.manager, verb == predict.ApplyForce)
		if err != nil {
			return nil, served.StatusError(err)
		}
		owners = result.Managed
		return result.Object, nil
	})
}

// scales returns the path of the replicas for the version of each entry.
func (s *Server) scales(r *resource, parent *managedfields.Managed) managedfields.Scale {
	at := managedfields.Scale{APIVersion: r.apiVersion(), Replicas: map[string]fieldpath.Path{}}
	for _, e := range parent.Entries() {
		at.Replicas[e.APIVersion] = s.replicasPath(e.APIVersion, r)
	}
	at.Replicas[at.APIVersion] = s.replicasPath(at.APIVersion, r)
	return at
}

func (s *Server) replicasPath(apiVersion string, r *resource) fieldpath.Path {
	if r.custom == nil {
		return fieldpath.MakePathOrDie("spec", "replicas")
	}
	if v, _ := s.types.Version(apiVersion, r.kind); v != nil {
		return v.ReplicasPath()
	}
	return nil
}

// with returns a copy of an object with a value at a path of fields.
func with(object map[string]any, path []string, v any) map[string]any {
	object = document.Shallow(object)
	if len(path) > 1 {
		below, _ := object[path[0]].(map[string]any)
		v = with(below, path[1:], v)
	}
	object[path[0]] = v
	return object
}
