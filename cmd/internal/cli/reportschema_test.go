// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/definitions"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/diff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/doctor"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/owners"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/program"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/internal/rules"
)

// reportForms lists all types of reports about one object, with the commands that print them.
var reportForms = []struct {
	of       any
	commands string
}{
	{report.Report{}, "apply update default validate immutable migrate"},
	{diff.Report{}, "diff"},
	{doctor.Report{}, "doctor"},
	{owners.Report{}, "owners"},
	{definitions.LintReport{}, "lint"},
	{definitions.CELReport{}, "cel"},
	{definitions.UpgradeReport{}, "upgrade-check"},
}

// The schema of reports matches their Go types. With -update, the test writes the schema.
func TestReportSchemaMatchesTypes(t *testing.T) {
	const file = "reports.schema.json"
	g := &schemaMaker{t: t, defs: map[string]*jsonschema.Schema{}, sources: map[string]*source{}}
	var names []string
	summary := g.define(reflect.TypeFor[report.Summary]())
	for _, form := range reportForms {
		name := g.define(reflect.TypeOf(form.of))
		for _, c := range strings.Fields(form.commands) {
			names = append(names, c)
			g.defs[c] = &jsonschema.Schema{
				Type:        "object",
				Description: fmt.Sprintf("The output of dovetail %s -o report.", c),
				Properties: map[string]*jsonschema.Schema{
					"summary": referTo(summary),
					"objects": {Type: "array", Items: referTo(name)},
				},
				PropertyOrder: []string{"summary", "objects"},
				Required:      []string{"summary", "objects"},
			}
		}
	}
	slices.Sort(names)
	all := &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Defs: g.defs}
	for _, name := range names {
		all.AnyOf = append(all.AnyOf, referTo(name))
	}
	var want bytes.Buffer
	if err := encode.JSON(&want, all); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the types are (%v): go generate ./internal/cli writes it", file, err)
	}
}

// schemaMaker generates definitions of a JSON schema from Go types.
type schemaMaker struct {
	t       *testing.T
	defs    map[string]*jsonschema.Schema
	sources map[string]*source
}

func referTo(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/$defs/" + name}
}

// define adds the definition of a struct, and of all structs in it. It returns the name of the
// definition. This is the name of the type. If the type is called Report, the package becomes a
// prefix.
func (g *schemaMaker) define(typ reflect.Type) string {
	name := strings.ToUpper(typ.Name()[:1]) + typ.Name()[1:]
	if name == "Report" && typ != reflect.TypeFor[report.Report]() {
		pkg := path.Base(typ.PkgPath())
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	if g.defs[name] != nil {
		return name
	}
	known := map[reflect.Type]*jsonschema.Schema{}
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(typ) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		fields = append(fields, f)
		for t := f.Type; ; t = t.Elem() {
			if k := t.Kind(); k != reflect.Pointer && k != reflect.Slice {
				if s := g.named(t); s != nil {
					known[t] = s
				}
				break
			}
		}
	}
	s, err := jsonschema.ForType(typ, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		g.t.Fatal(err)
	}
	s.AdditionalProperties = nil // later versions may add fields, see docs/releasing.md
	s.Description = g.comment(typ, "")
	for _, f := range fields {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[key]
		if p == nil {
			g.t.Fatalf("%v.%s has no key", typ, f.Name)
		}
		g.nullable(p, f.Type, slices.Contains(s.Required, key))
		in := typ
		if len(f.Index) > 1 {
			in = typ.FieldByIndex(f.Index[:len(f.Index)-1]).Type
		}
		p.Description = strings.Replace(g.comment(in, f.Name), f.Name+" ", key+" ", 1)
		if typ.Name() == "resolvedReport" && key == "choice" { // this string type has no constants to list
			for _, choice := range prediction.Choices {
				p.Enum = append(p.Enum, choice.String())
			}
		}
	}
	g.defs[name] = s
	return name
}

// nullable allows null for a property that is a pointer or a map, unless the property is left out
// when it is nil. It never allows null for a list. Tests of all reports check that no list is null.
func (g *schemaMaker) nullable(p *jsonschema.Schema, typ reflect.Type, required bool) {
	kind := typ.Kind()
	null := required && (kind == reflect.Pointer || kind == reflect.Map)
	if kind == reflect.Pointer {
		kind = typ.Elem().Kind()
	}
	switch {
	case kind == reflect.Interface:
		return
	case p.Ref != "" && null:
		*p = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: p.Ref}, {Type: "null"}}}
		return
	case p.Ref != "":
		p.Types = nil
		return
	case len(p.Types) > 0:
		p.Type, p.Types = p.Types[len(p.Types)-1], nil
	}
	if p.AdditionalProperties != nil && reflect.ValueOf(*p.AdditionalProperties).IsZero() {
		p.AdditionalProperties = nil // allow any values
	}
	if null {
		p.Type, p.Types = "", []string{p.Type, "null"}
	}
}

// named returns the schema of a named type. For a struct, it is a reference. For a string type
// with constants, the schema lists the values of the constants.
func (g *schemaMaker) named(t reflect.Type) *jsonschema.Schema {
	switch {
	case t.Kind() == reflect.Struct:
		return referTo(g.define(t))
	case t == reflect.TypeFor[rules.Severity]():
		s := &jsonschema.Schema{Type: "string"}
		for severity := rules.Hint; severity <= rules.Error; severity++ {
			s.Enum = append(s.Enum, severity.String())
		}
		return s
	case t.PkgPath() != "" && t.Kind() == reflect.String:
		return &jsonschema.Schema{Type: "string", Enum: g.source(t).constants[t.Name()]}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()), t.Implements(reflect.TypeFor[json.Marshaler]()):
		g.t.Fatalf("%v is not encoded as its kind is", t)
	}
	return nil
}

// source holds the comments and constants of a package, read from its source code.
type source struct {
	comments  map[string]string // by type, or by type and field
	constants map[string][]any  // values of string types, by type
}

// comment returns the doc comment of a type or, if field is not empty, of this field.
func (g *schemaMaker) comment(t reflect.Type, field string) string {
	comments := g.source(t).comments
	if field != "" {
		return comments[t.Name()+"."+field]
	}
	text := strings.TrimPrefix(comments[t.Name()], t.Name()+" is ")
	if text == "" {
		g.t.Fatalf("nothing says what a %v is", t)
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// source reads the source code of the package that declares a type.
func (g *schemaMaker) source(typ reflect.Type) *source {
	const module = "github.com/dovetail-ssa/dovetail/"
	if s := g.sources[typ.PkgPath()]; s != nil {
		return s
	}
	s := &source{map[string]string{}, map[string][]any{}}
	g.sources[typ.PkgPath()] = s
	files, err := filepath.Glob("../../../" + strings.TrimPrefix(typ.PkgPath(), module) + "/*.go")
	if err != nil || len(files) == 0 {
		g.t.Fatalf("%s: %v", typ.PkgPath(), err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			g.t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if decl, ok := d.(*ast.GenDecl); ok {
				for _, spec := range decl.Specs {
					s.add(decl, spec)
				}
			}
		}
	}
	return s
}

func (s *source) add(decl *ast.GenDecl, spec ast.Spec) {
	text := func(group *ast.CommentGroup) string { return strings.Join(strings.Fields(group.Text()), " ") }
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		s.comments[spec.Name.Name] = text(decl.Doc)
		if body, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range body.Fields.List {
				for _, name := range f.Names {
					s.comments[spec.Name.Name+"."+name.Name] = text(f.Doc)
				}
			}
		}
	case *ast.ValueSpec:
		constType, typed := spec.Type.(*ast.Ident)
		if decl.Tok != token.CONST || !typed {
			return
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if value, err := strconv.Unquote(lit.Value); err == nil {
					s.constants[constType.Name] = append(s.constants[constType.Name], value)
				}
			}
		}
	}
}

// The schema covers all commands with -o report. It accepts a report of each command, even with
// additional fields. It rejects a report if the summary or the first object lacks a required field,
// or if a field has a wrong type.
func TestReportsHaveTheirSchema(t *testing.T) {
	lines := map[string]string{
		"apply":         "-f service.yaml --live service-live.yaml --field-manager other",
		"cel":           "crd.yaml",
		"default":       "-f deployment.yaml",
		"diff":          "-f service.yaml --live service-live.yaml --field-manager other",
		"doctor":        "-f deployment-live.yaml --stats",
		"immutable":     "--old old.yaml --new new.yaml --crd crds.yaml",
		"lint":          "crd.yaml",
		"migrate":       "-f deployment-live.yaml --from kubectl-client-side-apply --to web",
		"owners":        "-f deployment-live.yaml",
		"update":        "-f deployment.yaml --live deployment-live.yaml --field-manager web",
		"upgrade-check": "--old-crd crds-1.4.yaml --new-crd crds-1.5.yaml -f database-live.yaml",
		"validate":      "-f service.yaml",
	}
	var want []string
	for _, c := range commands() {
		form := c.Flags().Lookup("output")
		if form != nil && slices.Contains(form.Annotations[command.ValuesAnnotation], command.FormReport) {
			want = append(want, c.Name())
		}
	}
	slices.Sort(want)
	if got, err := program.ReportCommands(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v; the schema has %v, want %v", err, got, want)
	}
	t.Chdir("testdata/help")
	for _, name := range want {
		args := append([]string{name, "-o", "report"}, strings.Fields(lines[name])...)
		status, stdout, stderr := run("", false, args...)
		var document struct {
			Summary map[string]any   `json:"summary"`
			Objects []map[string]any `json:"objects"`
		}
		if err := json.Unmarshal([]byte(stdout), &document); err != nil || len(document.Objects) == 0 {
			t.Errorf("%v: %v: %s%s", args, err, stdout, stderr)
			continue
		}
		if s := document.Summary; s["command"] != name || s["exitStatus"] != float64(status) || len(s["errors"].([]any)) > 0 {
			t.Errorf("%v: exit status %d, summary %v", args, status, s)
		}
		if errs, _ := document.Objects[0]["errors"].([]any); len(errs) > 0 {
			t.Errorf("%v: %v", args, errs)
		}
		for _, part := range []*map[string]any{&document.Summary, &document.Objects[0]} {
			whole := *part
			check := func(spoil func(r map[string]any)) error {
				*part = maps.Clone(whole)
				spoil(*part)
				checked, err := program.CheckReport(args, []byte(toJSON(t, document)))
				*part = whole
				if checked != name {
					t.Fatalf("%v: checked as %q", args, checked)
				}
				return err
			}
			if err := check(func(r map[string]any) { r["later"] = 1 }); err != nil {
				t.Errorf("%s: with another field: %v", name, err)
			}
			for key := range whole {
				if check(func(r map[string]any) { r[key] = 1.5 }) == nil {
					t.Errorf("%s: %s may be 1.5", name, key)
				}
				optional := []string{"origins", "onlyServer", "outcomes", "differences", "stats", "policies", "appliedBy", "staying", "kubectl", "fieldsByManager", "hidden", "oldKubernetesVersion"}
				if !slices.Contains(optional, key) && check(func(r map[string]any) { delete(r, key) }) == nil {
					t.Errorf("%s: %s may be left out", name, key)
				}
			}
		}
	}
}
