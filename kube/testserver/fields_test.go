// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/testserver"
)

// TestFieldSelectors checks which fields a selector can use, and which values they have.
func TestFieldSelectors(t *testing.T) {
	global := strings.NewReplacer("Paint", "Tint", "paint", "tint", "Namespaced", "Cluster").Replace(colours)
	s, err := testserver.New(testserver.Options{Definitions: [][]byte{[]byte(colours), []byte(global)}})
	if err != nil {
		t.Fatal(err)
	}
	const (
		core   = "/api/v1/namespaces/default"
		jobs   = "/apis/batch/v1/namespaces/default/jobs"
		spec   = `"template":{"spec":{"containers":[{"name":"c","image":"c"}],"restartPolicy":"Never"}}`
		about  = `{"kind":"Pod","namespace":"default","name":"p"}`
		events = "/apis/events.k8s.io/v1/namespaces/default/events"
		slices = "/apis/resource.k8s.io/v1/resourceslices"
	)
	for _, c := range []struct{ path, body string }{
		{"/api/v1/nodes", `{"metadata":{"name":"n"}}`},
		{"/api/v1/nodes", `{"metadata":{"name":"off"},"spec":{"unschedulable":true}}`},
		{core + "/pods", `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"c"}]}}`},
		{core + "/pods", `{"metadata":{"name":"host"},"spec":{"hostNetwork":true,"containers":[{"name":"c","image":"c"}]}}`},
		{jobs, `{"metadata":{"name":"j"},"spec":{` + spec + `}}`},
		{jobs, `{"metadata":{"name":"done"},"spec":{` + spec + `}}`},
		{core + "/events", `{"metadata":{"name":"e"},"involvedObject":` + about + `,"source":{"component":"kubelet"}}`},
		{core + "/events", `{"metadata":{"name":"f"},"involvedObject":` + about + `,"reportingComponent":"kubelet","reportingInstance":"i","action":"a","reason":"r","type":"Normal","eventTime":"2026-01-01T00:00:00.000000Z"}`},
		{events, `{"metadata":{"name":"g"},"regarding":` + about + `,"reportingController":"x.y/z","reportingInstance":"i","action":"a","reason":"r","type":"Normal","eventTime":"2026-01-01T00:00:00.000000Z"}`},
		{slices, `{"metadata":{"name":"s"},"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"p","resourceSliceCount":1}}}`},
		{core + "/replicationcontrollers", `{"metadata":{"name":"r"},"spec":{"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"c"}]}}}}`},
	} {
		if w := record(s, "POST", c.path, js, c.body); w.Code != 201 {
			t.Fatalf("%s: %d %s", c.path, w.Code, w.Body)
		}
	}
	if w := record(s, "PATCH", jobs+"/done/status", merge, `{"status":{"succeeded":1}}`); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for _, c := range []struct{ path, selector, want string }{
		{"/api/v1/nodes", "spec.unschedulable=false", "n"},
		{"/api/v1/nodes", "spec.unschedulable!=false", "off"},
		{"/api/v1/nodes", "metadata.namespace=", "400 field label not supported: metadata.namespace"},
		{core + "/pods", "spec.hostNetwork=false", "p"},
		{core + "/pods", "spec.host=n", "p"},
		{core + "/pods", "status.podIPs=,spec.nodeName=", "host"},
		{core + "/pods", "status.podIPs=1.2.3.4", ""},
		{jobs, "status.successful=0", "j"},
		{jobs, "status.successful=1", "done"},
		{jobs, "status.succeeded=1", `400 field label "status.succeeded" not supported for Job`},
		{core + "/events", "source=kubelet", "e f"},
		{core + "/events", "involvedObject.kind=Pod,reportingComponent=kubelet", "f"},
		{events, "regarding.kind=Pod,reportingController=x.y/z", "g"},
		{events, "involvedObject.kind=Pod", "400 field label not supported: involvedObject.kind"},
		{slices, "spec.driver=d.example.com,spec.nodeName=n,spec.pool.name=p", "s"},
		{slices, "spec.x=", "400 field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x"},
		{"/apis/certificates.k8s.io/v1/certificatesigningrequests", "spec.signerName=x", ""},
		{core + "/replicationcontrollers", "status.replicas=0", "r"},
		{"/apis/apps/v1/replicasets", "status.replicas=0", `400 "status.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{maps, "metadata.namespace=default", ""},
		{"/apis/example.com/v1/paints", "metadata.namespace=default", ""},
		{"/apis/example.com/v1/tints", "metadata.namespace=default", "400 field label not supported: metadata.namespace"},
		{"/apis/example.com/v1/tints", "spec.litres=1", "400 field label not supported: spec.litres"},
	} {
		w := record(s, "GET", c.path+"?fieldSelector="+url.QueryEscape(c.selector), js, "")
		var list struct {
			Message string
			Items   []struct{ Metadata struct{ Name string } }
		}
		decode(t, w.Body.Bytes(), &list)
		var names []string
		for _, item := range list.Items {
			names = append(names, item.Metadata.Name)
		}
		got := strings.Join(names, " ")
		if w.Code == 400 {
			got = "400 " + list.Message
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.path, c.selector, got, c.want)
		}
	}
}
