// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"cmp"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Given holds the sources of types for a program that has no command line and no files.
type Given struct {
	// Kubernetes is the release of the built-in types. If it is empty, the default release is
	// used.
	Kubernetes string
	CRDs       []openapi.Document
	// Schema is a schema for merging, or nil. If it is set, all objects have its type TypeName,
	// and other types are ignored.
	Schema    *openapi.Document
	TypeName  string
	Untyped   bool
	Proposals Proposals
	// MissingTypeHint is text for an error message. It explains how to provide a missing type.
	MissingTypeHint string
}

// New returns the types that g describes. If g has a Schema but no TypeName, only the field Parser
// of the result is set. Warnings do not make the result invalid. Package input can convert any
// error to manifest.Errors, except an error about the Kubernetes release.
func New(g Given) (t *Types, warnings manifest.Errors, err error) {
	s := &Flags{kubernetes: g.Kubernetes, TypeName: g.TypeName, Proposals: g.Proposals}
	t = &Types{Proposals: &s.Proposals, Untyped: g.Untyped, missingTypeHint: g.MissingTypeHint}
	if g.Schema != nil {
		if warnings, err = parseSchema(t, s, g.Schema.Name, g.Schema.Data); err != nil {
			return nil, nil, err
		}
		return t, warnings, t.selectType(s, g.Schema.Name)
	}
	release := cmp.Or(g.Kubernetes, openapi.Release())
	if err := t.useRelease(release, s); err != nil {
		return nil, nil, err
	}
	if missing := missingData(release); missing != "" {
		warnings = append(warnings, &manifest.Error{Message: missing})
	}
	for _, d := range g.CRDs {
		if err := t.Catalog.AddCRD(d.Name, d.Data); err != nil {
			return nil, nil, input.WithPositions(err, d)
		}
		t.CRDs = append(t.CRDs, d)
		t.Searched = append(t.Searched, d.Name)
	}
	for _, w := range t.Catalog.Warnings() {
		warnings = append(warnings, input.DocumentError(w))
	}
	return t, warnings, nil
}
