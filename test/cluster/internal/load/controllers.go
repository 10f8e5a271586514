// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// slice returns an EndpointSlice with n endpoints. One of the endpoints is ready only if the
// second argument is even.
func slice(n, tweak int) *discoveryv1.EndpointSlice {
	port, http, tcp := int32(8080), "http", corev1.ProtocolTCP
	s := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("web-%d", n), Namespace: namespace,
			Labels: map[string]string{discoveryv1.LabelServiceName: "web", discoveryv1.LabelManagedBy: "endpointslice-controller.k8s.io"},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: &http, Port: &port, Protocol: &tcp}},
	}
	for i := range n {
		node, zone, ready := fmt.Sprintf("node-%d", i%40), fmt.Sprintf("zone-%d", i%3), i != n/2 || tweak%2 == 0
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{
			Addresses:  []string{fmt.Sprintf("10.1.%d.%d", i/250, i%250+1)},
			Conditions: discoveryv1.EndpointConditions{Ready: &ready, Serving: &ready, Terminating: new(bool)},
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: namespace, Name: fmt.Sprintf("web-%d", i),
				UID: types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i))},
			NodeName: &node, Zone: &zone,
		})
	}
	return s
}

func makeSlice(n int) func() []request {
	return func() []request {
		return []request{func(ctx context.Context, s *side) error {
			_, err := s.typed.DiscoveryV1().EndpointSlices(namespace).Create(ctx, slice(n, 0), metav1.CreateOptions{})
			return err
		}}
	}
}

func updateSlice(n, i int) request {
	return func(ctx context.Context, s *side) error {
		_, err := s.typed.DiscoveryV1().EndpointSlices(namespace).Update(ctx, slice(n, i+1), metav1.UpdateOptions{FieldManager: "endpointslice-controller"})
		return err
	}
}

const nodes = 40

// makeNodes creates nodes as kubelets do: first the objects, then their status.
func makeNodes() []request {
	var out []request
	for i := range nodes {
		out = append(out, func(ctx context.Context, s *side) error {
			name := fmt.Sprintf("node-%d", i)
			node := &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
					"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "topology.kubernetes.io/zone": fmt.Sprintf("zone-%d", i%3)}},
				Spec: corev1.NodeSpec{PodCIDR: fmt.Sprintf("10.1.%d.0/24", i), PodCIDRs: []string{fmt.Sprintf("10.1.%d.0/24", i)}},
			}
			node, err := s.typed.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{FieldManager: "kubelet"})
			if err != nil {
				return err
			}
			node.Status = corev1.NodeStatus{
				Capacity:    resources("16"),
				Allocatable: resources("15"),
				Addresses:   []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("192.168.0.%d", i+1)}, {Type: corev1.NodeHostName, Address: name}},
				Conditions:  conditions(0),
				NodeInfo:    corev1.NodeSystemInfo{KubeletVersion: "v1.36.4", OperatingSystem: "linux", Architecture: "amd64"},
			}
			for k := range 50 {
				node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
					Names:     []string{fmt.Sprintf("registry.example.com/team/image-%d@sha256:%064d", k, k), fmt.Sprintf("registry.example.com/team/image-%d:v1", k)},
					SizeBytes: int64(1e6 + k)})
			}
			_, err = s.typed.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{FieldManager: "kubelet"})
			return err
		})
	}
	return out
}

func resources(cpu string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourcePods: resource.MustParse("110"), corev1.ResourceEphemeralStorage: resource.MustParse("500Gi")}
}

// conditions returns the conditions of a node at the i-th heartbeat.
func conditions(i int) []corev1.NodeCondition {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var out []corev1.NodeCondition
	for _, kind := range []corev1.NodeConditionType{corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady} {
		status := corev1.ConditionFalse
		if kind == corev1.NodeReady {
			status = corev1.ConditionTrue
		}
		out = append(out, corev1.NodeCondition{Type: kind, Status: status, Reason: "Kubelet", Message: "as the kubelet sees it",
			LastTransitionTime: metav1.NewTime(start), LastHeartbeatTime: metav1.NewTime(start.Add(time.Duration(i) * 10 * time.Second))})
	}
	return out
}

// patchNode sends the i-th heartbeat of a node: a strategic merge patch of its conditions.
func patchNode(i int) request {
	return func(ctx context.Context, s *side) error {
		data, err := json.Marshal(m{"status": m{"conditions": conditions(i + 1)}})
		if err != nil {
			return err
		}
		_, err = s.typed.CoreV1().Nodes().Patch(ctx, fmt.Sprintf("node-%d", i%nodes), types.StrategicMergePatchType, data,
			metav1.PatchOptions{FieldManager: "kubelet"}, "status")
		return err
	}
}
