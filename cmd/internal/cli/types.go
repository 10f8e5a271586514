package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
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
}

// register adds the flags; typeUsage says what --type means to the command.
func (s *sources) register(flags *pflag.FlagSet, typeUsage string) {
	s.crds.register(flags, "crd", "", "file with CustomResourceDefinitions (repeatable)")
	s.openapis.register(flags, "openapi", "", "OpenAPI document, v2 or v3; built-in types of a v2 document have the built-in defaults (repeatable)")
	s.defaults.register(flags, "defaults", "", "defaults for types that carry none: an OpenAPI document, or a table definition: {field: default} (repeatable)")
	s.markers.register(flags, "markers", "", "list types, list keys and unions for types that have none or others: a table definition: {field: {marker: value}} (repeatable)")
	flags.StringVar(&s.schema, "schema", "", "`file` with a merge schema, as structured-merge-diff has them; its types replace all others")
	flags.StringVar(&s.typeName, "type", "", typeUsage)
}

func (s *sources) registerUntyped(flags *pflag.FlagSet) {
	flags.BoolVar(&s.untyped, "untyped", false, "deduce the type of an object that no source knows: maps are merged, lists are atomic")
}

// types finds the types of objects.
type types struct {
	catalog *openapi.Catalog
	// fixed is the type of every object, if there is a schema file.
	fixed *typed.ParseableType
	// parser is the schema file's.
	parser  *typed.Parser
	untyped bool
	// searched describes where types were looked for.
	searched []string
	// zeroUnset are the schemas of built-in types whose zero keys are missing keys, by
	// what they were made of; nil where zero is zero.
	zeroUnset map[*schema.Schema]*schema.Schema
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
	t := &types{untyped: s.untyped}
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
	crds, err := s.crds.all()
	if err != nil {
		return nil, err
	}
	for _, name := range crds {
		data, shown, err := r.read(s.crds.flag, name)
		if err != nil {
			return nil, err
		}
		if err := t.catalog.AddCRD(shown, data); err != nil {
			return nil, located(err, openapi.Document{Name: shown, Data: data})
		}
		t.crds = append(t.crds, openapi.Document{Name: shown, Data: data})
		t.searched = append(t.searched, shown)
	}
	return t, r.addOverlays(t.catalog, s)
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
			return err
		}
	}
	for _, w := range catalog.Warnings() {
		r.warnf("%v", w)
	}
	return nil
}

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

// conversions returns how the kinds of the CRDs convert between versions.
func (t *types) conversions() map[groupKind]bool {
	if t.byName != nil {
		return t.byName
	}
	t.byName = map[groupKind]bool{}
	for _, d := range t.crds {
		docs, _ := manifest.Values(d.Name, d.Data) // the catalog has read it
		for len(docs) > 0 {
			doc, _ := docs[0].(map[string]any)
			docs = docs[1:]
			if items, ok := doc["items"].([]any); ok {
				docs = append(docs, items...)
			}
			spec, _ := doc["spec"].(map[string]any)
			names, _ := spec["names"].(map[string]any)
			conversion, _ := spec["conversion"].(map[string]any)
			strategy := text(conversion, "strategy")
			t.byName[groupKind{text(spec, "group"), text(names, "kind")}] = strategy == "" || strategy == "None"
		}
	}
	return t.byName
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

// unknownType says that there is no type for an object. It is made into text
// only if somebody reads it: the names of all kinds cost time.
type unknownType struct {
	types            *types
	apiVersion, kind string
}

func (e *unknownType) Unwrap() error { return fieldmanager.ErrUnknownType }

func (e *unknownType) Error() string {
	t := e.types
	wanted := e.apiVersion + " " + e.kind
	var all, sameKind, sameVersion []string
	for _, k := range t.catalog.Kinds() {
		all = append(all, k.APIVersion+" "+k.Kind)
		if k.Kind == e.kind {
			sameKind = append(sameKind, k.APIVersion+" "+k.Kind)
		}
		if k.APIVersion == e.apiVersion {
			sameVersion = append(sameVersion, k.APIVersion+" "+k.Kind)
		}
	}
	hint := didYouMean(shortList(sameKind))
	if len(sameKind) == 0 {
		close := suggest.Nearest(wanted, sameVersion)
		if close == "" {
			close = suggest.Nearest(wanted, all)
		}
		hint = didYouMean(close)
	}
	group, _, _ := strings.Cut(e.apiVersion, "/")
	if file := t.given[groupKind{group, e.kind}]; file != "" {
		return fmt.Sprintf("no type for %s in %s; its definition is in %s: give that with --crd, too", wanted, strings.Join(t.searched, ", "), file)
	}
	return fmt.Sprintf("no type for %s in %s%s; give its schema with --crd, --openapi or --schema, or deduce it with --untyped",
		wanted, strings.Join(t.searched, ", "), hint)
}

// noteDefinitions remembers which files of the input define custom resources, for
// whoever misses their types: a rendered chart has both.
func (t *types) noteDefinitions(objects []*manifest.Object) {
	t.given = map[groupKind]string{}
	for _, o := range objects {
		if o.Identity().Kind == "CustomResourceDefinition" {
			spec, _ := o.Content["spec"].(map[string]any)
			names, _ := spec["names"].(map[string]any)
			group, _ := spec["group"].(string)
			kind, _ := names["kind"].(string)
			t.given[groupKind{group, kind}] = o.Start().File
		}
	}
}

func didYouMean(what string) string {
	if what == "" {
		return ""
	}
	return "; did you mean " + what + "?"
}

// shortList joins names, not too many of them.
func shortList(names []string) string {
	const most = 8
	names = slices.Clone(names)
	slices.Sort(names)
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// convert is a fieldmanager.Converter. Offline there is only the conversion of
// custom resources by name alone.
func (t *types) convert(object map[string]any, apiVersion string) (map[string]any, error) {
	from, kind := text(object, "apiVersion"), text(object, "kind")
	if t.fixed != nil {
		return fieldmanager.SameShape(object, apiVersion)
	}
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group = ""
	}
	byName, known := t.conversions()[groupKind{group, kind}]
	switch {
	case known && byName:
		return fieldmanager.SameShape(object, apiVersion)
	case known:
		return nil, fmt.Errorf("its CRD converts by webhook, which cannot be done offline")
	}
	if _, ok := t.catalog.Type(apiVersion, kind); !ok {
		if t.untyped {
			return fieldmanager.SameShape(object, apiVersion)
		}
		return nil, fieldmanager.ErrUnknownVersion
	}
	return nil, fmt.Errorf("objects of %s cannot be converted to %s offline; use the live object in the version its managed fields are in", from, apiVersion)
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
