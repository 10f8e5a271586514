// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// The values that admission adds to new objects have no owner, and are added only once.
func TestAdmission(t *testing.T) {
	for name, test := range map[string]struct{ sent, path, want string }{
		"node":     {`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`, ".spec.taints", `[{"effect":"NoSchedule","key":"node.kubernetes.io/not-ready"}]`},
		"claim":    {`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","finalizers":["a.b/c"]},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`, ".metadata.finalizers", `["a.b/c","kubernetes.io/pvc-protection"]`},
		"volume":   {`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v","finalizers":["kubernetes.io/pv-protection"]},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"}}}`, ".metadata.finalizers", `["kubernetes.io/pv-protection"]`},
		"phase":    {`{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"}}}`, ".status.phase", `"Pending"`},
		"tolerant": {`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"operator":"Exists"}]}}`, ".spec.tolerations", `[{"operator":"Exists"}]`},
		"pod":      {`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`, ".spec.tolerations[1].tolerationSeconds", `300`},
	} {
		t.Run(name, func(t *testing.T) {
			p := predictRequest(t, server(t, "1.37"), predict.Create, "", test.sent, nil)
			data, err := json.Marshal(at(t, p.Object, test.path))
			if err != nil {
				t.Fatal(err)
			}
			if string(data) != test.want {
				t.Errorf("got %s, want %s", data, test.want)
			}
			owners, err := json.Marshal(at(t, p.Object, ".metadata.managedFields"))
			if err != nil {
				t.Fatal(err)
			}
			for _, field := range []string{"node.kubernetes.io/", "-protection", "f:phase", "f:taints"} {
				if strings.Contains(string(owners), field) && !strings.Contains(test.sent, field) {
					t.Errorf("%s is owned: %s", field, owners)
				}
			}
		})
	}
}

// If an update omits a Pod's priority, or the tolerations that admission added, the
// stored Pod must keep these values.
func TestAdmissionOfUpdates(t *testing.T) {
	live := object(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","uid":"u","generation":1},"spec":{"containers":[],"priority":7,
		"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}}`)
	p := predictRequest(t, server(t, "1.37"), predict.Update, "", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[]}}`, live)
	if got := at(t, p.Object, ".spec.priority"); got != 7.0 {
		t.Errorf("priority %v", got)
	}
	if got := at(t, p.Object, ".spec.tolerations"); len(got.([]any)) != 1 {
		t.Errorf("tolerations %v", got)
	}
	if got := at(t, p.Object, ".metadata.generation"); got != 1.0 {
		t.Errorf("generation %v", got)
	}
}

// Requests to the status endpoint also change metadata, except for some kinds.
func TestMetadataAtStatus(t *testing.T) {
	for kind, labels := range map[string]any{"apps/v1 StatefulSet": "new", "apps/v1 Deployment": nil, "storage.k8s.io/v1 VolumeAttachment": nil} {
		apiVersion, name, _ := strings.Cut(kind, " ")
		live := `{"apiVersion":"` + apiVersion + `","kind":"` + name + `","metadata":{"name":"a","uid":"u"},"spec":{}}`
		sent := strings.Replace(live, `"uid"`, `"labels":{"l":"new"},"annotations":{"a":"new"},"uid"`, 1)
		p := predictRequest(t, server(t, "1.37"), predict.Update, "status", sent, object(t, live))
		if got := at(t, p.Object, ".metadata.labels.l"); got != labels {
			t.Errorf("%s: label %v, want %v", kind, got, labels)
		}
		if got := at(t, p.Object, ".metadata.annotations.a"); (got == "new") != (name != "VolumeAttachment") {
			t.Errorf("%s: annotation %v", kind, got)
		}
	}
}

// An update loses undeclared fields, with a warning. If list items in the update lack
// keys, the server stores the object without updating the managed fields.
func TestDecodingOfUpdates(t *testing.T) {
	s := server(t, "1.37")
	live := object(t, `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a","uid":"u","resourceVersion":"1","managedFields":[
		{"manager":"x","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:a":{}}}}}]}}`)
	p := predictRequest(t, s, predict.Update, "", `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a"},"colour":"red","secrets":[{"fieldPath":"x"}]}`, live)
	if p.Object["colour"] != nil || at(t, p.Object, ".secrets[0].fieldPath") != "x" || at(t, p.Object, ".metadata.managedFields[0].manager") != "x" {
		t.Errorf("%v", p.Object)
	}
	var told []string
	for _, w := range p.Warnings {
		told = append(told, w.Path)
	}
	if strings.Join(told, " ") != ".colour " {
		t.Errorf("warnings about %q", told)
	}
}
