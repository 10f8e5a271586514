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

// ServerField is a field whose value only a server can know.
type ServerField struct {
	// Kind is the kind with its group, such as Deployment.apps. It is "" for a field that all
	// kinds have.
	Kind string
	// Path is the path of the field. [*] stands for each item of a list. A name that contains
	// dots is quoted.
	Path string
	// Later is true if a controller or a node sets the field some time after the request.
	// Prediction.OnlyServer does not contain such fields.
	Later bool
	// Why explains where the value comes from.
	Why string

	// names lists the steps of Path. * stands for list items.
	names []string
	// This function returns true for objects whose value does not come from the server, for example
	// because the prediction already contains the value. A nil function means that there are no such
	// objects.
	unless func(p *PreparedRequest, object map[string]any) bool
	// If anyway is true, Prediction.OnlyServer lists the field even if the object has a value for it,
	// because the server may store a different value.
	anyway bool
}

// ServerFields returns all fields whose values only a server can know, sorted by kind and
// path. Fields that all kinds have come first.
func ServerFields() []ServerField { return slices.Clone(serverFields) }

var serverFields = withNames([]ServerField{
	{Path: ".metadata.creationTimestamp", Why: "is the time when the server first stores the object."},
	{Path: ".metadata.deletionGracePeriodSeconds", Later: true, Why: "comes from the request that deletes the object."},
	{Path: ".metadata.deletionTimestamp", Later: true, Why: "is set by a request that deletes the object, which then waits for finalizers."},
	{Path: ".metadata.generation", unless: (*PreparedRequest).tellsGeneration, anyway: true,
		Why: "cannot be predicted if the kind is not known, or if the live object was never on a server."},
	{Path: ".metadata.managedFields[*].time", Later: true, Why: "is the time of the request; the caller of a prediction chooses it."},
	{Path: ".metadata.name", unless: (*PreparedRequest).hasNoNamePrefix, Why: "is generateName followed by five random characters, if generateName is set."},
	{Path: ".metadata.namespace", unless: (*PreparedRequest).hasNoNamespace, Why: "comes from the URL, if the object has none."},
	{Path: ".metadata.resourceVersion", anyway: true, Why: "changes with each write."},
	{Path: ".metadata.uid", Why: "is chosen at random when the object is created."},
	{Path: ".status", Later: true, Why: "is written by controllers and nodes, if the kind has the subresource status."},

	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.extra", unless: (*PreparedRequest).isLive, anyway: true, Why: "identifies the authenticated requester."},
	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.groups", unless: (*PreparedRequest).isLive, anyway: true, Why: "identifies the authenticated requester."},
	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.uid", unless: (*PreparedRequest).isLive, anyway: true, Why: "identifies the authenticated requester."},
	{Kind: "CertificateSigningRequest.certificates.k8s.io", Path: ".spec.username", unless: (*PreparedRequest).isLive, anyway: true, Why: "identifies the authenticated requester."},

	{Kind: requestForCertificate, Path: ".status.conditions[*].lastUpdateTime", Why: "is the time when the condition was written, if the request has none."},

	{Kind: "ClusterRole.rbac.authorization.k8s.io", Path: ".rules", Later: true, Why: "are gathered by a controller from the roles that aggregationRule selects."},

	{Kind: "Deployment.apps", Path: `.metadata.annotations["deployment.kubernetes.io/revision"]`, Later: true, Why: "is counted by the controller; each change of the template increments it."},

	{Kind: "Ingress.networking.k8s.io", Path: ".spec.ingressClassName", unless: (*PreparedRequest).knowsIngressClasses, Why: "is the cluster's default class, if there is one; it cannot be predicted if the classes are not known."},

	{Kind: "Job.batch", Path: ".spec.selector", unless: (*PreparedRequest).selectsByHand, Why: "selects the uid of the Job, unless manualSelector is set."},
	{Kind: "Job.batch", Path: ".spec.template.metadata.labels.controller-uid", unless: (*PreparedRequest).selectsByHand, Why: "is the uid of the Job, unless manualSelector is set."},
	{Kind: "Job.batch", Path: `.spec.template.metadata.labels["batch.kubernetes.io/controller-uid"]`, unless: (*PreparedRequest).selectsByHand, Why: "is the uid of the Job, unless manualSelector is set."},

	{Kind: "Node", Path: ".spec.podCIDR", Later: true, Why: "is allocated by a controller."},
	{Kind: "Node", Path: ".spec.podCIDRs", Later: true, Why: "are allocated by a controller."},
	{Kind: "Node", Path: ".spec.providerID", Later: true, Why: "is the ID of the machine in the cloud."},
	{Kind: "Node", Path: ".spec.taints", Later: true, Why: "are also written by controllers when the node becomes ready or unreachable."},

	{Kind: "PersistentVolume", Path: ".spec.claimRef", Later: true, Why: "is the claim that the volume is bound to."},
	{Kind: "PersistentVolume", Path: ".status.lastPhaseTransitionTime", unless: (*PreparedRequest).isLive, Why: "is the time when the volume entered its phase."},

	{Kind: "PersistentVolumeClaim", Path: ".metadata.annotations", Later: true, Why: "get entries about the binding from controllers (pv.kubernetes.io/..., volume.kubernetes.io/...)."},
	{Kind: "PersistentVolumeClaim", Path: ".spec.storageClassName", unless: (*PreparedRequest).knowsStorageClasses, Why: "is the cluster's default class, if there is one; it cannot be predicted if the classes are not known."},
	{Kind: "PersistentVolumeClaim", Path: ".spec.volumeName", Later: true, Why: "is the volume that the claim is bound to."},

	{Kind: "Pod", Path: ".spec.imagePullSecrets", unless: (*PreparedRequest).isLive, Why: "are copied from the service account, if it has any."},
	{Kind: "Pod", Path: ".spec.nodeName", Later: true, Why: "is the node that the scheduler chooses."},
	{Kind: "Pod", Path: ".spec.preemptionPolicy", unless: (*PreparedRequest).knowsPriority, Why: "comes from the priority class; it cannot be predicted if the class is not known."},
	{Kind: "Pod", Path: ".spec.priority", unless: (*PreparedRequest).knowsPriority, Why: "is the value of the priority class or of the default class; it cannot be predicted if the classes are not known."},
	{Kind: "Pod", Path: ".spec.serviceAccount", unless: (*PreparedRequest).isLive, Why: "is a copy of serviceAccountName."},
	{Kind: "Pod", Path: ".spec.serviceAccountName", unless: (*PreparedRequest).isLive, Why: "is set to default by admission."},
	{Kind: "Pod", Path: ".spec.volumes", unless: (*PreparedRequest).mountsNoToken, anyway: true, Why: "gets a volume with the service account token. An admission plugin adds the volume under a random name, and mounts it."},
	{Kind: "Pod", Path: ".status.conditions", unless: (*PreparedRequest).waitsForNothing, Why: "contain the time at which a new pod with scheduling gates started to wait."},
	{Kind: "Pod", Path: ".status.qosClass", unless: (*PreparedRequest).isLive, Why: "is computed from the resources after admission."},

	{Kind: "Secret", Path: ".data", Later: true, Why: "is set by a controller, if the type is kubernetes.io/service-account-token."},

	{Kind: "Service", Path: ".spec.clusterIP", unless: (*PreparedRequest).needsNoIP, Why: "is allocated, unless the type is ExternalName."},
	{Kind: "Service", Path: ".spec.clusterIPs", unless: (*PreparedRequest).needsNoIP, Why: "are allocated, unless the type is ExternalName."},
	{Kind: "Service", Path: ".spec.healthCheckNodePort", unless: (*PreparedRequest).needsNoHealthPort, Why: "is allocated for a LoadBalancer with externalTrafficPolicy Local."},
	{Kind: "Service", Path: ".spec.ipFamilies", unless: (*PreparedRequest).needsNoIP, Why: "are chosen from the cluster's families according to ipFamilyPolicy."},
	{Kind: "Service", Path: ".spec.ports[*].nodePort", unless: (*PreparedRequest).needsNoNodePorts, Why: "is allocated for a NodePort or LoadBalancer, unless allocateLoadBalancerNodePorts is false."},

	{Kind: "ServiceAccount", Path: ".secrets", Later: true, Why: "were set by a controller before Kubernetes 1.24."},
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
	c, counts := p.server.generationRule(object)
	if !counts {
		return p.server.predicts(object) // a built-in kind without a rule has no generation
	}
	_, there := document.Integer(document.Metadata(p.Live)["generation"])
	return p.Live == nil || there || document.MetaString(p.Live, "uid") != "" || !p.fieldsDiffer(object, c.fields)
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
	return p.Live != nil || isUnset(specOf(pod)["schedulingGates"])
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

// onlyServer returns the paths of values in a result that only the server knows. Either the
// result lacks such a value, or the server may store a different one. The paths identify list
// items by index.
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

// steps splits the path of a field into names. For example, it splits .spec.ports[*].nodePort into
// spec, ports, * and nodePort.
func (f *ServerField) steps() (names []string) {
	path, quoted, _ := strings.Cut(f.Path, `["`)
	names = strings.Split(strings.ReplaceAll(path, "[*]", ".*"), ".")[1:]
	if quoted != "" {
		names = append(names, strings.TrimSuffix(quoted, `"]`))
	}
	return names
}

// places finds all paths in v that consist of the given names, and appends them to a list. The name
// "*" stands for each item of a list. The argument at is the path of v itself. If anyway is false,
// places skips paths that already have a value.
func places(v any, names []string, anyway bool, at fieldpath.Path, all []fieldpath.Path) []fieldpath.Path {
	if len(names) == 0 {
		if anyway || isUnset(v) {
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
