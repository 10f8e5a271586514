// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !slim

package sources

import "github.com/dovetail-ssa/dovetail/kube/crd"

// CRDVersion is one version in a CustomResourceDefinition. It can validate custom resources.
type CRDVersion = crd.Version

// NeedsRules returns an error if this program was built without the rules for custom
// resources. purpose describes why the caller needs the rules.
func NeedsRules(purpose string) error { return nil }

// Version returns the CRD version that defines a kind, or nil if there is none. If several CRDs define
// the kind, Version uses the last one, as lookups of types do.
func (t *Types) Version(apiVersion, kind string) *CRDVersion {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.versions == nil {
		t.versions = map[[2]string]*CRDVersion{}
		for _, doc := range t.CRDs {
			defs, _ := crd.Read(doc.Name, doc.Data) // the catalog has already parsed the file without an error
			for _, d := range defs {
				for _, v := range d.Versions {
					t.versions[[2]string{d.Group + "/" + v.Name, d.Kind}] = v
				}
			}
		}
	}
	return t.versions[[2]string{apiVersion, kind}]
}
