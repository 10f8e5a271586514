// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/box"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// A counted kind is a built-in one whose objects have metadata.generation.
type counted struct {
	// kind is the kind and its group.
	kind string
	// of are the fields whose changes count, at the root or in metadata.
	of []string
	// uncreated says that a new object has none.
	uncreated bool
	// since is the minor release of Kubernetes 1 from which on it has one.
	since int
	// empties says that an empty map or list in place of none counts, though both are stored
	// alike: the strategy compares Go values as they are in memory.
	empties bool
}

// generations are all of them. Objects of other built-in kinds have no generation.
var generations = []counted{
	{kind: "CronJob.batch", of: spec},
	{kind: "CSIDriver.storage.k8s.io", of: spec, uncreated: true},
	{kind: "CustomResourceDefinition.apiextensions.k8s.io", of: spec},
	{kind: "DaemonSet.apps", of: spec},
	{kind: "Deployment.apps", of: []string{"spec", "metadata.annotations"}}, // they are copied to its replica sets
	{kind: "DeviceClass.resource.k8s.io", of: spec},
	{kind: "DeviceTaintRule.resource.k8s.io", of: spec},
	{kind: "EndpointSlice.discovery.k8s.io", of: []string{"addressType", "endpoints", "ports", "metadata.labels"}},
	{kind: "Eviction.lifecycle.k8s.io", of: spec, since: 37},
	{kind: "EvictionRequest.lifecycle.k8s.io", of: spec, since: 37},
	{kind: "FlowSchema.flowcontrol.apiserver.k8s.io", of: spec},
	{kind: "HorizontalPodAutoscaler.autoscaling", of: spec, since: 37},
	{kind: "Ingress.networking.k8s.io", of: spec},
	{kind: "IngressClass.networking.k8s.io", of: spec},
	{kind: "Job.batch", of: spec},
	{kind: "MutatingAdmissionPolicy.admissionregistration.k8s.io", of: spec},
	{kind: "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io", of: spec},
	{kind: "MutatingWebhookConfiguration.admissionregistration.k8s.io", of: []string{"webhooks"}, empties: true},
	{kind: "NetworkPolicy.networking.k8s.io", of: spec, empties: true},
	{kind: "Pod", of: spec},
	{kind: "PodDisruptionBudget.policy", of: spec},
	{kind: "PodTemplate", of: []string{"template"}},
	{kind: "PriorityClass.scheduling.k8s.io"},
	{kind: "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io", of: spec},
	{kind: "ReplicaSet.apps", of: spec},
	{kind: "ReplicationController", of: spec},
	{kind: "ResourceSlice.resource.k8s.io", of: spec},
	{kind: "StatefulSet.apps", of: spec},
	{kind: "ValidatingAdmissionPolicy.admissionregistration.k8s.io", of: spec},
	{kind: "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io", of: spec},
	{kind: "ValidatingWebhookConfiguration.admissionregistration.k8s.io", of: []string{"webhooks"}, empties: true},
}

var spec = []string{"spec"}

// kindOf is the kind of an object with its group, as in generations.
func kindOf(object map[string]any) string {
	return groupKind(document.TypeOf(object))
}

func groupKind(apiVersion, kind string) string {
	if group, _, named := strings.Cut(apiVersion, "/"); named {
		return kind + "." + group
	}
	return kind
}

// counted is the object with the generation that it is stored with. Where that cannot be
// told, it stays as it is: a live object that was never on a server may lack it.
func (p *PreparedRequest) counted(object map[string]any) map[string]any {
	if p.request.Subresource == "status" {
		return object
	}
	c, ok := p.server.counts(object)
	if !ok {
		return object
	}
	generation := int64(1)
	if p.Live == nil {
		if c.uncreated {
			return object
		}
	} else {
		was, there := document.Integer(document.Metadata(p.Live)["generation"])
		if !there && document.MetaString(p.Live, "uid") == "" || !p.loses && !p.gains && !p.differs(object, c.of) {
			return object
		}
		generation = was + 1
	}
	object, metadata := document.WithMetadata(object)
	metadata["generation"] = generation
	return object
}

// gainsEmpty says whether an object, as it was sent or merged, has an empty map or list where
// the live one has nothing, and that counts.
func (p *PreparedRequest) gainsEmpty(object map[string]any) bool {
	c, ok := p.server.counts(object)
	if !ok || !c.empties || p.Live == nil {
		return false
	}
	return slices.ContainsFunc(c.of, func(name string) bool { return gainsEmpty(p.Live[name], object[name]) })
}

func gainsEmpty(before, after any) bool {
	switch after := after.(type) {
	case map[string]any:
		was, _ := before.(map[string]any)
		for name, v := range after {
			if gainsEmpty(was[name], v) {
				return true
			}
		}
		return before == nil && len(after) == 0
	case []any:
		was, _ := before.([]any)
		for i, v := range after {
			if i < len(was) && gainsEmpty(was[i], v) {
				return true // another number of items counts anyway
			}
		}
		return before == nil && len(after) == 0
	}
	return false
}

// counts says what counts for the generation of objects such as one, if anything does. Of
// custom resources everything but metadata does, and status if that is a subresource.
func (s *Server) counts(object map[string]any) (c counted, ok bool) {
	if _, custom := s.custom(object); custom {
		return counted{}, true
	}
	if !s.predicts(object) {
		return counted{}, false
	}
	kind := kindOf(object)
	for _, c := range generations {
		if c.kind == kind {
			return c, minor(s.Release.Version()) >= c.since
		}
	}
	return counted{}, false
}

// predicts says whether an object is of a built-in kind of the release.
func (s *Server) predicts(object map[string]any) bool {
	apiVersion, kind := document.TypeOf(object)
	if _, custom := s.custom(object); custom || s.Release == nil {
		return false
	}
	if s.Kind == nil {
		return s.Release.Knows(apiVersion, kind) // if there is anything to be filled in
	}
	k, ok := s.Kind(apiVersion, kind)
	return ok && openapi.IsKubernetes(k.Type)
}

// minor is that of a release such as v1.37.2.
func minor(version string) int {
	parts := strings.Split(version, ".")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // 0 of what is no version
	return n
}

// differs says whether one of these fields is another one in the live object. Of a custom
// resource all are asked for that count.
func (p *PreparedRequest) differs(object map[string]any, of []string) bool {
	if _, custom := p.server.custom(object); custom {
		return !document.Equal(p.withoutUncounted(p.Live), p.withoutUncounted(object))
	}
	if len(of) == 0 {
		return false
	}
	live, object := p.comparable(object)
	for _, name := range of {
		before, after := live[name], object[name]
		if field, ok := strings.CutPrefix(name, "metadata."); ok {
			before, after = document.Metadata(live)[field], document.Metadata(object)[field]
		}
		if !same(before, after) {
			return true
		}
	}
	return false
}

// comparable are the live object and one to take its place, in one spelling, with the
// defaults that are published of built-in types: "", 0 or {} of what is no pointer in Go.
func (p *PreparedRequest) comparable(object map[string]any) (live, next map[string]any) {
	if !p.carries && p.server.inGo(object) {
		return p.Live, object // as Go has both
	}
	t := p.request.Type
	live, next = document.WithoutManagedFields(p.Live), document.WithoutManagedFields(object)
	next = fieldmanager.RespellQuantities(t, live, next)
	return withDeclared(t, live), withDeclared(t, next)
}

// withDeclared is an object with the defaults of the schema of its type.
func withDeclared(t typed.ParseableType, object map[string]any) map[string]any {
	filled, err := typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef).Default()
	if err != nil {
		return object // it is nested too deep
	}
	after, _ := filled.AsValue().Unstructured().(map[string]any) // what was an object stays one
	return after
}

// withoutUncounted is a custom resource without what does not count.
func (p *PreparedRequest) withoutUncounted(object map[string]any) map[string]any {
	object = document.Shallow(object)
	delete(object, "metadata")
	if p.server.hasStatus(object) {
		delete(object, "status")
	}
	return object
}

// same says whether values of a built-in type are the same to Go: an absent list is an
// empty one.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return false
		}
		if box.SameMap(x, y) {
			return true
		}
		for name, v := range x {
			if !same(v, y[name]) {
				return false
			}
		}
		for name, v := range y {
			if _, there := x[name]; !there && !same(nil, v) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if len(x) == 0 && b == nil {
			return true
		}
		if !ok || len(x) != len(y) {
			return false
		}
		if box.SameList(x, y) {
			return true
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case nil:
		y, ok := b.([]any)
		return b == nil || ok && len(y) == 0
	}
	return document.Equal(a, b)
}

// hasStatus says whether objects such as one have status as a subresource.
func (s *Server) hasStatus(object map[string]any) bool {
	if s.Kind == nil {
		return false
	}
	apiVersion, kind := document.TypeOf(object)
	k, _ := s.Kind(apiVersion, kind)
	return slices.Contains(k.Subresources, "status")
}
