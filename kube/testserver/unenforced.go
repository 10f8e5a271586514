// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

// unenforced returns a warning if the object configures something that only a real server does, such
// as calling a webhook. It returns "" for all other objects.
func unenforced(r *resource, object map[string]any) string {
	if r.custom != nil {
		return ""
	}
	switch r.group + "/" + r.kind {
	case "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding":
		return "the test server does not run admission policies"
	case "admissionregistration.k8s.io/ValidatingWebhookConfiguration", "admissionregistration.k8s.io/MutatingWebhookConfiguration":
		return "the test server does not call admission webhooks"
	case "/ResourceQuota":
		return "the test server does not enforce quotas"
	case "apiextensions.k8s.io/CustomResourceDefinition":
		if at(object, "spec", "conversion", "strategy") == "Webhook" {
			return "the test server does not call conversion webhooks"
		}
	}
	return ""
}

// warnUnenforced adds a warning to a request if the server does not enforce the stored object. For the
// first object with this warning, it also calls Options.Warn.
func (s *Server) warnUnenforced(q *write, object map[string]any) {
	warning := unenforced(q.resource, object)
	if warning == "" || q.subresource != "" {
		return
	}
	q.warnings = append(q.warnings, warning)
	if s.options.Warn != nil && !q.dryRun && !s.warned[warning] {
		s.warned[warning] = true
		s.options.Warn(q.resource.kind + " " + q.name + ": " + warning)
	}
}
