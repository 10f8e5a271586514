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

// Flags holds the flags that select the sources of types.
type Flags struct {
	CRDs, OpenAPIs, defaults, markers input.Files
	Schema, TypeName                  string
	// kubernetes is the release of the built-in types, or empty for the default release.
	kubernetes string
	// kubernetesFlag is the name of the flag that sets kubernetes.
	kubernetesFlag string
	// compared is set for upgrade-check, in which kubernetesFlag accepts only OpenAPI documents and
	// the releases whose types are known.
	compared bool
	// documents holds the OpenAPI documents that kubernetesFlag names.
	documents []string
	untyped   bool
	// native is the value of --native.
	native string
	// hasNative is set if the command has the flag --native.
	hasNative bool
	// needsNative is set if the results are less exact without the helper program.
	needsNative bool
	// Proposals holds the flags for proposed behavior that no released API server has.
	Proposals Proposals
	// conversion is the value of --conversion.
	conversion string
	// FillStoredKeys is set by commands that repair managed fields. If an item in managed fields
	// lacks a key, the key gets its default, as with --declarative-defaults.
	FillStoredKeys bool
	// Cluster holds the flags that select a cluster for objects and types.
	Cluster cluster.Flags
	// hasSources is set if the command has all flags of Register. It is not set if the command has
	// only --crd.
	hasSources bool
	// hasUntyped is set if the command has the flag --untyped.
	hasUntyped bool
}

// Register adds the flags. typeUsage is the help text of --type.
func (s *Flags) Register(flags *pflag.FlagSet, typeUsage string) {
	s.hasSources = true
	s.CRDs.Register(flags, "crd", "", "CustomResourceDefinitions: a file or directory (repeatable)")
	s.OpenAPIs.Register(flags, "openapi", "", "OpenAPI document, v2 or v3 (repeatable); for built-in types in a v2 document, dovetail adds the defaults that the document lacks")
	s.defaults.Register(flags, "defaults", "", "defaults for types whose schema has none: an OpenAPI document, or YAML of the form TYPE: {FIELD: DEFAULT} (repeatable)")
	s.markers.Register(flags, "markers", "", "file with list types, list keys and unions for the fields of types, as YAML of the form TYPE: {FIELD: {MARKER: VALUE}} (repeatable)")
	s.kubernetesFlag = "--kubernetes-version"
	flags.StringVar(&s.kubernetes, "kubernetes-version", "", "Kubernetes `release` of the built-in types and their defaults, such as 1.36 (default "+Minor(openapi.Release())+")")
	flags.StringVar(&s.Schema, "schema", "", "`file` with a merge schema in the format of structured-merge-diff, which replaces all other types; each object must still have an apiVersion and a kind")
	flags.StringVar(&s.TypeName, "type", "", typeUsage)
}

// RegisterKubernetes adds a flag that selects the built-in types. Its value is a release whose
// types are known, or files with the OpenAPI v3 documents of a server.
func (s *Flags) RegisterKubernetes(flags *pflag.FlagSet, name, usage string) {
	s.kubernetesFlag, s.compared = "--"+name, true
	flags.StringVar(&s.kubernetes, name, "", usage)
}

// Kubernetes returns the release or the files that the flag for built-in types selects, or "".
func (s *Flags) Kubernetes() string { return s.kubernetes }

// Minor returns the minor release of a version, such as 1.36 for v1.36.4.
func Minor(version string) string {
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// RegisterUntyped adds the flag --untyped.
func (s *Flags) RegisterUntyped(flags *pflag.FlagSet) {
	s.hasUntyped = true
	flags.BoolVar(&s.untyped, "untyped", false, "accept objects of unknown types: merge their maps, and treat their lists as atomic")
}

// SameShape is the value of --conversion that promises that all versions of a kind have the same
// fields.
const SameShape = "same-shape"

// RegisterConversion adds the flag --conversion.
func (s *Flags) RegisterConversion(flags *pflag.FlagSet) {
	flags.StringVar(&s.conversion, "conversion", "", "how to convert objects to another API version: \""+SameShape+"\" changes only the apiVersion; without this flag, dovetail cannot convert objects of CRDs with a conversion webhook, and of some built-in types")
	command.OneOf(flags, "conversion", SameShape)
}

// missingTypeHint suggests flags of the command with which the user can provide a missing
// type.
func (s *Flags) missingTypeHint() string {
	if !s.hasSources {
		return "pass its CustomResourceDefinition with " + s.CRDs.Flag
	}
	hint := "pass its schema with --crd, --openapi or --schema"
	if s.hasUntyped {
		hint += ", or use --untyped to do without a schema"
	}
	return hint
}

// Read reads the types that the flags select. If needType is true, the flags --schema and --type
// must be given together or not at all.
func Read(r *command.Run, s *Flags, needType bool) (*Types, error) {
	if s.conversion != "" && s.conversion != SameShape {
		return nil, command.Usagef("--conversion=%s: use %s", s.conversion, SameShape)
	}
	t := &Types{Proposals: &s.Proposals, Untyped: s.untyped, sameShape: s.conversion == SameShape, missingTypeHint: s.missingTypeHint()}
	defer s.Proposals.Note(r)
	if s.Proposals.ZeroIsAbsent {
		s.Proposals.turnOnDeclarative()
	}
	if s.Cluster.Enabled() {
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
		return nil, command.Usagef("--type needs --schema with the file that has the type")
	}
	if err := readKubernetes(r, t, s); err != nil {
		return nil, err
	}
	r.Kubernetes = t.Catalog.Release()
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
	crds, bad := s.CRDs.All(r)
	if len(bad) > 0 {
		return nil, bad
	}
	for _, file := range crds {
		data, shown, err := input.ReadFile(r, s.CRDs.Flag, file.Name)
		if err != nil {
			return nil, err
		}
		WarnOfMisspelledKinds(r, shown, data)
		if err := t.Catalog.AddCRD(shown, data); err != nil {
			if file.Listed && DefinesNothing(shown, data) {
				input.NoteSkipped(r, shown, "there is no CustomResourceDefinition in it")
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
		t.Searched = []string{"the cluster"}
		t.served.overlay = func() error { return addOverlays(r, t.Catalog, s) }
		return t, nil
	}
	return t, addOverlays(r, t.Catalog, s)
}

// DefinesNothing reports whether a file can be parsed but contains no CRD.
func DefinesNothing(name string, data []byte) bool {
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

// addOverlays adds the files of --defaults and --markers to the types of a catalog.
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
		if !slices.Contains(s.documents, w.Document) { // users cannot correct the types of Kubernetes
			r.Warnf("%v", input.DocumentError(w))
		}
	}
	return nil
}

// Args returns flags that select the same types, for the text of another command. The flag
// --markers is left out.
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
