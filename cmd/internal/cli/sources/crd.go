// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package sources

import "github.com/dovetail-ssa/dovetail/kube/crd"

// CRDVersion is a version of a CustomResourceDefinition. It validates custom resources.
type CRDVersion = crd.Version

// NeedsRules returns an error if the command was built without the rules for custom resources.
// purpose explains why the rules are needed.
func NeedsRules(purpose string) error { return nil }

// Version returns the version of a given CRD that defines a kind. It returns nil if no CRD
// defines the kind. If several CRDs define it, Version uses the last one, like the lookup
// of types.
func (t *Types) Version(apiVersion, kind string) *CRDVersion {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.versions == nil {
		t.versions = map[[2]string]*CRDVersion{}
		for _, doc := range t.CRDs {
			defs, _ := crd.Read(doc.Name, doc.Data) // the catalog has read it
			for _, d := range defs {
				for _, v := range d.Versions {
					t.versions[[2]string{d.Group + "/" + v.Name, d.Kind}] = v
				}
			}
		}
	}
	return t.versions[[2]string{apiVersion, kind}]
}
