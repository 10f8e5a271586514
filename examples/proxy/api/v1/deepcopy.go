// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyObject returns a deep copy of p.
func (p *Proxy) DeepCopyObject() runtime.Object {
	out := p.copied()
	return &out
}

// DeepCopyObject returns a deep copy of l.
func (l *ProxyList) DeepCopyObject() runtime.Object {
	out := *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = slices.Clone(l.Items)
	for i := range out.Items {
		out.Items[i] = l.Items[i].copied()
	}
	return &out
}

func (p *Proxy) copied() Proxy {
	out := *p
	p.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	s := &out.Spec
	s.Replicas, s.Timeout = cloned(s.Replicas), cloned(s.Timeout)
	s.Ports = slices.Clone(s.Ports)
	for i := range s.Ports {
		s.Ports[i].TargetPort = cloned(s.Ports[i].TargetPort)
	}
	s.Backends = maps.Clone(s.Backends)
	if s.Logging = cloned(s.Logging); s.Logging != nil {
		s.Logging.Hidden = slices.Clone(s.Logging.Hidden)
	}
	if s.Memory != nil {
		memory := s.Memory.DeepCopy()
		s.Memory = &memory
	}
	return out
}

func cloned[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
