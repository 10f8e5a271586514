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

// Types finds the types of objects, and converts objects between API versions.
type Types struct {
	Catalog *openapi.Catalog
	// Proposals holds the flags for proposed behavior that no released API server has.
	Proposals *Proposals
	// release has the defaults of built-in kinds. It is nil if they are unknown.
	release *defaults.Release
	// fixes has the immutable fields of built-in kinds. It is nil if they are unknown.
	fixes *immutable.Release
	// Documents is set if built-in types come from OpenAPI documents. Their release may differ
	// from the release whose defaults and rules are used.
	Documents bool
	// Definitions holds the schemas in the OpenAPI documents of built-in types. It is nil if these
	// types come from a known release.
	Definitions map[string]map[string]any
	// fixed is the type of all objects with --schema, and nil without this flag.
	fixed *typed.ParseableType
	// Parser contains the types in the file of --schema.
	Parser  *typed.Parser
	Untyped bool
	// sameShape is set if every conversion changes only apiVersion.
	sameShape bool
	// missingTypeHint is text for an error message. It explains how to provide a missing type.
	missingTypeHint string
	// Searched describes the sources that are searched for types.
	Searched []string
	// zeroUnset is set by ZeroKeys. It maps each schema of built-in types to a copy that treats a
	// list key with a zero value as missing.
	zeroUnset map[*schema.Schema]*schema.Schema
	// Overlaid is set if --defaults adds defaults.
	Overlaid bool
	// CRDs holds the files with CustomResourceDefinitions.
	CRDs []openapi.Document
	// versions caches CRD versions by apiVersion and kind.
	versions map[[2]string]*CRDVersion
	// served holds the types of a cluster. It is nil if types come from files only.
	served *servedTypes
	// given returns, for each kind that a CRD in the input defines, the name of the file that
	// contains the CRD. It is nil if the command has no input.
	given func() map[groupKind]string
	// byName caches the result of the method conversions.
	byName map[groupKind]bool
	// options are the options of Catalog.
	options openapi.Options
	// unserved has the types of CRDs, including versions that are not served.
	unserved *openapi.Catalog
	// native is the helper program that validates objects with the Go code of the release, or nil.
	// If native is nil, nativeMissing prints a note about the missing program. nativeMissing may be
	// nil, too.
	native        *native.Engine
	nativeMissing func()
	// simpleRules records that an object was checked without the helper program. It may be nil.
	simpleRules func()
	// mu guards the caches.
	mu sync.Mutex
}

type groupKind struct{ group, kind string }

// conversions reports, for each kind that a CRD defines, whether a conversion between its versions
// changes only apiVersion.
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

// definitionSpecs returns the spec of each CRD.
func (t *Types) definitionSpecs() iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, d := range t.CRDs {
			docs, _ := manifest.ReadValues(d.Name, d.Data) // the catalog has already parsed the file without an error
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

// Find returns the type of a kind, or an *UnknownType error. Find is a
// fieldmanager.TypeSource.
func (t *Types) Find(apiVersion, kind string) (typed.ParseableType, error) {
	if t.fixed != nil {
		return *t.fixed, nil
	}
	if found, ok := t.Catalog.Type(apiVersion, kind); ok {
		return t.withZeroKeys(found, apiVersion, kind), nil
	}
	return typed.ParseableType{}, &UnknownType{t, apiVersion, kind}
}

// Owned returns the type for the managed fields of a kind, even if its API version is not served.
// Owned is a fieldmanager.TypeSource; see predict.NewOwnedTypeSource.
func (t *Types) Owned(apiVersion, kind string) (typed.ParseableType, error) {
	return predict.NewOwnedTypeSource(t.Find, t.findUnserved, t.defines)(apiVersion, kind)
}

// Defined returns the type of a kind. Unlike Find, it also returns types for API versions that a
// CRD defines but does not serve. It returns the same errors as Find. Defined is a
// fieldmanager.TypeSource.
func (t *Types) Defined(apiVersion, kind string) (typed.ParseableType, error) {
	found, err := t.Find(apiVersion, kind)
	if errors.Is(err, fieldmanager.ErrUnknownType) && t.defines(apiVersion, kind) {
		if unserved, ok := t.findUnserved(apiVersion, kind); ok {
			return unserved, nil
		}
	}
	return found, err
}

// Unserved reports whether a CRD defines an API version of a kind but does not serve it.
func (t *Types) Unserved(apiVersion, kind string) bool {
	if _, err := t.Find(apiVersion, kind); err == nil {
		return false
	}
	_, err := t.Defined(apiVersion, kind)
	return err == nil
}

// findUnserved returns the type of a kind that a CRD defines, even if the CRD does not serve
// the API version.
func (t *Types) findUnserved(apiVersion, kind string) (typed.ParseableType, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unserved == nil {
		o := t.options
		o.UnservedVersions = true
		t.unserved = openapi.New(o)
		for _, d := range t.CRDs {
			_ = t.unserved.AddCRD(d.Name, d.Data) // the catalog has already read the file without an error
		}
	}
	return t.unserved.Type(apiVersion, kind)
}

// defines reports whether a CRD defines a kind, in any API version.
func (t *Types) defines(apiVersion, kind string) bool {
	if len(t.CRDs) == 0 {
		return false
	}
	group, _, _ := strings.Cut(apiVersion, "/")
	_, there := t.conversions()[groupKind{group, kind}]
	return there
}

// TypeOf is like Find. With --untyped, an object of an unknown kind gets a type that is deduced
// from its content.
func (t *Types) TypeOf(apiVersion, kind string) (typed.ParseableType, error) {
	found, err := t.Find(apiVersion, kind)
	if err != nil && t.Untyped && errors.Is(err, fieldmanager.ErrUnknownType) {
		return typed.DeducedParseableType, nil
	}
	return found, err
}

// Builtin reports whether the type of a kind comes from the Kubernetes types that are built
// into Dovetail.
func (t *Types) Builtin(apiVersion, kind string) bool {
	if t.Catalog == nil {
		return false
	}
	k, ok := t.Catalog.Kind(apiVersion, kind)
	return ok && k.Source == ""
}

// UncheckedValues reports whether dovetail can check only the types of the values of a kind,
// because it has no CustomResourceDefinition and no rules of Kubernetes for this kind. In this
// case, the type of the kind comes from an OpenAPI document or from --schema, or is deduced from
// the object.
func (t *Types) UncheckedValues(id manifest.Identity) bool {
	return !t.FromGo(id.APIVersion, id.Kind) && !t.Custom(id)
}

// Defaulting returns the release whose Go code fills in the defaults of an object, or nil if the
// kind is not part of Kubernetes. The type of a built-in kind can also come from an OpenAPI
// document.
func (t *Types) Defaulting(id manifest.Identity) *defaults.Release {
	if t.release == nil || t.Custom(id) || !t.FromGo(id.APIVersion, id.Kind) {
		return nil
	}
	return t.release
}

// Release returns the Kubernetes release of the server, or nil if the defaults of the release
// are unknown.
func (t *Types) Release() *defaults.Release { return t.release }

// Kubernetes returns a name for the built-in types in messages: the release, or the source of the
// documents.
func (t *Types) Kubernetes() string {
	if release := t.Catalog.Release(); release != "" {
		return "Kubernetes " + release
	}
	return t.Searched[0]
}

// Immutability returns the immutable fields of built-in kinds. It returns nil if types come
// from --schema, or if the rules of the release are unknown.
func (t *Types) Immutability() *immutable.Release { return t.fixes }

// DefaultsOf returns the defaults that Go code of an API server sets in a definition and in the
// types that it uses. It returns nil if the definition is not part of Kubernetes, or if the
// defaults are unknown.
func (t *Types) DefaultsOf(definition string) []defaults.PossibleDefault {
	if t.release == nil || !openapi.IsKubernetes(definition) {
		return nil
	}
	return t.release.PossibleDefaults(definition)
}

// Convert converts an object to another API version without a server. For some kinds, Convert
// changes only apiVersion. For other kinds, it uses package convert. If a kind needs a server for
// the conversion, Convert returns a *NoConversion error. Convert is a fieldmanager.Converter.
func (t *Types) Convert(object map[string]any, apiVersion string) (map[string]any, error) {
	from, kind := unstructured.Text(object, "apiVersion"), unstructured.Text(object, "kind")
	byName, known := t.conversions()[groupKind{unstructured.GroupOf(apiVersion), kind}]
	switch {
	case t.fixed != nil, t.sameShape, known && byName:
		return fieldmanager.NoneConverter(object, apiVersion)
	case known:
		return nil, &NoConversion{"its CRD has a conversion webhook", fmt.Sprintf("objects of %s cannot be converted to %s offline, because their CRD has a conversion webhook", from, apiVersion)}
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
	return nil, &NoConversion{"the versions may have different fields", fmt.Sprintf("objects of %s cannot be converted to %s offline", from, apiVersion)}
}

// NoConversion is the error that an object cannot be converted between two versions offline.
type NoConversion struct{ Why, message string }

func (e *NoConversion) Error() string {
	return e.message + "; pass the live object in the version of its managed fields or, if both versions have the same fields, use --conversion=" + SameShape
}

// ClusterWide reports whether the kind of an object is known to be cluster-scoped.
func (t *Types) ClusterWide(id manifest.Identity) bool {
	if t.Catalog == nil {
		return false
	}
	k, _ := t.Catalog.Kind(id.APIVersion, id.Kind)
	return k.Scope == openapi.ClusterWide
}

// Custom reports whether a CRD defines the kind of an object.
func (t *Types) Custom(id manifest.Identity) bool {
	if t.Catalog == nil {
		return false
	}
	k, ok := t.Catalog.Kind(id.APIVersion, id.Kind)
	return ok && t.FromCRD(k)
}

// FromCRD reports whether a CRD defines a kind.
func (t *Types) FromCRD(k openapi.Kind) bool {
	return slices.ContainsFunc(t.CRDs, func(crd openapi.Document) bool { return crd.Name == k.Source })
}

// Describe returns text for messages that names a kind and the source of its type.
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

// FieldManager returns a field manager for reading live objects and changing their managed fields.
// Like a server, it also knows versions that a CRD defines but does not serve. The argument now may
// be nil if the caller does not need the time.
func (t *Types) FieldManager(now func() time.Time) *fieldmanager.FieldManager {
	m, err := fieldmanager.New(fieldmanager.Options{Types: t.Defined, Untyped: t.Untyped, Converter: t.Convert, Clock: now, CarryUnknown: true})
	if err != nil {
		panic(err) // no option comes from the user, so the options are valid
	}
	return m
}

// FromGo reports whether the type of a kind was generated from the Go types of Kubernetes.
func (t *Types) FromGo(apiVersion, kind string) bool {
	if t.Catalog == nil {
		return false
	}
	k, ok := t.Catalog.Kind(apiVersion, kind)
	return ok && openapi.IsKubernetes(k.Type)
}

// ZeroKeys makes a list key of a built-in type count as missing if its value is a zero value.
func (t *Types) ZeroKeys() { t.zeroUnset = map[*schema.Schema]*schema.Schema{} }

// withZeroKeys returns the argument found, which is the type of a kind. If ZeroKeys was called and
// the kind is built in, it returns a type that treats a list key with a zero value as missing.
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

// HasTransitionRules reports whether the CRD of a custom resource has a rule that uses oldSelf.
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

// UnknownType is the error that a kind has no type. It computes its message only when needed,
// because searching for similar kinds is slow.
type UnknownType struct {
	Types            *Types
	APIVersion, Kind string
}

func (e *UnknownType) Unwrap() error { return fieldmanager.ErrUnknownType }

func (e *UnknownType) Error() string {
	t := e.Types
	wanted := e.APIVersion + " " + e.Kind
	if why := t.WhyAbsent(manifest.Identity{APIVersion: e.APIVersion}); why != "" {
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
	hint := "; " + t.missingTypeHint
	if len(sameKind) > 0 {
		hint = words.DidYouMean(words.ShortList(sameKind)) + " Otherwise " + t.missingTypeHint
	}
	group, _, _ := strings.Cut(e.APIVersion, "/")
	if t.given == nil {
	} else if file := t.given()[groupKind{group, e.Kind}]; file != "" {
		return fmt.Sprintf("no type for %s in %s; the CustomResourceDefinition in %s cannot be used: check it with \"dovetail lint\"", wanted, t.SearchedIn(), file)
	}
	return fmt.Sprintf("no type for %s in %s%s", wanted, t.SearchedIn(), hint)
}

// maxSearched is the maximum number of sources that a message lists.
const maxSearched = 3

// SearchedIn returns a short text that lists the searched sources.
func (t *Types) SearchedIn() string {
	if n := len(t.Searched); n > maxSearched {
		return fmt.Sprintf("%s and %d files (dovetail schema --kinds lists the kinds that they define)", t.Searched[0], n-1)
	}
	return strings.Join(t.Searched, ", ")
}

// NoteDefinitions tells t which CustomResourceDefinitions are in the input, for example in a
// rendered chart. If a custom resource has no type, the error message can then name the file that
// contains its CRD. The definitions are read only when such a message is written.
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

// AddDefinitions adds the types of CustomResourceDefinitions in the input, because a rendered
// chart often contains a CRD together with its custom resources. It skips kinds whose type is
// already known. It also skips invalid CRDs, so that their custom resources have no type.
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
		r.NoteOnce("the input contains the CustomResourceDefinitions of %s, and dovetail uses them for the types of these objects", words.ShortList(kinds))
	}
}

// knows reports whether the type of a kind is already known, in any version that the spec of its
// CRD lists.
func (t *Types) knows(group, kind string, spec map[string]any) bool {
	versions, _ := spec["versions"].([]any)
	return slices.ContainsFunc(versions, func(v any) bool {
		version, _ := v.(map[string]any)
		_, known := t.Catalog.Type(group+"/"+unstructured.Text(version, "name"), kind)
		return known
	})
}

// DefinitionKind is the kind of CustomResourceDefinitions.
const DefinitionKind = "CustomResourceDefinition"
