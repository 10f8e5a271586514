// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"iter"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// sources are the flags that say where types come from.
type sources struct {
	crds, openapis, defaults, markers files
	schema, typeName                  string
	untyped                           bool
	// conversion is how objects convert where no source says.
	conversion string
	// all and deduces say which of the flags there are: those for types of all sorts,
	// else only that of crds; and --untyped.
	all, deduces bool
}

// register adds the flags; typeUsage says what --type means to the command.
func (s *sources) register(flags *pflag.FlagSet, typeUsage string) {
	s.all = true
	s.crds.register(flags, "crd", "", "file or directory with CustomResourceDefinitions (repeatable)")
	s.openapis.register(flags, "openapi", "", "OpenAPI document, v2 or v3; built-in types of a v2 document have the built-in defaults (repeatable)")
	s.defaults.register(flags, "defaults", "", "defaults for types that carry none: an OpenAPI document, or a table definition: {field: default} (repeatable)")
	s.markers.register(flags, "markers", "", "list types, list keys and unions for types that have none or others: a table definition: {field: {marker: value}} (repeatable)")
	flags.StringVar(&s.schema, "schema", "", "`file` with a merge schema, as structured-merge-diff has them; its types replace all others")
	flags.StringVar(&s.typeName, "type", "", typeUsage)
}

func (s *sources) registerUntyped(flags *pflag.FlagSet) {
	s.deduces = true
	flags.BoolVar(&s.untyped, "untyped", false, "deduce the type of an object that no source knows: maps are merged, lists are atomic")
}

// sameShape is the conversion between versions that differ by name only.
const sameShape = "same-shape"

func (s *sources) registerConversion(flags *pflag.FlagSet) {
	flags.StringVar(&s.conversion, "conversion", "", "how objects convert between versions where no CRD says that they have one shape, as they do with a webhook and built-in types: "+sameShape+" for by their apiVersion alone (default: not at all)")
	oneOf(flags, "conversion", sameShape)
}

// wayOut says with which of the flags there are a missing type can be given.
func (s *sources) wayOut() string {
	if !s.all {
		return "give its definition with " + s.crds.flag
	}
	way := "give its schema with --crd, --openapi or --schema"
	if s.deduces {
		way += ", or deduce it with --untyped"
	}
	return way
}

// types finds the types of objects.
type types struct {
	catalog *openapi.Catalog
	// fixed is the type of every object, if there is a schema file.
	fixed *typed.ParseableType
	// parser is the schema file's.
	parser  *typed.Parser
	untyped bool
	// sameShape says that all kinds convert by name alone.
	sameShape bool
	// wayOut says how to give a type that is in none of the sources.
	wayOut string
	// searched describes where types were looked for.
	searched []string
	// zeroUnset are the schemas of built-in types whose zero keys are missing keys, by
	// what they were made of; nil where zero is zero.
	zeroUnset map[*schema.Schema]*schema.Schema
	// overlaid says that there are defaults besides those of the definitions.
	overlaid bool
	// crds are the files that conversions are looked up in, when one is needed.
	crds []openapi.Document
	// versions are those of the CRDs, once one is asked for.
	versions map[[2]string]*crdVersion
	// given are the files among the input that define custom resources.
	given map[groupKind]string
	// byName holds the CRDs' kinds, whether they convert by name alone.
	byName map[groupKind]bool
}

type groupKind struct{ group, kind string }

// types reads the sources. needType says that a schema file is of use only
// with the name of a type.
func (r *run) types(s *sources, needType bool) (*types, error) {
	if s.conversion != "" && s.conversion != sameShape {
		return nil, usagef("--conversion=%s: want %s", s.conversion, sameShape)
	}
	t := &types{untyped: s.untyped, sameShape: s.conversion == sameShape, wayOut: s.wayOut()}
	if s.schema != "" {
		if len(s.crds.names)+len(s.openapis.names) > 0 {
			return nil, usagef("--schema replaces all other types: leave out --crd and --openapi")
		}
		return t, r.readSchema(t, s, needType)
	}
	if s.typeName != "" && needType {
		return nil, usagef("--type names a type of --schema FILE, which is missing")
	}
	t.catalog = openapi.Builtin(openapi.KnownUnions())
	t.overlaid = len(s.defaults.names) > 0
	t.searched = []string{"the built-in types of Kubernetes " + t.catalog.Release()}

	var docs []openapi.Document
	for _, name := range s.openapis.names {
		data, shown, err := r.read(s.openapis.flag, name)
		if err != nil {
			return nil, err
		}
		docs = append(docs, openapi.Document{Name: shown, Data: data})
		t.searched = append(t.searched, shown)
	}
	if len(docs) > 0 {
		if err := t.catalog.AddOpenAPIs(docs...); err != nil {
			return nil, located(err, docs...)
		}
	}
	crds, bad := s.crds.all()
	if len(bad) > 0 {
		return nil, bad
	}
	for _, file := range crds {
		data, shown, err := r.read(s.crds.flag, file.name)
		if err != nil {
			return nil, err
		}
		if err := t.catalog.AddCRD(shown, data); err != nil {
			if file.listed && definesNothing(shown, data) {
				r.passOver(shown, "there is no CustomResourceDefinition in it")
				continue
			}
			return nil, located(err, openapi.Document{Name: shown, Data: data})
		}
		t.crds = append(t.crds, openapi.Document{Name: shown, Data: data})
		t.searched = append(t.searched, shown)
	}
	return t, r.addOverlays(t.catalog, s)
}

// definesNothing says whether a file can be read and holds no CRD.
func definesNothing(name string, data []byte) bool {
	docs, err := manifest.Values(name, data)
	for len(docs) > 0 && err == nil {
		doc, _ := docs[0].(map[string]any)
		docs = docs[1:]
		switch text(doc, "kind") {
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
func (r *run) addOverlays(catalog *openapi.Catalog, s *sources) error {
	for _, name := range s.defaults.names {
		data, shown, err := r.read(s.defaults.flag, name)
		if err != nil {
			return err
		}
		if err := catalog.AddDefaults(shown, data); err != nil {
			return located(err, openapi.Document{Name: shown, Data: data})
		}
	}
	for _, name := range s.markers.names {
		data, shown, err := r.read(s.markers.flag, name)
		if err != nil {
			return err
		}
		if err := catalog.AddMarkers(shown, data); err != nil {
			return located(err, openapi.Document{Name: shown, Data: data})
		}
	}
	for _, w := range catalog.Warnings() {
		r.warnf("%v", ofDocument(w))
	}
	return nil
}

// conversions returns how the kinds of the CRDs convert between versions.
func (t *types) conversions() map[groupKind]bool {
	if t.byName != nil {
		return t.byName
	}
	t.byName = map[groupKind]bool{}
	for spec := range t.definitionSpecs() {
		names, _ := spec["names"].(map[string]any)
		conversion, _ := spec["conversion"].(map[string]any)
		strategy := text(conversion, "strategy")
		t.byName[groupKind{text(spec, "group"), text(names, "kind")}] = strategy == "" || strategy == "None"
	}
	return t.byName
}

// definitionSpecs are the specs of the CRDs.
func (t *types) definitionSpecs() iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, d := range t.crds {
			docs, _ := manifest.Values(d.Name, d.Data) // the catalog has read it
			for len(docs) > 0 {
				doc, _ := docs[0].(map[string]any)
				docs = docs[1:]
				if items, ok := doc["items"].([]any); ok {
					docs = append(docs, items...)
				}
				spec, _ := doc["spec"].(map[string]any)
				if !yield(spec) {
					return
				}
			}
		}
	}
}

// find is a fieldmanager.TypeSource.
func (t *types) find(apiVersion, kind string) (typed.ParseableType, error) {
	if t.fixed != nil {
		return *t.fixed, nil
	}
	if found, ok := t.catalog.Type(apiVersion, kind); ok {
		return t.withZeroKeys(found, apiVersion, kind), nil
	}
	return typed.ParseableType{}, &unknownType{t, apiVersion, kind}
}

// typeOf is find, with the deduced type if that was asked for.
func (t *types) typeOf(apiVersion, kind string) (typed.ParseableType, error) {
	found, err := t.find(apiVersion, kind)
	if err != nil && t.untyped && errors.Is(err, fieldmanager.ErrUnknownType) {
		return typed.DeducedParseableType, nil
	}
	return found, err
}

// builtin says whether the type of a kind is built into Kubernetes.
func (t *types) builtin(apiVersion, kind string) bool {
	if t.catalog == nil {
		return false
	}
	k, ok := t.catalog.Kind(apiVersion, kind)
	return ok && k.Source == ""
}

// convert is a fieldmanager.Converter. Offline there is only the conversion by name
// alone.
func (t *types) convert(object map[string]any, apiVersion string) (map[string]any, error) {
	from, kind := text(object, "apiVersion"), text(object, "kind")
	byName, known := t.conversions()[groupKind{groupOf(apiVersion), kind}]
	switch {
	case t.fixed != nil, t.sameShape, known && byName:
		return fieldmanager.SameShape(object, apiVersion)
	case known:
		return nil, &noConversion{"its CRD converts by webhook", fmt.Sprintf("objects of %s cannot be converted to %s offline, since their CRD converts by webhook", from, apiVersion)}
	}
	if _, ok := t.catalog.Type(apiVersion, kind); !ok {
		if t.untyped {
			return fieldmanager.SameShape(object, apiVersion)
		}
		return nil, fieldmanager.ErrUnknownVersion
	}
	return nil, &noConversion{"the two may have other fields", fmt.Sprintf("objects of %s cannot be converted to %s offline", from, apiVersion)}
}

// noConversion says that objects cannot be converted between two versions, and why.
type noConversion struct{ why, message string }

func (e *noConversion) Error() string {
	return e.message + "; use the live object in the version its managed fields are in, or, if both versions have one shape, --conversion=" + sameShape
}

func text(object map[string]any, field string) string {
	s, _ := object[field].(string)
	return s
}

// args are the flags that give the same sources.
func (s *sources) args() []string {
	var args []string
	add := func(flag string, names ...string) {
		for _, name := range names {
			if name != "" {
				args = append(args, "--"+flag, name)
			}
		}
	}
	add("crd", s.crds.names...)
	add("openapi", s.openapis.names...)
	add("defaults", s.defaults.names...)
	add("schema", s.schema)
	add("type", s.typeName)
	if s.untyped {
		args = append(args, "--untyped")
	}
	return args
}
