// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// service returns a Service with six ports. The config omits "protocol", a key that has a
// default.
func service() *Workload {
	gvk := corev1.SchemeGroupVersion.WithKind("Service")
	build := func(protocol corev1.Protocol) corev1.ServiceSpec {
		spec := corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Selector: map[string]string{"app.kubernetes.io/name": "booking-web"}}
		for i := range int32(6) {
			spec.Ports = append(spec.Ports, corev1.ServicePort{
				Name: fmt.Sprintf("endpoint-%d", i), Port: 80 + i, TargetPort: intstr.FromInt32(3000 + i), Protocol: protocol})
		}
		return spec
	}
	config := &corev1.Service{ObjectMeta: applied("booking", "booking-web", nil), Spec: build("")}
	live := &corev1.Service{ObjectMeta: withServerFields(config.ObjectMeta), Spec: build(corev1.ProtocolTCP)}
	live.Spec.ClusterIP, live.Spec.ClusterIPs = "10.110.4.8", []string{"10.110.4.8"}
	live.Spec.IPFamilies, live.Spec.IPFamilyPolicy = []corev1.IPFamily{corev1.IPv4Protocol}, ptr(corev1.IPFamilyPolicySingleStack)
	live.Spec.InternalTrafficPolicy = ptr(corev1.ServiceInternalTrafficPolicyCluster)
	live.Spec.SessionAffinity = corev1.ServiceAffinityNone
	return newWorkload("Service", gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"spec", "ports", 2, "targetPort"}, oneTo: int64(3999),
		drop: place{"metadata", "labels", "stage"},
		next: place{"metadata", "annotations", "linkerd.io/inject"}, nextTo: "disabled",
	}, func() runtime.Object { return &corev1.Service{} })
}

func address(i int) string { return fmt.Sprintf("10.%d.%d.%d", 100+i>>16, i>>8&255, i&255) }

func target(i int) *corev1.ObjectReference {
	return &corev1.ObjectReference{Kind: "Pod", Namespace: "booking", Name: fmt.Sprintf("booking-web-%04d", i),
		UID: types.UID(fmt.Sprintf("5b1f6c0e-93d2-4a55-8f1c-%012d", i))}
}

// endpoints returns an Endpoints object with n addresses in an atomic list.
func endpoints(n int) *Workload {
	gvk := corev1.SchemeGroupVersion.WithKind("Endpoints")
	subset := corev1.EndpointSubset{Ports: []corev1.EndpointPort{{Name: "web", Port: 3000, Protocol: corev1.ProtocolTCP}}}
	for i := range n {
		subset.Addresses = append(subset.Addresses, corev1.EndpointAddress{IP: address(i), NodeName: ptr(fmt.Sprintf("services-%03d", i%80)), TargetRef: target(i)})
	}
	config := &corev1.Endpoints{ObjectMeta: applied("booking", "booking-web", nil), Subsets: []corev1.EndpointSubset{subset}}
	live := config.DeepCopy()
	live.ObjectMeta = withServerFields(live.ObjectMeta)
	node := place{"subsets", 0, "addresses", n / 2, "nodeName"}
	return newWorkload(fmt.Sprint("Endpoints", n), gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: node, oneTo: "services-new", drop: place{"metadata", "labels", "stage"}, next: node, nextTo: "services-next",
	}, func() runtime.Object { return &corev1.Endpoints{} })
}

// endpointSlice returns an EndpointSlice with n endpoints in an atomic list.
func endpointSlice(n int) *Workload {
	gvk := discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice")
	config := &discoveryv1.EndpointSlice{
		ObjectMeta: applied("booking", "booking-web", nil), AddressType: discoveryv1.AddressTypeIPv4,
		Ports: []discoveryv1.EndpointPort{{Name: ptr("web"), Port: ptr(int32(3000)), Protocol: ptr(corev1.ProtocolTCP)}},
	}
	for i := range n {
		config.Endpoints = append(config.Endpoints, discoveryv1.Endpoint{
			Addresses: []string{address(i)}, NodeName: ptr(fmt.Sprintf("services-%03d", i%80)), Zone: ptr("eu-central-1b"), TargetRef: target(i),
			Conditions: discoveryv1.EndpointConditions{Ready: ptr(true), Serving: ptr(true), Terminating: ptr(false)},
		})
	}
	live := config.DeepCopy()
	live.ObjectMeta = withServerFields(live.ObjectMeta)
	return newWorkload(fmt.Sprint("EndpointSlice", n), gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"endpoints", n / 2, "nodeName"}, oneTo: "services-new",
		drop: place{"metadata", "labels", "stage"},
		next: place{"endpoints", n / 2, "conditions", "ready"}, nextTo: false,
	}, func() runtime.Object { return &discoveryv1.EndpointSlice{} })
}
