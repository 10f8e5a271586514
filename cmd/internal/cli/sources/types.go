// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package sources

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/convert"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Types finds the types of objects.
type Types struct {
	Catalog *openapi.Catalog
	// Proposals are what the answers have beyond API servers of today.
	Proposals *Proposals
	// release knows what the API server fills into objects of built-in kinds.
	release *defaults.Release
	// fixes knows what it lets no update of them change.
	fixes *immutable.Release
	// Documents says that there are OpenAPI documents, which may be of another release
	// than that.
	Documents bool
	// Definitions are the schemas of the documents that the types of Kubernetes are of, nil of
	// a release.
	Definitions map[string]map[string]any
	// fixed is the type of every object, if there is a schema file.
	fixed *typed.ParseableType
	// Parser is the schema file's.
	Parser  *typed.Parser
	Untyped bool
	// SameShape says that all kinds convert by name alone.
	sameShape bool
	// howToGive says how to give a type that is in none of the sources.
	howToGive string
	// Searched describes where types were looked for.
	Searched []string
	// zeroUnset are the schemas of built-in types whose zero keys are missing keys, by
	// what they were made of; nil where zero is zero.
	zeroUnset map[*schema.Schema]*schema.Schema
	// Overlaid says that there are defaults besides those of the definitions.
	Overlaid bool
	// CRDs are the files that conversions are looked up in, when one is needed.
	CRDs []openapi.Document
	// versions are those of the CRDs, once one is asked for.
	versions map[[2]string]*CRDVersion
	// served are those of a cluster, nil if types come from files alone.
	served *served
	// given are the files among the input that define custom resources; nil if there is no
	// input.
	given func() map[groupKind]string
	// byName holds the CRDs' kinds, whether they convert by name alone.
	byName map[groupKind]bool
	// options are those of Catalog, unserved has the versions that it lacks, made when one is asked for.
	options  openapi.Options
	unserved *openapi.Catalog
	// native has the code of the release, nil if there is no such program; then nativeMissing
	// notes it, unless nobody wants to know.
	native        *native.Engine
	nativeMissing func()
	// mu guards what is made when it is first asked for.
	mu sync.Mutex
}

type groupKind struct{ group, kind string }

// conversions returns how the kinds of the CRDs convert between versions.
func (t *Types) conversions() map[groupKind]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName != nil {
		return t.byName
	}
	t.byName = map[groupKind]bool{}
	for spec := range t.definitionSpecs() {
		names, _ := spec["names"].(map[string]any)
		conversion, _ := spec["conversion"].(map[string]any)
		strategy := unstructured.Text(conversion, "strategy")
		t.byName[groupKind{unstructured.Text(spec, "group"), unstructured.Text(names, "kind")}] = strategy == "" || strategy == "None"
	}
	return t.byName
}

// definitionSpecs are the specs of the CRDs.
func (t *Types) definitionSpecs() iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, d := range t.CRDs {
			docs, _ := manifest.ReadValues(d.Name, d.Data) // the catalog has read it
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

// Find is a fieldmanager.TypeSource.
func (t *Types) Find(apiVersion, kind string) (typed.ParseableType, error) {
	if t.fixed != nil {
		return *t.fixed, nil
	}
	if found, ok := t.Catalog.Type(apiVersion, kind); ok {
		return t.withZeroKeys(found, apiVersion, kind), nil
	}
	return typed.ParseableType{}, &UnknownType{t, apiVersion, kind}
}

// Owned is the fieldmanager.TypeSource of what managed fields may be of, see predict.NewOwnedTypeSource.
func (t *Types) Owned(apiVersion, kind string) (typed.ParseableType, error) {
	return predict.NewOwnedTypeSource(t.Find, t.findUnserved, t.defines)(apiVersion, kind)
}

// findUnserved is Find for the versions that CRDs have, served or not.
func (t *Types) findUnserved(apiVersion, kind string) (typed.ParseableType, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unserved == nil {
		o := t.options
		o.UnservedVersions = true
		t.unserved = openapi.New(o)
		for _, d := range t.CRDs {
			_ = t.unserved.AddCRD(d.Name, d.Data) // the catalog has read it
		}
	}
	return t.unserved.Type(apiVersion, kind)
}

// defines says whether there is a CRD for a kind, in whatever version.
func (t *Types) defines(apiVersion, kind string) bool {
	if len(t.CRDs) == 0 {
		return false
	}
	group, _, _ := strings.Cut(apiVersion, "/")
	_, there := t.conversions()[groupKind{group, kind}]
	return there
}

// TypeOf is find, with the deduced type if that was asked for.
func (t *Types) TypeOf(apiVersion, kind string) (typed.ParseableType, error) {
	found, err := t.Find(apiVersion, kind)
	if err != nil && t.Untyped && errors.Is(err, fieldmanager.ErrUnknownType) {
		return typed.DeducedParseableType, nil
	}
	return found, err
}

// Builtin says whether the type of a kind is built into Kubernetes.
func (t *Types) Builtin(apiVersion, kind string) bool {
	if t.Catalog == nil {
		return false
	}
	k, ok := t.Catalog.Kind(apiVersion, kind)
	return ok && k.Source == ""
}

// Defaulting returns the release whose API server has objects such as the
// one named, nil if they are of no built-in kind. It does not matter which document
// defines the kind.
func (t *Types) Defaulting(id manifest.Identity) *defaults.Release {
	if t.release == nil || t.Custom(id) || !t.FromGo(id.APIVersion, id.Kind) {
		return nil
	}
	return t.release
}

// Kubernetes names the release or the documents that the types of Kubernetes are of.
func (t *Types) Kubernetes() string {
	if release := t.Catalog.Release(); release != "" {
		return "Kubernetes " + release
	}
	return t.Searched[0]
}

// Immutability returns the release whose API server says what an update of a built-in object
// may not change, nil if types are those of a schema file or of a release whose rules are not
// known.
func (t *Types) Immutability() *immutable.Release { return t.fixes }

// DefaultsOf returns the defaults that an API server's Go code fills into a definition and
// what is below it, none of a definition that is not Kubernetes' own.
func (t *Types) DefaultsOf(definition string) []defaults.PossibleDefault {
	if t.release == nil || !openapi.IsKubernetes(definition) {
		return nil
	}
	return t.release.PossibleDefaults(definition)
}

// Convert is a fieldmanager.Converter. Offline there is the conversion by name alone, and
// that of built-in kinds, as far as package convert knows it.
func (t *Types) Convert(object map[string]any, apiVersion string) (map[string]any, error) {
	from, kind := unstructured.Text(object, "apiVersion"), unstructured.Text(object, "kind")
	byName, known := t.conversions()[groupKind{unstructured.GroupOf(apiVersion), kind}]
	switch {
	case t.fixed != nil, t.sameShape, known && byName:
		return fieldmanager.NoneConverter(object, apiVersion)
	case known:
		return nil, &NoConversion{"its CRD converts by webhook", fmt.Sprintf("objects of %s cannot be converted to %s offline, since their CRD converts by webhook", from, apiVersion)}
	}
	if _, ok := t.Catalog.Type(apiVersion, kind); !ok {
		if t.Untyped {
			return fieldmanager.NoneConverter(object, apiVersion)
		}
		return nil, fieldmanager.ErrUnknownVersion
	}
	if t.FromGo(apiVersion, kind) {
		if converted, err := convert.Builtin(t.Catalog, object, apiVersion); !errors.Is(err, convert.ErrUnknown) {
			return converted, err
		}
	}
	return nil, &NoConversion{"the two may have other fields", fmt.Sprintf("objects of %s cannot be converted to %s offline", from, apiVersion)}
}

// NoConversion says that objects cannot be converted between two versions, and why.
type NoConversion struct{ Why, message string }

func (e *NoConversion) Error() string {
	return e.message + "; use the live object in the version its managed fields are in, or, if both versions have one shape, --conversion=" + SameShape
}

// ClusterWide says whether objects such as the one named have no namespace, as far as
// that is known.
func (t *Types) ClusterWide(id manifest.Identity) bool {
	if t.Catalog == nil {
		return false
	}
	k, _ := t.Catalog.Kind(id.APIVersion, id.Kind)
	return k.Scope == openapi.ClusterWide
}

// Custom says whether an object is of a kind that a CRD defines.
func (t *Types) Custom(id manifest.Identity) bool {
	if t.Catalog == nil {
		return false
	}
	k, ok := t.Catalog.Kind(id.APIVersion, id.Kind)
	return ok && t.FromCRD(k)
}

// FromCRD says whether a CRD defines a kind.
func (t *Types) FromCRD(k openapi.Kind) bool {
	return slices.ContainsFunc(t.CRDs, func(crd openapi.Document) bool { return crd.Name == k.Source })
}

// Describe names the schema of a kind.
func (t *Types) Describe(apiVersion, kind string) string {
	name := apiVersion + " " + kind
	if t.fixed != nil {
		return fmt.Sprintf("%s: type %s of %s", name, *t.fixed.TypeRef.NamedType, strings.Join(t.Searched, ", "))
	}
	k, ok := t.Catalog.Kind(apiVersion, kind)
	if !ok {
		return name
	}
	return name + " in " + cmp.Or(k.Source, "Kubernetes "+t.Catalog.Release())
}

// FieldManager is for what types and managed fields say of live objects. now may
// be nil where the time does not matter.
func (t *Types) FieldManager(now func() time.Time) *fieldmanager.FieldManager {
	m, err := fieldmanager.New(fieldmanager.Options{Types: t.Find, Untyped: t.Untyped, Converter: t.Convert, Clock: now, CarryUnknown: true})
	if err != nil {
		panic(err) // nothing that the user gave is in the options
	}
	return m
}

// FromGo says whether the definition of a kind was generated from Go types.
func (t *Types) FromGo(apiVersion, kind string) bool {
	if t.Catalog == nil {
		return false
	}
	k, ok := t.Catalog.Kind(apiVersion, kind)
	return ok && openapi.IsKubernetes(k.Type)
}

// ZeroKeys makes list keys of built-in types that are zero count as missing.
func (t *Types) ZeroKeys() { t.zeroUnset = map[*schema.Schema]*schema.Schema{} }

// withZeroKeys is the type of a kind as ZeroKeys says.
func (t *Types) withZeroKeys(found typed.ParseableType, apiVersion, kind string) typed.ParseableType {
	if t.zeroUnset == nil || !t.Builtin(apiVersion, kind) {
		return found
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.zeroUnset[found.Schema]
	if !ok {
		s = &schema.Schema{
			Types:               found.Schema.Types,
			DeclarativeDefaults: found.Schema.DeclarativeDefaults,
			MissingKeys:         found.Schema.MissingKeys,
			ZeroKeysUnset:       true,
		}
		t.zeroUnset[found.Schema] = s
	}
	found.Schema = s
	return found
}

var comparesOld = regexp.MustCompile(`\boldSelf\b`)

// HasTransitionRules says whether a rule of the definition of a custom resource compares
// it with what it was.
func (t *Types) HasTransitionRules(id manifest.Identity) bool {
	for spec := range t.definitionSpecs() {
		names, _ := spec["names"].(map[string]any)
		if unstructured.Text(spec, "group") != unstructured.GroupOf(id.APIVersion) || unstructured.Text(names, "kind") != id.Kind {
			continue
		}
		versions, _ := spec["versions"].([]any)
		for _, v := range versions {
			v, _ := v.(map[string]any)
			if unstructured.GroupOf(id.APIVersion)+"/"+unstructured.Text(v, "name") == id.APIVersion && rulesCompareOld(v["schema"]) {
				return true
			}
		}
	}
	return false
}

func rulesCompareOld(schema any) bool {
	switch s := schema.(type) {
	case map[string]any:
		rules, _ := s["x-kubernetes-validations"].([]any)
		for _, r := range rules {
			if r, ok := r.(map[string]any); ok && comparesOld.MatchString(unstructured.Text(r, "rule")) {
				return true
			}
		}
		for _, below := range s {
			if rulesCompareOld(below) {
				return true
			}
		}
	case []any:
		for _, below := range s {
			if rulesCompareOld(below) {
				return true
			}
		}
	}
	return false
}

// UnknownType says that there is no type for an object. It is made into text
// only if somebody reads it: the names of all kinds cost time.
type UnknownType struct {
	Types            *Types
	APIVersion, Kind string
}

func (e *UnknownType) Unwrap() error { return fieldmanager.ErrUnknownType }

func (e *UnknownType) Error() string {
	t := e.Types
	wanted := e.APIVersion + " " + e.Kind
	if why := t.WhyNone(manifest.Identity{APIVersion: e.APIVersion}); why != "" {
		return fmt.Sprintf("no type for %s: %s", wanted, why)
	}
	var all, kinds, sameKind, sameVersion []string
	for _, k := range t.Catalog.Kinds() {
		kinds = append(kinds, k.Kind)
		all = append(all, k.APIVersion+" "+k.Kind)
		if k.Kind == e.Kind {
			sameKind = append(sameKind, k.APIVersion+" "+k.Kind)
		}
		if k.APIVersion == e.APIVersion {
			sameVersion = append(sameVersion, k.APIVersion+" "+k.Kind)
		}
	}
	if len(sameKind) == 0 {
		close := suggest.Nearest(wanted, sameVersion)
		if close == "" {
			close = suggest.Nearest(wanted, all)
		}
		if close != "" {
			sameKind = []string{close}
		} else if kind := suggest.Nearest(e.Kind, kinds); kind != "" {
			for _, k := range t.Catalog.Kinds() {
				if k.Kind == kind {
					sameKind = append(sameKind, k.APIVersion+" "+k.Kind)
				}
			}
		}
	}
	way := "; " + t.howToGive
	if len(sameKind) > 0 {
		way = words.DidYouMean(words.ShortList(sameKind)) + " Otherwise " + t.howToGive
	}
	group, _, _ := strings.Cut(e.APIVersion, "/")
	if t.given == nil {
	} else if file := t.given()[groupKind{group, e.Kind}]; file != "" {
		return fmt.Sprintf("no type for %s in %s; its definition in %s cannot be used: check it with \"dovetail lint\"", wanted, t.SearchedIn(), file)
	}
	return fmt.Sprintf("no type for %s in %s%s", wanted, t.SearchedIn(), way)
}

// maxSearched is how many sources of types are named where none has what is looked for.
const maxSearched = 3

// SearchedIn says where types were looked for, in short: dovetail schema --kinds says
// what there is.
func (t *Types) SearchedIn() string {
	if n := len(t.Searched); n > maxSearched {
		return fmt.Sprintf("%s and %d files (dovetail schema --kinds lists what they define)", t.Searched[0], n-1)
	}
	return strings.Join(t.Searched, ", ")
}

// NoteDefinitions says how to find the definitions of custom resources among the input, for
// whoever misses their types: a rendered chart has both.
func (t *Types) NoteDefinitions(definitions iter.Seq[*manifest.Object]) {
	t.given = sync.OnceValue(func() map[groupKind]string {
		given := map[groupKind]string{}
		for o := range definitions {
			spec, _ := o.Content["spec"].(map[string]any)
			names, _ := spec["names"].(map[string]any)
			group, _ := spec["group"].(string)
			kind, _ := names["kind"].(string)
			given[groupKind{group, kind}] = o.Start().File
		}
		return given
	})
}

// AddDefinitions adds the types of the CustomResourceDefinitions among the input, unless another
// source has them: a directory or a rendered chart often holds a CRD and objects of it. A
// definition that cannot be used is ignored, and its objects have no type.
func (t *Types) AddDefinitions(r *command.Run, definitions iter.Seq[*manifest.Object]) {
	if t.Catalog == nil {
		return
	}
	var kinds []string
	for o := range definitions {
		spec, _ := o.Content["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		group, kind := unstructured.Text(spec, "group"), unstructured.Text(names, "kind")
		if group == "" || kind == "" || t.knows(group, kind, spec) {
			continue
		}
		data, err := json.Marshal(unstructured.WithoutManagedFields(o.Content))
		if err != nil || t.AddDefinition(o.Start().File, data) != nil {
			continue
		}
		kinds = append(kinds, kind+"."+group)
	}
	if len(kinds) > 0 {
		r.NoteOnce("the input holds the CustomResourceDefinitions of %s: their objects have these types", words.ShortList(kinds))
	}
}

// knows reports whether another source has the type of a kind in one of the versions of spec.
func (t *Types) knows(group, kind string, spec map[string]any) bool {
	versions, _ := spec["versions"].([]any)
	return slices.ContainsFunc(versions, func(v any) bool {
		version, _ := v.(map[string]any)
		_, known := t.Catalog.Type(group+"/"+unstructured.Text(version, "name"), kind)
		return known
	})
}

// DefinitionKind is the kind of definitions of custom resources.
const DefinitionKind = "CustomResourceDefinition"
