// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"fmt"
	"strconv"
	"strings"
)

// Go returns a Go file with the function GetOpenAPIDefinitions that kube-openapi and API servers
// expect.
func (d *Definitions) Go(pkgPath, pkgName, header string) ([]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	f := newGoFile(pkgPath, pkgName)
	common := f.use("k8s.io/kube-openapi/pkg/common", "common")
	f.use("k8s.io/kube-openapi/pkg/validation/spec", "spec")
	all := d.Sorted()
	names := map[string]string{}
	taken := map[string]bool{}
	for _, def := range all {
		name := "schema_" + strings.Trim(strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
				return r
			}
			return '_'
		}, friendly(def.Name)), "_")
		for base, n := name, 2; taken[name]; n++ {
			name = base + "_" + strconv.Itoa(n)
		}
		taken[name] = true
		names[def.Name] = name
	}
	f.printf("// GetOpenAPIDefinitions returns the OpenAPI definitions of the types, by name.\n")
	f.printf("func GetOpenAPIDefinitions(ref %s.ReferenceCallback) map[string]%s.OpenAPIDefinition {\n", common, common)
	f.printf("return map[string]%s.OpenAPIDefinition{\n", common)
	for _, def := range all {
		f.printf("%q: %s(ref),\n", def.Name, names[def.Name])
	}
	f.printf("}\n}\n")
	for _, def := range all {
		f.printf("\nfunc %s(ref %s.ReferenceCallback) %s.OpenAPIDefinition {\n", names[def.Name], common, common)
		v3 := definitionLiteral(common, def.Schema)
		if def.V2 != nil {
			f.printf("return %s.EmbedOpenAPIDefinitionIntoV2Extension(%s, %s)\n}\n", common, v3, definitionLiteral(common, def.V2))
			continue
		}
		f.printf("return %s\n}\n", v3)
	}
	return f.text(header)
}

func definitionLiteral(common string, s *Schema) string {
	text := common + ".OpenAPIDefinition{\nSchema: spec.Schema" + schemaLiteral(s) + ",\n"
	refs := map[string]bool{}
	s.refs(refs)
	if len(refs) > 0 {
		text += "Dependencies: []string{\n"
		for _, name := range sortedKeys(refs) {
			text += strconv.Quote(name) + ",\n"
		}
		text += "},\n"
	}
	return text + "}"
}

func (s *Schema) refs(into map[string]bool) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		into[s.Ref] = true
	}
	for _, p := range s.Properties {
		p.refs(into)
	}
	s.Items.refs(into)
	s.Additional.refs(into)
}

// schemaLiteral returns a composite literal of type spec.Schema, without the type name.
func schemaLiteral(s *Schema) string {
	var b strings.Builder
	b.WriteString("{\n")
	if len(s.X) > 0 {
		b.WriteString("VendorExtensible: spec.VendorExtensible{Extensions: spec.Extensions{\n")
		for _, name := range sortedKeys(s.X) {
			fmt.Fprintf(&b, "%q: %s,\n", name, plainLiteral(s.X[name]))
		}
		b.WriteString("}},\n")
	}
	b.WriteString("SchemaProps: spec.SchemaProps{\n")
	put := func(there bool, text string, args ...any) {
		if there {
			fmt.Fprintf(&b, text+",\n", args...)
		}
	}
	put(s.Description != "", "Description: %q", s.Description)
	put(s.Title != "", "Title: %q", s.Title)
	put(s.Default != nil, "Default: %s", plainLiteral(s.Default))
	put(s.Nullable, "Nullable: true")
	put(s.Type != "", "Type: []string{%q}", s.Type)
	put(s.Format != "", "Format: %q", s.Format)
	put(s.Ref != "", "Ref: ref(%q)", s.Ref)
	put(len(s.Enum) > 0, "Enum: %s", plainLiteral(s.Enum))
	if s.Items != nil {
		put(true, "Items: &spec.SchemaOrArray{\nSchema: &spec.Schema%s,\n}", schemaLiteral(s.Items))
	}
	if s.Additional != nil {
		put(true, "AdditionalProperties: &spec.SchemaOrBool{\nAllows: true,\nSchema: &spec.Schema%s,\n}", schemaLiteral(s.Additional))
	}
	if len(s.Properties) > 0 {
		b.WriteString("Properties: map[string]spec.Schema{\n")
		for _, name := range sortedKeys(s.Properties) {
			fmt.Fprintf(&b, "%q: %s,\n", name, schemaLiteral(s.Properties[name]))
		}
		b.WriteString("},\n")
	}
	if len(s.OneOf) > 0 {
		b.WriteString("OneOf: []spec.Schema{\n")
		for _, branch := range s.OneOf {
			b.WriteString(schemaLiteral(branch) + ",\n")
		}
		b.WriteString("},\n")
	}
	if len(s.Required) > 0 {
		b.WriteString("Required: []string{")
		for i, name := range s.Required {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strconv.Quote(name))
		}
		b.WriteString("},\n")
	}
	b.WriteString("},\n}")
	return b.String()
}
