// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package podsecurity

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/pod-security-admission/admission"
	admissionapi "k8s.io/pod-security-admission/admission/api"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/metrics"
	"k8s.io/pod-security-admission/policy"

	"github.com/dovetail-ssa/dovetail/kube/policy/podsecurity"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

var (
	rounds = flag.Int("rounds", 2000, "number of random requests for TestLikePlugin")
	seed   = flag.Uint64("seed", 1, "seed for TestLikePlugin")
)

// TestLikePlugin compares an Evaluator with the whole plugin of API servers, for random requests.
// Both must return the same decision, message and warnings.
func TestLikePlugin(t *testing.T) {
	seen := map[string]int{}
	for round := range uint64(*rounds) {
		r := random{rand.New(rand.NewPCG(*seed, round))}
		request := r.request()
		release := one(r, "1.33", "1.35", "1.36", "1.37")
		e, err := podsecurity.New(release)
		if err != nil {
			t.Fatal(err)
		}
		got, want := e.Evaluate(request), askPlugin(t, release, request)
		if got.Forbidden != want.Forbidden || !slices.Equal(got.Warnings, want.Warnings) || !slices.Equal(got.Invalid, want.Invalid) {
			data, err := json.Marshal(request)
			t.Fatalf("round %d: Kubernetes %s, %s %v\ngot  %+v\nwant %+v", round, release, data, err, got, want)
		}
		switch kind := fmt.Sprint(request.Object["kind"]); {
		case got.Forbidden != "":
			seen[kind+" rejected"]++
		case len(got.Invalid) > 0:
			seen[kind+" with invalid labels"]++
		case len(got.Warnings) > 0:
			seen[kind+" with warnings"]++
		default:
			seen[kind+" accepted"]++
		}
	}
	t.Log(seen)
	for _, result := range []string{"Pod rejected", "Pod with warnings", "Pod accepted", "CronJob with warnings", "Deployment accepted", "Namespace with invalid labels", "Namespace with warnings"} {
		if seen[result] < *rounds/200 {
			t.Errorf("%s: only %d", result, seen[result])
		}
	}
}

// askPlugin returns the result of the plugin in an API server of a release.
func askPlugin(t *testing.T, release string, r *predict.PodSecurityRequest) (result predict.PodSecurityResult) {
	t.Helper()
	version, err := api.ParseVersion("v" + release)
	if err != nil {
		t.Fatal(err)
	}
	checks, err := policy.NewEvaluator(policy.DefaultChecks(), &version)
	if err != nil {
		t.Fatal(err)
	}
	objects := store{}
	if r.Namespace != nil {
		objects.namespace = typed(t, r.Namespace).(*corev1.Namespace)
	}
	for _, pod := range r.Pods {
		objects.pods = append(objects.pods, typed(t, pod).(*corev1.Pod))
	}
	plugin := &admission.Admission{
		Configuration: &admissionapi.PodSecurityConfiguration{Defaults: admissionapi.PodSecurityDefaults{
			Enforce: "privileged", EnforceVersion: "latest", Audit: "privileged", AuditVersion: "latest", Warn: "privileged", WarnVersion: "latest",
		}},
		Evaluator: checks, Metrics: unrecorded{}, NamespaceGetter: objects, PodLister: objects,
	}
	if err := plugin.CompleteConfiguration(); err != nil {
		t.Fatal(err)
	}
	object := typed(t, r.Object)
	about, err := meta.Accessor(object)
	if err != nil {
		t.Fatal(err)
	}
	kind := object.GetObjectKind().GroupVersionKind()
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	attributes := &api.AttributesRecord{
		Name: about.GetName(), Namespace: about.GetNamespace(), Kind: kind, Resource: resource, Subresource: r.Subresource,
		Operation: admissionv1.Create, Object: object,
	}
	if r.Live != nil {
		attributes.Operation, attributes.OldObject = admissionv1.Update, typed(t, r.Live)
	}
	response := plugin.Validate(t.Context(), attributes)
	result.Warnings = response.Warnings
	switch {
	case response.Allowed:
	case kind.Kind == "Namespace":
		for _, c := range response.Result.Details.Causes {
			result.Invalid = append(result.Invalid, predict.Cause{Type: string(c.Type), Field: c.Field, Message: c.Message})
		}
	default:
		result.Forbidden = strings.TrimPrefix(response.Result.Message, `pods "p" is forbidden: `)
	}
	return result
}

// typed converts an object to its Go type.
func typed(t *testing.T, object map[string]any) runtime.Object {
	t.Helper()
	kind := schema.FromAPIVersionAndKind(object["apiVersion"].(string), object["kind"].(string))
	to, err := scheme.Scheme.New(kind)
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(object, to)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// store has the objects of the server that the plugin reads.
type store struct {
	namespace *corev1.Namespace
	pods      []*corev1.Pod
}

func (s store) GetNamespace(context.Context, string) (*corev1.Namespace, error) {
	return s.namespace, nil
}

func (s store) ListPods(_ context.Context, namespace string) (all []*corev1.Pod, err error) {
	for _, pod := range s.pods {
		if pod.Namespace == namespace {
			all = append(all, pod)
		}
	}
	return all, nil
}

type unrecorded struct{}

func (unrecorded) RecordEvaluation(metrics.Decision, api.LevelVersion, metrics.Mode, api.Attributes) {
}
func (unrecorded) RecordExemption(api.Attributes)   {}
func (unrecorded) RecordError(bool, api.Attributes) {}

// random makes random requests.
type random struct{ *rand.Rand }

type object = map[string]any

func one[T any](r random, all ...T) T { return all[r.IntN(len(all))] }

// oneIn reports true once in n calls, on average.
func (r random) oneIn(n int) bool { return r.IntN(n) == 0 }

// set sets a field once in n calls, on average.
func (r random) set(o object, n int, name string, value any) {
	if r.oneIn(n) {
		o[name] = value
	}
}

func (r random) request() *predict.PodSecurityRequest {
	q := &predict.PodSecurityRequest{Namespace: r.namespace()}
	switch r.IntN(8) {
	case 0:
		q.Object, q.Namespace = q.Namespace, nil
		if !r.oneIn(4) {
			q.Live = r.namespace()
			for _, name := range []string{"a", "b", "c", "d", "e"}[:r.IntN(6)] {
				q.Pods = append(q.Pods, r.pod(name, one(r, "n", "n", "n", "other")))
			}
		}
	case 1, 2, 3:
		q.Object = r.workload()
		if r.oneIn(3) {
			q.Live, q.Subresource = q.Object, one(r, "", "status", "scale")
		}
	default:
		q.Object = r.pod("p", "n")
		if r.oneIn(3) {
			q.Subresource = one(r, "", "", "status", "ephemeralcontainers", "resize")
			q.Live = runtime.DeepCopyJSON(q.Object)
			spec := q.Live["spec"].(object)
			for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
				items, _ := spec[list].([]any)
				switch {
				case len(items) == 0:
				case r.oneIn(4):
					items[0].(object)["image"] = "other"
				case r.oneIn(4):
					spec[list] = items[1:]
				}
			}
		}
	}
	return q
}

func (r random) namespace() object {
	labels := object{}
	for _, mode := range []string{"enforce", "warn", "audit"} {
		name := "pod-security.kubernetes.io/" + mode
		r.set(labels, 2, name, one(r, "privileged", "baseline", "baseline", "restricted", "restricted"))
		r.set(labels, 30, name, one(r, "strict", ""))
		r.set(labels, 3, name+"-version", one(r, "latest", fmt.Sprintf("v1.%d", r.IntN(45))))
		r.set(labels, 40, name+"-version", one(r, "1.30", "v2.0", "newest", ""))
	}
	return object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": "n", "labels": labels}}
}

func (r random) workload() object {
	kind := one(r, "v1 PodTemplate", "v1 ReplicationController", "apps/v1 ReplicaSet", "apps/v1 Deployment", "apps/v1 StatefulSet", "apps/v1 DaemonSet", "batch/v1 Job", "batch/v1 CronJob")
	apiVersion, kind, _ := strings.Cut(kind, " ")
	o := object{"apiVersion": apiVersion, "kind": kind, "metadata": object{"name": "w", "namespace": "n"}}
	template := r.pod("", "")
	delete(template, "apiVersion")
	delete(template, "kind")
	switch kind {
	case "PodTemplate":
		o["template"] = template
	case "CronJob":
		o["spec"] = object{"jobTemplate": object{"spec": object{"template": template}}}
	default:
		o["spec"] = object{"template": template}
	}
	return o
}

// pod returns a Pod. Half of the Pods comply with the level restricted, except for random fields.
func (r random) pod(name, namespace string) object {
	complies, rare := r.oneIn(2), 8
	if complies {
		rare = 40
	}
	spec := object{}
	lists := []string{"containers", "initContainers", "ephemeralContainers"}
	for i, list := range lists {
		var items []any
		for j := range r.IntN(3) {
			items = append(items, r.container(fmt.Sprintf("%c%d", list[0], j), complies, rare))
		}
		if i == 0 && items == nil {
			items = []any{r.container("c0", complies, rare)}
		}
		if items != nil {
			spec[list] = items
		}
	}
	for _, field := range []string{"hostNetwork", "hostPID", "hostIPC"} {
		r.set(spec, rare, field, true)
	}
	r.set(spec, rare, "hostUsers", r.oneIn(2))
	r.set(spec, 10, "os", object{"name": one(r, "linux", "windows")})
	if security := r.security(complies, rare); len(security) > 0 {
		r.set(security, rare, "sysctls", []any{object{"name": one(r, "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_rmem", "kernel.msgmax"), "value": "1"}})
		spec["securityContext"] = security
	}
	var volumes []any
	for i := range r.IntN(3) {
		source := one(r, "configMap", "emptyDir", "secret", "csi", "downwardAPI", "projected", "persistentVolumeClaim", "ephemeral")
		if r.oneIn(rare / 4) {
			source = one(r, "hostPath", "nfs", "image", "gcePersistentDisk", "iscsi", "glusterfs", "rbd", "flexVolume", "awsElasticBlockStore", "azureDisk")
		}
		volumes = append(volumes, object{"name": fmt.Sprintf("v%d", i), source: object{}})
	}
	if volumes != nil {
		spec["volumes"] = volumes
	}
	annotations := object{}
	r.set(annotations, rare, "container.apparmor.security.beta.kubernetes.io/c0", one(r, "unconfined", "runtime/default", "localhost/x", ""))
	r.set(annotations, rare, "seccomp.security.alpha.kubernetes.io/pod", one(r, "unconfined", "runtime/default"))
	r.set(annotations, rare, "container.seccomp.security.alpha.kubernetes.io/c0", one(r, "unconfined", "localhost/x"))
	metadata := object{"annotations": annotations}
	if name != "" {
		metadata["name"], metadata["namespace"] = name, namespace
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
}

func (r random) container(name string, complies bool, rare int) object {
	c := object{"name": name, "image": one(r, "a", "b")}
	security := r.security(complies, rare)
	if complies {
		security["allowPrivilegeEscalation"] = false
		security["capabilities"] = object{"drop": []any{"ALL"}}
	}
	r.set(security, rare, "allowPrivilegeEscalation", r.oneIn(2))
	r.set(security, rare, "privileged", r.oneIn(2))
	r.set(security, rare, "procMount", one(r, "Default", "Unmasked", "Other"))
	if r.oneIn(rare) {
		security["capabilities"] = object{"add": []any{one(r, "NET_BIND_SERVICE", "CHOWN", "SYS_ADMIN", "ALL")}, "drop": []any{one(r, "ALL", "all", "NET_RAW")}}
	}
	if len(security) > 0 {
		c["securityContext"] = security
	}
	r.set(c, rare, "ports", []any{object{"containerPort": int64(80), "hostPort": one(r, int64(0), 80, 81)}})
	get := object{"httpGet": object{"port": int64(80), "host": one(r, "", "10.0.0.1", "127.0.0.1", "h")}}
	r.set(c, rare, one(r, "livenessProbe", "readinessProbe", "startupProbe"), get)
	r.set(c, rare, "lifecycle", object{one(r, "postStart", "preStop"): get})
	return c
}

// security returns the fields that the security contexts of Pods and containers have in common.
func (r random) security(complies bool, rare int) object {
	s := object{}
	if complies {
		s["runAsNonRoot"] = true
		s["seccompProfile"] = object{"type": "RuntimeDefault"}
	}
	r.set(s, rare, "runAsNonRoot", r.oneIn(2))
	r.set(s, rare, "runAsUser", one(r, int64(0), 1000))
	r.set(s, rare, "seccompProfile", object{"type": one(r, "RuntimeDefault", "Localhost", "Unconfined")})
	r.set(s, rare, "appArmorProfile", object{"type": one(r, "RuntimeDefault", "Localhost", "Unconfined")})
	r.set(s, rare, "seLinuxOptions", object{one(r, "type", "user", "role"): one(r, "", "container_t", "container_engine_t", "spc_t")})
	r.set(s, rare, "windowsOptions", object{"hostProcess": r.oneIn(2)})
	if r.oneIn(rare) {
		for _, name := range []string{"runAsNonRoot", "seccompProfile"} {
			delete(s, name)
		}
	}
	return s
}
