// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// servedTypes holds the types that a cluster serves. They are read only when a command needs
// them.
type servedTypes struct {
	cluster *cluster.Cluster
	// absent holds the API versions for which the cluster has no types, each with the reason.
	absent map[string]string
	// read holds the API versions that have already been read.
	read map[string]bool
	// overlay adds the files of --defaults and --markers to the types. It runs only once and is
	// nil afterwards.
	overlay func() error
}

// connect makes t read types from the cluster that s selects. Built-in kinds use the data of the
// cluster's release, such as defaults and rules, unless --kubernetes-version selects another
// release. If Dovetail does not know the cluster's release, connect warns that it uses the nearest
// one.
func (t *Types) connect(r *command.Run, s *Flags) error {
	c, err := s.Cluster.Open(r)
	if err != nil {
		return err
	}
	if s.Schema != "" {
		return command.Usagef("--schema replaces all types, including those of the cluster: leave out --schema, or pass the live objects as files")
	}
	t.served = &servedTypes{cluster: c, absent: map[string]string{}, read: map[string]bool{}}
	version, release, err := c.Version()
	if err != nil {
		return err
	}
	if s.kubernetes != "" {
		return nil
	}
	known := slices.ContainsFunc(openapi.Releases(), func(r string) bool { return Minor(r) == release && len(openapi.Missing(r)) == 0 })
	if known {
		s.kubernetes = release
		return nil
	}
	t.Documents = true
	r.Warnf("%s: the cluster runs %s, which Dovetail does not know, so for built-in kinds, it uses the defaults, Go types and immutability rules of the nearest release, %s", c.Host, version, openapi.Release())
	return nil
}

// Cluster returns the cluster from which t reads types, or nil if all types come from files.
func (t *Types) Cluster() *cluster.Cluster {
	if t.served == nil {
		return nil
	}
	return t.served.cluster
}

// ReadServed reads the types of the given objects from the cluster, if there is one. It skips
// kinds that files define. Call ReadServed before Find or TypeOf for these objects.
func (t *Types) ReadServed(r *command.Run, objects []manifest.Identity) error {
	if t.served == nil {
		return nil
	}
	var versions []string
	wanted := map[[2]string]bool{}
	for _, id := range objects {
		if k, ok := t.Catalog.Kind(id.APIVersion, id.Kind); ok && k.Source != "" || wanted[[2]string{id.APIVersion, id.Kind}] {
			continue
		}
		wanted[[2]string{id.APIVersion, id.Kind}] = true
		if v := id.APIVersion; !t.served.read[v] {
			t.served.read[v] = true
			versions = append(versions, v)
		}
	}
	if len(versions) == 0 {
		return t.served.finish()
	}
	docs, absent, err := t.served.cluster.Documents(versions)
	if err != nil {
		return err
	}
	for v, why := range absent {
		t.served.absent[v] = why
	}
	if err := t.Catalog.AddOpenAPIs(docs...); err != nil {
		return fmt.Errorf("%s: %w", t.served.cluster.Host, err)
	}
	for at := range wanted {
		k, ok := t.Catalog.Kind(at[0], at[1])
		group, _, grouped := strings.Cut(at[0], "/")
		if !ok || !grouped || k.Resource == "" || openapi.IsKubernetes(k.Type) {
			continue
		}
		doc, why, err := t.served.cluster.Definition(group, k.Resource)
		switch {
		case err != nil:
			return err
		case why != "":
			r.Warnf("%s: the CustomResourceDefinition of %s cannot be read, so its rules are not checked and its objects are not converted to other versions: %s", t.served.cluster.Host, k.Kind, why)
		case doc != nil:
			name := "customresourcedefinitions/" + k.Resource + "." + group
			if slices.ContainsFunc(t.CRDs, func(d openapi.Document) bool { return d.Name == name }) {
				continue
			}
			if err := t.AddDefinition(name, doc); err != nil {
				return fmt.Errorf("%s: %w", t.served.cluster.Host, err)
			}
		}
	}
	return t.served.finish()
}

func (s *servedTypes) finish() error {
	add := s.overlay
	s.overlay = nil
	if add == nil {
		return nil
	}
	return add()
}

// Resource returns the API resource of a kind, which is needed for URLs of the cluster. ok is
// false if the resource is unknown.
func (t *Types) Resource(id manifest.Identity) (r cluster.Resource, ok bool) {
	k, _ := t.Catalog.Kind(id.APIVersion, id.Kind)
	group, version, grouped := strings.Cut(id.APIVersion, "/")
	if !grouped {
		group, version = "", id.APIVersion
	}
	return cluster.Resource{Group: group, Version: version, Name: k.Resource, Kind: id.Kind, Namespaced: k.Scope != openapi.ClusterWide}, k.Resource != "" && t.WhyAbsent(id) == ""
}

// WhyAbsent explains why the cluster has no types for the API version of an object. It returns ""
// if the cluster has types for this version, if ReadServed has not read this version, or if all
// types come from files.
func (t *Types) WhyAbsent(id manifest.Identity) string {
	if t.served == nil {
		return ""
	}
	return t.served.absent[id.APIVersion]
}

// SetKubernetes selects the Kubernetes release of the built-in types.
func (s *Flags) SetKubernetes(release string) { s.kubernetes = release }

// AddDefinition adds a CustomResourceDefinition. Messages use the argument name for it.
func (t *Types) AddDefinition(name string, data []byte) error {
	if err := t.Catalog.AddCRD(name, data); err != nil {
		return err
	}
	t.CRDs = append(t.CRDs, openapi.Document{Name: name, Data: data})
	t.unserved = nil
	return nil
}
