// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// lintOpenAPI returns what is found in OpenAPI documents.
func (r *run) lintOpenAPI(docs []openapi.Document) ([]finding, error) {
	catalog := openapi.New()
	if err := catalog.AddOpenAPIs(docs...); err != nil {
		return nil, located(err, docs...)
	}
	for _, w := range catalog.Warnings() {
		r.warnf("%v", ofDocument(w))
	}
	lines := lineFinder{docs: docs, objects: map[string]*manifest.Object{}}
	var all []finding
	for _, f := range catalog.Lint() {
		all = append(all, finding{File: f.Document, Line: lines.of(f), Path: f.Type + f.Path, Rule: string(f.Rule), Message: f.Message})
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return all, nil
}

// lineFinder finds the lines of definitions in documents, each of which is read
// for that once, when one of its lines is wanted.
type lineFinder struct {
	docs    []openapi.Document
	objects map[string]*manifest.Object
}

// of returns the line of a finding, as near as it can be told; 0 if it cannot.
func (l *lineFinder) of(f openapi.Finding) int {
	o, known := l.objects[f.Document]
	if !known {
		for _, d := range l.docs {
			if d.Name != f.Document {
				continue
			}
			// The catalog has read it; what it found has no line then.
			if found, err := manifest.Mappings(d.Name, d.Data); err == nil && len(found) == 1 {
				o = found[0]
			}
		}
		l.objects[f.Document] = o
	}
	if o == nil {
		return 0
	}
	steps := []any{"definitions", f.Type}
	if _, v3 := o.Content["openapi"]; v3 {
		steps = []any{"components", "schemas", f.Type}
	}
	return o.At(append(steps, schemaSteps(f.Path)...)...).Line
}

// schemaSteps returns the steps from a schema to the place of a path within its
// type.
func schemaSteps(path string) (steps []any) {
	for path != "" {
		switch rest, field := strings.CutPrefix(path, "."); {
		case field:
			end := strings.IndexAny(rest, ".[{")
			if end < 0 {
				end = len(rest)
			}
			steps, path = append(steps, "properties", rest[:end]), rest[end:]
		case strings.HasPrefix(path, "[]"):
			steps, path = append(steps, "items"), path[2:]
		case strings.HasPrefix(path, "{}"):
			steps, path = append(steps, "additionalProperties"), path[2:]
		default:
			return steps // of a name that has brackets
		}
	}
	return steps
}
