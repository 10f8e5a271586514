// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
)

func newSchema(r *run) *cobra.Command {
	var (
		s            sources
		form         output
		showDefaults bool
		zero         bool
		kinds        bool
	)
	c := &cobra.Command{
		Use:   "schema [--type NAME] [--show-defaults | --kinds]",
		Short: "The merge schema in use, as YAML",
		Long: `Print the merge schema of a type and of all types that can be reached from it,
or of everything. It is in the form of structured-merge-diff, and can be read
again with --schema.

With --show-defaults, print the defaults instead: those of the type and of all below
it by path, where [] stands for the items of a list and {} for the values of a map.
Without a type they are a table of all types that can be read with --defaults.
Built-in types publish "", 0 and {} as defaults of whatever is required or a struct
in Go; these take --zero.

With --kinds, print which kinds there are, and where each comes from.`,
		Example: `  # Which keys identify the ports of a Service?
  dovetail schema --type v1/Service

  # By the name of the definition.
  dovetail schema --type io.k8s.api.core.v1.ServicePort

  # Which fields of a Pod have a default that documents tell of?
  dovetail schema --type v1/Pod --show-defaults

  # Ports that are told apart by their host port, too.
  cat > keys.yaml <<END
  io.k8s.api.core.v1.Container:
    ports:
      x-kubernetes-list-map-keys: [containerPort, protocol, hostPort, hostIP]
  END
  echo 'io.k8s.api.core.v1.ContainerPort: {hostPort: 0, hostIP: ""}' > more.yaml
  dovetail schema --type io.k8s.api.core.v1.Container --markers keys.yaml --defaults more.yaml

  # A custom resource.
  dovetail schema --crd crds.yaml --type example.com/v1/Database

  # Which kinds do these files define?
  dovetail schema --crd crds.yaml --kinds`,
	}
	s.register(c.Flags(), "definition, such as io.k8s.api.core.v1.Service, or apiVersion/kind, such as v1/Service")
	c.Flags().BoolVar(&showDefaults, "show-defaults", false, "print the defaults of the type, not its schema")
	c.Flags().BoolVar(&zero, "zero", false, `show the defaults "", 0, false, [] and {} of built-in types, too`)
	c.Flags().BoolVar(&kinds, "kinds", false, "print the kinds that are known, not their schemas")
	form.register(c.Flags(), formYAML, formJSON)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if zero && !showDefaults {
			return usagef("--zero is for --show-defaults, which is missing")
		}
		if kinds {
			if s.typeName != "" || s.schema != "" || showDefaults {
				return usagef("--kinds lists the kinds of Kubernetes, --crd and --openapi: leave out --type, --schema and --show-defaults")
			}
			list, err := r.kinds(&s)
			if err != nil {
				return err
			}
			if form.form == formJSON {
				return writeJSON(&r.out, list)
			}
			return writeYAML(&r.out, list)
		}
		found, err := r.schema(&s)
		if err != nil {
			return err
		}
		var result any = found.schema
		if showDefaults {
			if result, err = found.defaults(zero); err != nil {
				return err
			}
		}
		if form.form == formJSON {
			v, err := throughYAML(result)
			if err != nil {
				return err
			}
			return writeJSON(&r.out, v)
		}
		return writeYAML(&r.out, result)
	})
}

// knownKind is a kind as --kinds lists it.
type knownKind struct {
	APIVersion string `json:"apiVersion" yaml:"apiVersion"`
	Kind       string `json:"kind" yaml:"kind"`
	Resource   string `json:"resource" yaml:"resource,omitempty"`
	Scope      string `json:"scope" yaml:"scope,omitempty"`
	Source     string `json:"source" yaml:"source"`
}

func (r *run) kinds(s *sources) ([]knownKind, error) {
	t, err := r.types(s, false)
	if err != nil {
		return nil, err
	}
	var list []knownKind
	for _, k := range t.catalog.Kinds() {
		list = append(list, knownKind{k.APIVersion, k.Kind, k.Resource, k.Scope.String(), cmp.Or(k.Source, "Kubernetes "+t.catalog.Release())})
	}
	return list, nil
}

// foundSchema is the schema of a type, or of everything.
type foundSchema struct {
	schema *schema.Schema
	// root is the type, empty for everything.
	root string
}

// defaults returns the defaults: by path, or as a table of all types.
func (f foundSchema) defaults(zero bool) (any, error) {
	skip := func(definition string, def any) bool { return !zero && isFromGo(definition) && isZero(def) }
	if f.root == "" {
		return defaultsTable(f.schema, skip), nil
	}
	return defaultsOf(f.schema, schema.TypeRef{NamedType: &f.root}, skip)
}

func (r *run) schema(s *sources) (*foundSchema, error) {
	name := s.typeName
	if s.schema != "" {
		// The name may be one of a kind here as well; it is looked up below.
		s.typeName = ""
	}
	t, err := r.types(s, false)
	if err != nil {
		return nil, err
	}
	if t.parser != nil {
		part, err := reachable(&t.parser.Schema, name, t.searched)
		return &foundSchema{part, name}, err
	}
	if name == "" {
		return &foundSchema{everything(t.catalog), ""}, nil
	}
	definition, err := t.definition(name)
	if err != nil {
		return nil, err
	}
	found, _, ok := t.catalog.LookupType(definition)
	if !ok {
		return nil, fmt.Errorf("no type %s in %s%s", name, t.searchedIn(), didYouMean(suggest.Nearest(name, t.catalog.Types())))
	}
	return &foundSchema{found, definition}, nil
}

// definition returns the name of the definition that --type names.
func (t *types) definition(name string) (string, error) {
	apiVersion, kind := "", name
	if i := strings.LastIndex(name, "/"); i >= 0 {
		apiVersion, kind = name[:i], name[i+1:]
	}
	if k, ok := t.catalog.Kind(apiVersion, kind); ok {
		return k.Type, nil
	}
	if apiVersion != "" {
		return "", fmt.Errorf("%w", &unknownType{t, apiVersion, kind})
	}
	var same []string
	for _, k := range t.catalog.Kinds() {
		if k.Kind == kind {
			same = append(same, k.APIVersion+"/"+k.Kind)
		}
	}
	if len(same) > 0 {
		return "", fmt.Errorf("no type %s%s", name, didYouMean(shortList(same)))
	}
	return name, nil
}

// everything returns all types of a catalog in one schema.
func everything(catalog *openapi.Catalog) *schema.Schema {
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

// reachable returns the part of s that a type needs, all of s for no name.
func reachable(s *schema.Schema, name string, searched []string) (*schema.Schema, error) {
	if name == "" {
		return s, nil
	}
	if _, ok := s.FindNamedType(name); !ok {
		var names []string
		for i := range s.Types {
			names = append(names, s.Types[i].Name)
		}
		return nil, fmt.Errorf("no type %s in %s%s", name, strings.Join(searched, ", "), didYouMean(suggest.Nearest(name, names)))
	}
	wanted := map[string]bool{name: true}
	queue := []string{name}
	for len(queue) > 0 {
		td, _ := s.FindNamedType(queue[0])
		queue = queue[1:]
		eachReference(td.Atom, func(name string) {
			if !wanted[name] {
				wanted[name] = true
				queue = append(queue, name)
			}
		})
	}
	part := &schema.Schema{DeclarativeDefaults: s.DeclarativeDefaults, MissingKeys: s.MissingKeys}
	for i := range s.Types {
		if wanted[s.Types[i].Name] {
			part.Types = append(part.Types, s.Types[i])
		}
	}
	return part, nil
}

// eachReference calls f for each named type that an atom refers to.
func eachReference(a schema.Atom, f func(name string)) {
	ref := func(tr schema.TypeRef) {
		if tr.NamedType != nil {
			f(*tr.NamedType)
			return
		}
		eachReference(tr.Inlined, f)
	}
	if a.List != nil {
		ref(a.List.ElementType)
	}
	if a.Map != nil {
		ref(a.Map.ElementType)
		for i := range a.Map.Fields {
			ref(a.Map.Fields[i].Type)
		}
	}
}
