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

// A generationRule says which changes increase metadata.generation of a built-in kind.
type generationRule struct {
	// kind is the kind with its group, as kindOf returns it.
	kind string
	// fields lists the fields whose changes increase the generation. These fields are
	// at the root or in metadata.
	fields []string
	// notOnCreate is true if a new object gets no generation.
	notOnCreate bool
	// since is the first minor release of Kubernetes in which the kind has a generation,
	// such as 37 for Kubernetes 1.37.
	since int
	// emptiesCount is true if adding an empty map or list increases the generation. The server
	// stores an empty value like an absent field. But for such a kind, the server compares Go
	// values in memory, where the two differ.
	emptiesCount bool
}

// generations lists the rules of all built-in kinds that have a generation.
var generations = []generationRule{
	{kind: "CronJob.batch", fields: spec},
	{kind: "CSIDriver.storage.k8s.io", fields: spec, notOnCreate: true},
	{kind: "CustomResourceDefinition.apiextensions.k8s.io", fields: spec},
	{kind: "DaemonSet.apps", fields: spec},
	{kind: "Deployment.apps", fields: []string{"spec", "metadata.annotations"}}, // the controller copies annotations to the replica sets
	{kind: "DeviceClass.resource.k8s.io", fields: spec},
	{kind: "DeviceTaintRule.resource.k8s.io", fields: spec},
	{kind: "EndpointSlice.discovery.k8s.io", fields: []string{"addressType", "endpoints", "ports", "metadata.labels"}},
	{kind: "Eviction.lifecycle.k8s.io", fields: spec, since: 37},
	{kind: "EvictionRequest.lifecycle.k8s.io", fields: spec, since: 37},
	{kind: "FlowSchema.flowcontrol.apiserver.k8s.io", fields: spec},
	{kind: "HorizontalPodAutoscaler.autoscaling", fields: spec, since: 37},
	{kind: "Ingress.networking.k8s.io", fields: spec},
	{kind: "IngressClass.networking.k8s.io", fields: spec},
	{kind: "Job.batch", fields: spec},
	{kind: "MutatingAdmissionPolicy.admissionregistration.k8s.io", fields: spec},
	{kind: "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io", fields: spec},
	{kind: "MutatingWebhookConfiguration.admissionregistration.k8s.io", fields: []string{"webhooks"}, emptiesCount: true},
	{kind: "NetworkPolicy.networking.k8s.io", fields: spec, emptiesCount: true},
	{kind: "Pod", fields: spec},
	{kind: "PodDisruptionBudget.policy", fields: spec},
	{kind: "PodTemplate", fields: []string{"template"}},
	{kind: "PriorityClass.scheduling.k8s.io"},
	{kind: "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io", fields: spec},
	{kind: "ReplicaSet.apps", fields: spec},
	{kind: "ReplicationController", fields: spec},
	{kind: "ResourceSlice.resource.k8s.io", fields: spec},
	{kind: "StatefulSet.apps", fields: spec},
	{kind: "ValidatingAdmissionPolicy.admissionregistration.k8s.io", fields: spec},
	{kind: "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io", fields: spec},
	{kind: "ValidatingWebhookConfiguration.admissionregistration.k8s.io", fields: []string{"webhooks"}, emptiesCount: true},
}

var spec = []string{"spec"}

// kindOf returns the kind of an object with its group, such as Deployment.apps.
func kindOf(object map[string]any) string {
	return groupKind(document.TypeOf(object))
}

func groupKind(apiVersion, kind string) string {
	if group, _, named := strings.Cut(apiVersion, "/"); named {
		return kind + "." + group
	}
	return kind
}

// withGeneration sets the generation that the server stores. If the generation cannot
// be predicted, withGeneration returns the object unchanged. An example is an update of
// a live object without a generation, because such an object was never on a server.
func (p *PreparedRequest) withGeneration(object map[string]any) map[string]any {
	if p.request.Subresource == "status" {
		return object
	}
	c, ok := p.server.generationRule(object)
	if !ok {
		return object
	}
	generation := int64(1)
	if p.Live == nil {
		if c.notOnCreate {
			return object
		}
	} else {
		was, there := document.Integer(document.Metadata(p.Live)["generation"])
		if !there && document.MetaString(p.Live, "uid") == "" || !p.mergedUnstored && !p.sentEmptyContainers && !p.fieldsDiffer(object, c.fields) {
			return object
		}
		generation = was + 1
	}
	object, metadata := document.WithMetadata(object)
	metadata["generation"] = generation
	return object
}

// addsEmpty reports whether a request adds an empty map or list to the live object. It returns false
// for kinds whose strategy ignores such a change; see generationRule.emptiesCount. The argument is the
// object of the request or the merged object.
func (p *PreparedRequest) addsEmpty(object map[string]any) bool {
	c, ok := p.server.generationRule(object)
	if !ok || !c.emptiesCount || p.Live == nil {
		return false
	}
	return slices.ContainsFunc(c.fields, func(name string) bool { return addsEmpty(p.Live[name], object[name]) })
}

func addsEmpty(before, after any) bool {
	switch after := after.(type) {
	case map[string]any:
		was, _ := before.(map[string]any)
		for name, v := range after {
			if addsEmpty(was[name], v) {
				return true
			}
		}
		return before == nil && len(after) == 0
	case []any:
		was, _ := before.([]any)
		for i, v := range after {
			if i < len(was) && addsEmpty(was[i], v) {
				return true // added items need no check, because they always count as a change
			}
		}
		return before == nil && len(after) == 0
	}
	return false
}

// generationRule returns the rule for the kind of an object. ok is false if the kind has no
// generation. For a custom resource, every change increases the generation, except changes of
// metadata. If status is a subresource, changes of status do not increase the generation, either.
func (s *Server) generationRule(object map[string]any) (c generationRule, ok bool) {
	if _, custom := s.custom(object); custom {
		return generationRule{}, true
	}
	if !s.predicts(object) {
		return generationRule{}, false
	}
	kind := kindOf(object)
	for _, c := range generations {
		if c.kind == kind {
			return c, minor(s.Release.Version()) >= c.since
		}
	}
	return generationRule{}, false
}

// predicts reports whether the kind of an object is a built-in kind of the server's release. It returns
// false if Server.Release is nil.
func (s *Server) predicts(object map[string]any) bool {
	apiVersion, kind := document.TypeOf(object)
	if _, custom := s.custom(object); custom || s.Release == nil {
		return false
	}
	if s.Kind == nil {
		return s.Release.Knows(apiVersion, kind) // without Server.Kind, use the kinds in the table of defaults
	}
	k, ok := s.Kind(apiVersion, kind)
	return ok && openapi.IsKubernetes(k.Type)
}

// minor returns the minor version of a release. For v1.37.2, it is 37.
func minor(version string) int {
	parts := strings.Split(version, ".")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // n is 0 if this part is not a number
	return n
}

// fieldsDiffer reports whether one of the named fields differs between object and the live object. For
// a custom resource, it ignores the names and compares all fields whose changes increase the
// generation.
func (p *PreparedRequest) fieldsDiffer(object map[string]any, names []string) bool {
	if _, custom := p.server.custom(object); custom {
		return !document.Equal(p.counted(p.Live), p.counted(object))
	}
	if len(names) == 0 {
		return false
	}
	live, object := p.comparableForms(object)
	for _, name := range names {
		before, after := live[name], object[name]
		if field, ok := strings.CutPrefix(name, "metadata."); ok {
			before, after = document.Metadata(live)[field], document.Metadata(object)[field]
		}
		if !equalInGo(before, after) {
			return true
		}
	}
	return false
}

// comparableForms returns the live object and its replacement in forms that differ only by real
// changes. Equal quantities have the same text in these forms. Both objects also have the published
// defaults of built-in types, such as "", 0 or {} for fields that are not pointers in Go.
func (p *PreparedRequest) comparableForms(object map[string]any) (live, next map[string]any) {
	if !p.carries && p.server.hasGoType(object) && !p.server.DeclaredOnly {
		return p.Live, object // both already have the form of the Go type
	}
	t := p.request.Type
	live, next = document.WithoutManagedFields(p.Live), document.WithoutManagedFields(object)
	next = fieldmanager.RespellQuantities(t, live, next)
	return withDeclared(t, live), withDeclared(t, next)
}

// withDeclared returns an object with the defaults that the schema of its type declares.
func withDeclared(t typed.ParseableType, object map[string]any) map[string]any {
	filled, err := typed.AsTypedUnvalidated(value.NewValueInterface(object), t.Schema, t.TypeRef).Default()
	if err != nil {
		return object // the object is nested too deeply
	}
	after, _ := filled.AsValue().Unstructured().(map[string]any) // setting defaults in an object results in an object
	return after
}

// counted returns the fields of a custom resource that the endpoint stores, except metadata. A change
// of these fields increases the generation, but not in a request to the subresource status.
func (p *PreparedRequest) counted(object map[string]any) map[string]any {
	if p.request.Subresource == "status" {
		status, there := object["status"]
		if !there {
			return nil
		}
		return map[string]any{"status": status}
	}
	object = document.Shallow(object)
	delete(object, "metadata")
	if p.server.hasStatus(object) {
		delete(object, "status")
	}
	return object
}

// equalInGo reports whether two values of a built-in type are equal in Go. In this
// comparison, an absent list and an empty list are equal.
func equalInGo(a, b any) bool {
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
			if !equalInGo(v, y[name]) {
				return false
			}
		}
		for name, v := range y {
			if _, there := x[name]; !there && !equalInGo(nil, v) {
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
			if !equalInGo(x[i], y[i]) {
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

// hasStatus reports whether objects of this kind have the status subresource.
func (s *Server) hasStatus(object map[string]any) bool {
	if s.Kind == nil {
		return false
	}
	apiVersion, kind := document.TypeOf(object)
	k, _ := s.Kind(apiVersion, kind)
	return slices.Contains(k.Subresources, "status")
}
