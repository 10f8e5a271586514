// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

const (
	webDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},"spec":{
		"selector":{"matchLabels":{"app":"web"}},
		"template":{"metadata":{"labels":{"app":"web"}},"spec":{
			"containers":[{"name":"web","image":"web","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"1"}}}],
			"nodeSelector":{"disk":"ssd"},
			"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}}}}}`
	claimSet = `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db","namespace":"default"},"spec":{"serviceName":"db",
		"selector":{"matchLabels":{"app":"db"}},"template":{"metadata":{"labels":{"app":"db"}},"spec":{
			"containers":[{"name":"db","image":"db"}],"volumes":[{"name":"data","cephfs":{}}]}},
		"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}}`
	webService     = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"default"},"spec":{"ports":[{"port":80}],"selector":{"app":"web"}}}`
	keySecret      = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"key","namespace":"default"},"data":{"a":"YQ=="},"type":"Opaque"}`
	diskClaim      = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"disk","namespace":"default"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`
	driverNode     = `{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"node"},"spec":{"drivers":[{"name":"csi","nodeID":"n","topologyKeys":["zone"]}]}}`
	accountBinding = `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"a:b","namespace":"default"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},"subjects":[{"kind":"ServiceAccount","name":"s","namespace":"default"}]}`
)

// For each class of rules, the test sends an invalid value in an apply, an update and a
// create. All of these requests must be rejected. Valid values, and invalid values that
// the live object already has, must be accepted.
func TestInvalidValues(t *testing.T) {
	s := goServer(t)
	for _, c := range []struct{ object, old, new, want string }{
		{webDeployment, "", "", ""},
		{webService, "", "", ""},
		{keySecret, "", "", ""},
		{diskClaim, "", "", ""},
		{accountBinding, "", "", ""},
		// A required field is missing or empty.
		{webDeployment, `"image":"web",`, ``, `spec.template.spec.containers[0].image: Required value`},
		{webDeployment, `"containers":[{"name":"web","image":"web","ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"1"}}}]`, `"containers":[]`, `spec.template.spec.containers: Required value`},
		{accountBinding, `"kind":"Role","name":"r"`, `"kind":"Role","name":""`, `roleRef.name: Required value`},
		// A value is not supported.
		{webService, `"ports"`, `"type":"Public","ports"`, `spec.type: Unsupported value: "Public": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"`},
		{webDeployment, `"image":"web"`, `"image":"web","imagePullPolicy":"Sometimes"`, `spec.template.spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`},
		{webDeployment, `"containers"`, `"restartPolicy":"Never","containers"`, `spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`},
		{diskClaim, `"ReadWriteOnce"`, `"ReadAll"`, `spec.accessModes: Unsupported value: "ReadAll": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`},
		// A value has the wrong format.
		{webDeployment, `"name":"web","image"`, `"name":"We_b","image"`, `spec.template.spec.containers[0].name: Invalid value: "We_b": a lowercase RFC 1123 label must`},
		{webDeployment, `"disk":"ssd"`, `"dis k":"ssd"`, `spec.template.spec.nodeSelector: Invalid value: "dis k": name part must`},
		{webDeployment, `"operator":"In"`, `"operator":"Near"`, `not a valid selector operator`},
		{webDeployment, `"app":"web"}},"spec"`, `"app":"web","b":"-x"}},"spec"`, `spec.template.metadata.labels: Invalid value: "-x": a valid label must`},
		// Names of drivers may have upper-case letters.
		{driverNode, `"csi"`, `"CSI.Example.com"`, ""},
		{driverNode, `"csi"`, `"CSI_Example"`, `spec.drivers[0].name: Invalid value: "CSI_Example": a lowercase RFC 1123 subdomain must`},
		// The allowed URIs of a disk depend on its kind.
		{webDeployment, `"containers"`, `"volumes":[{"name":"a","azureDisk":{"diskName":"d","diskURI":"https://example.com/d.vhd"}}],"containers"`, ""},
		// A number is out of range, or a quantity is invalid.
		{webService, `"port":80`, `"port":70000`, `.port: Invalid value: 70000: must be between 1 and 65535, inclusive`},
		{webDeployment, `"selector"`, `"replicas":-1,"selector"`, `spec.replicas: Invalid value: -1: must be greater than or equal to 0`},
		{webDeployment, `"cpu":"1"`, `"cpu":"lots"`, `spec.template.spec.containers[0].resources.limits[cpu]: Invalid value: "lots": quantities must match the regular expression`},
		// A value is not base64. No message may show a value of a Secret.
		{keySecret, `"a":"YQ=="`, `"a":"pass word"`, `data[a]: Invalid value: not base64; use stringData for plain text`},
		// A selector does not match the labels of the template.
		{webDeployment, `{"matchLabels":{"app":"web"}}`, `{"matchLabels":{"app":"other"}}`, "spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template `labels`"},
		{webDeployment, `{"matchLabels":{"app":"web"}}`, `{"matchExpressions":[{"key":"app","operator":"DoesNotExist"}]}`, "`selector` does not match template `labels`"},
		{webDeployment, `{"matchLabels":{"app":"web"}}`, `{"matchExpressions":[{"key":"app","operator":"In","values":["web","x"]}]}`, ""},
		{webDeployment, `{"matchLabels":{"app":"web"}}`, `{}`, "spec.selector: Invalid value: {}: empty selector is invalid for deployment"},
		// The claim template of a StatefulSet replaces the volume with the same name.
		{claimSet, "", "", ""},
		{claimSet, `{"name":"data","cephfs":{}}`, `{"name":"other","cephfs":{}}`, "spec.template.spec.volumes[0].cephfs.monitors: Required value"},
		// A valid Pod template with volumes and init containers is accepted.
		{webDeployment, `"containers"`, `"volumes":[{"name":"a","emptyDir":{}}],"initContainers":[{"name":"b","image":"c"}],"containers"`, ""},
	} {
		text := strings.Replace(c.object, c.old, c.new, 1)
		if text == c.object && c.old != "" {
			t.Fatalf("nothing to replace: %s", c.old)
		}
		decode := func(text string) (object map[string]any) {
			if err := json.Unmarshal([]byte(text), &object); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			return object
		}
		check := func(verb predict.Verb, live map[string]any, want string) {
			t.Helper()
			_, err := s.Predict(&predict.Request{Verb: verb, Manager: "m", Time: time.Unix(0, 0), Object: integers(decode(text)), Live: live})
			var invalid *predict.InvalidError
			switch {
			case want == "" && err != nil:
				t.Errorf("verb %d of %s: %v", verb, c.new, err)
			case want != "" && (!errors.As(err, &invalid) || !strings.Contains(err.Error(), want) || len(invalid.Causes) == 0):
				t.Errorf("verb %d of %s: %v, want %s", verb, c.new, err, want)
			case strings.Contains(c.object, "Secret") && err != nil && strings.Contains(err.Error(), "pass word"):
				t.Errorf("a value of a Secret in %v", err)
			}
		}
		check(predict.Create, nil, c.want)
		check(predict.Apply, nil, c.want)
		valid := integers(decode(c.object))
		if valid["kind"] != "RoleBinding" && !strings.Contains(c.want, "selector") && c.old != `{"matchLabels":{"app":"web"}}` { // skip these: selectors are immutable
			check(predict.Update, valid, c.want)
		}
		check(predict.Update, integers(decode(text)), "")
	}
}

// TestUndecodableValues checks numbers, times and other values that Go cannot decode, and the status
// of the server's response to an apply and to a create. An apply wraps an integer that is too large.
func TestUndecodableValues(t *testing.T) {
	s := goServer(t)
	const lease = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l","namespace":"default"},"spec":{"leaseDurationSeconds":15}}`
	for _, c := range []struct {
		object, old, new string
		apply, create    int
		want             string
	}{
		{webDeployment, `"selector"`, `"replicas":2.5,"selector"`, 500, 400, `spec.replicas: Invalid value: 2.5: must be an integer`},
		{webDeployment, `"selector"`, `"replicas":3.0,"selector"`, 0, 0, ""},
		{webDeployment, `"selector"`, `"progressDeadlineSeconds":4294967896,"selector"`, 0, 400, `spec.progressDeadlineSeconds: Invalid value: 4294967896: does not fit into the type int32 of the field`},
		{webDeployment, `"containers"`, `"terminationGracePeriodSeconds":1e20,"containers"`, 500, 400, `spec.template.spec.terminationGracePeriodSeconds: Invalid value: 100000000000000000000: does not fit into the type int64 of the field`},
		{webDeployment, `"containerPort":80`, `"containerPort":80.5`, 500, 400, `spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 80.5: must be an integer`},
		{webService, `"port":80`, `"port":80,"targetPort":2.5`, 500, 400, `spec.ports[0].targetPort: Invalid value: 2.5: must be an integer`},
		{webService, `"port":80`, `"port":80,"targetPort":9999999999`, 500, 400, `spec.ports[0].targetPort: Invalid value: 9999999999: does not fit into the type int32 of the field`},
		{webService, `"port":80`, `"port":80,"targetPort":true`, 500, 400, `spec.ports[0].targetPort: Invalid value: true: must be an integer or a string`},
		{lease, `15`, `15,"renewTime":"today"`, 500, 400, `spec.renewTime: Invalid value: "today": must be a time such as 2026-01-31T12:00:00.000000Z`},
		{lease, `15`, `15,"renewTime":"2026-01-31T12:00:00.000000Z"`, 0, 0, ""},
		{lease, `"name":"l"`, `"name":"l","deletionTimestamp":"today"`, 0, 0, ""}, // requests cannot set it
		{webDeployment, `"cpu":"1"`, `"cpu":"lots"`, 500, 400, `quantities must match`},
		{keySecret, `"a":"YQ=="`, `"a":"pass word"`, 500, 400, `not base64`},
		{webService, `"port":80`, `"port":70000`, 422, 422, `must be between 1 and 65535`},
	} {
		var config map[string]any
		if err := json.Unmarshal([]byte(strings.Replace(c.object, c.old, c.new, 1)), &config); err != nil {
			t.Fatalf("%s: %v", c.new, err)
		}
		for verb, want := range map[predict.Verb]int{predict.Apply: c.apply, predict.ApplyForce: c.apply, predict.Create: c.create} {
			_, err := s.Predict(&predict.Request{Verb: verb, Manager: "m", Time: time.Unix(0, 0), Object: config})
			var invalid *predict.InvalidError
			switch {
			case want == 0 && err != nil:
				t.Errorf("verb %d of %s: %v", verb, c.new, err)
			case want != 0 && (!errors.As(err, &invalid) || invalid.Err.Status != want || !strings.Contains(err.Error(), c.want)):
				t.Errorf("verb %d of %s: %v, want status %d and %s", verb, c.new, err, want, c.want)
			}
		}
	}
}

// TestWrappedIntegers checks that an apply stores the lower bits of an integer that is too large, with
// a warning.
func TestWrappedIntegers(t *testing.T) {
	config := strings.Replace(webDeployment, `"selector"`, `"progressDeadlineSeconds":4294967896,"selector"`, 1)
	p := predictRequest(t, goServer(t), predict.Apply, "", config, nil)
	if got := at(t, p.Object, ".spec.progressDeadlineSeconds"); got != int64(600) {
		t.Errorf("got %v, want 600", got)
	}
	want := managedfields.Warning{Path: ".spec.progressDeadlineSeconds", Message: "4294967896 does not fit into the type int32 of the field: an apply stores 600"}
	if !slices.Contains(p.Warnings, want) {
		t.Errorf("warnings %v, want %v", p.Warnings, want)
	}
	if again := predictRequest(t, goServer(t), predict.Apply, "", config, p.Object); again.Changed {
		t.Error("the second apply changes the object")
	}
}

// integers returns an object in which whole floats are integers, as in decoded requests.
func integers(object map[string]any) map[string]any { return whole(object).(map[string]any) }

func whole(v any) any {
	switch v := v.(type) {
	case float64:
		return int64(v)
	case []any:
		for i := range v {
			v[i] = whole(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = whole(v[key])
		}
	}
	return v
}
