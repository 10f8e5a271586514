// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"slices"

	"k8s.io/kubernetes/pkg/apis/core"
)

// fillService sets allocated values in a Service if the client has omitted them. The store of
// Services does the same before it validates an update. The values are the addresses (if the
// type of the Service has addresses), the node ports (matched by the names of the ports), and
// the port for health checks. fillService also makes clusterIP and clusterIPs consistent if
// only one of them has changed.
func fillService(next, old *core.Service) {
	if old.Spec.ClusterIP != "" && len(old.Spec.ClusterIPs) == 0 {
		old.Spec.ClusterIPs = []string{old.Spec.ClusterIP} // the store does the same when it reads an object
	}
	external := func(s *core.Service) bool { return s.Spec.Type == core.ServiceTypeExternalName }
	nodePorts := func(s *core.Service) bool {
		allocate := s.Spec.AllocateLoadBalancerNodePorts
		return s.Spec.Type == core.ServiceTypeNodePort || s.Spec.Type == core.ServiceTypeLoadBalancer && (allocate == nil || *allocate)
	}
	healthPort := func(s *core.Service) bool {
		return s.Spec.Type == core.ServiceTypeLoadBalancer && s.Spec.ExternalTrafficPolicy == core.ServiceExternalTrafficPolicyLocal
	}
	if !external(old) && !external(next) {
		if next.Spec.ClusterIP == "" {
			next.Spec.ClusterIP = old.Spec.ClusterIP
		}
		if len(next.Spec.ClusterIPs) == 0 {
			next.Spec.ClusterIPs = old.Spec.ClusterIPs
		}
	}
	if nodePorts(old) && nodePorts(next) {
		had, has := map[string]int32{}, map[int32]bool{}
		for _, p := range old.Spec.Ports {
			had[p.Name] = p.NodePort
		}
		for _, p := range next.Spec.Ports {
			has[p.NodePort] = true
		}
		for i := range next.Spec.Ports {
			if p := &next.Spec.Ports[i]; p.NodePort == 0 && !has[had[p.Name]] {
				p.NodePort = had[p.Name]
			}
		}
	}
	if healthPort(old) && healthPort(next) && next.Spec.HealthCheckNodePort == 0 {
		next.Spec.HealthCheckNodePort = old.Spec.HealthCheckNodePort
	}
	oneAddress(next, old)
}

// oneAddress makes clusterIP and clusterIPs consistent if only one of them has changed.
func oneAddress(next, old *core.Service) {
	same := slices.Equal(old.Spec.ClusterIPs, next.Spec.ClusterIPs)
	switch {
	case next.Spec.ClusterIP == old.Spec.ClusterIP:
		if len(next.Spec.ClusterIPs) == 0 {
			next.Spec.ClusterIPs = old.Spec.ClusterIPs
		}
	case same && next.Spec.ClusterIP == "":
		next.Spec.ClusterIPs = nil
	case same:
		next.Spec.ClusterIPs = []string{next.Spec.ClusterIP}
	}
}
