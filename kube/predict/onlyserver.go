// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// ServerField is a field that only a server knows.
type ServerField struct {
	// Kind is the kind that has it, with its group, as in Deployment.apps; empty if all
	// have it.
	Kind string
	// Path is where it stands. [*] is each item of a list; a name with dots is quoted.
	Path string
	// Later says that it is written after the request was stored, by a controller or a
	// node: it is in no Prediction.OnlyServer.
	Later bool
	// Why says who writes it, in a sentence.
	Why string

	// names are the steps of Path, * for items.
	names []string
	// unless says of an object that it has no such field, besides those that are there.
	unless func(p *PreparedRequest, object map[string]any) bool
	// anyway says that what is there may not be all, or not what is stored.
	anyway bool
}

// ServerFields are all fields that only a server knows, by kind and path: first those of all
// kinds.
func ServerFields() []ServerField { return slices.Clone(serverFields) }

var serverFields = withNames([]ServerField{
	{Path: ".metadata.creationTimestamp", Why: "is when the server stores the object first."},
	{Path: ".metadata.deletionGracePeriodSeconds", Later: true, Why: "is that of the request that deletes the object."},
	{Path: ".metadata.deletionTimestamp", Later: true, Why: "is set by a request that deletes the object, which then waits for finalizers."},
	{Path: ".metadata.generation", unless: (*PreparedRequest).tellsGeneration, anyway: true,
		Why: "cannot be told if it is not known whether the kind has one, or what a live object has that was never on a server."},
	{Path: ".metadata.managedFields[*].time", Later: true, Why: "is the time of the request, which whoever asks for a prediction chooses."},
	{Path: ".metadata.name", unless: (*PreparedRequest).hasNoNamePrefix, Why: "is generateName with five characters chosen at random, if that is set."},
	{Path: ".metadata.namespace", unless: (*PreparedRequest).hasNoNamespace, Why: "is that of the URL, if the object does not say it."},
	{Path: ".metadata.resourceVersion", anyway: true, Why: "is another one each time that something is stored."},
	{Path: ".metadata.uid", Why: "is chosen at random when the object is created."},
	{Path: ".status", Later: true, Why: "is what controllers and nodes have seen, of kinds that have it as a subresource."},

	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.extra", unless: (*PreparedRequest).isLive, anyway: true, Why: "is who asks, as the server has authenticated it."},
	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.groups", unless: (*PreparedRequest).isLive, anyway: true, Why: "is who asks, as the server has authenticated it."},
	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.uid", unless: (*PreparedRequest).isLive, anyway: true, Why: "is who asks, as the server has authenticated it."},
	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.username", unless: (*PreparedRequest).isLive, anyway: true, Why: "is who asks, as the server has authenticated it."},

	{Kind: requestForCertificate, Path: ".status.conditions[*].lastUpdateTime", Why: "is when the condition was written, if the request does not say it."},

	{Kind: "ClusterRole.rbac.authorization.k8s.io", Path: ".rules", Later: true, Why: "are gathered by a controller from the roles that aggregationRule selects."},

	{Kind: "Deployment.apps", Path: `.metadata.annotations["deployment.kubernetes.io/revision"]`, Later: true, Why: "is counted by the controller, a new one for each template."},

	{Kind: "Ingress.networking.k8s.io", Path: ".spec.ingressClassName", unless: (*PreparedRequest).knowsIngressClasses, Why: "is the default class of the cluster, if it has one and its classes are not given."},

	{Kind: "Job.batch", Path: ".spec.selector", unless: (*PreparedRequest).selectsByHand, Why: "selects the uid of the Job, unless manualSelector is set."},
	{Kind: "Job.batch", Path: ".spec.template.metadata.labels.controller-uid", unless: (*PreparedRequest).selectsByHand, Why: "is the uid of the Job, unless manualSelector is set."},
	{Kind: "Job.batch", Path: `.spec.template.metadata.labels["batch.kubernetes.io/controller-uid"]`, unless: (*PreparedRequest).selectsByHand, Why: "is the uid of the Job, unless manualSelector is set."},

	{Kind: "Node", Path: ".spec.podCIDR", Later: true, Why: "is allocated by a controller."},
	{Kind: "Node", Path: ".spec.podCIDRs", Later: true, Why: "are allocated by a controller."},
	{Kind: "Node", Path: ".spec.providerID", Later: true, Why: "is what the cloud calls the machine."},
	{Kind: "Node", Path: ".spec.taints", Later: true, Why: "are also written by controllers, as the node becomes ready or is not reached."},

	{Kind: "PersistentVolume", Path: ".spec.claimRef", Later: true, Why: "is the claim that the volume is bound to."},
	{Kind: "PersistentVolume", Path: ".status.lastPhaseTransitionTime", unless: (*PreparedRequest).isLive, Why: "is when the volume came into its phase."},

	{Kind: "PersistentVolumeClaim", Path: ".metadata.annotations", Later: true, Why: "gain what controllers note of how the claim is bound (pv.kubernetes.io/..., volume.kubernetes.io/...)."},
	{Kind: "PersistentVolumeClaim", Path: ".spec.storageClassName", unless: (*PreparedRequest).knowsStorageClasses, Why: "is the default class of the cluster, if it has one and its classes are not given."},
	{Kind: "PersistentVolumeClaim", Path: ".spec.volumeName", Later: true, Why: "is the volume that the claim is bound to."},

	{Kind: "Pod", Path: ".spec.imagePullSecrets", unless: (*PreparedRequest).isLive, Why: "are those of the service account, if it has any."},
	{Kind: "Pod", Path: ".spec.nodeName", Later: true, Why: "is where the scheduler puts the pod."},
	{Kind: "Pod", Path: ".spec.preemptionPolicy", unless: (*PreparedRequest).knowsPriority, Why: "is that of the priority class, if that is not given."},
	{Kind: "Pod", Path: ".spec.priority", unless: (*PreparedRequest).knowsPriority, Why: "is the value of the priority class, or of the default one, if the classes are not given."},
	{Kind: "Pod", Path: ".spec.serviceAccount", unless: (*PreparedRequest).isLive, Why: "is that of serviceAccountName."},
	{Kind: "Pod", Path: ".spec.serviceAccountName", unless: (*PreparedRequest).isLive, Why: "is default, by admission."},
	{Kind: "Pod", Path: ".spec.volumes", unless: (*PreparedRequest).mountsNoToken, anyway: true, Why: "gain the token of the service account under a random name, with its mounts, by admission."},
	{Kind: "Pod", Path: ".status.conditions", unless: (*PreparedRequest).waitsForNothing, Why: "say since when a new pod with scheduling gates waits."},
	{Kind: "Pod", Path: ".status.qosClass", unless: (*PreparedRequest).isLive, Why: "is computed from the resources that admission leaves."},

	{Kind: "Secret", Path: ".data", Later: true, Why: "is filled in by a controller, if the type is kubernetes.io/service-account-token."},

	{Kind: "Service", Path: ".spec.clusterIP", unless: (*PreparedRequest).needsNoIP, Why: "is allocated, unless the type is ExternalName."},
	{Kind: "Service", Path: ".spec.clusterIPs", unless: (*PreparedRequest).needsNoIP, Why: "are allocated, unless the type is ExternalName."},
	{Kind: "Service", Path: ".spec.healthCheckNodePort", unless: (*PreparedRequest).needsNoHealthPort, Why: "is allocated of a LoadBalancer with externalTrafficPolicy Local."},
	{Kind: "Service", Path: ".spec.ipFamilies", unless: (*PreparedRequest).needsNoIP, Why: "are those that the cluster has, as ipFamilyPolicy has it."},
	{Kind: "Service", Path: ".spec.ports[*].nodePort", unless: (*PreparedRequest).needsNoNodePorts, Why: "is allocated of a NodePort or LoadBalancer, unless allocateLoadBalancerNodePorts is false."},

	{Kind: "ServiceAccount", Path: ".secrets", Later: true, Why: "were filled in by a controller before Kubernetes 1.24."},
})

func withNames(all []ServerField) []ServerField {
	for i := range all {
		all[i].names = all[i].steps()
	}
	return all
}

func (p *PreparedRequest) isLive(map[string]any) bool { return p.Live != nil }

func (p *PreparedRequest) knowsIngressClasses(map[string]any) bool {
	return p.Live != nil || len(p.others("networking.k8s.io", "IngressClass")) > 0
}

func (p *PreparedRequest) knowsStorageClasses(map[string]any) bool {
	return p.Live != nil || len(p.others("storage.k8s.io", "StorageClass")) > 0
}

func (p *PreparedRequest) knowsPriority(pod map[string]any) bool {
	_, known := p.classOf(pod)
	return p.Live != nil || known
}

func (p *PreparedRequest) tellsGeneration(object map[string]any) bool {
	if p.request.Subresource == "status" {
		return true
	}
	c, counts := p.server.counts(object)
	if !counts {
		return p.server.predicts(object) // then it has none
	}
	_, there := document.Integer(document.Metadata(p.Live)["generation"])
	return p.Live == nil || there || document.MetaString(p.Live, "uid") != "" || !p.differs(object, c.of)
}

func (p *PreparedRequest) hasNoNamePrefix(object map[string]any) bool {
	return document.MetaString(object, "generateName") == ""
}

func (p *PreparedRequest) hasNoNamespace(object map[string]any) bool {
	if p.server.Kind == nil {
		return true
	}
	apiVersion, kind := document.TypeOf(object)
	k, _ := p.server.Kind(apiVersion, kind)
	return k.Scope != openapi.Namespaced
}

func (p *PreparedRequest) selectsByHand(job map[string]any) bool {
	return p.Live != nil || specOf(job)["manualSelector"] == true
}

func (p *PreparedRequest) waitsForNothing(pod map[string]any) bool {
	return p.Live != nil || unset(specOf(pod)["schedulingGates"])
}

func (p *PreparedRequest) mountsNoToken(pod map[string]any) bool {
	return p.Live != nil || specOf(pod)["automountServiceAccountToken"] == false
}

func (p *PreparedRequest) needsNoIP(service map[string]any) bool { return !hasIP(specOf(service)) }

func (p *PreparedRequest) needsNoHealthPort(service map[string]any) bool {
	return !hasHealthPort(specOf(service))
}

func (p *PreparedRequest) needsNoNodePorts(service map[string]any) bool {
	spec := specOf(service)
	return !hasNodePorts(spec) || spec["type"] == "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] == false
}

// onlyServer are the places in what is stored that only the server knows: those that the
// result lacks, or may not have as the server does. Items of lists have their indexes.
func (p *PreparedRequest) onlyServer(result *fieldmanager.Result) (all []fieldpath.Path) {
	if !result.Changed {
		return nil
	}
	kind := kindOf(result.Object)
	known := p.server.predicts(result.Object)
	main := p.request.Subresource == ""
	for i := range serverFields {
		f := &serverFields[i]
		if f.Later || f.Kind != "" && (f.Kind != kind || !known || !main && f.Kind != requestForCertificate) || f.unless != nil && f.unless(p, result.Object) {
			continue
		}
		all = places(result.Object, f.names, f.anyway, nil, all)
	}
	return all
}

// steps are the names of the path of a field.
func (f *ServerField) steps() (names []string) {
	path, quoted, _ := strings.Cut(f.Path, `["`)
	names = strings.Split(strings.ReplaceAll(path, "[*]", ".*"), ".")[1:]
	if quoted != "" {
		names = append(names, strings.TrimSuffix(quoted, `"]`))
	}
	return names
}

// places adds the places that a path leads to in v, if they are not there, or anyway.
func places(v any, names []string, anyway bool, at fieldpath.Path, all []fieldpath.Path) []fieldpath.Path {
	if len(names) == 0 {
		if anyway || unset(v) {
			all = append(all, at)
		}
		return all
	}
	if names[0] == "*" {
		items, _ := v.([]any)
		for i, item := range items {
			all = places(item, names[1:], anyway, append(at[:len(at):len(at)], fieldpath.IndexElement(i)), all)
		}
		return all
	}
	m, _ := v.(map[string]any)
	return places(m[names[0]], names[1:], anyway, append(at[:len(at):len(at)], fieldpath.FieldNameElement(names[0])), all)
}
