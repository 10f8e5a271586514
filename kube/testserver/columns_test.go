// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// For built-in kinds, kubectl get must show the same cells as with a real server.
func TestBuiltinTables(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ kind, object, want string }{
		{"/Pod", `{"metadata":{"creationTimestamp":"2026-03-01T09:00:00Z"},"spec":{"nodeName":"n","containers":[{"name":"a"},{"name":"b"}]},
			"status":{"phase":"Running","podIP":"10.0.0.1","containerStatuses":[{"ready":true,"restartCount":2},{"ready":false,"restartCount":1,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
			"1/2 CrashLoopBackOff 3 60m 10.0.0.1 n <none> <none>"},
		{"/Pod", `{"metadata":{"creationTimestamp":"2026-03-01T09:00:00Z"},"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Pending"}}`, "0/1 Pending 0 60m <none> <none> <none> <none>"},
		{"/Service", `{"metadata":{"creationTimestamp":"2026-02-28T10:00:00Z"},"spec":{"type":"NodePort","clusterIP":"10.0.0.2","selector":{"b":"c","a":"b"},"ports":[{"port":80,"nodePort":30080,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}}`,
			"NodePort 10.0.0.2 <none> 80:30080/TCP,53/UDP 24h a=b,b=c"},
		{"/Service", `{"spec":{"type":"LoadBalancer"}}`, "LoadBalancer <none> <pending> <none> <unknown> <none>"},
		{"/ConfigMap", `{"data":{"a":"b"},"binaryData":{"c":"ZA=="}}`, "2 <unknown>"},
		{"/Secret", `{"type":"Opaque","data":{"a":"b"}}`, "Opaque 1 <unknown>"},
		{"/Namespace", `{"status":{"phase":"Active"}}`, "Active <unknown>"},
		{"/Node", `{"metadata":{"labels":{"node-role.kubernetes.io/worker":""}},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.37.2"}}}`,
			"Ready,SchedulingDisabled worker <unknown> v1.37.2 <none> <none> <unknown> <unknown> <unknown>"},
		{"/PersistentVolumeClaim", `{"spec":{"volumeName":"v","storageClassName":"fast"},"status":{"phase":"Bound","capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"]}}`, "Bound v 1Gi RWO fast <unset> <unknown> <unset>"},
		{"apps/Deployment", `{"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"readyReplicas":2,"updatedReplicas":3,"availableReplicas":2}}`, "2/3 3 2 <unknown> c i a=b"},
		{"apps/StatefulSet", `{"spec":{"replicas":1}}`, "0/1 <unknown>  "},
		{"apps/ReplicaSet", `{"spec":{"replicas":1}}`, "1 0 0 <unknown>   <none>"},
		{"apps/DaemonSet", `{"status":{"desiredNumberScheduled":2}}`, "2 0 0 0 0 <none> <unknown>   <none>"},
		{"batch/Job", `{"spec":{"completions":2},"status":{"succeeded":2,"startTime":"2026-03-01T09:00:00Z","completionTime":"2026-03-01T09:05:00Z","conditions":[{"type":"Complete","status":"True"}]}}`, "Complete 2/2 5m <unknown>   <none>"},
		{"batch/CronJob", `{"spec":{"schedule":"* * * * *","suspend":false,"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}}}`, "* * * * * <none> False 0 <none> <unknown> c i <none>"},
		{"networking.k8s.io/Ingress", `{"spec":{"ingressClassName":"nginx","rules":[{"host":"a.example.com"}],"tls":[{}]},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}`, "nginx a.example.com 1.2.3.4 80, 443 <unknown>"},
	} {
		table, object := builtinTables[tt.kind], map[string]any{}
		if err := json.Unmarshal([]byte(tt.object), &object); err != nil {
			t.Fatal(err)
		}
		cells := table.cells(object, now)
		var texts []string
		for _, c := range cells {
			texts = append(texts, fmt.Sprint(c))
		}
		if got := strings.Join(texts, " "); got != tt.want || len(cells) != len(table.columns) {
			t.Errorf("%s: %d columns, got %q, want %q", tt.kind, len(table.columns), got, tt.want)
		}
		for i, c := range cells {
			if _, isInt := c.(int64); isInt != (table.columns[i].Type == "integer") {
				t.Errorf("%s: %s is %T", tt.kind, table.columns[i].Name, c)
			}
		}
	}
}

// A server cannot parse the path of column B, so it leaves out B and all columns after it.
func TestColumnsWithInvalidPath(t *testing.T) {
	r := &resource{kind: "Thing", columns: []column{{name: "A", kind: "string", path: ".spec.a"}, {name: "B", kind: "string", path: ".spec[0"}, {name: "C", kind: "string", path: ".spec.a"}}}
	objects := []map[string]any{{"metadata": map[string]any{"name": "x"}, "spec": map[string]any{"a": "b"}}}
	table := (&Server{}).table(r, objects, metav1.ListMeta{}, &http.Request{URL: &url.URL{RawQuery: "includeObject=None"}})
	if len(table.ColumnDefinitions) != 2 || fmt.Sprint(table.Rows[0].Cells) != "[x b]" {
		t.Errorf("got %v and %v", table.ColumnDefinitions, table.Rows)
	}
}

// Tables must not panic, even if an object lacks fields.
func TestBuiltinTablesOfEmptyObjects(t *testing.T) {
	for kind, table := range builtinTables {
		if cells := table.cells(nil, time.Now()); len(cells) != len(table.columns) {
			t.Errorf("%s: %d cells for %d columns", kind, len(cells), len(table.columns))
		}
	}
}
