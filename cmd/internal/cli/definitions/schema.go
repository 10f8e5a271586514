// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

// NewSchema returns the command schema.
func NewSchema(r *command.Run) *cobra.Command {
	var (
		s            sources.Flags
		form         command.Output
		showDefaults bool
		zero         bool
		origins      bool
		kinds        bool
	)
	c := &cobra.Command{
		Use:   "schema [--type NAME] [--show-defaults | --kinds]",
		Short: "Show the merge schema of a type, or its defaults",
		Long: `Print the merge schema of a type and of all types that it refers to. Without --type, print the
schema of all types. The output has the format of structured-merge-diff, and --schema can read
it.

With --show-defaults, print the defaults of the type and of all fields below it, instead of the
schema. In a path, [] stands for any item of a list, and {} for any value of a map. Without
--type, print a table of all types, which --defaults can read.

OpenAPI documents of built-in types declare zero values ("", 0 and {}) as defaults of required fields
and of Go structs. The output contains these defaults only with --zero.

With --origins, the output also contains the defaults that the Go code of the API server sets. It
names the source of each default: the schema, a constant in Go code, or a rule in Go code, which
computes the default from other fields.

With --kinds, print the known kinds and the source of each kind.`,
		Example: `  # Show the schema of Services, for example the keys of their ports.
  dovetail schema --type v1/Service

  # Name the type by its definition.
  dovetail schema --type io.k8s.api.core.v1.ServicePort

  # Show the fields of a Pod that have a default in the OpenAPI document.
  dovetail schema --type v1/Pod --show-defaults

  # Show all defaults that the API server sets, and their sources.
  dovetail schema --type apps/v1/Deployment --show-defaults --origins

  # Add the host port to the keys of container ports.
  cat > keys.yaml <<END
  io.k8s.api.core.v1.Container:
    ports:
      x-kubernetes-list-map-keys: [containerPort, protocol, hostPort, hostIP]
  END
  echo 'io.k8s.api.core.v1.ContainerPort: {hostPort: 0, hostIP: ""}' > more.yaml
  dovetail schema --type io.k8s.api.core.v1.Container --markers keys.yaml --defaults more.yaml

  # Show a custom resource.
  dovetail schema --crd crds.yaml --type example.com/v1/Database

  # List the kinds that CRDs define.
  dovetail schema --crd crds.yaml --kinds`,
	}
	s.Register(c.Flags(), "type to print: a definition, such as io.k8s.api.core.v1.Service, or apiVersion/kind, such as v1/Service")
	s.Proposals.RegisterDeclarative(c.Flags())
	c.Flags().BoolVar(&showDefaults, "show-defaults", false, "print the defaults of the type instead of its schema")
	c.Flags().BoolVar(&zero, "zero", false, `also show the defaults "", 0, false, [] and {} of built-in types`)
	c.Flags().BoolVar(&origins, "origins", false, "also show the defaults that Go code of the API server sets, and the source of each default")
	c.Flags().BoolVar(&kinds, "kinds", false, "print the known kinds instead of their schemas")
	form.Register(c.Flags(), command.FormYAML, command.FormJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if zero && !showDefaults {
			return command.Usagef("--zero needs --show-defaults")
		}
		if origins && (!showDefaults || s.TypeName == "") {
			return command.Usagef("--origins needs both --show-defaults and --type NAME")
		}
		if kinds {
			if s.TypeName != "" || s.Schema != "" || showDefaults {
				return command.Usagef("--kinds cannot be combined with --type, --schema and --show-defaults: it lists the built-in kinds, and the kinds in the files of --crd and --openapi")
			}
			list, err := listKinds(r, &s)
			if err != nil {
				return err
			}
			if form.Form == command.FormJSON {
				return encode.JSON(&r.Out, list)
			}
			return encode.YAML(&r.Out, list)
		}
		found, err := findSchema(r, &s)
		if err != nil {
			return err
		}
		var result any = found.schema
		if showDefaults {
			if result, err = found.defaults(zero); err != nil {
				return err
			}
		}
		if origins {
			result = found.origins(result.(map[string]any))
		}
		if form.Form == command.FormJSON {
			v, err := encode.ThroughYAML(result)
			if err != nil {
				return err
			}
			return encode.JSON(&r.Out, v)
		}
		return encode.YAML(&r.Out, result)
	})
}

// knownKind is one kind in the output of --kinds.
type knownKind struct {
	APIVersion string `json:"apiVersion" yaml:"apiVersion"`
	Kind       string `json:"kind" yaml:"kind"`
	Resource   string `json:"resource" yaml:"resource,omitempty"`
	Scope      string `json:"scope" yaml:"scope,omitempty"`
	Source     string `json:"source" yaml:"source"`
}

func listKinds(r *command.Run, s *sources.Flags) ([]knownKind, error) {
	t, err := sources.Read(r, s, false)
	if err != nil {
		return nil, err
	}
	var list []knownKind
	for _, k := range t.Catalog.Kinds() {
		list = append(list, knownKind{k.APIVersion, k.Kind, k.Resource, k.Scope.String(), cmp.Or(k.Source, "Kubernetes "+t.Catalog.Release())})
	}
	return list, nil
}

// foundSchema is the schema of a type or of all types.
type foundSchema struct {
	schema *schema.Schema
	// root is the name of the type. It is empty if schema contains all types.
	root string
	// types are the types from which the schema was taken.
	types *sources.Types
}

// origin is a default with a description of where it comes from.
type origin struct {
	Default any    `json:"default,omitempty" yaml:"default,omitempty"`
	From    string `json:"from" yaml:"from"`
	Says    string `json:"says,omitempty" yaml:"says,omitempty"`
}

// origins returns the defaults of a type by path, together with their origins. It returns both the
// declared defaults, which come from the schema, and the defaults that the Go code of an API server
// fills in.
func (f foundSchema) origins(declared map[string]any) map[string]origin {
	all := map[string]origin{}
	for path, v := range declared {
		all[path] = origin{Default: v, From: "schema"}
	}
	for _, d := range f.types.DefaultsOf(f.root) {
		if has, ok := all[d.Path]; ok && has.From != "schema" {
			// Several rules set this field, so its origin names all of them.
			all[d.Path] = origin{has.Default, has.From + ", " + d.Origin.String(), strings.TrimSpace(has.Says + " " + d.Summary)}
			continue
		}
		all[d.Path] = origin{d.Value, d.Origin.String(), d.Summary}
	}
	return all
}

// defaults returns the defaults of one type by path, or a table of the defaults of all types.
// Kubernetes types declare many defaults that are zero values. They are included if zero is true.
func (f foundSchema) defaults(zero bool) (any, error) {
	skip := func(definition string, def any) bool {
		return !zero && openapi.IsKubernetes(definition) && document.IsZero(def)
	}
	if f.root == "" {
		return defaultsTable(f.schema, skip), nil
	}
	return defaultsOf(f.schema, schema.TypeRef{NamedType: &f.root}, skip)
}

func findSchema(r *command.Run, s *sources.Flags) (*foundSchema, error) {
	name := s.TypeName
	if s.Schema != "" {
		// For this command, --type can also be apiVersion/kind, which sources.Read does not
		// accept. So SchemaOf looks up the type below.
		s.TypeName = ""
	}
	t, err := sources.Read(r, s, false)
	if err != nil {
		return nil, err
	}
	part, root, err := t.SchemaOf(name)
	if err != nil {
		return nil, err
	}
	return &foundSchema{part, root, t}, nil
}

// defaultList collects defaults by path.
type defaultList struct {
	schema *schema.Schema
	// expand selects whether the defaults inside referenced types are included.
	expand bool
	// skip reports whether a default is left out.
	skip skipDefault
	// definition is the innermost named type that contains the current path.
	definition string
	// found holds the collected defaults by path.
	found map[string]any
	// within holds the named types that contain the current path, to detect recursive types.
	within map[string]bool
}

// skipDefault reports whether a default is left out. definition is the named type that declares
// it.
type skipDefault func(definition string, def any) bool

// maxDefaults limits the number of collected defaults. A recursive type can have far more
// paths with defaults.
const maxDefaults = 100_000

// defaultsOf returns the defaults of a type and of all fields in it, by path. A recursive type has
// infinitely many paths, so defaultsOf does not enter a type that is inside the same type.
func defaultsOf(s *schema.Schema, ref schema.TypeRef, skip skipDefault) (map[string]any, error) {
	l := &defaultList{schema: s, expand: true, skip: skip, found: map[string]any{}, within: map[string]bool{}}
	l.place(nil, ref, "")
	if len(l.found) > maxDefaults {
		return nil, fmt.Errorf("more than %d defaults: select a smaller type with --type", maxDefaults)
	}
	return l.found, nil
}

// defaultsTable returns the defaults of all types of a schema, by type name and then by path.
// Files for the flag --defaults have the same format.
func defaultsTable(s *schema.Schema, skip skipDefault) map[string]map[string]any {
	table := map[string]map[string]any{}
	for i := range s.Types {
		td := &s.Types[i]
		l := &defaultList{schema: s, skip: skip, definition: td.Name, found: map[string]any{}}
		l.put(td.Default, "")
		l.atom(td.Atom, "")
		if len(l.found) == 0 {
			continue
		}
		table[td.Name] = make(map[string]any, len(l.found))
		for path, def := range l.found {
			table[td.Name][strings.TrimPrefix(path, ".")] = def
		}
	}
	return table
}

func (l *defaultList) put(def any, path string) {
	if def != nil && !l.skip(l.definition, def) {
		l.found[path] = def
	}
}

func (l *defaultList) place(def any, ref schema.TypeRef, path string) {
	if len(l.found) > maxDefaults {
		return
	}
	if ref.NamedType == nil {
		l.put(def, path)
		l.atom(ref.Inlined, path)
		return
	}
	name := *ref.NamedType
	td, _ := l.schema.FindNamedType(name)
	if def == nil && l.expand {
		def = td.Default
	}
	l.put(def, path)
	if l.expand && !l.within[name] {
		around := l.definition
		l.within[name], l.definition = true, name
		l.atom(td.Atom, path)
		l.definition = around
		delete(l.within, name)
	}
}

func (l *defaultList) atom(a schema.Atom, path string) {
	if a.List != nil {
		l.place(a.List.ElementDefault, a.List.ElementType, path+"[]")
	}
	if a.Map != nil {
		for i := range a.Map.Fields {
			f := &a.Map.Fields[i]
			l.place(f.Default, f.Type, path+"."+f.Name)
		}
		l.place(a.Map.ElementDefault, a.Map.ElementType, path+"{}")
	}
}
