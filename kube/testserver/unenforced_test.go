// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// TestUnenforced checks that a client gets a warning if it stores an object that the server does
// not enforce, and that Warn is called once for each message.
func TestUnenforced(t *testing.T) {
	var warned []string
	s := start(t, testserver.Options{Warn: func(message string) { warned = append(warned, message) }})
	const admission = "/apis/admissionregistration.k8s.io/v1/"
	webhook := strings.Replace(colours, `"scope":`, `"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://example.com/"}}},"scope":`, 1)
	for _, c := range []struct{ path, body, want string }{
		{admission + "validatingadmissionpolicybindings?dryRun=All", `{"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}}`, "the test server does not run admission policies"},
		{admission + "validatingadmissionpolicybindings", `{"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"]}}`, "the test server does not run admission policies"},
		{admission + "mutatingadmissionpolicybindings", `{"metadata":{"name":"b"},"spec":{"policyName":"p"}}`, "the test server does not run admission policies"},
		{admission + "validatingwebhookconfigurations", `{"metadata":{"name":"w"}}`, "the test server does not call admission webhooks"},
		{admission + "mutatingwebhookconfigurations", `{"metadata":{"name":"w"}}`, "the test server does not call admission webhooks"},
		{"/api/v1/namespaces/default/resourcequotas", `{"metadata":{"name":"q"}}`, "the test server does not enforce quotas"},
		{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", webhook, "the test server does not call conversion webhooks"},
		{"/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"c"}}`, ""},
	} {
		answer, err := http.Post(s.URL()+c.path, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		want := ""
		if c.want != "" {
			want = `299 - "` + c.want + `"`
		}
		if got := answer.Header.Get("Warning"); answer.StatusCode != http.StatusCreated || got != want {
			t.Errorf("%s: status %d, warning %q, want %q", c.path, answer.StatusCode, got, want)
		}
	}
	want := []string{
		"ValidatingAdmissionPolicyBinding b: the test server does not run admission policies",
		"ValidatingWebhookConfiguration w: the test server does not call admission webhooks",
		"ResourceQuota q: the test server does not enforce quotas",
		"CustomResourceDefinition paints.example.com: the test server does not call conversion webhooks",
	}
	if !slices.Equal(warned, want) {
		t.Errorf("Warn was called with %q, want %q", warned, want)
	}
}

// TestDeletedNamespace checks that the deletion of a Namespace has no grace period, as on a real
// server, and that the deletion keeps the conditions of its status.
func TestDeletedNamespace(t *testing.T) {
	s := start(t, testserver.Options{})
	const js, namespace = "application/json", "/api/v1/namespaces/gone"
	send(t, s, "POST", "/api/v1/namespaces", js, `{"metadata":{"name":"gone"}}`)
	send(t, s, "PATCH", namespace+"/status", "application/merge-patch+json", `{"status":{"conditions":[{"type":"A","status":"True"}]}}`)
	for range 2 { // the second request changes nothing
		code, text := send(t, s, "DELETE", namespace, js, "")
		if code != 200 || strings.Contains(text, "deletionGracePeriodSeconds") || !strings.Contains(text, `"deletionTimestamp"`) ||
			!strings.Contains(text, `"phase":"Terminating"`) || !strings.Contains(text, `"type":"A"`) {
			t.Errorf("%d %s", code, text)
		}
	}
}
