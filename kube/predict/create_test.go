// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// TestCreateWithResourceVersion creates objects that have a resourceVersion. A server rejects them
// when it stores them, so it reports other errors first.
func TestCreateWithResourceVersion(t *testing.T) {
	s := server(t, "1.37")
	for _, c := range []struct {
		version, key string
		status       int
	}{
		{"", "a", 0}, {"0", "a", 0}, {"00", "a", 0}, {"abc", "a", 0}, {"-1", "a", 0}, {"7", "a", 500}, {"7", "no key", 422},
	} {
		sent := object(t, fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "d", "resourceVersion": %q}, "data": {%q: "b"}}`, c.version, c.key))
		_, err := s.Predict(&predict.Request{Verb: predict.Create, Manager: "m", Object: sent})
		var refused *fieldmanager.RequestError
		switch {
		case c.status == 0 && err != nil, c.status != 0 && !errors.As(err, &refused), refused != nil && refused.Status != c.status:
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := s.Predict(&predict.Request{Verb: predict.Create, Manager: "m", Object: sent, DryRun: true}); (err != nil) != (c.key != "a") {
			t.Errorf("%+v, dry run: %v", c, err)
		}
	}
}

// TestNewNodeKeepsStatus creates Nodes with a status, as a kubelet does. A server stores the status,
// but nobody owns it. It removes the status of other new objects.
func TestNewNodeKeepsStatus(t *testing.T) {
	s := goServer(t)
	const node = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}`
	for _, verb := range []predict.Verb{predict.Create, predict.Apply, predict.ApplyForce} {
		for _, program := range []predict.Native{nil, &recorder{}} {
			s.Native = program
			p := predictRequest(t, s, verb, "", node, nil)
			if got := at(t, p.Object, ".status.phase"); got != "Running" {
				t.Errorf("verb %d: the phase is %v", verb, got)
			}
			if got := at(t, p.Object, ".status.conditions[0].lastHeartbeatTime"); got != nil {
				t.Errorf("verb %d: lastHeartbeatTime is %v, want null", verb, got)
			}
			if owned := asJSON(t, at(t, p.Object, ".metadata.managedFields")); strings.Contains(owned, "f:status") {
				t.Errorf("verb %d: the status has an owner: %s", verb, owned)
			}
			if len(p.Warnings) > 0 {
				t.Errorf("verb %d: %v", verb, p.Warnings)
			}
			// An update of the stored object does not change the status.
			p = predictRequest(t, s, predict.Update, "", `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "status": {"phase": "Pending"}}`, p.Object)
			if got := at(t, p.Object, ".status.phase"); got != "Running" {
				t.Errorf("verb %d: after an update, the phase is %v", verb, got)
			}
		}
	}
	p := predictRequest(t, s, predict.Create, "", `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}`, nil)
	if got := at(t, p.Object, ".status.conditions"); got != nil {
		t.Errorf("a new Service keeps its status: %v", got)
	}
}
