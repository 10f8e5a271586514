// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package definitions

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// readCluster completes the old types and returns live objects. It reads the old version of each
// new CRD from the cluster, and adds it to the old types. It returns the live objects of these
// CRDs. But if the command also compares Kubernetes releases, readCluster returns the objects that
// the flags select. By default, the flags select objects of all kinds.
func (u *upgradeCheck) readCluster(r *command.Run) ([]*manifest.Object, error) {
	c, err := u.cluster.Open(r)
	if err != nil {
		return nil, err
	}
	var resources []cluster.Resource
	for _, d := range definitions(u.types.now) {
		doc, unreadable, err := c.Definition(d.Group, d.Plural)
		name := d.Plural + "." + d.Group
		switch {
		case err != nil:
			return nil, err
		case unreadable != "":
			return nil, &manifest.Error{File: c.Host, Message: unreadable}
		case doc == nil:
			r.Notef("the cluster has no %s: it is new", name)
			continue
		}
		if err := u.types.old.AddDefinition("customresourcedefinitions/"+name, doc); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Host, err)
		}
		was, err := crd.Read(name, doc)
		if err != nil || len(was) != 1 {
			return nil, &manifest.Error{File: c.Host, Message: fmt.Sprintf("%s cannot be read: %v", name, err)}
		}
		if version := readVersion(was[0]); version != "" {
			resources = append(resources, cluster.Resource{Group: d.Group, Version: version, Name: d.Plural, Kind: was[0].Kind, Namespaced: was[0].Namespaced})
		}
	}
	u.cluster.DefaultToAllNamespaces()
	if u.old.Kubernetes() != "" {
		return c.Select()
	}
	return c.ReadAll(resources)
}

// readVersion returns the API version in which to read the objects of a CRD. This is the storage
// version if it is served, and the first served version otherwise.
func readVersion(d *crd.Definition) (version string) {
	for _, v := range d.Versions {
		if v.Served && (version == "" || v.Storage) {
			version = v.Name
		}
	}
	return version
}
