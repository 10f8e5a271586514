// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package native

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// TestTestServer checks that the test server validates objects with the code of the release.
func TestTestServer(t *testing.T) {
	eachRelease(t, func(t *testing.T, release string, e *native.Engine) {
		s, err := testserver.New(testserver.Options{Release: release, Native: e})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		send := func(method, path, contentType, body string) (int, []byte) {
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			answer, err := io.ReadAll(w.Result().Body)
			if err != nil {
				t.Fatal(err)
			}
			return w.Code, answer
		}
		apply := func(path, body string) (int, []byte) {
			return send(http.MethodPatch, path+"?fieldManager=m&force=true", "application/apply-patch+yaml", body)
		}
		const deployments = "/apis/apps/v1/namespaces/default/deployments"
		invalid := strings.Replace(invalidDeployment, ", namespace: d", "", 1)
		code, body := apply(deployments+"/web", invalid)
		var status metav1.Status
		if err := json.Unmarshal(body, &status); err != nil {
			t.Fatal(err)
		}
		const message = "Deployment.apps \"web\" is invalid: [spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match template `labels`, spec.template.spec.containers[0].image: Required value]"
		if code != http.StatusUnprocessableEntity || status.Message != message || status.Details == nil || len(status.Details.Causes) != 2 {
			t.Errorf("status %d: %s", code, body)
		}
		valid := strings.Replace(strings.Replace(invalid, "labels: {a: c}", "labels: {a: b}", 1), "- name: c", "- {name: c, image: c}", 1)
		if code, body = apply(deployments+"/web", valid); code != http.StatusCreated {
			t.Fatalf("status %d: %s", code, body)
		}
		code, body = send(http.MethodPatch, deployments+"/web", "application/merge-patch+json", `{"spec":{"selector":{"matchLabels":{"x":"y"}}}}`)
		if code != http.StatusUnprocessableEntity || !strings.Contains(string(body), "field is immutable") {
			t.Errorf("want a rejection of a new selector, got status %d: %s", code, body)
		}
		if code, body = send(http.MethodPut, deployments+"/web/scale", "application/json",
			`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web","namespace":"default"},"spec":{"replicas":3}}`); code != http.StatusOK {
			t.Errorf("want status 200 for a scale request, got %d: %s", code, body)
		}
		code, body = send(http.MethodPatch, deployments+"/web/scale", "application/merge-patch+json", `{"spec":{"replicas":-1}}`)
		if err := json.Unmarshal(body, &status); err != nil {
			t.Fatal(err)
		}
		if code != http.StatusUnprocessableEntity || status.Message != `Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0` {
			t.Errorf("want a rejection of a scale request with negative replicas, got status %d: %s", code, body)
		}
		// The Job in the store has the selector that a server chooses, so an apply can change it.
		for _, parallelism := range []string{"1", "2"} {
			code, body = apply("/apis/batch/v1/namespaces/default/jobs/j", "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: "+parallelism+
				", template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}")
			if code >= 300 || !strings.Contains(string(body), `"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":`) {
				t.Errorf("want a Job with a selector, got status %d: %s", code, body)
			}
		}
		// A server validates events of both groups as the core kind.
		code, body = apply("/apis/events.k8s.io/v1/namespaces/default/events/e", "{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: e}}")
		if err := json.Unmarshal(body, &status); err != nil {
			t.Fatal(err)
		}
		if code != http.StatusUnprocessableEntity || !strings.HasPrefix(status.Message, `Event "e" is invalid: [eventTime: Required value, `) {
			t.Errorf("want a rejection of an event without a time, got status %d: %s", code, body)
		}
		for range 2 {
			if code, body = apply("/api/v1/namespaces/default/persistentvolumeclaims/copy", strings.Replace(claim, ", namespace: d", "", 1)); code >= 300 || !strings.Contains(string(body), "dataSourceRef") {
				t.Errorf("want a PersistentVolumeClaim with dataSourceRef, got status %d: %s", code, body)
			}
		}
	})
}
