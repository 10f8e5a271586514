// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// mapWith returns a ConfigMap with more metadata, which begins with a comma.
func mapWith(metadata string) string {
	return `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "d"` + metadata + `}, "data": {"x": "y"}}`
}

const deleted = `, "uid": "u", "resourceVersion": "7", "deletionTimestamp": "2026-01-02T03:04:05Z"`

// A request that removes the last finalizer of an object with a deletionTimestamp deletes the object.
func TestDeletedByRequest(t *testing.T) {
	s := server(t, "1.37")
	const namespace = `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"` + deleted + `}, "spec": {"finalizers": [%s]}}`
	for _, c := range []struct {
		live, sent string
		want       bool
	}{
		{mapWith(deleted + `, "finalizers": ["e.x/a"]`), mapWith(""), true},
		{mapWith(deleted + `, "deletionGracePeriodSeconds": 0, "finalizers": ["e.x/a"]`), mapWith(`, "finalizers": []`), true},
		{mapWith(deleted + `, "deletionGracePeriodSeconds": 30, "finalizers": ["e.x/a"]`), mapWith(""), false},
		{mapWith(deleted + `, "finalizers": ["e.x/a", "e.x/b"]`), mapWith(`, "finalizers": ["e.x/a"]`), false},
		{mapWith(`, "finalizers": ["e.x/a"]`), mapWith(""), false},
		{fmt.Sprintf(namespace, ""), `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a", "labels": {"b": "c"}}}`, true},
		{fmt.Sprintf(namespace, `"kubernetes"`), `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a", "labels": {"b": "c"}}}`, false},
	} {
		p := predictRequest(t, s, predict.Update, "", c.sent, object(t, c.live))
		warned := slices.ContainsFunc(p.Warnings, func(w managedfields.Warning) bool { return w.Message == predict.DeletedWarning })
		if p.Deleted != c.want || warned != c.want || c.want && len(p.OnlyServer) > 0 {
			t.Errorf("%s after %s: deleted %v, warnings %v, only on the server %v", c.sent, c.live, p.Deleted, p.Warnings, p.OnlyServer)
		}
	}
	live := predictRequest(t, s, predict.Apply, "", mapWith(`, "finalizers": ["e.x/a"]`), nil).Object
	live["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-02T03:04:05Z"
	if p := predictRequest(t, s, predict.Apply, "", mapWith(""), live); !p.Deleted {
		t.Errorf("apply: the object stays: %v", p.Object)
	}
}

// Only a DELETE can set the fields about the deletion of an object.
func TestSentDeletionFields(t *testing.T) {
	for _, c := range []struct{ live, sent, want string }{
		{"", `, "deletionTimestamp": "2020-01-01T00:00:00Z"`, `metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable`},
		{"", `, "deletionGracePeriodSeconds": 0`, "metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable"},
		{"", `, "deletionTimestamp": null, "deletionGracePeriodSeconds": null`, ""},
		{deleted + `, "deletionGracePeriodSeconds": 30, "finalizers": ["e.x/a"]`, `, "deletionGracePeriodSeconds": 1, "finalizers": ["e.x/a"]`, "metadata.deletionGracePeriodSeconds: Invalid value: 1: field is immutable"},
		{deleted + `, "deletionGracePeriodSeconds": 30, "finalizers": ["e.x/a"]`, `, "deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["e.x/a"]`, ""},
	} {
		for _, custom := range []bool{false, true} {
			s, convert := server(t, "1.37"), func(text string) string { return text }
			if custom {
				s = knobServer(t, knob{}, openapi.Options{})
				convert = strings.NewReplacer(`"v1", "kind": "ConfigMap"`, `"example.com/v2", "kind": "Knob"`, `, "data": {"x": "y"}`, "").Replace
			}
			for _, verb := range []predict.Verb{predict.Update, predict.ApplyForce} {
				p, err := s.Predict(&predict.Request{Verb: verb, Manager: "m", Time: time.Unix(0, 0), Object: object(t, convert(mapWith(c.sent))), Live: object(t, convert(mapWith(c.live)))})
				var invalid *predict.InvalidError
				switch {
				case c.want != "" && (!errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want)):
					t.Errorf("verb %d, custom %v, %s after %s: %v, want %s", verb, custom, c.sent, c.live, err, c.want)
				case c.want == "" && err != nil:
					t.Errorf("verb %d, custom %v, %s after %s: %v", verb, custom, c.sent, c.live, err)
				case c.want == "" && c.live != "" && at(t, p.Object, ".metadata.deletionTimestamp") != "2026-01-02T03:04:05Z":
					t.Errorf("verb %d, custom %v, %s after %s: %v", verb, custom, c.sent, c.live, p.Object)
				}
			}
		}
	}
}

// An empty uid in an apply changes nothing. An empty resourceVersion changes nothing for most built-in
// kinds, and is rejected for the other kinds.
func TestEmptyIdentity(t *testing.T) {
	const (
		lease    = `{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a", "namespace": "d"%s}}`
		knobText = `{"apiVersion": "example.com/v2", "kind": "Knob", "metadata": {"name": "a", "namespace": "d"%s}}`
	)
	for _, kind := range []struct {
		server   *predict.Server
		text     string
		rejected bool
	}{
		{server(t, "1.37"), strings.Replace(mapWith("%"), "%", "%s", 1), false},
		{server(t, "1.37"), lease, true},
		{knobServer(t, knob{}, openapi.Options{}), knobText, true},
	} {
		live := predictRequest(t, kind.server, predict.Apply, "", fmt.Sprintf(kind.text, ""), nil).Object
		live["metadata"].(map[string]any)["uid"] = "u"
		live["metadata"].(map[string]any)["resourceVersion"] = "7"
		for _, empty := range []string{`""`, "null"} {
			p := predictRequest(t, kind.server, predict.Apply, "", fmt.Sprintf(kind.text, `, "uid": `+empty), live)
			if p.Changed || !reflect.DeepEqual(p.Object, live) {
				t.Errorf("%s with the uid %s: %v", kind.text, empty, p.Object)
			}
			sent := fmt.Sprintf(kind.text, `, "resourceVersion": `+empty)
			p, err := kind.server.Predict(&predict.Request{Verb: predict.Apply, Manager: "m", Time: time.Unix(9, 0), Object: object(t, sent), Live: live})
			switch {
			case kind.rejected && (err == nil || !strings.HasSuffix(err.Error(), "metadata.resourceVersion: Invalid value: 0: must be specified for an update")):
				t.Errorf("%s: %v", sent, err)
			case !kind.rejected && (err != nil || p.Changed || !reflect.DeepEqual(p.Object, live)):
				t.Errorf("%s: %v, %v", sent, p, err)
			}
			if p := predictRequest(t, kind.server, predict.Update, "", sent, live); at(t, p.Object, ".metadata.resourceVersion") != "7" {
				t.Errorf("update %s: %v", sent, p.Object)
			}
			if p := predictRequest(t, kind.server, predict.Apply, "", fmt.Sprintf(kind.text, `, "uid": `+empty+`, "resourceVersion": `+empty), nil); at(t, p.Object, ".metadata.uid") != nil || at(t, p.Object, ".metadata.resourceVersion") != nil {
				t.Errorf("%s with empty values, new: %v", kind.text, p.Object)
			}
		}
	}
}

// A namespace, uid or resourceVersion of a wrong type is an error. The live value does not replace it.
func TestMetadataOfWrongType(t *testing.T) {
	s := server(t, "1.37")
	live := predictRequest(t, s, predict.Apply, "", mapWith(""), nil).Object
	live["metadata"].(map[string]any)["uid"] = "u"
	live["metadata"].(map[string]any)["resourceVersion"] = "7"
	for _, sent := range []string{mapWith(`, "uid": 5`), mapWith(`, "resourceVersion": 7`), strings.Replace(mapWith(""), `"namespace": "d"`, `"namespace": 123`, 1)} {
		for _, verb := range []predict.Verb{predict.Update, predict.Apply} {
			if p, err := s.Predict(&predict.Request{Verb: verb, Manager: "m", Time: time.Unix(9, 0), Object: object(t, sent), Live: live}); err == nil {
				t.Errorf("%s, verb %d: %v", sent, verb, p.Object)
			}
		}
	}
}

// Nulls in labels and annotations become empty strings, even if the definition of a custom resource is
// not known.
func TestNullsInMetadata(t *testing.T) {
	s := knobServer(t, nil, openapi.Options{})
	sent := strings.NewReplacer(`"v1", "kind": "ConfigMap"`, `"example.com/v2", "kind": "Knob"`, `, "data": {"x": "y"}`, "").Replace(mapWith(`, "labels": {"a": null, "b": "c"}, "annotations": {"d": null}`))
	for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
		p := predictRequest(t, s, verb, "", sent, nil)
		if got := asJSON(t, []any{at(t, p.Object, ".metadata.labels"), at(t, p.Object, ".metadata.annotations")}); got != `[{"a":"","b":"c"},{"d":""}]` {
			t.Errorf("verb %d: %s", verb, got)
		}
		if owned := asJSON(t, at(t, p.Object, ".metadata.managedFields")); !strings.Contains(owned, `"f:a":{}`) || !strings.Contains(owned, `"f:d":{}`) {
			t.Errorf("verb %d: owners %s", verb, owned)
		}
	}
}

// A server removes an owner reference that equals an earlier one, and sends a warning.
func TestEqualOwners(t *testing.T) {
	s := server(t, "1.37")
	const one = `{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}`
	for _, c := range []struct {
		owners string
		want   int
		warned string
	}{
		{one, 1, ""},
		{one + "," + one, 1, ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"},
		{one + "," + strings.Replace(one, `"u"`, `"u", "controller": null`, 1) + "," + one, 1, "observed: u, u"},
		{one + "," + strings.Replace(one, `"u"`, `"u", "controller": false`, 1), 2, ""},
		{one + "," + strings.Replace(one, `"p"`, `"q"`, 1), 2, ""},
	} {
		for _, verb := range []predict.Verb{predict.Create, predict.Update} {
			var live map[string]any
			if verb == predict.Update {
				live = object(t, mapWith(""))
			}
			p := predictRequest(t, s, verb, "", mapWith(`, "ownerReferences": [`+c.owners+`]`), live)
			left, _ := at(t, p.Object, ".metadata.ownerReferences").([]any)
			if len(left) != c.want || len(p.ServerWarnings) > 1 || !strings.Contains(strings.Join(p.ServerWarnings, ""), c.warned) || (c.warned == "") != (len(p.ServerWarnings) == 0) {
				t.Errorf("verb %d, %s: %v, warnings %q", verb, c.owners, left, p.ServerWarnings)
			}
			if owned := asJSON(t, at(t, p.Object, ".metadata.managedFields")); !strings.Contains(owned, `k:{\"uid\":\"u\"}`) {
				t.Errorf("verb %d, %s: owners %s", verb, c.owners, owned)
			}
		}
	}
	// A policy adds an owner that the object already has.
	s.Policies = addsOwner{object(t, one)}
	for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
		p := predictRequest(t, s, verb, "", mapWith(`, "ownerReferences": [`+one+`]`), nil)
		left, _ := at(t, p.Object, ".metadata.ownerReferences").([]any)
		if len(left) != 1 || len(p.ServerWarnings) != 1 || !strings.Contains(p.ServerWarnings[0], "duplicate entries after mutating admission happens;") {
			t.Errorf("verb %d, with a policy: %v, warnings %q", verb, left, p.ServerWarnings)
		}
	}
}

// addsOwner is a policy that adds an owner reference to each object.
type addsOwner struct{ owner map[string]any }

func (a addsOwner) Mutate(r *predict.Admission) (*predict.AdmissionResult, error) {
	after, metadata := document.WithMetadata(r.Object)
	owners, _ := metadata["ownerReferences"].([]any)
	metadata["ownerReferences"] = append(slices.Clone(owners), a.owner)
	return &predict.AdmissionResult{Object: after}, nil
}

func (a addsOwner) Validate(r *predict.Admission) (*predict.AdmissionResult, error) {
	return &predict.AdmissionResult{Object: r.Object}, nil
}
