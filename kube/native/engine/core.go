// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"maps"
	"net"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/core"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitrangestore "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	volumestore "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	claimstore "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	podtemplatestore "k8s.io/kubernetes/pkg/registry/core/podtemplate/storage"
	controllerstore "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"
)

// coreResources returns the resources of the core API group. The name of this group is "".
func coreResources(from generic.RESTOptionsGetter) (map[string]rest.Storage, error) {
	generic := corerest.GenericConfig{EventTTL: eventTTL}
	group, err := generic.NewRESTStorage(everyResource{}, from)
	if err != nil {
		return nil, err
	}
	all := group.VersionedResourcesStorageMap["v1"]

	var failed []error
	check := func(err error) { failed = append(failed, err) }
	endpoints, err := endpointsstore.NewREST(from)
	check(err)
	limitRanges, err := limitrangestore.NewREST(from)
	check(err)
	nodes, err := nodestore.NewStorage(from, kubeletclient.KubeletClientConfig{}, nil)
	check(err)
	volumes, volumeStatus, err := volumestore.NewREST(from)
	check(err)
	claims, claimStatus, err := claimstore.NewREST(from)
	check(err)
	podTemplates, err := podtemplatestore.NewREST(from)
	check(err)
	controllers, err := controllerstore.NewStorage(from)
	check(err)
	pods, err := podstore.NewStorage(from, nil, nil, nil, nil)
	check(err)
	ports, err := portallocator.NewInMemory(nodePorts)
	check(err)
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	services, serviceStatus, _, err := servicestore.NewREST(from, core.IPv4Protocol, map[core.IPFamily]ipallocator.Interface{
		core.IPv4Protocol: addresses{core.IPv4Protocol, net.IPv4(10, 0, 0, 1).To4()},
		core.IPv6Protocol: addresses{core.IPv6Protocol, net.ParseIP("fd00::1")},
	}, ports, nil, pods.Pod, nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(all, map[string]rest.Storage{
		"endpoints":                     endpoints,
		"limitranges":                   limitRanges,
		"nodes":                         nodes.Node,
		"nodes/status":                  nodes.Status,
		"persistentvolumes":             volumes,
		"persistentvolumes/status":      volumeStatus,
		"persistentvolumeclaims":        claims,
		"persistentvolumeclaims/status": claimStatus,
		"pods":                          pods.Pod,
		"pods/status":                   pods.Status,
		"pods/ephemeralcontainers":      pods.EphemeralContainers,
		"pods/resize":                   pods.Resize,
		"podtemplates":                  podTemplates,
		"replicationcontrollers":        controllers.Controller,
		"replicationcontrollers/status": controllers.Status,
		"replicationcontrollers/scale":  controllers.Scale,
		"services":                      services,
		"services/status":               serviceStatus,
	})
	return all, nil
}

// nodePorts is the default node port range of API servers.
var nodePorts = utilnet.PortRange{Base: 30000, Size: 2768}

// addresses replaces the allocator of cluster IPs, for one IP family. It accepts any address that a
// Service requests, because the address ranges of the cluster are not known. A Service that
// requests no address always gets the same one, which the engine removes from the response.
type addresses struct {
	family core.IPFamily
	first  net.IP
}

func (a addresses) Allocate(net.IP) error         { return nil }
func (a addresses) AllocateNext() (net.IP, error) { return a.first, nil }
func (a addresses) Release(net.IP) error          { return nil }
func (a addresses) ForEach(func(net.IP))          {}
func (a addresses) Has(net.IP) bool               { return false }
func (a addresses) Destroy()                      {}
func (a addresses) EnableMetrics()                {}

func (a addresses) DryRun() ipallocator.Interface { return a }
func (a addresses) IPFamily() core.IPFamily       { return a.family }

func (a addresses) CIDR() net.IPNet {
	return net.IPNet{IP: a.first, Mask: net.CIDRMask(0, 8*len(a.first))}
}
