// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	clientcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/klog/v2"
	apiregistrationinstall "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	"k8s.io/kube-aggregator/pkg/registry/apiservice"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apiserverinternal/storageversion"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/certificates/clustertrustbundle"
	"k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/coordination/leasecandidate"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/scheduling/workload"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
	"k8s.io/kubernetes/pkg/registry/storagemigration/storagemigration"
)

// strategy prepares and validates objects of one resource before the server stores them. It is
// for requests to the main endpoint, not to subresources.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// strategies has the strategies of all stored kinds, by group and resource.
var strategies = func() map[string]map[string]strategy {
	klog.SetLogger(logr.Discard()) // strategies log differences between their two validations
	apiextensionsinstall.Install(legacyscheme.Scheme)
	apiregistrationinstall.Install(legacyscheme.Scheme)
	all := map[string]map[string]strategy{
		"": {
			"configmaps":             configmap.Strategy,
			"endpoints":              endpoint.Strategy,
			"events":                 event.Strategy,
			"limitranges":            limitrange.Strategy,
			"namespaces":             namespace.Strategy,
			"nodes":                  node.Strategy,
			"persistentvolumes":      persistentvolume.Strategy,
			"persistentvolumeclaims": persistentvolumeclaim.Strategy,
			"pods":                   pod.Strategy,
			"podtemplates":           podtemplate.Strategy,
			"replicationcontrollers": replicationcontroller.Strategy,
			"resourcequotas":         resourcequota.Strategy,
			"secrets":                secret.Strategy,
			"services":               service.Strategy,
			"serviceaccounts":        serviceaccount.Strategy,
		},
		"admissionregistration.k8s.io": {
			"mutatingadmissionpolicies":         mutatingadmissionpolicy.NewStrategy(nil, nil),
			"mutatingadmissionpolicybindings":   mutatingadmissionpolicybinding.NewStrategy(nil, nil, nil),
			"mutatingwebhookconfigurations":     mutatingwebhookconfiguration.Strategy,
			"validatingadmissionpolicies":       validatingadmissionpolicy.NewStrategy(nil, nil),
			"validatingadmissionpolicybindings": validatingadmissionpolicybinding.NewStrategy(nil, nil, nil),
			"validatingwebhookconfigurations":   validatingwebhookconfiguration.Strategy,
		},
		"apiextensions.k8s.io":   {"customresourcedefinitions": customresourcedefinition.NewStrategy(legacyscheme.Scheme)},
		"apiregistration.k8s.io": {"apiservices": apiservice.NewStrategy(legacyscheme.Scheme).(strategy)},
		"apps": {
			"controllerrevisions": controllerrevision.Strategy,
			"daemonsets":          daemonset.Strategy,
			"deployments":         deployment.Strategy,
			"replicasets":         replicaset.Strategy,
			"statefulsets":        statefulset.Strategy,
		},
		"autoscaling": {"horizontalpodautoscalers": horizontalpodautoscaler.Strategy},
		"batch": {
			"cronjobs": cronjob.Strategy,
			"jobs":     job.Strategy,
		},
		"certificates.k8s.io": {
			"certificatesigningrequests": certificates.Strategy,
			"clustertrustbundles":        clustertrustbundle.Strategy,
			"podcertificaterequests":     podcertificaterequest.NewStrategy(),
		},
		"coordination.k8s.io": {
			"leases":          lease.Strategy,
			"leasecandidates": leasecandidate.Strategy,
		},
		"discovery.k8s.io": {"endpointslices": endpointslice.Strategy},
		"events.k8s.io":    {"events": event.Strategy},
		"flowcontrol.apiserver.k8s.io": {
			"flowschemas":                 flowschema.Strategy,
			"prioritylevelconfigurations": prioritylevelconfiguration.Strategy,
		},
		"internal.apiserver.k8s.io": {"storageversions": storageversion.Strategy},
		"networking.k8s.io": {
			"ingresses":       ingress.Strategy,
			"ingressclasses":  ingressclass.Strategy,
			"ipaddresses":     ipaddress.Strategy,
			"networkpolicies": networkpolicy.Strategy,
			"servicecidrs":    servicecidr.Strategy,
		},
		"node.k8s.io": {"runtimeclasses": runtimeclass.Strategy},
		"policy":      {"poddisruptionbudgets": poddisruptionbudget.Strategy},
		"rbac.authorization.k8s.io": {
			"clusterroles":        clusterrole.Strategy,
			"clusterrolebindings": clusterrolebinding.Strategy,
			"roles":               role.Strategy,
			"rolebindings":        rolebinding.Strategy,
		},
		"resource.k8s.io": {
			"deviceclasses":          deviceclass.Strategy,
			"devicetaintrules":       devicetaintrule.Strategy,
			"resourceclaimtemplates": resourceclaimtemplate.NewStrategy(anyNamespace{}),
			"resourceslices":         resourceslice.Strategy,
		},
		"scheduling.k8s.io": {
			"priorityclasses": priorityclass.Strategy,
			"workloads":       workload.Strategy,
		},
		"storage.k8s.io": {
			"csidrivers":              csidriver.Strategy,
			"csinodes":                csinode.Strategy,
			"csistoragecapacities":    csistoragecapacity.Strategy,
			"storageclasses":          storageclass.Strategy,
			"volumeattachments":       volumeattachment.Strategy,
			"volumeattributesclasses": volumeattributesclass.Strategy,
		},
		"storagemigration.k8s.io": {"storageversionmigrations": storagemigration.Strategy},
	}
	since136(all)
	since137(all)
	return all
}()

// anyNamespace returns a namespace for every name. Each of these namespaces allows
// administrators to use devices.
type anyNamespace struct {
	clientcorev1.NamespaceInterface
}

func (anyNamespace) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"resource.kubernetes.io/admin-access": "true"},
	}}, nil
}
