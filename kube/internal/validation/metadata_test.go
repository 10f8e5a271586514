// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/kube/internal/validation"
)

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// Each metadata rule must reject its case with the server's message, and accept values at
// its limit.
func TestMetadata(t *testing.T) {
	long := strings.Repeat("a", 64)
	for _, c := range []struct {
		metadata, live string
		rules          validation.NameRules
		// want lists the beginning of each expected cause.
		want []string
	}{
		{metadata: `{"name":"a"}`},
		{metadata: `{"name":"a.b-c.1"}`},
		{metadata: `{"name":""}`, want: []string{"metadata.name: Required value: name or generateName is required"}},
		{metadata: `{"name":"A"}`, want: []string{`metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of`}},
		{metadata: `{"name":"a..b"}`, want: []string{`metadata.name: Invalid value: "a..b"`}},
		{metadata: `{"name":"-a"}`, want: []string{`metadata.name: Invalid value: "-a"`}},
		{metadata: `{"name":"a.b"}`, rules: validation.NameRules{Name: "label"}, want: []string{`metadata.name: Invalid value: "a.b": must not contain dots`}},
		{metadata: `{"name":"` + long + `"}`, rules: validation.NameRules{Name: "label"}, want: []string{`metadata.name: Invalid value: "` + long + `": must be no more than 63 characters`}},
		{metadata: `{"name":"1a"}`, rules: validation.NameRules{Name: "rfc1035"}, want: []string{`metadata.name: Invalid value: "1a": a DNS-1035 label must`}},
		{metadata: `{"name":"system:Node X"}`, rules: validation.NameRules{Name: "segment"}},
		{metadata: `{"name":"a/b%"}`, rules: validation.NameRules{Name: "segment"}, want: []string{`metadata.name: Invalid value: "a/b%": may not contain '/'`, `metadata.name: Invalid value: "a/b%": may not contain '%'`}},
		{metadata: `{"name":".."}`, rules: validation.NameRules{Name: "segment"}, want: []string{`metadata.name: Invalid value: "..": may not be '..'`}},
		{metadata: `{"name":"x"}`, rules: validation.NameRules{Name: "ip"}, want: []string{`metadata.name: Invalid value: "x": must be a valid IP address`}},
		{metadata: `{"name":"fd00::1"}`, rules: validation.NameRules{Name: "ip"}},
		{metadata: `{"generateName":"web-"}`},
		{metadata: `{"generateName":"Web-"}`, want: []string{`metadata.generateName: Invalid value: "Web-"`}},
		{metadata: `{"name":"a","namespace":"a.b"}`, want: []string{`metadata.namespace: Invalid value: "a.b": must not contain dots`}},
		{metadata: `{"name":"a","labels":{"example.com/A_b.c":"V_1.x","b":""}}`},
		{metadata: `{"name":"a","labels":{"b c":"x"}}`, want: []string{`metadata.labels: Invalid value: "b c": name part must consist of`}},
		{metadata: `{"name":"a","labels":{"a/b/c":"x"}}`, want: []string{`metadata.labels: Invalid value: "a/b/c": a valid label key must consist of`}},
		{metadata: `{"name":"a","labels":{"/b":"x"}}`, want: []string{`metadata.labels: Invalid value: "/b": prefix part must be non-empty`}},
		{metadata: `{"name":"a","labels":{"A/b":"x"}}`, want: []string{`metadata.labels: Invalid value: "A/b": prefix part a lowercase RFC 1123 subdomain`}},
		{metadata: `{"name":"a","labels":{"b":"` + long + `"}}`, want: []string{`metadata.labels: Invalid value: "` + long + `": must be no more than 63 bytes`}},
		{metadata: `{"name":"a","labels":{"b":"-x"}}`, want: []string{`metadata.labels: Invalid value: "-x": a valid label must be an empty string or`}},
		{metadata: `{"name":"a","annotations":{"Example.com/b":"any Text!"}}`},
		{metadata: `{"name":"a","annotations":{"b!":"x"}}`, want: []string{`metadata.annotations: Invalid value: "b!": name part must consist of`}},
		{metadata: `{"name":"a","annotations":{"b":"` + strings.Repeat("x", 256<<10-1) + `"}}`},
		{metadata: `{"name":"a","annotations":{"b":"` + strings.Repeat("x", 256<<10) + `"}}`, want: []string{"metadata.annotations: Too long: may not be more than 262144 bytes"}},
		{metadata: `{"name":"a","finalizers":["x","example.com/x"]}`},
		{metadata: `{"name":"a","finalizers":["x"]}`, rules: validation.NameRules{KnownFinalizers: true}, want: []string{`metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified`}},
		{metadata: `{"name":"a","finalizers":["orphan"]}`, rules: validation.NameRules{KnownFinalizers: true}},
		{metadata: `{"name":"a","finalizers":["x y"]}`, want: []string{`metadata.finalizers: Invalid value: "x y": name part must consist of`}},
		{metadata: `{"name":"a","finalizers":["orphan","foregroundDeletion"]}`, want: []string{`metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`}},
		{metadata: `{"name":"a","finalizers":["e.x/a"]}`, live: `{"name":"a","finalizers":["e.x/a"],"deletionTimestamp":"2026-01-02T03:04:05Z"}`},
		{metadata: `{"name":"a","finalizers":["e.x/a","e.x/b"]}`, live: `{"name":"a","finalizers":["e.x/a"],"deletionTimestamp":"2026-01-02T03:04:05Z"}`,
			want: []string{`metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"e.x/b"}`}},
		{metadata: `{"name":"a","deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":0}`},
		{metadata: `{"name":"a","deletionTimestamp":null,"deletionGracePeriodSeconds":null}`, live: `{"name":"a"}`},
		{metadata: `{"name":"a","deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":30}`, live: `{"name":"a"}`, want: []string{
			`metadata.deletionTimestamp: Invalid value: "2026-01-02T03:04:05Z": field is immutable`, `metadata.deletionGracePeriodSeconds: Invalid value: 30: field is immutable`}},
		{metadata: `{"name":"a","deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":30}`, live: `{"name":"a","deletionTimestamp":"2026-01-02T03:04:05Z","deletionGracePeriodSeconds":30}`},
		{metadata: `{"name":"a","ownerReferences":[{"apiVersion":"apps/v1","kind":"D","name":"d","uid":"1","controller":true},{"apiVersion":"v1","kind":"D","name":"e","uid":"2"}]}`},
		{metadata: `{"name":"a","ownerReferences":[{"name":"d"}]}`, want: []string{"metadata.ownerReferences[0].apiVersion: Required value: must not be empty", "metadata.ownerReferences[0].kind: Required", "metadata.ownerReferences[0].uid: Required"}},
		{metadata: `{"name":"a","ownerReferences":[{"apiVersion":"a/b/c","kind":"D","name":"d","uid":"1"}]}`, want: []string{`metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>`}},
		{metadata: `{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"d","uid":"1"}]}`, want: []string{"metadata.ownerReferences[0]: Invalid value: "}},
		{metadata: `{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"D","name":"d","uid":"1","controller":true},{"apiVersion":"v1","kind":"D","name":"e","uid":"2","controller":true}]}`,
			want: []string{"metadata.ownerReferences: Invalid value: "}},
	} {
		object := decode(t, `{"metadata":`+c.metadata+`}`)
		var live map[string]any
		if c.live != "" {
			live = decode(t, `{"metadata":`+c.live+`}`)
		}
		found := validation.CheckMetadata(object, live, c.rules)
		if len(found) != len(c.want) {
			t.Errorf("%.200s: found %v, want %q", c.metadata, found, c.want)
			continue
		}
		for i, f := range found {
			if got := f.Field + ": " + f.Message; !strings.HasPrefix(got, c.want[i]) {
				t.Errorf("%.200s: found %s, want %s", c.metadata, got, c.want[i])
			}
		}
	}
}
