// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/client-go/discovery"
	clientcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	apiregistrationinstall "k8s.io/kube-aggregator/pkg/apis/apiregistration/install"
	apiservicestore "k8s.io/kube-aggregator/pkg/registry/apiservice/etcd"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apiserverinternal/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
	admissionregistrationrest "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
	apiserverinternalrest "k8s.io/kubernetes/pkg/registry/apiserverinternal/rest"
	appsrest "k8s.io/kubernetes/pkg/registry/apps/rest"
	autoscalingrest "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batchrest "k8s.io/kubernetes/pkg/registry/batch/rest"
	certificatesrest "k8s.io/kubernetes/pkg/registry/certificates/rest"
	coordinationrest "k8s.io/kubernetes/pkg/registry/coordination/rest"
	discoveryrest "k8s.io/kubernetes/pkg/registry/discovery/rest"
	eventsrest "k8s.io/kubernetes/pkg/registry/events/rest"
	flowcontrolrest "k8s.io/kubernetes/pkg/registry/flowcontrol/rest"
	networkingrest "k8s.io/kubernetes/pkg/registry/networking/rest"
	noderest "k8s.io/kubernetes/pkg/registry/node/rest"
	policyrest "k8s.io/kubernetes/pkg/registry/policy/rest"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	storagerest "k8s.io/kubernetes/pkg/registry/storage/rest"
	storagemigrationrest "k8s.io/kubernetes/pkg/registry/storagemigration/rest"
)

// eventTTL is the time for which API servers keep events by default.
const eventTTL = time.Hour

// A Provider creates the storage of one API group. The packages
// k8s.io/kubernetes/pkg/registry/GROUP/rest contain the providers of kube-apiserver.
type Provider interface {
	NewRESTStorage(serverstorage.APIResourceConfigSource, generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error)
}

// providers maps API groups to their providers. It omits groups whose provider is not the same in
// all supported releases.
var providers = map[string]Provider{
	"admissionregistration.k8s.io": admissionregistrationrest.RESTStorageProvider{Authorizer: AllowAll{}, DiscoveryClient: noDiscovery{}},
	"apps":                         appsrest.StorageProvider{},
	"autoscaling":                  autoscalingrest.RESTStorageProvider{},
	"batch":                        batchrest.RESTStorageProvider{},
	"certificates.k8s.io":          certificatesrest.RESTStorageProvider{Authorizer: AllowAll{}},
	"coordination.k8s.io":          coordinationrest.RESTStorageProvider{},
	"discovery.k8s.io":             discoveryrest.StorageProvider{},
	"events.k8s.io":                eventsrest.RESTStorageProvider{TTL: eventTTL},
	"flowcontrol.apiserver.k8s.io": flowcontrolrest.RESTStorageProvider{},
	"internal.apiserver.k8s.io":    apiserverinternalrest.StorageProvider{},
	"networking.k8s.io":            networkingrest.RESTStorageProvider{},
	"node.k8s.io":                  noderest.RESTStorageProvider{},
	"policy":                       policyrest.RESTStorageProvider{},
	"rbac.authorization.k8s.io":    rbacrest.RESTStorageProvider{Authorizer: AllowAll{}},
	"scheduling.k8s.io":            schedulingrest.RESTStorageProvider{},
	"storage.k8s.io":               storagerest.RESTStorageProvider{},
	"storagemigration.k8s.io":      storagemigrationrest.RESTStorageProvider{},
}

// init registers the kinds of groups that do not register their own kinds.
func init() {
	apiextensionsinstall.Install(legacyscheme.Scheme)
	apiregistrationinstall.Install(legacyscheme.Scheme)
}

// resources returns the storage of an API group, by version and resource. It returns nil if the
// release does not have the group.
func (e *Engine) resources(group string) (map[string]map[string]rest.Storage, error) {
	switch group {
	case "":
		all, err := coreResources(&e.store)
		return map[string]map[string]rest.Storage{"v1": all}, err
	case "apiextensions.k8s.io":
		definitions, err := customresourcedefinition.NewREST(legacyscheme.Scheme, &e.store)
		if err != nil {
			return nil, err
		}
		return map[string]map[string]rest.Storage{"v1": {
			"customresourcedefinitions":        definitions,
			"customresourcedefinitions/status": customresourcedefinition.NewStatusREST(legacyscheme.Scheme, definitions),
		}}, nil
	case "apiregistration.k8s.io":
		services := apiservicestore.NewREST(legacyscheme.Scheme, &e.store)
		return map[string]map[string]rest.Storage{"v1": {
			"apiservices":        services,
			"apiservices/status": apiservicestore.NewStatusREST(legacyscheme.Scheme, services),
		}}, nil
	}
	provider := e.own[group]
	if provider == nil {
		provider = providers[group]
	}
	if provider == nil {
		return nil, nil
	}
	info, err := provider.NewRESTStorage(everyResource{}, &e.store)
	return info.VersionedResourcesStorageMap, err
}

// everyResource enables all resources, including those that servers disable by default.
type everyResource struct {
	serverstorage.APIResourceConfigSource // nil, because providers call only the methods below
}

func (everyResource) ResourceEnabled(schema.GroupVersionResource) bool { return true }
func (everyResource) AnyResourceForGroupEnabled(string) bool           { return true }

// AllowAll allows every request, because the engine has no users.
type AllowAll struct{ authorizer.Authorizer }

// Authorize always allows the request.
func (AllowAll) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

// noDiscovery is a discovery client for the validation of admission policies. It finds no
// resources, so the validation does not know the kinds that a policy matches.
type noDiscovery struct{ discovery.DiscoveryInterface }

// ServerResourcesForGroupVersion returns a list without resources.
func (noDiscovery) ServerResourcesForGroupVersion(version string) (*metav1.APIResourceList, error) {
	return &metav1.APIResourceList{GroupVersion: version}, nil
}

// Namespaces is a namespace client that returns a namespace for every name. Each namespace has the
// label that permits administrator access to devices.
type Namespaces struct {
	clientcorev1.NamespaceInterface
}

// Get returns a namespace with the given name.
func (Namespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"resource.kubernetes.io/admin-access": "true"},
	}}, nil
}
