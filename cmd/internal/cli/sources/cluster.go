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

// served are the types that a cluster serves, as far as they are asked for.
type served struct {
	cluster *cluster.Cluster
	// absent says why a version has no types, looked has the versions that were looked for.
	absent map[string]string
	looked map[string]bool
	// overlay adds what goes on top of the types, once these are there.
	overlay func() error
}

// connect has types come from the cluster of s. The built-in types, and what Go code does to their
// objects, are those of its release.
func (t *Types) connect(r *command.Run, s *Flags) error {
	c, err := s.Cluster.Open(r)
	if err != nil {
		return err
	}
	if s.Schema != "" {
		return command.Usagef("--schema replaces all types, those of a cluster, too: give live objects as files")
	}
	t.served = &served{cluster: c, absent: map[string]string{}, looked: map[string]bool{}}
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
	r.Warnf("%s: the cluster is %s, of a release that is not known here: what its code fills in and forbids is taken from %s", c.Host, version, openapi.Release())
	return nil
}

// Cluster is the cluster that types come from, nil if they come from files.
func (t *Types) Cluster() *cluster.Cluster {
	if t.served == nil {
		return nil
	}
	return t.served.cluster
}

// Serve gets the types of objects from the cluster, if types come from one: of those that no
// file has. It is called before anybody asks for the type of one.
func (t *Types) Serve(r *command.Run, objects []manifest.Identity) error {
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
		if v := id.APIVersion; !t.served.looked[v] {
			t.served.looked[v] = true
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
			r.Warnf("%s: the definition of %s is not known, so its rules are not asked, and its objects convert to no other version: %s", t.served.cluster.Host, k.Kind, why)
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

func (s *served) finish() error {
	add := s.overlay
	s.overlay = nil
	if add == nil {
		return nil
	}
	return add()
}

// Resource is a kind as the cluster has it in its URLs; ok is false if that is not known.
func (t *Types) Resource(id manifest.Identity) (r cluster.Resource, ok bool) {
	k, _ := t.Catalog.Kind(id.APIVersion, id.Kind)
	group, version, grouped := strings.Cut(id.APIVersion, "/")
	if !grouped {
		group, version = "", id.APIVersion
	}
	return cluster.Resource{Group: group, Version: version, Name: k.Resource, Kind: id.Kind, Namespaced: k.Scope != openapi.ClusterWide}, k.Resource != "" && t.WhyNone(id) == ""
}

// WhyNone says why the cluster that types come from has none of an object, empty if it has.
func (t *Types) WhyNone(id manifest.Identity) string {
	if t.served == nil {
		return ""
	}
	return t.served.absent[id.APIVersion]
}

// SetKubernetes says which release of Kubernetes the built-in types are of.
func (s *Flags) SetKubernetes(release string) { s.kubernetes = release }

// AddDefinition adds the definition of a custom resource.
func (t *Types) AddDefinition(name string, data []byte) error {
	if err := t.Catalog.AddCRD(name, data); err != nil {
		return err
	}
	t.CRDs = append(t.CRDs, openapi.Document{Name: name, Data: data})
	t.unserved = nil
	return nil
}
