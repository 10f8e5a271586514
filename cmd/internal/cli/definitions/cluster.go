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

// readCluster adds the definitions of the cluster that new ones are to replace to the old types,
// and returns the objects of their kinds; of another release of Kubernetes, all objects.
func (u *upgradeCheck) readCluster(r *command.Run) ([]*manifest.Object, error) {
	c, err := u.cluster.Open(r)
	if err != nil {
		return nil, err
	}
	var of []cluster.Resource
	for _, d := range definitions(u.types.now) {
		doc, why, err := c.Definition(d.Group, d.Plural)
		name := d.Plural + "." + d.Group
		switch {
		case err != nil:
			return nil, err
		case why != "":
			return nil, &manifest.Error{File: c.Host, Message: why}
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
		if version := read(was[0]); version != "" {
			of = append(of, cluster.Resource{Group: d.Group, Version: version, Name: d.Plural, Kind: was[0].Kind, Namespaced: was[0].Namespaced})
		}
	}
	u.cluster.Everywhere()
	if u.old.Kubernetes() != "" {
		return c.Select()
	}
	return c.All(of)
}

// read is the version in which the objects of a definition are read: the stored one, if that
// is served.
func read(d *crd.Definition) (version string) {
	for _, v := range d.Versions {
		if v.Served && (version == "" || v.Storage) {
			version = v.Name
		}
	}
	return version
}
