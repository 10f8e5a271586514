// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package live

import "fmt"

type object = map[string]any

// perKind is the number of objects of each kind.
const perKind = 25

// widgets is the definition of a custom resource.
const widgets = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","names":{"plural":"widgets","kind":"Widget","listKind":"WidgetList","singular":"widget"},"scope":"Namespaced",
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
"properties":{"size":{"type":"integer","default":1,"minimum":1},"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"count":{"type":"integer","default":1}}}}}}}}}}]}}`

// kind is a kind of object in the test, with a function that creates the objects.
type kind struct {
	apiVersion, kind string
	clusterWide      bool
	// body returns the fields of the i-th object, except metadata. n selects the object's
	// state; 0 is the first state.
	body func(i, n int) object
}

// pod returns the template of a pod.
func pod(i, n int) object {
	return object{
		"metadata": object{"labels": object{"app": fmt.Sprintf("a%d", i)}},
		"spec": object{"containers": []any{object{
			"name": "main", "image": fmt.Sprintf("registry.example.com/app:%d", n),
			"ports":     []any{object{"containerPort": 8080}, object{"containerPort": 9090, "name": "metrics"}},
			"resources": object{"requests": object{"cpu": "100m", "memory": "64Mi"}},
			"env":       []any{object{"name": "A", "value": "b"}},
		}}},
	}
}

// selector returns a label selector that matches the pods of the function pod.
func selector(i int) object { return object{"matchLabels": object{"app": fmt.Sprintf("a%d", i)}} }

// job returns the spec of a Job.
func job(i, n int) object {
	p := pod(i, n)
	p["spec"].(object)["restartPolicy"] = "Never"
	return p
}

// kinds lists the twenty kinds of the test.
var kinds = []kind{
	{"v1", "ConfigMap", false, func(_, n int) object { return object{"data": object{"a": "b", "n": fmt.Sprint(n)}} }},
	{"v1", "Secret", false, func(_, n int) object { return object{"stringData": object{"a": fmt.Sprintf("secret %d", n)}} }},
	{"v1", "Service", false, func(i, n int) object {
		return object{"spec": object{"selector": object{"app": fmt.Sprintf("a%d", i)}, "ports": []any{object{"port": int64(80), "targetPort": int64(8080 + n), "name": "http"}, object{"port": int64(53), "protocol": "UDP", "name": "dns"}}}}
	}},
	{"v1", "ServiceAccount", false, func(_, n int) object { return object{"automountServiceAccountToken": n == 0} }},
	{"v1", "PersistentVolumeClaim", false, func(_, n int) object {
		return object{"spec": object{"accessModes": []any{"ReadWriteOnce"}, "storageClassName": "fast", "resources": object{"requests": object{"storage": "1Gi"}}}}
	}},
	{"v1", "PodTemplate", false, func(i, n int) object { return object{"template": pod(i, n)} }},
	{"apps/v1", "Deployment", false, func(i, n int) object {
		return object{"spec": object{"selector": selector(i), "template": pod(i, n), "strategy": object{"type": "RollingUpdate", "rollingUpdate": object{"maxSurge": int64(1)}}}}
	}},
	{"apps/v1", "StatefulSet", false, func(i, n int) object {
		return object{"spec": object{"selector": selector(i), "serviceName": "a", "template": pod(i, n)}}
	}},
	{"apps/v1", "DaemonSet", false, func(i, n int) object { return object{"spec": object{"selector": selector(i), "template": pod(i, n)}} }},
	{"batch/v1", "Job", false, func(i, n int) object {
		return object{"spec": object{"suspend": true, "backoffLimit": int64(3 + n), "template": job(i, 0)}}
	}},
	{"batch/v1", "CronJob", false, func(i, n int) object {
		return object{"spec": object{"schedule": fmt.Sprintf("%d * * * *", n), "jobTemplate": object{"spec": object{"template": job(i, n)}}}}
	}},
	{"networking.k8s.io/v1", "Ingress", false, func(i, n int) object {
		return object{"spec": object{"rules": []any{object{"host": fmt.Sprintf("a%d.example.com", n), "http": object{"paths": []any{object{"path": "/", "pathType": "Prefix", "backend": object{"service": object{"name": "a", "port": object{"number": int64(80)}}}}}}}}}}
	}},
	{"networking.k8s.io/v1", "NetworkPolicy", false, func(i, n int) object {
		return object{"spec": object{"podSelector": selector(i), "ingress": []any{object{"ports": []any{object{"port": int64(8080 + n)}}}}}}
	}},
	{"policy/v1", "PodDisruptionBudget", false, func(i, n int) object {
		return object{"spec": object{"maxUnavailable": int64(1 + n), "selector": selector(i)}}
	}},
	{"autoscaling/v2", "HorizontalPodAutoscaler", false, func(i, n int) object {
		return object{"spec": object{"maxReplicas": int64(3 + n), "scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": fmt.Sprintf("a%d", i)},
			"metrics": []any{object{"type": "Resource", "resource": object{"name": "cpu", "target": object{"type": "Utilization", "averageUtilization": int64(70)}}}}}}
	}},
	{"rbac.authorization.k8s.io/v1", "Role", false, rules},
	{"rbac.authorization.k8s.io/v1", "RoleBinding", false, func(i, n int) object {
		return object{"roleRef": object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": fmt.Sprintf("a%d", i)}, "subjects": []any{object{"kind": "User", "name": fmt.Sprintf("u%d", n)}}}
	}},
	{"rbac.authorization.k8s.io/v1", "ClusterRole", true, rules},
	{"scheduling.k8s.io/v1", "PriorityClass", true, func(i, n int) object {
		return object{"value": int64(1000 + i), "description": fmt.Sprintf("n%d", n)}
	}},
	{"example.com/v1", "Widget", false, func(_, n int) object {
		return object{"spec": object{"parts": []any{object{"name": "wheel"}, object{"name": "bell", "count": int64(1 + n)}}}}
	}},
}

// rules returns the rules of a Role or ClusterRole.
func rules(_, n int) object {
	verbs := []any{"get"}
	if n > 0 {
		verbs = append(verbs, "list")
	}
	return object{"rules": []any{object{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": verbs}}}
}

// object returns the i-th object of a kind, in state n.
func (k kind) object(i, n int) object {
	o := k.body(i, n)
	metadata := object{"name": fmt.Sprintf("a%d", i), "labels": object{"app": fmt.Sprintf("a%d", i)}}
	if !k.clusterWide {
		metadata["namespace"] = []string{"shop", "bank"}[i%2]
	}
	o["apiVersion"], o["kind"], o["metadata"] = k.apiVersion, k.kind, metadata
	return o
}
