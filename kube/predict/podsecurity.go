// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"github.com/dovetail-ssa/dovetail/internal/document"
)

// PodSecurity evaluates the admission plugin PodSecurity. An Evaluator of package
// kube/policy/podsecurity implements it.
type PodSecurity interface {
	Evaluate(*PodSecurityRequest) PodSecurityResult
}

// PodSecurityRequest is a request for a Namespace, or for an object whose Namespace is
// known.
type PodSecurityRequest struct {
	// Object is the object to store. Live is the object that it replaces, or nil.
	Object, Live map[string]any
	Subresource  string
	// Namespace is the Namespace of Object. If Object is itself a Namespace, the field
	// Namespace is nil, and Pods contains the known Pods of all Namespaces.
	Namespace map[string]any
	Pods      []map[string]any
}

// PodSecurityResult is the plugin's decision about a request.
type PodSecurityResult struct {
	// Warnings lists the warnings for the client.
	Warnings []string
	// Forbidden is the reason why the server rejects the object, or "" if it accepts the
	// object.
	Forbidden string
	// Invalid has the labels for which the server rejects a Namespace.
	Invalid []Cause
}

// CheckPodSecurity evaluates PodSecurity on an object that is about to be stored, and returns the
// server's warnings. The argument live is the object that it replaces, or nil. If the plugin
// rejects the object, the error is a *PoliciesError. CheckPodSecurity does not check an object
// whose Namespace is not in Server.Others.
func (s *Server) CheckPodSecurity(object, live map[string]any, subresource string) (warnings []string, err error) {
	if s.PodSecurity == nil || s.Others == nil || !s.predicts(object) {
		return nil, nil
	}
	r := &PodSecurityRequest{Object: object, Live: live, Subresource: subresource}
	if kindOf(object) == "Namespace" {
		if live != nil {
			r.Pods = s.Others("", "Pod")
		}
	} else {
		name := document.MetaString(object, "namespace")
		if name == "" {
			return nil, nil
		}
		for _, namespace := range s.Others("", "Namespace") {
			if document.MetaString(namespace, "name") == name {
				r.Namespace = namespace
			}
		}
		if r.Namespace == nil {
			return nil, nil
		}
	}
	result := s.PodSecurity.Evaluate(r)
	switch {
	case result.Forbidden != "":
		return nil, s.forbidden(object, result.Forbidden)
	case len(result.Invalid) > 0:
		return nil, &PoliciesError{NewInvalidError(object, result.Invalid)}
	}
	return result.Warnings, nil
}
