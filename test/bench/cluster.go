// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// node returns a workload with a Node. An applier owns labels and a taint, and the kubelet
// owns all other fields.
func node() *Workload {
	gvk := corev1.SchemeGroupVersion.WithKind("Node")
	more := map[string]string{}
	for i := range 12 {
		more[fmt.Sprintf("pool.example.com/trait-%d", i)] = fmt.Sprintf("on-%d", i)
	}
	taints := []corev1.Taint{{Key: "workload", Value: "batch", Effect: corev1.TaintEffectPreferNoSchedule}}
	config := &corev1.Node{ObjectMeta: applied("", "services-0a1b", more), Spec: corev1.NodeSpec{Taints: taints}}

	live := &corev1.Node{ObjectMeta: withServerFields(applied("", "services-0a1b", more)), Spec: corev1.NodeSpec{
		Taints: taints, ProviderID: "gce://booking/europe-west3-b/services-0a1b", PodCIDR: "10.100.7.0/24", PodCIDRs: []string{"10.100.7.0/24"}}}
	for k, v := range map[string]string{
		corev1.LabelHostname: "services-0a1b", corev1.LabelArchStable: "arm64", corev1.LabelOSStable: "linux",
		corev1.LabelTopologyZone: "europe-west3-b", corev1.LabelTopologyRegion: "europe-west3", corev1.LabelInstanceTypeStable: "t2a-standard-16",
	} {
		live.Labels[k] = v
	}
	live.Annotations["node.alpha.kubernetes.io/ttl"] = "0"
	live.Annotations["volumes.kubernetes.io/controller-managed-attach-detach"] = "true"
	capacity := corev1.ResourceList{"cpu": resource.MustParse("16"), "memory": resource.MustParse("65842112Ki"),
		"pods": resource.MustParse("110"), "ephemeral-storage": resource.MustParse("98831908Ki"), "hugepages-2Mi": resource.MustParse("0")}
	live.Status = corev1.NodeStatus{
		Capacity: capacity, Allocatable: capacity.DeepCopy(),
		Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.20.0.4"}, {Type: corev1.NodeHostName, Address: "services-0a1b"}},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250}},
		NodeInfo: corev1.NodeSystemInfo{MachineID: "8c1e", SystemUUID: "8c1e-11", BootID: "4f0a", KernelVersion: "6.12.8", OSImage: "Container-Optimized OS",
			ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: "v1.37.2", OperatingSystem: "linux", Architecture: "arm64"},
	}
	for _, t := range []corev1.NodeConditionType{corev1.NodeNetworkUnavailable, corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeReady} {
		live.Status.Conditions = append(live.Status.Conditions, corev1.NodeCondition{Type: t, Status: corev1.ConditionFalse,
			Reason: "Kubelet" + string(t), Message: "the kubelet reports " + string(t), LastHeartbeatTime: started, LastTransitionTime: started})
	}
	for i := range 50 {
		live.Status.Images = append(live.Status.Images, corev1.ContainerImage{SizeBytes: int64(48_000_000 + 1_000_003*i), Names: []string{
			fmt.Sprintf("ghcr.example.com/booking/image-%d@sha256:%064x", i, 0xfeed+i), fmt.Sprintf("ghcr.example.com/booking/image-%d:4.%d", i, i)}})
	}
	return newWorkload("Node", gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"metadata", "labels", "stage"}, oneTo: "staging",
		drop: place{"metadata", "labels", "cost-center"},
		next: place{"status", "conditions", 4, "status"}, nextTo: "True",
	}, func() runtime.Object { return &corev1.Node{} })
}

// configMap returns a ConfigMap with n keys in unsorted order.
func configMap(n int) *Workload {
	gvk := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	file := func(i int) string { return fmt.Sprintf("route-%05d.conf", i*6007%99991) }
	config := &corev1.ConfigMap{ObjectMeta: applied("booking", "booking-routes", nil), Data: map[string]string{}}
	for i := range n {
		config.Data[file(i)] = fmt.Sprintf("upstream = service-%d\ntimeout = %ds\n", i, 1+i%30)
	}
	live := config.DeepCopy()
	live.ObjectMeta = withServerFields(live.ObjectMeta)
	return newWorkload(fmt.Sprint("ConfigMap", n), gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"data", file(1)}, oneTo: "upstream = none\n",
		drop: place{"data", file(2)},
		next: place{"data", file(3)}, nextTo: "upstream = other\n",
	}, func() runtime.Object { return &corev1.ConfigMap{} })
}

// definition returns a CustomResourceDefinition with two large versions.
func definition() *Workload {
	gvk := apiextensions.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	config := &apiextensions.CustomResourceDefinition{ObjectMeta: applied("", "fleets.fleet.example.com", nil), Spec: apiextensions.CustomResourceDefinitionSpec{
		Group: "fleet.example.com", Scope: apiextensions.NamespaceScoped,
		Names: apiextensions.CustomResourceDefinitionNames{Plural: "fleets", Singular: "fleet", Kind: "Fleet", ShortNames: []string{"ft"}},
	}}
	for _, version := range []string{"v1", "v1beta1"} {
		config.Spec.Versions = append(config.Spec.Versions, apiextensions.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: version == "v1",
			Schema:                   &apiextensions.CustomResourceValidation{OpenAPIV3Schema: ptr(properties(5))},
			AdditionalPrinterColumns: []apiextensions.CustomResourceColumnDefinition{{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"}},
		})
	}
	live := config.DeepCopy()
	live.ObjectMeta = withServerFields(live.ObjectMeta)
	live.Spec.Names.ListKind = "FleetList"
	live.Spec.Conversion = &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter}
	live.Status = apiextensions.CustomResourceDefinitionStatus{
		StoredVersions: []string{"v1"}, AcceptedNames: live.Spec.Names,
		Conditions: []apiextensions.CustomResourceDefinitionCondition{{Type: apiextensions.Established, Status: apiextensions.ConditionTrue,
			Reason: "InitialNamesAccepted", Message: "the initial names have been accepted", LastTransitionTime: started}},
	}
	return newWorkload("CRD", gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"spec", "versions", 0, "served"}, oneTo: false,
		drop: place{"metadata", "labels", "stage"},
		next: place{"status", "conditions", 0, "reason"}, nextTo: "Renamed",
	}, func() runtime.Object { return &apiextensions.CustomResourceDefinition{} })
}

// properties returns the schema of an object that is nested to the given depth. Each level has
// seven properties.
func properties(depth int) apiextensions.JSONSchemaProps {
	s := apiextensions.JSONSchemaProps{Type: "object", Description: "Settings that belong together.", Properties: map[string]apiextensions.JSONSchemaProps{}}
	for i := range 7 {
		name := fmt.Sprintf("setting%d%c", i, 'a'+depth)
		switch {
		case i < 3 && depth > 1:
			s.Properties[name] = properties(depth - 1)
		case i%2 == 0:
			s.Properties[name] = apiextensions.JSONSchemaProps{Type: "string", Description: "One of a few words.", MaxLength: ptr(int64(32)),
				Enum: []apiextensions.JSON{{Raw: []byte(`"low"`)}, {Raw: []byte(`"high"`)}}}
		default:
			s.Properties[name] = apiextensions.JSONSchemaProps{Type: "array", Description: "Several words.", XListType: ptr("atomic"),
				Items: &apiextensions.JSONSchemaPropsOrArray{Schema: &apiextensions.JSONSchemaProps{Type: "string", MinLength: ptr(int64(1))}}}
		}
		s.Required = []string{name}
	}
	return s
}
