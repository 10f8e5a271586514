// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"cmp"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Given has the sources of types of a program that has no command line and no files.
type Given struct {
	// Kubernetes is the release of the built-in types, or empty for the default release.
	Kubernetes string
	CRDs       []openapi.Document
	// Schema is a merge schema, or nil. Its types replace all other types. All objects have the
	// type TypeName of this schema.
	Schema    *openapi.Document
	TypeName  string
	Untyped   bool
	Proposals Proposals
	// MissingTypeHint explains how to provide a type that no source has.
	MissingTypeHint string
}

// New returns the types of given sources. If there is a schema and no TypeName, only Parser of
// the result is set. The warnings are about problems that do not prevent using the sources. The
// error is an error about the Kubernetes release, or an error that package input converts to
// manifest.Errors.
func New(g Given) (t *Types, warnings manifest.Errors, err error) {
	s := &Flags{kubernetes: g.Kubernetes, TypeName: g.TypeName, Proposals: g.Proposals}
	t = &Types{Proposals: &s.Proposals, Untyped: g.Untyped, missingTypeHint: g.MissingTypeHint}
	if g.Schema != nil {
		if err := parseSchema(t, s, g.Schema.Name, g.Schema.Data); err != nil {
			return nil, nil, err
		}
		return t, nil, t.selectType(s, g.Schema.Name)
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
