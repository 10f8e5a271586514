// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// readSchema reads the file of --schema. Its types replace all other types.
func readSchema(r *command.Run, t *Types, s *Flags, needType bool) error {
	data, shown, err := input.ReadFile(r, "--schema", s.Schema)
	if err != nil {
		return err
	}
	warnings, err := parseSchema(t, s, shown, data)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		r.Warnf("%s", words.Visible(w.Error()))
	}
	if len(s.defaults.Names)+len(s.markers.Names) > 0 {
		if err := overlay(r, t.Parser, shown, s); err != nil {
			return err
		}
	}
	if s.TypeName == "" && needType {
		return command.Usagef("--schema needs --type NAME: one of %s", words.ShortList(t.Parser.TypeNames()))
	}
	return t.selectType(s, shown)
}

// parseSchema sets t.Parser to the types of a merge schema. The warnings are about mistakes that do not prevent
// merges (see checkSchema).
func parseSchema(t *Types, s *Flags, name string, data []byte) (warnings manifest.Errors, err error) {
	if err := wantSchema(name, data); err != nil {
		return nil, err
	}
	t.Parser, err = typed.NewParser(typed.YAMLObject(data))
	if err != nil {
		return nil, schemaErrors(name, data, err)
	}
	if t.Parser.Schema.DeclarativeDefaults && !s.Proposals.DeclarativeDefaults {
		s.Proposals.turnOnDeclarative()
		s.Proposals.declaredBySchema = true
	}
	t.Parser.Schema.DeclarativeDefaults = s.Proposals.DeclarativeDefaults || s.FillStoredKeys
	mistakes, minor := checkSchema(&t.Parser.Schema)
	if len(mistakes) > 0 {
		return nil, schemaErrors(name, data, mistakes)
	}
	errors.As(schemaErrors(name, data, minor), &warnings)
	return warnings, nil
}

// checkSchema returns all mistakes in a schema. The result minor holds mistakes that do not prevent
// merges: types that allow only the empty list, and wrong defaults that do not affect a merge
// without declarative defaults. OpenAPI documents of Kubernetes contain such defaults.
func checkSchema(s *schema.Schema) (mistakes, minor schema.Errors) {
	var all schema.Errors
	errors.As(s.CheckDefaults(), &mistakes)
	errors.As(s.Check(), &all)
	for _, m := range all {
		switch {
		case m.OnlyEmpty || m.Default && !slices.Contains(mistakes, m):
			minor = append(minor, m)
		case !m.Default:
			mistakes = append(mistakes, m)
		}
	}
	return mistakes, minor
}

// selectType makes all objects have the type that --type names. It does nothing without --type.
func (t *Types) selectType(s *Flags, name string) error {
	t.Searched = []string{name}
	if s.TypeName == "" {
		return nil
	}
	fixed := t.Parser.Type(s.TypeName)
	if !fixed.IsValid() {
		return &manifest.Error{File: name, Message: fmt.Sprintf("no type %s%s", s.TypeName, words.DidYouMean(nearest(s.TypeName, t.Parser.TypeNames())))}
	}
	t.fixed = &fixed
	return nil
}

// ExplainMissingKind adds a hint to errors about objects without apiVersion or kind, if --type selects
// the type of all objects.
func (t *Types) ExplainMissingKind(errs manifest.Errors) manifest.Errors {
	if t.fixed == nil {
		return errs
	}
	name := words.Flow(*t.fixed.TypeRef.NamedType)
	hint := fmt.Sprintf("; --type %s does not replace apiVersion and kind: add both to the object, such as apiVersion: v1 and kind: %[1]s", name)
	if !slices.Contains(suggest.Fields(t.fixed.Schema, t.fixed.TypeRef, nil), "apiVersion") {
		hint += ", and declare both in the type"
	}
	for _, e := range errs {
		if e.Message == "has no apiVersion" || e.Message == "has no kind" {
			e.Message += hint
		}
	}
	return errs
}

// wantSchema returns an error if the file is not a merge schema. The error describes what the
// file contains instead.
func wantSchema(name string, data []byte) error {
	docs, err := manifest.ReadValues(name, data)
	if err != nil {
		return err
	}
	if len(docs) != 1 {
		return &manifest.Error{File: name, Message: fmt.Sprintf("want one document with a merge schema, found %d documents", len(docs))}
	}
	m, ok := docs[0].(map[string]any)
	switch {
	case !ok:
		return &manifest.Error{File: name, Message: "this is not a merge schema: want a mapping with the field \"types\", found " + words.Flow(docs[0])}
	case m["types"] == nil && m["kind"] != nil:
		return &manifest.Error{File: name, Message: fmt.Sprintf("this is not a merge schema: want a mapping with the field \"types\", found an object of kind %s; pass CRDs with --crd, and OpenAPI documents with --openapi", words.Flow(m["kind"]))}
	}
	return nil
}

// schemaErrors converts an error in a merge schema to errors for users. If the file can be parsed as
// YAML, the errors have positions and are in the order of the file.
func schemaErrors(name string, data []byte, err error) error {
	var misfits typed.ValidationErrors
	var mistakes schema.Errors
	objects, unread := manifest.ReadMappings(name, data)
	switch {
	case errors.As(err, &mistakes) && unread == nil && len(objects) == 1:
		var all manifest.Errors
		for _, m := range mistakes {
			at := objects[0].At(mistakeSteps(objects[0].Content, m)...)
			all = append(all, &manifest.Error{File: at.File, Line: at.Line, Column: at.Column, Message: m.Error()})
		}
		return input.SortByPosition(all)
	case errors.As(err, &misfits):
		form, bad := typed.NewParser(typed.YAMLObject(schema.SchemaSchemaYAML))
		if unread == nil && bad == nil && len(objects) == 1 {
			if found := input.Findings(objects[0], form.Type("schema"), err); len(found) > 0 {
				return input.SortByPosition(found)
			}
		}
		return &manifest.Error{File: name, Message: "this is not a merge schema: want a mapping with a list of types in the field \"types\""}
	}
	return &manifest.Error{File: name, Message: err.Error()}
}

// mistakeSteps returns the path of a mistake in a schema file. If the file does not contain the
// whole path, mistakeSteps returns the longest part that exists.
func mistakeSteps(content map[string]any, m schema.Error) (steps []any) {
	descend := func(v any, names ...any) any {
		for _, name := range names {
			steps = append(steps, name)
			switch of := v.(type) {
			case map[string]any:
				text, _ := name.(string)
				v = of[text]
			case []any:
				i, _ := name.(int)
				v = of[i]
			default:
				return nil
			}
		}
		return v
	}
	// findName finds the list item whose name is the start of the text rest, and returns the index
	// of the item. It also returns the text that follows the name. If several names match, it takes
	// the longest one.
	findName := func(list any, rest string) (index int, after string) {
		all, _ := list.([]any)
		index, length := -1, -1
		for i, v := range all {
			of, _ := v.(map[string]any)
			name, _ := of["name"].(string)
			if text, ok := strings.CutPrefix(rest, name); ok && len(name) > length && (text == "" || text[0] == '.' || text[0] == '[') {
				index, after, length = i, text, len(name)
			}
		}
		return index, after
	}
	at := descend(content, "types")
	types, _ := at.([]any)
	i := slices.IndexFunc(types, func(v any) bool {
		of, _ := v.(map[string]any)
		return of["name"] == m.Type
	})
	if i < 0 {
		return steps
	}
	at = descend(at, i)
	for path := strings.TrimSuffix(m.Path, "."); path != ""; {
		rest, isField := strings.CutPrefix(path, ".")
		if !isField {
			at, path = descend(at, "list", "elementType"), strings.TrimPrefix(path, "[]")
			continue
		}
		at = descend(at, "map")
		of, _ := at.(map[string]any)
		if j, after := findName(of["fields"], rest); j >= 0 {
			at, path = descend(at, "fields", j), after
			if path != "" {
				at = descend(at, "type")
			}
			continue
		}
		after, isValue := strings.CutPrefix(rest, "*")
		if !isValue {
			return steps
		}
		at, path = descend(at, "elementType"), after
	}
	if of, _ := at.(map[string]any); of["default"] != nil && m.Key == "" {
		steps = append(steps, "default")
	}
	return steps
}

// overlay adds the files of --defaults and --markers to the types of a schema file.
func overlay(r *command.Run, p *typed.Parser, name string, s *Flags) error {
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddSchema(name, &p.Schema); err != nil {
		return err
	}
	if err := addOverlays(r, catalog, s); err != nil {
		return err
	}
	p.Schema = schema.Schema{
		DeclarativeDefaults: p.Schema.DeclarativeDefaults,
		MissingKeys:         p.Schema.MissingKeys,
		ZeroKeysUnset:       p.Schema.ZeroKeysUnset,
		Types:               AllTypes(catalog).Types,
	}
	return nil
}

// AllTypes returns one schema that contains all types of a catalog, sorted by name.
func AllTypes(catalog *openapi.Catalog) *schema.Schema {
	all := &schema.Schema{}
	seen := map[string]bool{}
	for _, name := range catalog.Types() {
		if seen[name] {
			continue
		}
		part, _, ok := catalog.LookupType(name)
		if !ok {
			continue
		}
		all.DeclarativeDefaults, all.MissingKeys = part.DeclarativeDefaults, part.MissingKeys
		for i := range part.Types {
			if !seen[part.Types[i].Name] {
				seen[part.Types[i].Name] = true
				all.Types = append(all.Types, part.Types[i])
			}
		}
	}
	slices.SortFunc(all.Types, func(a, b schema.TypeDef) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
