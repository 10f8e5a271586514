// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	applicationGVK = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application"}
	httpRouteGVK   = schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}
	prometheusGVK  = schema.GroupVersionKind{Group: "monitoring.coreos.com", Version: "v1", Kind: "Prometheus"}
	treeGVK        = schema.GroupVersionKind{Group: "tree.example.com", Version: "v1", Kind: "Tree"}
	documentGVK    = schema.GroupVersionKind{Group: "document.example.com", Version: "v1", Kind: "Document"}
)

// custom returns a config and a live object of a custom resource. Both have the given spec.
func custom(gvk schema.GroupVersionKind, name string, spec object) (config, live object) {
	for _, o := range []*object{&config, &live} {
		meta := applied("booking", name, nil)
		if o == &live {
			meta = withServerFields(meta)
		}
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&meta)
		must(err)
		strip(m)
		*o = object{"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "metadata": m, "spec": clone(spec)}
	}
	return config, live
}

// application returns a custom resource with n items in status.resources. Each update by its
// controller writes the complete list.
func application(n int) *Workload {
	config, live := custom(applicationGVK, "bookings", object{
		"project": "default", "destination": object{"namespace": "booking", "server": "https://kubernetes.default.svc"},
		"source":     object{"repoURL": "https://git.example.com/booking/deploy", "path": "overlays/eu", "targetRevision": "main"},
		"syncPolicy": object{"automated": object{"prune": true, "selfHeal": true}, "syncOptions": []any{"ServerSideApply=true", "CreateNamespace=true"}},
	})
	var resources []any
	for i := range n {
		resources = append(resources, object{"group": "apps", "version": "v1", "kind": "Deployment", "namespace": "booking",
			"name": fmt.Sprint("service-", i), "status": "Synced", "health": object{"status": "Healthy"}})
	}
	live["status"] = object{
		"resources": resources, "health": object{"status": "Healthy"}, "reconciledAt": "2026-03-14T15:09:26Z", "sourceType": "Kustomize",
		"sync": object{"status": "Synced", "revision": "5f1b0c4d5a8e4b2f9d7c3e1a6b8f0d2c4e6a8b0d", "comparedTo": object{
			"source": config["spec"].(object)["source"], "destination": config["spec"].(object)["destination"]}},
		"summary": object{"images": []any{"registry.example.com/booking/api:4.11.2", "registry.example.com/booking/web:4.11.2"}},
	}
	return newWorkload(fmt.Sprint("Application", n), applicationGVK, config, live, change{
		one: place{"spec", "source", "targetRevision"}, oneTo: "v4",
		drop: place{"spec", "source", "targetRevision"},
		next: place{"status", "resources", n / 2, "status"}, nextTo: "OutOfSync",
	}, nil)
}

func httpRoute() *Workload {
	var rules []any
	for i := range 8 {
		rules = append(rules, object{
			"matches": []any{object{"path": object{"type": "PathPrefix", "value": fmt.Sprint("/api/v", i)}, "method": "GET",
				"headers": []any{object{"type": "Exact", "name": "x-tenant", "value": fmt.Sprint("tenant-", i)}}}},
			"filters":     []any{object{"type": "RequestHeaderModifier", "requestHeaderModifier": object{"set": []any{object{"name": "x-forwarded-by", "value": "edge"}}}}},
			"backendRefs": []any{object{"group": "", "kind": "Service", "name": fmt.Sprint("api-", i), "port": int64(8080), "weight": int64(1)}},
		})
	}
	parent := object{"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge", "namespace": "infra"}
	config, live := custom(httpRouteGVK, "bookings", object{"parentRefs": []any{parent}, "hostnames": []any{"booking.example.com", "www.booking.example.com"}, "rules": rules})
	live["status"] = object{"parents": []any{object{"parentRef": clone(parent), "controllerName": "example.com/gateway", "conditions": []any{
		object{"type": "Accepted", "status": "True", "reason": "Accepted", "message": "Route is accepted", "observedGeneration": int64(4), "lastTransitionTime": "2026-03-14T15:09:26Z"},
		object{"type": "ResolvedRefs", "status": "True", "reason": "ResolvedRefs", "message": "", "observedGeneration": int64(4), "lastTransitionTime": "2026-03-14T15:09:26Z"},
	}}}}
	return newWorkload("HTTPRoute", httpRouteGVK, config, live, change{
		one: place{"spec", "rules", 3, "backendRefs", 0, "weight"}, oneTo: int64(9),
		drop: place{"metadata", "labels", "stage"},
		next: place{"status", "parents", 0, "conditions", 0, "status"}, nextTo: "False",
	}, nil)
}

func prometheus() *Workload {
	selector := func(team string) object { return object{"matchLabels": object{"team": team}} }
	var remotes []any
	for i := range 4 {
		remotes = append(remotes, object{"url": fmt.Sprintf("https://metrics-%d.example.com/write", i), "remoteTimeout": "30s",
			"queueConfig": object{"capacity": int64(10000), "maxShards": int64(30)}, "basicAuth": object{
				"username": object{"name": "remote", "key": "user"}, "password": object{"name": "remote", "key": "password"}},
			"writeRelabelConfigs": []any{object{"sourceLabels": []any{"__name__"}, "regex": "go_.*", "action": "drop"}}})
	}
	config, live := custom(prometheusGVK, "main", object{
		"replicas": int64(2), "retention": "15d", "scrapeInterval": "30s", "serviceAccountName": "prometheus", "version": "v3.5.0",
		"externalLabels": object{"cluster": "eu-1", "region": "eu"}, "remoteWrite": remotes, "enableFeatures": []any{"exemplar-storage"},
		"serviceMonitorSelector": selector("booking"), "podMonitorSelector": selector("booking"), "ruleSelector": selector("booking"),
		"resources": object{"requests": object{"memory": "4Gi", "cpu": "1"}, "limits": object{"memory": "8Gi"}},
		"storage": object{"volumeClaimTemplate": object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "storageClassName": "fast",
			"resources": object{"requests": object{"storage": "200Gi"}}}}},
		"securityContext": object{"runAsUser": int64(1000), "runAsNonRoot": true, "fsGroup": int64(2000)},
		"alerting":        object{"alertmanagers": []any{object{"name": "main", "namespace": "monitoring", "port": "web", "apiVersion": "v2"}}},
	})
	spec := live["spec"].(object)
	spec["evaluationInterval"], spec["portName"] = "30s", "web"
	live["status"] = object{"paused": false, "replicas": int64(2), "updatedReplicas": int64(2), "availableReplicas": int64(2), "unavailableReplicas": int64(0),
		"conditions": []any{
			object{"type": "Available", "status": "True", "observedGeneration": int64(4), "lastTransitionTime": "2026-03-14T15:09:26Z"},
			object{"type": "Reconciled", "status": "True", "observedGeneration": int64(4), "lastTransitionTime": "2026-03-14T15:09:26Z"},
		}}
	return newWorkload("Prometheus", prometheusGVK, config, live, change{
		one: place{"spec", "retention"}, oneTo: "30d",
		drop: place{"spec", "securityContext"},
		next: place{"status", "availableReplicas"}, nextTo: int64(1),
	}, nil)
}

// tree returns a custom resource with n nested levels.
func tree(n int) *Workload {
	level := func() object { return object{"name": "bottom", "size": int64(0)} }
	spec := level()
	for i := range n {
		spec = object{"name": fmt.Sprint("level-", i), "size": int64(i), "below": spec}
	}
	config, live := custom(treeGVK, "deep", spec)
	middle := place{"spec"}
	for range n / 2 {
		middle = append(middle, "below")
	}
	at := func(name string) place { return append(append(place{}, middle...), name) }
	return newWorkload(fmt.Sprint("Levels", n), treeGVK, config, live, change{
		one: at("name"), oneTo: "other", drop: at("size"), next: at("size"), nextTo: int64(-1),
	}, nil)
}

// document returns a custom resource with n values below a field that preserves unknown fields.
func document(n int) *Workload {
	pages := object{}
	for i := range n / 6 {
		pages[fmt.Sprint("page-", i)] = object{"title": fmt.Sprint("Page ", i), "words": int64(i), "draft": i%2 == 0,
			"tags": []any{"a", "b"}, "author": object{"name": "ada"}}
	}
	config, live := custom(documentGVK, "handbook", object{"pages": pages})
	return newWorkload(fmt.Sprint("Preserved", n), documentGVK, config, live, change{
		one: place{"spec", "pages", "page-7", "title"}, oneTo: "Seven",
		drop: place{"spec", "pages", "page-8", "author"},
		next: place{"spec", "pages", "page-9", "words"}, nextTo: int64(-1),
	}, nil)
}

// secret returns a Secret with 40 entries of one kilobyte.
func secret() *Workload {
	gvk := corev1.SchemeGroupVersion.WithKind("Secret")
	config := &corev1.Secret{ObjectMeta: applied("booking", "booking-keys", nil), Type: corev1.SecretTypeOpaque, Data: map[string][]byte{}}
	for i := range 40 {
		config.Data[fmt.Sprintf("key-%d.pem", i)] = []byte(strings.Repeat(fmt.Sprint("secret ", i, " "), 100))
	}
	live := config.DeepCopy()
	live.ObjectMeta = withServerFields(live.ObjectMeta)
	return newWorkload("Secret", gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"data", "key-1.pem"}, oneTo: "b3RoZXI=",
		drop: place{"data", "key-2.pem"},
		next: place{"data", "key-3.pem"}, nextTo: "bmV4dA==",
	}, func() runtime.Object { return &corev1.Secret{} })
}

// files returns a ConfigMap with n entries of the given size and one small entry.
func files(name string, n, bytes int) *Workload {
	gvk := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	config := &corev1.ConfigMap{ObjectMeta: applied("booking", "booking-files", nil), Data: map[string]string{"mode": "fast", "level": "info", "zone": "a"}}
	for i := range n {
		line := fmt.Sprintf("line of file %d\n", i)
		config.Data[fmt.Sprintf("file-%05d.txt", i)] = strings.Repeat(line, bytes/len(line))
	}
	live := config.DeepCopy()
	live.ObjectMeta = withServerFields(live.ObjectMeta)
	return newWorkload(name, gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"data", "mode"}, oneTo: "slow", drop: place{"data", "level"}, next: place{"data", "zone"}, nextTo: "b",
	}, func() runtime.Object { return &corev1.ConfigMap{} })
}
