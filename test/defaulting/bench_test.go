// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package defaulting

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/dovetail-ssa/dovetail/internal/allocs"
	kubecrd "github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
	"github.com/dovetail-ssa/dovetail/typed"
)

// custom is a custom resource with a widely used CRD. The test downloads the module that
// contains the CRD.
type custom struct {
	name             string
	module, file     string
	apiVersion, kind string
	object           func() map[string]any
}

const (
	gatewayAPI = "sigs.k8s.io/gateway-api@v1.4.0"
	prometheus = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
)

var resources = []custom{
	{"HTTPRoute1", gatewayAPI, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml", "gateway.networking.k8s.io/v1", "HTTPRoute", func() map[string]any { return route(1) }},
	{"HTTPRoute16", gatewayAPI, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml", "gateway.networking.k8s.io/v1", "HTTPRoute", func() map[string]any { return route(16) }},
	{"Prometheus", prometheus, "example/prometheus-operator-crd/monitoring.coreos.com_prometheuses.yaml", "monitoring.coreos.com/v1", "Prometheus", server},
}

// route returns an HTTPRoute with the given number of rules, as a user would write it.
func route(rules int) map[string]any {
	object := plain.Object(`
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: shop
  namespace: store
  labels: {app.kubernetes.io/name: shop, app.kubernetes.io/part-of: store, app.kubernetes.io/managed-by: Helm}
spec:
  parentRefs: [{name: public, namespace: gateways, sectionName: https}]
  hostnames: [shop.example.com, www.shop.example.com]
  rules: []
`)
	var all []any
	for i := range rules {
		all = append(all, plain.Object(fmt.Sprintf(`
name: rule-%[1]d
matches:
- path: {value: /catalogue/%[1]d}
  method: GET
- path: {type: Exact, value: /basket/%[1]d}
  headers: [{name: x-tenant, value: blue}]
  queryParams: [{name: page, value: "1"}]
filters:
- type: RequestHeaderModifier
  requestHeaderModifier: {set: [{name: x-forwarded-host, value: shop.example.com}], remove: [x-debug]}
backendRefs:
- {name: catalogue-%[1]d, port: 8080}
- {name: catalogue-%[1]d-canary, port: 8080, weight: 5}
timeouts: {request: 10s, backendRequest: 5s}
`, i)))
	}
	object["spec"].(map[string]any)["rules"] = all
	return object
}

// server returns a Prometheus, as a user would write it.
func server() map[string]any {
	return plain.Object(`
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata:
  name: k8s
  namespace: monitoring
  labels: {app.kubernetes.io/component: prometheus, app.kubernetes.io/instance: k8s, app.kubernetes.io/name: prometheus, app.kubernetes.io/part-of: kube-prometheus, app.kubernetes.io/version: 3.5.0}
spec:
  alerting:
    alertmanagers: [{apiVersion: v2, name: alertmanager-main, namespace: monitoring, port: web}]
  enableFeatures: [native-histograms]
  externalLabels: {cluster: eu-1, region: eu}
  image: quay.io/prometheus/prometheus:v3.5.0
  nodeSelector: {kubernetes.io/os: linux}
  podMetadata: {labels: {app.kubernetes.io/component: prometheus, app.kubernetes.io/instance: k8s, app.kubernetes.io/version: 3.5.0}}
  podMonitorNamespaceSelector: {}
  podMonitorSelector: {}
  probeNamespaceSelector: {}
  probeSelector: {}
  replicas: 2
  resources: {requests: {memory: 400Mi, cpu: 500m}, limits: {memory: 2Gi}}
  retention: 15d
  ruleNamespaceSelector: {}
  ruleSelector: {matchLabels: {role: alert-rules, prometheus: k8s}}
  scrapeConfigNamespaceSelector: {}
  scrapeConfigSelector: {}
  securityContext: {fsGroup: 2000, runAsNonRoot: true, runAsUser: 1000}
  serviceAccountName: prometheus-k8s
  serviceMonitorNamespaceSelector: {}
  serviceMonitorSelector: {}
  version: 3.5.0
  storage:
    volumeClaimTemplate:
      spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Gi}}}
  tolerations: [{key: dedicated, operator: Equal, value: monitoring, effect: NoSchedule}]
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          labelSelector: {matchLabels: {app.kubernetes.io/component: prometheus, app.kubernetes.io/instance: k8s}}
          topologyKey: kubernetes.io/hostname
  remoteWrite:
  - url: https://metrics.example.com/api/v1/push
    name: central
    basicAuth: {username: {name: central, key: username}, password: {name: central, key: password}}
    writeRelabelConfigs:
    - {sourceLabels: [__name__], regex: "go_.*", action: drop}
    - {sourceLabels: [namespace], regex: "kube-.*", action: keep}
    queueConfig: {capacity: 10000, maxShards: 50, maxSamplesPerSend: 2000, batchSendDeadline: 5s}
  containers:
  - name: auth
    image: quay.io/oauth2-proxy/oauth2-proxy:v7.9.0
    args: [--upstream=http://127.0.0.1:9090, --http-address=0.0.0.0:8080]
    env: [{name: SECRET, valueFrom: {secretKeyRef: {name: auth, key: cookie}}}]
    ports: [{containerPort: 8080, name: auth}]
    resources: {requests: {cpu: 10m, memory: 32Mi}}
    volumeMounts: [{name: config, mountPath: /etc/auth, readOnly: true}]
  volumes: [{name: config, configMap: {name: auth}}]
`)
}

// readers has the schema of a custom resource in two forms, one for each implementation.
type readers struct {
	theirs  *structuralschema.Structural
	ours    typed.ParseableType
	version *kubecrd.Version
}

var readOnce sync.Map // a function func() (readers, error) for each resource, by name

func (r custom) read(t testing.TB) readers {
	t.Helper()
	f, _ := readOnce.LoadOrStore(r.name, sync.OnceValues(r.readAnew))
	read, err := f.(func() (readers, error))()
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func (r custom) readAnew() (readers, error) {
	dir, err := download(r.module)
	if err != nil {
		return readers{}, err
	}
	doc, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.file)))
	if err != nil {
		return readers{}, err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(doc, &definition); err != nil {
		return readers{}, err
	}
	var internal apiextensions.JSONSchemaProps
	for _, v := range definition.Spec.Versions {
		if definition.Spec.Group+"/"+v.Name != r.apiVersion {
			continue
		}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
			return readers{}, err
		}
	}
	theirs, err := structuralschema.NewStructural(&internal)
	if err != nil {
		return readers{}, err
	}
	c := openapi.New(openapi.Options{})
	if err := c.AddCRD(r.file, doc); err != nil {
		return readers{}, err
	}
	ours, ok := c.Type(r.apiVersion, r.kind)
	if !ok {
		return readers{}, fmt.Errorf("%s has no %s of %s", r.file, r.kind, r.apiVersion)
	}
	definitions, err := kubecrd.Read(r.file, doc)
	if err != nil {
		return readers{}, err
	}
	_, version, _ := strings.Cut(r.apiVersion, "/")
	of, ok := definitions[0].Version(version)
	if !ok {
		return readers{}, fmt.Errorf("%s has no version %s", r.file, version)
	}
	// The first call validates the definition, so it is not measured.
	if _, err := of.Default(r.object()); err != nil {
		return readers{}, err
	}
	return readers{theirs, ours, of}, nil
}

// download returns the folder of a module. It downloads the module if it is missing.
func download(module string) (string, error) {
	if dir := os.Getenv(dirOf(module)); dir != "" {
		return dir, nil
	}
	return gocmd.Download(module)
}

// dirOf returns the name of an environment variable for the folder of a module. A program under
// callgrind reads it, because such a program must not start the go command.
func dirOf(module string) string {
	name, _, _ := strings.Cut(module, "@")
	return "DIR_OF_" + strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(name)
}

// withDefaults returns the resource with its defaults.
func (r custom) withDefaults(t testing.TB) map[string]any {
	object, err := r.read(t).ours.Default(r.object())
	if err != nil {
		t.Fatal(err)
	}
	return object.(map[string]any)
}

func (r readers) apiextensions(object map[string]any, prune bool) {
	if prune {
		pruning.Prune(object, r.theirs, true)
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, r.theirs)
	defaulting.Default(object, r.theirs)
}

// TestRealResources checks that both implementations have the same results in the operations
// that the benchmarks measure.
func TestRealResources(t *testing.T) {
	for _, r := range resources {
		read := r.read(t)
		object := r.object()
		object["unknown"] = map[string]any{"a": int64(1)}
		object["spec"].(map[string]any)["unknown"] = []any{int64(1)}
		want := runtime.DeepCopyJSON(object)
		read.apiextensions(want, true)
		got, err := read.ours.Prune(object)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = read.ours.Default(got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-apiextensions +Dovetail):\n%s", r.name, diff)
		}
		settled := r.withDefaults(t)
		if diff := cmp.Diff(settled, got); diff != "" {
			t.Errorf("%s: pruning did not restore the object:\n%s", r.name, diff)
		}
		if cmp.Equal(r.object(), settled) {
			t.Errorf("%s has no default to fill in, so nothing is measured", r.name)
		}
		if n := allocs.Least(func() {
			if _, err := read.ours.Prune(settled); err != nil {
				t.Fatal(err)
			}
			if _, err := read.ours.Default(settled); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: defaulting allocates %v times although it changes nothing", r.name, n)
		}
	}
}

// BenchmarkDefaulting measures the defaulting of objects that already have all defaults, such
// as stored objects. For comparison, it measures a copy of the object. dovetail/Fresh copies an
// object without defaults and sets its defaults.
func BenchmarkDefaulting(b *testing.B) {
	for _, r := range resources {
		for _, op := range operations {
			b.Run(r.name+"/"+op.name, func(b *testing.B) {
				read, object := r.read(b), r.withDefaults(b)
				if op.fresh {
					object = r.object()
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := op.run(read, object); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

var operations = []struct {
	name  string
	fresh bool
	run   func(readers, map[string]any) error
}{
	{"DeepCopyJSON", false, func(_ readers, object map[string]any) error {
		runtime.DeepCopyJSON(object)
		return nil
	}},
	{"dovetail/Default", false, func(r readers, object map[string]any) error {
		_, err := r.ours.Default(object)
		return err
	}},
	{"dovetail/Prune", false, func(r readers, object map[string]any) error {
		_, err := r.ours.Prune(object)
		return err
	}},
	{"dovetail/Fresh", true, func(r readers, object map[string]any) error {
		_, err := r.ours.Default(runtime.DeepCopyJSON(object))
		return err
	}},
	{"dovetail/Typed", true, func(r readers, object map[string]any) error {
		tv, err := r.ours.FromUnstructured(object)
		if err != nil {
			return err
		}
		_, err = tv.Default()
		return err
	}},
	{"dovetail/Version", true, func(r readers, object map[string]any) error {
		_, err := r.version.Default(object)
		return err
	}},
	{"apiextensions/Version", true, func(r readers, object map[string]any) error {
		r.apiextensions(runtime.DeepCopyJSON(object), true)
		return nil
	}},
	{"apiextensions/Default", false, func(r readers, object map[string]any) error {
		r.apiextensions(object, false)
		return nil
	}},
	{"apiextensions/PruneAndDefault", false, func(r readers, object map[string]any) error {
		r.apiextensions(object, true)
		return nil
	}},
	{"apiextensions/Fresh", true, func(r readers, object map[string]any) error {
		r.apiextensions(runtime.DeepCopyJSON(object), false)
		return nil
	}},
}
