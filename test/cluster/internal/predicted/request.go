// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// request is one request for an object.
type request struct {
	kind        openapi.Kind
	method      string
	path        string // the path of the object
	subresource string
	manager     string
	force       bool
	// body is the body of the request. The field whole is the object that the server should
	// store. For a patch, it is the live object with the requested changes. For a scale request, it is
	// a Scale. For other requests, it is equal to body.
	body, whole object
}

func (r *request) String() string {
	s := r.method
	if r.force {
		s += " by force"
	}
	if r.subresource != "" {
		s += " to " + r.subresource
	}
	return fmt.Sprintf("%s by %s", s, r.manager)
}

func (r *request) verb() predict.Verb {
	switch {
	case r.method == http.MethodPost:
		return predict.Create
	case r.method == apply && r.force:
		return predict.ApplyForce
	case r.method == apply:
		return predict.Apply
	}
	return predict.Update
}

// maker creates the requests for one object.
type maker struct {
	kind openapi.Kind
	path string
	from object
	rnd  *rand.Rand
	// replicasAt is the path of the field that a scale request sets; nil means .spec.replicas.
	replicasAt fieldpath.Path
	// conditions is true if the status may contain a list of conditions.
	conditions bool
}

func (m *maker) request(method, manager string, body object) *request {
	return &request{kind: m.kind, method: method, path: m.path, manager: manager, body: body, whole: body}
}

// config returns an applier's config: the original object with the given labels and
// annotations.
func (m *maker) config(labels, annotations object) object {
	o := runtime.DeepCopyJSON(m.from)
	put(o, "labels", labels)
	put(o, "annotations", annotations)
	return o
}

// put changes the labels or annotations of an object. The argument "name" is "labels" or
// "annotations". A nil value removes an entry.
func put(o object, name string, values object) {
	if len(values) == 0 {
		return
	}
	md := metadata(o)
	all, _ := md[name].(object)
	all = maps.Clone(all)
	if all == nil {
		all = object{}
	}
	for k, v := range values {
		if v == nil {
			delete(all, k)
		} else {
			all[k] = v
		}
	}
	md[name] = all
}

// series returns the requests for an object, in the order in which they are sent. Each of them
// is a function, because the request depends on the current live object. The function returns
// nil if there is nothing to send.
func (m *maker) series() []func(live object) *request {
	forced := func(r *request) *request { r.force = true; return r }
	steps := []func(live object) *request{
		func(object) *request { return m.request(http.MethodPost, "creator", m.config(nil, nil)) },
		func(object) *request { return m.request(apply, "gitops", m.config(object{"tier": "a"}, nil)) },
		func(object) *request { return m.request(apply, "gitops", m.config(object{"tier": "a"}, nil)) },
		func(object) *request { return m.request(apply, "other", m.onlyMetadata(object{"tier": "b"}, nil)) },
		func(object) *request {
			return forced(m.request(apply, "other", m.onlyMetadata(object{"tier": "b"}, nil)))
		},
		func(object) *request { return m.request(apply, "gitops", m.config(object{"tier": "a"}, nil)) },
		func(object) *request { return forced(m.request(apply, "gitops", m.config(nil, object{"note": "1"}))) },
		func(live object) *request { return m.update(live, "updater", object{"tier": "c", "more": "1"}) },
		func(live object) *request { return m.update(live, "updater", nil) },
		func(live object) *request {
			return m.patch(live, "patcher", object{"metadata": object{"labels": object{"more": nil, "left": "1"}}})
		},
		func(live object) *request { return m.replacement(live) },
	}
	if slices.Contains(m.kind.Subresources, "status") && m.conditions {
		steps = append(steps, func(live object) *request {
			r := m.update(live, "controller", object{"ignored": "1"})
			r.subresource = "status"
			return r
		}, func(live object) *request {
			r := m.patch(live, "controller", object{"status": object{"conditions": []any{condition("Ready", "True")}}})
			r.subresource = "status"
			return r
		}, func(object) *request {
			o := m.onlyMetadata(nil, nil)
			o["status"] = object{"conditions": []any{condition("Seen", "False")}}
			r := m.request(apply, "watcher", o)
			r.subresource = "status"
			return r
		})
	}
	if slices.Contains(m.kind.Subresources, "scale") {
		steps = append(steps,
			func(live object) *request { return m.scale(live, m.replicas(live)) },
			func(live object) *request { return m.scale(live, m.replicas(live)+1) },
			func(live object) *request { return m.scale(live, m.replicas(live)) })
	}
	return steps
}

// scaled returns the path of the field that a scale request sets.
func (m *maker) scaled() []string {
	if m.replicasAt == nil {
		return []string{"spec", "replicas"}
	}
	var names []string
	for _, e := range m.replicasAt {
		names = append(names, *e.FieldName)
	}
	return names
}

func (m *maker) replicas(live object) int64 {
	var v any = live
	for _, name := range m.scaled() {
		o, _ := v.(object)
		v = o[name]
	}
	n, _ := v.(int64)
	return n
}

func condition(kind, status string) object {
	return object{"type": kind, "status": status, "lastTransitionTime": "2026-03-01T10:00:00Z", "reason": "Tested", "message": "it was"}
}

// onlyMetadata returns a config that has only metadata.
func (m *maker) onlyMetadata(labels, annotations object) object {
	o := object{"apiVersion": m.from["apiVersion"], "kind": m.from["kind"], "metadata": object{"name": metadata(m.from)["name"]}}
	if ns := metadata(m.from)["namespace"]; ns != nil {
		metadata(o)["namespace"] = ns
	}
	put(o, "labels", labels)
	put(o, "annotations", annotations)
	return o
}

// update returns an update request that sets labels of the live object. A nil label removes
// the label.
func (m *maker) update(live object, manager string, labels object) *request {
	o := runtime.DeepCopyJSON(live)
	put(o, "labels", labels)
	return m.request(http.MethodPut, manager, o)
}

// replacement returns an update request with the original object, as kubectl replace sends it.
// It reverts the changes of other managers.
func (m *maker) replacement(live object) *request {
	o := m.config(nil, nil)
	metadata(o)["resourceVersion"] = metadata(live)["resourceVersion"]
	return m.request(http.MethodPut, "replacer", o)
}

// patch returns a merge patch.
func (m *maker) patch(live object, manager string, body object) *request {
	r := m.request(patch, manager, body)
	r.whole = plain.MergePatch(live, body)
	return r
}

// scale returns a patch of the scale subresource. Its field "whole" contains the patched Scale.
func (m *maker) scale(live object, replicas int64) *request {
	spec := object{"replicas": replicas}
	r := m.request(patch, "scaler", object{"spec": spec})
	r.whole = object{"apiVersion": managedfields.ScaleVersion, "kind": "Scale", "metadata": object{}, "spec": spec}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion"} {
		if v := metadata(live)[name]; v != nil {
			metadata(r.whole)[name] = v
		}
	}
	r.subresource = "scale"
	return r
}

// random returns a random request.
func (m *maker) random(live object) *request {
	managers := []string{"gitops", "other", "updater", "patcher"}
	manager := managers[m.rnd.IntN(len(managers))]
	some := func() object {
		all := object{}
		for _, name := range []string{"tier", "left", "more"} {
			if m.rnd.IntN(2) == 0 {
				all[name] = string(rune('a' + m.rnd.IntN(3)))
			}
		}
		return all
	}
	switch m.rnd.IntN(6) {
	case 0, 1:
		o := m.onlyMetadata(some(), some())
		if m.rnd.IntN(2) == 0 {
			o = m.config(some(), some())
		}
		if m.rnd.IntN(2) == 0 {
			m.vary(o)
		}
		r := m.request(apply, manager, o)
		r.force = m.rnd.IntN(2) == 0
		return r
	case 2, 3:
		r := m.update(live, manager, some())
		if m.rnd.IntN(2) == 0 {
			m.vary(r.body)
		}
		if m.rnd.IntN(3) == 0 {
			delete(metadata(r.body), "managedFields")
		}
		return r
	case 4:
		return m.replacement(live)
	}
	return m.patch(live, manager, object{"metadata": object{"labels": object{"left": nil, "tier": "a"}, "annotations": some()}})
}

// vary changes or removes one random value outside of metadata.
func (m *maker) vary(o object) {
	type leaf struct {
		in   object
		name string
	}
	var leaves []leaf
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case object:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				switch v[name].(type) {
				case object, []any:
					walk(v[name])
				default:
					leaves = append(leaves, leaf{v, name})
				}
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	for name, v := range o {
		if name != "metadata" && name != "apiVersion" && name != "kind" && name != "status" {
			walk(object{name: v})
		}
	}
	if len(leaves) == 0 {
		return
	}
	l := leaves[m.rnd.IntN(len(leaves))]
	switch v := l.in[l.name].(type) {
	case int64:
		l.in[l.name] = v + 1
	case bool:
		l.in[l.name] = !v
	default:
		delete(l.in, l.name)
	}
}
