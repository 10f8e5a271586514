// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// serverWithObjects returns a server on which the given objects exist.
func serverWithObjects(t *testing.T, others ...string) *predict.Server {
	t.Helper()
	s := goServer(t)
	s.Others = func(group, kind string) (all []map[string]any) {
		for _, text := range others {
			o := object(t, text)
			g, _, named := strings.Cut(o["apiVersion"].(string), "/")
			if !named {
				g = ""
			}
			if g == group && o["kind"] == kind {
				all = append(all, o)
			}
		}
		return all
	}
	return s
}

const (
	plainPod   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	classedPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{"priorityClassName":"CLASS","containers":[{"name":"c","image":"i"}]}}`
	claim      = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":"n"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"5Gi"}}}}`
	high       = `{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":1000}`
	low        = `{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"low"},"value":-5,"globalDefault":true,"preemptionPolicy":"Never"}`
	noDefault  = `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"x"},"provisioner":"p"}`
	older      = `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"a","creationTimestamp":"2025-01-01T00:00:00Z","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p"}`
	newer      = `{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"b","creationTimestamp":"2026-01-01T00:00:00Z","annotations":{"storageclass.beta.kubernetes.io/is-default-class":"true"}},"provisioner":"p"}`
	limits     = `{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"l","namespace":"n"},"spec":{"limits":[
		{"type":"Container","default":{"cpu":"200m"},"min":{"memory":"64Mi"}},{"type":"PersistentVolumeClaim","max":{"storage":"4Gi"}}]}}`
)

// The changes that the plugins make depend on the known objects.
func TestPlugins(t *testing.T) {
	for name, test := range map[string]struct {
		others           []string
		sent, path, want string
	}{
		"nothing known":    {nil, plainPod, ".spec.priority", "null"},
		"default priority": {[]string{high, low}, plainPod, ".spec", `"preemptionPolicy":"Never","priority":-5,"priorityClassName":"low"`},
		"priority":         {[]string{high, low}, strings.Replace(classedPod, "CLASS", "high", 1), ".spec", `"preemptionPolicy":"PreemptLowerPriority","priority":1000,`},
		"no default":       {[]string{high}, plainPod, ".spec.priority", "0"},
		"of the system":    {nil, strings.Replace(classedPod, "CLASS", "system-node-critical", 1), ".spec.priority", "2000001000"},
		"not known":        {nil, strings.Replace(classedPod, "CLASS", "high", 1), ".spec.priority", "null"},
		"newest class":     {[]string{older, newer}, claim, ".spec.storageClassName", `"b"`},
		"no default class": {[]string{noDefault}, claim, ".spec.storageClassName", "null"},
		"own class":        {[]string{older}, strings.Replace(claim, `"spec":{`, `"spec":{"storageClassName":"",`, 1), ".spec.storageClassName", `""`},
		"class of old":     {[]string{older}, strings.Replace(claim, `"name":"c"`, `"name":"c","annotations":{"volume.beta.kubernetes.io/storage-class":""}`, 1), ".spec.storageClassName", "null"},
		"ingress class": {[]string{`{"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","metadata":{"name":"x","annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}}}`},
			`{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"i"},"spec":{"defaultBackend":{"service":{"name":"a","port":{"number":80}}}}}`, ".spec.ingressClassName", `"x"`},
		// In this LimitRange, the server has set default and defaultRequest from min.
		"limits": {[]string{limits}, plainPod, ".spec.containers[0].resources", `{"limits":{"cpu":"200m"},"requests":{"cpu":"200m","memory":"64Mi"}}`},
		"note":   {[]string{limits}, plainPod, ".metadata.annotations", `"LimitRanger plugin set: cpu, memory request for container c; cpu limit for container c"`},
		"other":  {[]string{strings.Replace(limits, `"namespace":"n"`, `"namespace":"m"`, 1)}, plainPod, ".spec.containers[0].resources", `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, verb := range []predict.Verb{predict.Create, predict.Apply} {
				p := predictRequest(t, serverWithObjects(t, test.others...), verb, "", test.sent, nil)
				if got := asJSON(t, at(t, p.Object, test.path)); !strings.Contains(got, test.want) {
					t.Errorf("got %s, want %s", got, test.want)
				}
			}
		})
	}
}

// Values that can be predicted from known objects must not be in OnlyServer.
func TestValuesOfPluginsArePredicted(t *testing.T) {
	listed := func(s *predict.Server, sent, path string) bool {
		for _, p := range predictRequest(t, s, predict.Create, "", sent, nil).OnlyServer {
			if p.String() == path {
				return true
			}
		}
		return false
	}
	for _, path := range []string{".spec.priority", ".spec.preemptionPolicy"} {
		if !listed(serverWithObjects(t), plainPod, path) || listed(serverWithObjects(t, high), plainPod, path) {
			t.Errorf("%s", path)
		}
	}
	if !listed(serverWithObjects(t), claim, ".spec.storageClassName") || listed(serverWithObjects(t, noDefault), claim, ".spec.storageClassName") {
		t.Error("storageClassName")
	}
}

func TestPluginsRefuse(t *testing.T) {
	ending := `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"status":{"phase":"Terminating"}}`
	for name, test := range map[string]struct {
		other, sent, want string
	}{
		"priority":    {high, strings.Replace(plainPod, `"spec":{`, `"spec":{"priority":3,`, 1), `pods "p" is forbidden: the integer value of priority (3) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name`},
		"preemption":  {low, strings.Replace(plainPod, `"spec":{`, `"spec":{"preemptionPolicy":"PreemptLowerPriority",`, 1), `pods "p" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name`},
		"terminating": {ending, plainPod, `pods "p" is forbidden: unable to create new content in namespace n because it is being terminated`},
		"claim":       {limits, claim, `persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi`},
		"limits": {limits, strings.Replace(plainPod, `"image":"i"`, `"image":"i","resources":{"limits":{"memory":"1Mi"}}`, 1),
			`pods "p" is forbidden: minimum memory usage per Container is 64Mi, but request is 1Mi`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, verb := range []predict.Verb{predict.Create, predict.ApplyForce} {
				_, err := serverWithObjects(t, test.other).Predict(&predict.Request{Verb: verb, Manager: "m", Time: time.Unix(0, 0), Object: object(t, test.sent)})
				var refused *fieldmanager.RequestError
				if !errors.As(err, &refused) || refused.Status != http.StatusForbidden || refused.Message != test.want {
					t.Errorf("got %v, want %s", err, test.want)
				}
			}
		})
	}
	// An update of a claim is checked, too. Updates in a terminating Namespace are accepted.
	live := object(t, claim)
	_, err := serverWithObjects(t, limits, ending).Predict(&predict.Request{Verb: predict.Update, Manager: "m", Time: time.Unix(0, 0), Object: live, Live: live})
	if err == nil || !strings.Contains(err.Error(), "4Gi") {
		t.Errorf("got %v", err)
	}
	_, err = serverWithObjects(t, ending, high).Predict(&predict.Request{Verb: predict.Update, Manager: "m", Time: time.Unix(0, 0), Object: live, Live: live})
	if err != nil {
		t.Error(err)
	}
}
