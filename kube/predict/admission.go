// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// admit runs the admission plugins that an API server runs by default, in the same order.
// Besides the object of the request, the plugins see only the objects in Server.Others.
// Fields that the plugins change have no owner.
func (p *PreparedRequest) admit(object map[string]any) (map[string]any, error) {
	kind := kindOf(object)
	if p.Live != nil {
		if kind == "Pod" {
			object = withTolerations(withPriority(object, p.Live), p.Live)
		}
		return object, nil
	}
	switch kind {
	case "Node":
		object = withTaint(object)
	case "Pod":
		pod, err := p.withClass(p.withLimits(object))
		if err != nil {
			return nil, err
		}
		object = withTolerations(pod, nil)
	case "PersistentVolumeClaim":
		object = p.withDefaultClass(object, "storage.k8s.io", "StorageClass", "storageClassName", "volume.beta.kubernetes.io/storage-class",
			"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
	case "Ingress.networking.k8s.io":
		object = p.withDefaultClass(object, "networking.k8s.io", "IngressClass", "ingressClassName", "kubernetes.io/ingress.class",
			"ingressclass.kubernetes.io/is-default-class")
	}
	if name := protected[kind]; name != "" {
		object = withFinalizer(object, name)
	}
	return object, nil
}

// protected maps kinds to the finalizers that the plugin StorageObjectInUseProtection
// adds. These finalizers prevent the removal of objects that are in use.
var protected = map[string]string{
	"PersistentVolume":                     "kubernetes.io/pv-protection",
	"PersistentVolumeClaim":                "kubernetes.io/pvc-protection",
	"VolumeAttributesClass.storage.k8s.io": "kubernetes.io/vac-protection",
}

func withFinalizer(object map[string]any, name string) map[string]any {
	object, metadata := field(object, "metadata")
	all, _ := metadata["finalizers"].([]any)
	if !slices.Contains(all, any(name)) {
		metadata["finalizers"] = append(slices.Clone(all), name)
	}
	return object
}

// withTaint adds a taint to a new Node, so that no pods are scheduled to it before it is
// ready (plugin TaintNodesByCondition).
func withTaint(node map[string]any) map[string]any {
	const key, effect = "node.kubernetes.io/not-ready", "NoSchedule"
	node, spec := field(node, "spec")
	taints, _ := spec["taints"].([]any)
	if !slices.ContainsFunc(taints, func(v any) bool {
		taint, _ := v.(map[string]any)
		return taint["key"] == key && taint["effect"] == effect
	}) {
		spec["taints"] = append(slices.Clone(taints), map[string]any{"key": key, "effect": effect})
	}
	return node
}

// withTolerations adds the tolerations of the plugin DefaultTolerationSeconds to a Pod. With these
// tolerations, the Pod stays for five minutes on a node that is not ready or is unreachable.
//
// withTolerations skips a taint that the Pod already tolerates. In an update, it also skips a taint
// that the live Pod does not tolerate, because such a Pod was never on a server, or its server does
// not run the plugin.
func withTolerations(pod, live map[string]any) map[string]any {
	tolerations, _ := specOf(pod)["tolerations"].([]any)
	after := slices.Clone(tolerations)
	for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		tolerates := func(v any) bool {
			t, _ := v.(map[string]any)
			return (t["key"] == key || isUnset(t["key"])) && (t["effect"] == "NoExecute" || isUnset(t["effect"]))
		}
		before, _ := specOf(live)["tolerations"].([]any)
		if !slices.ContainsFunc(tolerations, tolerates) && (live == nil || slices.ContainsFunc(before, tolerates)) {
			after = append(after, map[string]any{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)})
		}
	}
	if len(after) == len(tolerations) {
		return pod
	}
	pod, spec := field(pod, "spec")
	spec["tolerations"] = after
	return pod
}

// withPriority keeps the priority and the preemptionPolicy of the live Pod if an update omits them
// (plugin Priority).
func withPriority(pod, live map[string]any) map[string]any {
	for _, name := range []string{"priority", "preemptionPolicy"} {
		if v := specOf(live)[name]; v != nil && specOf(pod)[name] == nil {
			pod = document.Shallow(pod)
			spec := document.Shallow(specOf(pod))
			spec[name] = v
			pod["spec"] = spec
		}
	}
	return pod
}
