// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// others returns the objects of a kind from Server.Others, with their defaults and sorted by name.
// It returns nil if the objects are not known.
func (p *PreparedRequest) others(group, kind string) (all []map[string]any) {
	if p.server.Others == nil {
		return nil
	}
	for _, object := range p.server.Others(group, kind) {
		apiVersion, kind := document.TypeOf(object)
		if t, err := p.server.typeOf(apiVersion, kind); err == nil {
			object, _ = p.server.fillBuiltin(object, t, p.request.Time)
		}
		all = append(all, object)
	}
	slices.SortStableFunc(all, func(a, b map[string]any) int {
		return strings.Compare(document.MetaString(a, "name"), document.MetaString(b, "name"))
	})
	return all
}

// checkTerminating returns an error if a request creates an object in a Namespace that is
// being deleted (plugin NamespaceLifecycle).
func (p *PreparedRequest) checkTerminating(object map[string]any) error {
	name := document.MetaString(object, "namespace")
	if p.Live != nil || p.request.Subresource != "" || name == "" || p.server.Others == nil {
		return nil
	}
	for _, namespace := range p.server.Others("", "Namespace") {
		status, _ := namespace["status"].(map[string]any)
		terminating := status["phase"] == "Terminating" || document.MetaString(namespace, "deletionTimestamp") != ""
		if terminating && document.MetaString(namespace, "name") == name {
			return p.server.forbidden(object, "unable to create new content in namespace "+name+" because it is being terminated")
		}
	}
	return nil
}

// forbidden returns the error that a server sends if admission rejects an object for the given reason.
func (s *Server) forbidden(object map[string]any, why string) error {
	apiVersion, kind := document.TypeOf(object)
	resource := strings.ToLower(kind)
	if s.Kind != nil {
		var k openapi.Kind
		if k, _ = s.Kind(apiVersion, kind); k.Resource != "" {
			resource = k.Resource
		}
	}
	if group, _, named := strings.Cut(apiVersion, "/"); named {
		resource += "." + group
	}
	name := cmp.Or(document.MetaString(object, "name"), document.MetaString(object, "generateName"), "Unknown")
	return &PoliciesError{&fieldmanager.RequestError{
		Status:  httpstatus.Forbidden,
		Message: fmt.Sprintf("%s %q is forbidden: %s", resource, name, why),
	}}
}

// annotation returns the value of an annotation, and reports whether the annotation exists. An
// existing annotation may have an empty value.
func annotation(object map[string]any, key string) (value string, exists bool) {
	annotations, _ := document.Metadata(object)["annotations"].(map[string]any)
	value, exists = annotations[key].(string)
	return value, exists
}

// withDefaultClass sets the default class in a new claim or Ingress that names no class (plugins
// DefaultStorageClass and DefaultIngressClass). It changes nothing if the classes are not known. If
// there are several default classes, it uses the newest one.
//
// The argument name is the field of the spec that contains the class, and old is an older annotation
// with the same meaning. marks lists the annotations that mark a class as the default.
func (p *PreparedRequest) withDefaultClass(object map[string]any, group, kind, name, old string, marks ...string) map[string]any {
	if _, named := annotation(object, old); named || specOf(object)[name] != nil {
		return object
	}
	var class map[string]any
	for _, c := range p.others(group, kind) {
		isDefault := slices.ContainsFunc(marks, func(mark string) bool {
			v, _ := annotation(c, mark)
			return v == "true"
		})
		if isDefault && (class == nil || creation(c).After(creation(class))) {
			class = c
		}
	}
	if class == nil {
		return object
	}
	object, spec := field(object, "spec")
	spec[name] = document.MetaString(class, "name")
	return object
}

// creation returns the creation time of an object, or the zero time if it has none.
func creation(object map[string]any) time.Time {
	t, _ := time.Parse(time.RFC3339, document.MetaString(object, "creationTimestamp"))
	return t
}
