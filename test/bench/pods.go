// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func image(i int, tag string) string {
	return fmt.Sprintf("ghcr.example.com/booking/service-%d:%s", i, tag)
}

// container returns the i-th container of a pod, as a chart would define it.
func container(i int) corev1.Container {
	c := corev1.Container{
		Name:    fmt.Sprintf("service-%d", i),
		Image:   image(i, "4.11.2"),
		Command: []string{"/usr/bin/service"},
		Args:    []string{"serve", "--config=/config/service.yaml", fmt.Sprintf("--shard=%d", i)},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("200m"), "memory": resource.MustParse("384Mi")},
			Limits:   corev1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("768Mi")},
		},
		SecurityContext: &corev1.SecurityContext{
			RunAsNonRoot: ptr(true), ReadOnlyRootFilesystem: ptr(true), AllowPrivilegeEscalation: ptr(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
		LivenessProbe:  probe("/livez", 20),
		ReadinessProbe: probe("/readyz", 5),
	}
	for e := range 8 {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("BOOKING_OPTION_%d", e), Value: fmt.Sprintf("value-%d-of-%d", e, i)})
	}
	c.Env = append(c.Env,
		corev1.EnvVar{Name: "NODE_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}},
		corev1.EnvVar{Name: "API_TOKEN", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: "service-tokens"}, Key: "api"}}})
	for p, name := range []string{"web", "admin", "probe"} {
		c.Ports = append(c.Ports, corev1.ContainerPort{Name: fmt.Sprintf("%s-%d", name, i), ContainerPort: int32(3000 + 10*i + p)})
	}
	for _, v := range []string{"config", "tokens", "scratch", "data"} {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: v, MountPath: "/" + v, ReadOnly: v == "config" || v == "tokens"})
	}
	return c
}

func probe(path string, period int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("probe")}},
		InitialDelaySeconds: 3, PeriodSeconds: period,
	}
}

// podSpec returns the spec of a pod with n containers, as a chart would define it.
func podSpec(n int) corev1.PodSpec {
	same := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/part-of": "booking"}}
	spec := corev1.PodSpec{
		ServiceAccountName: "booking",
		NodeSelector:       map[string]string{"kubernetes.io/arch": "arm64", "node-pool": "services"},
		Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight: 50, PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: "kubernetes.io/hostname", LabelSelector: same}}}}},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
			MaxSkew: 2, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: same}},
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "service-config"}}}},
			{Name: "tokens", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "service-tokens"}}},
			{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}},
			{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "bookings"}}},
		},
	}
	for i := range n {
		spec.Containers = append(spec.Containers, container(i))
	}
	return spec
}

// defaulted returns a pod spec with the server's defaults.
func defaulted(spec corev1.PodSpec) corev1.PodSpec {
	spec.RestartPolicy = corev1.RestartPolicyAlways
	spec.DNSPolicy = corev1.DNSClusterFirst
	spec.SchedulerName = corev1.DefaultSchedulerName
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	spec.TerminationGracePeriodSeconds = ptr(int64(30))
	spec.SecurityContext = &corev1.PodSecurityContext{}
	spec.Volumes[0].ConfigMap.DefaultMode = ptr(int32(0o644))
	spec.Volumes[1].Secret.DefaultMode = ptr(int32(0o644))
	for i := range spec.Containers {
		c := &spec.Containers[i]
		c.ImagePullPolicy = corev1.PullIfNotPresent
		c.TerminationMessagePath = corev1.TerminationMessagePathDefault
		c.TerminationMessagePolicy = corev1.TerminationMessageReadFile
		for p := range c.Ports {
			c.Ports[p].Protocol = corev1.ProtocolTCP
		}
		for e := range c.Env {
			if from := c.Env[e].ValueFrom; from != nil && from.FieldRef != nil {
				from.FieldRef.APIVersion = "v1"
			}
		}
		for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe} {
			p.HTTPGet.Scheme = corev1.URISchemeHTTP
			p.TimeoutSeconds, p.SuccessThreshold, p.FailureThreshold = 1, 1, 3
		}
	}
	return spec
}

func pod() *Workload {
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	config := &corev1.Pod{ObjectMeta: applied("booking", "booking-api", nil), Spec: podSpec(5)}

	live := &corev1.Pod{ObjectMeta: withServerFields(config.ObjectMeta), Spec: defaulted(podSpec(5))}
	live.Spec.NodeName = "services-0a1b"
	live.Spec.Priority = ptr(int32(1000))
	live.Spec.EnableServiceLinks = ptr(true)
	live.Spec.PreemptionPolicy = ptr(corev1.PreemptLowerPriority)
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		live.Spec.Tolerations = append(live.Spec.Tolerations, corev1.Toleration{
			Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr(int64(300))})
	}
	live.Status = corev1.PodStatus{
		Phase: corev1.PodRunning, QOSClass: corev1.PodQOSBurstable, StartTime: &started, Conditions: podConditions(),
		HostIP: "10.20.0.4", HostIPs: []corev1.HostIP{{IP: "10.20.0.4"}},
		PodIP: "10.100.7.31", PodIPs: []corev1.PodIP{{IP: "10.100.7.31"}},
	}
	for i, c := range live.Spec.Containers {
		live.Status.ContainerStatuses = append(live.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, Started: ptr(true),
			ImageID:     fmt.Sprintf("ghcr.example.com/booking/service-%d@sha256:%064x", i, 0xabcdef+i),
			ContainerID: fmt.Sprintf("containerd://%064x", 0x123456+i),
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
		})
	}
	return newWorkload("Pod", gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"spec", "containers", 2, "image"}, oneTo: image(2, "4.12.0"),
		drop: place{"spec", "containers", 2, "env", 3, "value"},
		next: place{"status", "containerStatuses", 2, "restartCount"}, nextTo: int64(1),
	}, func() runtime.Object { return &corev1.Pod{} })
}

func deployment() *Workload {
	gvk := appsv1.SchemeGroupVersion.WithKind("Deployment")
	build := func(spec corev1.PodSpec) appsv1.DeploymentSpec {
		template := applied("", "booking-web", nil)
		template.Name = ""
		return appsv1.DeploymentSpec{
			Replicas: ptr(int32(6)), RevisionHistoryLimit: ptr(int32(3)),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": "booking-web"}},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge: ptr(intstr.FromString("50%")), MaxUnavailable: ptr(intstr.FromInt32(0))}},
			Template: corev1.PodTemplateSpec{ObjectMeta: template, Spec: spec},
		}
	}
	config := &appsv1.Deployment{ObjectMeta: applied("booking", "booking-web", nil), Spec: build(podSpec(3))}

	live := &appsv1.Deployment{ObjectMeta: withServerFields(applied("booking", "booking-web", nil)), Spec: build(defaulted(podSpec(3)))}
	live.Annotations["deployment.kubernetes.io/revision"] = "12"
	live.Spec.ProgressDeadlineSeconds = ptr(int32(600))
	live.Status = appsv1.DeploymentStatus{
		ObservedGeneration: 4, Replicas: 6, UpdatedReplicas: 6, ReadyReplicas: 6, AvailableReplicas: 6,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable",
				Message: "Deployment has minimum availability.", LastUpdateTime: started, LastTransitionTime: started},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable",
				Message: "ReplicaSet has progressed.", LastUpdateTime: started, LastTransitionTime: started},
		},
	}
	return newWorkload("Deployment", gvk, toManifest(gvk, config), toManifest(gvk, live), change{
		one: place{"spec", "template", "spec", "containers", 1, "image"}, oneTo: image(1, "4.12.0"),
		drop: place{"spec", "template", "spec", "containers", 1, "env", 3, "value"},
		next: place{"status", "readyReplicas"}, nextTo: int64(5),
	}, func() runtime.Object { return &appsv1.Deployment{} })
}
