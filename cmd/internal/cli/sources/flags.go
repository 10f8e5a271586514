// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Flags are the flags that say where types come from.
type Flags struct {
	CRDs, OpenAPIs, defaults, markers input.Files
	Schema, TypeName                  string
	// kubernetes is the release of the built-in types, empty for the standard one.
	kubernetes string
	// kubernetesFlag is the flag that says so. compared says that it may be any release whose
	// types are known, or name documents.
	kubernetesFlag string
	compared       bool
	// documents are those that it names.
	documents []string
	untyped   bool
	// native says where the program with the code of the release is; asksNative that there is a
	// flag for it.
	native     string
	asksNative bool
	// Proposals are what the answers have beyond API servers of today.
	Proposals Proposals
	// conversion is how objects convert where no source says.
	conversion string
	// FillStoredKeys reads list items in managed fields by the key defaults of the schema, as
	// --declarative-defaults does. It is for commands that repair managed fields.
	FillStoredKeys bool
	// Cluster is where objects and types come from, if that is asked for.
	Cluster cluster.Flags
	// all and deduces say which of the flags there are: those for types of all sorts,
	// else only that of crds; and --untyped.
	all, deduces bool
}

// Register adds the flags; typeUsage says what --type means to the command.
func (s *Flags) Register(flags *pflag.FlagSet, typeUsage string) {
	s.all = true
	s.CRDs.Register(flags, "crd", "", "file or directory with CustomResourceDefinitions (repeatable)")
	s.OpenAPIs.Register(flags, "openapi", "", "OpenAPI document, v2 or v3; built-in types of a v2 document have the built-in defaults (repeatable)")
	s.defaults.Register(flags, "defaults", "", "defaults for types whose schema has none: an OpenAPI document, or a table definition: {field: default} (repeatable)")
	s.markers.Register(flags, "markers", "", "list types, list keys and unions to add or to replace: a table definition: {field: {marker: value}} (repeatable)")
	s.kubernetesFlag = "--kubernetes-version"
	flags.StringVar(&s.kubernetes, "kubernetes-version", "", "Kubernetes `release` of the built-in types and their defaults, such as 1.36 (default "+Minor(openapi.Release())+")")
	flags.StringVar(&s.Schema, "schema", "", "`file` with a merge schema of structured-merge-diff; its types replace all others")
	flags.StringVar(&s.TypeName, "type", "", typeUsage)
}

// RegisterKubernetes adds a flag that says whose built-in types these are, those of a release
// or of its documents, of which no more need be known than that.
func (s *Flags) RegisterKubernetes(flags *pflag.FlagSet, name, usage string) {
	s.kubernetesFlag, s.compared = "--"+name, true
	flags.StringVar(&s.kubernetes, name, "", usage)
}

// Kubernetes is the release that was asked for, empty for none.
func (s *Flags) Kubernetes() string { return s.kubernetes }

// Minor returns the minor release of a version: 1.36 for v1.36.4.
func Minor(version string) string {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// RegisterUntyped adds the flag --untyped.
func (s *Flags) RegisterUntyped(flags *pflag.FlagSet) {
	s.deduces = true
	flags.BoolVar(&s.untyped, "untyped", false, "accept objects of unknown types: their maps are merged, and their lists are atomic")
}

// SameShape is the conversion between versions that differ by name only.
const SameShape = "same-shape"

// RegisterConversion adds the flag --conversion.
func (s *Flags) RegisterConversion(flags *pflag.FlagSet) {
	flags.StringVar(&s.conversion, "conversion", "", "how to convert objects between versions, for built-in types and for CRDs with a conversion webhook: "+SameShape+" changes the apiVersion alone (default: no conversion)")
	command.OneOf(flags, "conversion", SameShape)
}

// howToGive says with which of the flags there are a missing type can be given.
func (s *Flags) howToGive() string {
	if !s.all {
		return "give its definition with " + s.CRDs.Flag
	}
	way := "give its schema with --crd, --openapi or --schema"
	if s.deduces {
		way += ", or deduce it with --untyped"
	}
	return way
}

// Read reads the sources. needType says that a schema file is of use only
// with the name of a type.
func Read(r *command.Run, s *Flags, needType bool) (*Types, error) {
	if s.conversion != "" && s.conversion != SameShape {
		return nil, command.Usagef("--conversion=%s: want %s", s.conversion, SameShape)
	}
	t := &Types{Proposals: &s.Proposals, Untyped: s.untyped, sameShape: s.conversion == SameShape, howToGive: s.howToGive()}
	defer s.Proposals.note(r)
	if s.Proposals.ZeroIsAbsent {
		s.Proposals.turnOnDeclarative()
	}
	if s.Cluster.Asked() {
		if err := t.connect(r, s); err != nil {
			return nil, err
		}
	}
	if s.Schema != "" {
		if len(s.CRDs.Names)+len(s.OpenAPIs.Names) > 0 {
			return nil, command.Usagef("--schema replaces all other types: leave out --crd and --openapi")
		}
		if s.kubernetes != "" {
			return nil, command.Usagef("--schema replaces all other types: leave out --kubernetes-version")
		}
		return t, readSchema(r, t, s, needType)
	}
	if s.TypeName != "" && needType {
		return nil, command.Usagef("--type names a type of --schema FILE, which is missing")
	}
	if err := readKubernetes(r, t, s); err != nil {
		return nil, err
	}
	t.Overlaid = len(s.defaults.Names) > 0
	var docs []openapi.Document
	for _, name := range s.OpenAPIs.Names {
		data, shown, err := input.ReadFile(r, s.OpenAPIs.Flag, name)
		if err != nil {
			return nil, err
		}
		docs = append(docs, openapi.Document{Name: shown, Data: data})
		t.Searched = append(t.Searched, shown)
	}
	if len(docs) > 0 {
		t.Documents = true
		if err := t.Catalog.AddOpenAPIs(docs...); err != nil {
			return nil, input.WithPositions(err, docs...)
		}
	}
	crds, bad := s.CRDs.All()
	if len(bad) > 0 {
		return nil, bad
	}
	for _, file := range crds {
		data, shown, err := input.ReadFile(r, s.CRDs.Flag, file.Name)
		if err != nil {
			return nil, err
		}
		if err := t.Catalog.AddCRD(shown, data); err != nil {
			if file.Listed && definesNothing(shown, data) {
				input.PassOver(r, shown, "there is no CustomResourceDefinition in it")
				continue
			}
			return nil, input.WithPositions(err, openapi.Document{Name: shown, Data: data})
		}
		t.CRDs = append(t.CRDs, openapi.Document{Name: shown, Data: data})
		t.Searched = append(t.Searched, shown)
	}
	warnOfDuplicates(r, t.CRDs)
	if err := t.findNative(r, s); err != nil {
		return nil, err
	}
	if t.served != nil {
		t.Searched = []string{"what the cluster serves"}
		t.served.overlay = func() error { return addOverlays(r, t.Catalog, s) }
		return t, nil
	}
	return t, addOverlays(r, t.Catalog, s)
}

// definesNothing says whether a file can be read and holds no CRD.
func definesNothing(name string, data []byte) bool {
	docs, err := manifest.ReadValues(name, data)
	for len(docs) > 0 && err == nil {
		doc, _ := docs[0].(map[string]any)
		docs = docs[1:]
		switch unstructured.Text(doc, "kind") {
		case "CustomResourceDefinition":
			return false
		case "List", "CustomResourceDefinitionList":
			items, _ := doc["items"].([]any)
			docs = append(docs, items...)
		}
	}
	return err == nil
}

// addOverlays gives the defaults and markers of the overlays to the types of a catalog.
func addOverlays(r *command.Run, catalog *openapi.Catalog, s *Flags) error {
	for _, name := range s.defaults.Names {
		data, shown, err := input.ReadFile(r, s.defaults.Flag, name)
		if err != nil {
			return err
		}
		if err := catalog.AddDefaults(shown, data); err != nil {
			return input.WithPositions(err, openapi.Document{Name: shown, Data: data})
		}
	}
	for _, name := range s.markers.Names {
		data, shown, err := input.ReadFile(r, s.markers.Flag, name)
		if err != nil {
			return err
		}
		if err := catalog.AddMarkers(shown, data); err != nil {
			return input.WithPositions(err, openapi.Document{Name: shown, Data: data})
		}
	}
	for _, w := range catalog.Warnings() {
		if !slices.Contains(s.documents, w.Document) { // those of Kubernetes nobody can mend
			r.Warnf("%v", input.OfDocument(w))
		}
	}
	return nil
}

// Args are the flags that give the same sources.
func (s *Flags) Args() []string {
	var args []string
	add := func(flag string, names ...string) {
		for _, name := range names {
			if name != "" {
				args = append(args, "--"+flag, name)
			}
		}
	}
	add("crd", s.CRDs.Names...)
	add("openapi", s.OpenAPIs.Names...)
	add("defaults", s.defaults.Names...)
	add("kubernetes-version", s.kubernetes)
	add("schema", s.Schema)
	add("type", s.TypeName)
	if s.untyped {
		args = append(args, "--untyped")
	}
	return args
}
