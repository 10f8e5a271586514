// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// readSchema makes the types of a schema file the only ones.
func (r *run) readSchema(t *types, s *sources, needType bool) error {
	data, shown, err := r.read("--schema", s.schema)
	if err != nil {
		return err
	}
	if err := wantSchema(shown, data); err != nil {
		return err
	}
	t.parser, err = typed.NewParser(typed.YAMLObject(data))
	if err != nil {
		return schemaErrors(shown, data, err)
	}
	t.parser.Schema.DeclarativeDefaults = true
	if err := t.parser.Schema.CheckKeys(); err != nil {
		return &manifest.Error{File: shown, Message: err.Error()}
	}
	if len(s.defaults.names)+len(s.markers.names) > 0 {
		if err := r.overlay(t.parser, shown, s); err != nil {
			return err
		}
	}
	t.searched = []string{shown}
	if s.typeName == "" {
		if needType {
			return usagef("--schema needs --type NAME: one of %s", shortList(t.parser.TypeNames()))
		}
		return nil
	}
	fixed := t.parser.Type(s.typeName)
	if !fixed.IsValid() {
		return &manifest.Error{File: shown, Message: fmt.Sprintf("no type %s%s", s.typeName, didYouMean(suggest.Nearest(s.typeName, t.parser.TypeNames())))}
	}
	t.fixed = &fixed
	return nil
}

// wantSchema refuses what is no merge schema at all, with words for what it is.
func wantSchema(shown string, data []byte) error {
	docs, err := manifest.Values(shown, data)
	if err != nil {
		return err
	}
	if len(docs) != 1 {
		return &manifest.Error{File: shown, Message: fmt.Sprintf("want a merge schema, one document, found %d", len(docs))}
	}
	m, ok := docs[0].(map[string]any)
	switch {
	case !ok:
		return &manifest.Error{File: shown, Message: "want a merge schema, a mapping with types, found " + flow(docs[0])}
	case m["types"] == nil && m["kind"] != nil:
		return &manifest.Error{File: shown, Message: fmt.Sprintf("want a merge schema, a mapping with types, found an object of kind %s; CRDs are given with --crd, OpenAPI documents with --openapi", flow(m["kind"]))}
	}
	return nil
}

// schemaErrors is what keeps a file from being a schema, with lines where it is YAML
// of another form.
func schemaErrors(shown string, data []byte, err error) error {
	var misfits typed.ValidationErrors
	if errors.As(err, &misfits) {
		objects, unread := manifest.Mappings(shown, data)
		form, bad := typed.NewParser(typed.YAMLObject(schema.SchemaSchemaYAML))
		if unread == nil && bad == nil && len(objects) == 1 {
			_, err := form.Type("schema").FromUnstructured(objects[0].Content)
			if found := findings(objects[0], form.Type("schema"), err); len(found) > 0 {
				return found
			}
		}
		return &manifest.Error{File: shown, Message: "want a merge schema: one mapping, with its types in the list types"}
	}
	return &manifest.Error{File: shown, Message: err.Error()}
}

// overlay gives defaults and markers to the types of a schema file.
func (r *run) overlay(p *typed.Parser, shown string, s *sources) error {
	catalog := openapi.New()
	if err := catalog.AddSchema(shown, &p.Schema); err != nil {
		return err
	}
	if err := r.addOverlays(catalog, s); err != nil {
		return err
	}
	p.Schema = schema.Schema{
		DeclarativeDefaults: p.Schema.DeclarativeDefaults,
		MissingKeys:         p.Schema.MissingKeys,
		ZeroKeysUnset:       p.Schema.ZeroKeysUnset,
		Types:               everything(catalog).Types,
	}
	return nil
}
