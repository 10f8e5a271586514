// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package served

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/convert"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Types contains the kinds that a server serves. It is safe for concurrent use.
type Types struct {
	options Options
	builtin *openapi.Catalog
	release *defaults.Release
	goForm  *goform.Release
	// immutable describes the immutable fields of built-in kinds.
	immutable *immutable.Release

	mu     sync.RWMutex
	custom map[groupKind]*Definition
}

type groupKind struct{ group, kind string }

func groupKindOf(apiVersion, kind string) groupKind {
	group, _, named := strings.Cut(apiVersion, "/")
	if !named {
		group = ""
	}
	return groupKind{group, kind}
}

// Definition is a CustomResourceDefinition that the server serves. It is read-only.
type Definition struct {
	*crd.Definition
	// Name is metadata.name of the definition, such as widgets.example.com.
	Name string
	// Webhook is true if a webhook converts objects between versions. This package cannot
	// call the webhook.
	Webhook bool

	// types contains only the served versions. allTypes contains all versions.
	types, allTypes *openapi.Catalog
	versions        map[string]*crd.Version
}

// Options describes the server.
type Options struct {
	// Release is the Kubernetes release, such as 1.37 or v1.37.2. The patch version has no
	// effect.
	Release string
	// DeclarativeDefaults implements the proposal KEP-1929: merges and conflicts use the
	// defaults of the schema. No released API server behaves this way.
	DeclarativeDefaults bool
	// ImmutabilityMarkers implements the proposal KEP-1101: definitions keep markers such as
	// x-kubernetes-immutable, and requests must not change values that a marker makes
	// immutable. Released API servers drop the markers.
	ImmutabilityMarkers bool
}

// New returns the built-in kinds of a server. It fails if the types of the release are not
// known. If other data of the release is missing, New does not fail. openapi.Missing lists
// the missing data.
func New(o Options) (*Types, error) {
	t := &Types{options: o, custom: map[groupKind]*Definition{}}
	var err error
	if t.builtin, err = openapi.BuiltinRelease(o.Release, openapi.Options{DeclarativeDefaults: o.DeclarativeDefaults}); err != nil {
		return nil, err
	}
	// Data that is missing for this release stays nil.
	t.release, _ = defaults.New(o.Release)
	t.immutable, _ = immutable.New(o.Release)
	t.goForm, _ = goform.New(o.Release)
	if o.ImmutabilityMarkers {
		if err := t.declareMarkers(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

const definitionVersion, definitionKind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"

// declareMarkers adds the immutability markers to the built-in type of CRD schemas, JSONSchemaProps.
// Without this, the server would drop the markers from CustomResourceDefinitions.
func (t *Types) declareMarkers() error {
	root, ok := t.builtin.Type(definitionVersion, definitionKind)
	if !ok {
		return fmt.Errorf("the types of Kubernetes %s do not include %s %s", t.Release(), definitionVersion, definitionKind)
	}
	boolean := schema.Boolean
	for _, d := range root.Schema.Types {
		if !strings.HasSuffix(d.Name, ".JSONSchemaProps") || d.Map == nil {
			continue
		}
		m := &schema.Map{}
		d.Map.CopyInto(m)
		m.Fields = slices.Clone(m.Fields)
		for _, name := range tree.Markers {
			m.Fields = append(m.Fields, schema.StructField{Name: name, Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &boolean}}})
		}
		d.Map = m
		if err := t.builtin.AddSchema("the markers of immutability", &schema.Schema{Types: []schema.TypeDef{d}}); err != nil {
			return err
		}
	}
	if t.goForm != nil {
		t.goForm = t.goForm.Keeping(func(apiVersion, kind, field string) bool {
			return apiVersion == definitionVersion && kind == definitionKind && slices.Contains(tree.Markers, field)
		})
	}
	return nil
}

// Server returns a server that predicts requests for these kinds. Callers can set other fields of the
// server before they use it.
func (t *Types) Server() *predict.Server {
	custom := func(apiVersion, kind string) bool { return t.Definition(apiVersion, kind) != nil }
	return &predict.Server{
		FieldManager: fieldmanager.Options{Types: predict.NewOwnedTypeSource(fieldmanager.NewTypeSource(t.Type), t.unserved, custom), Converter: t.convert, CheckTransitions: t.options.ImmutabilityMarkers},
		Kind:         t.Kind,
		Release:      t.release,
		GoForm:       t.goForm,
		Custom: func(apiVersion, kind string) (predict.Definition, bool) {
			v, custom := t.Version(apiVersion, kind)
			if v == nil {
				return nil, custom
			}
			return v, custom
		},
	}
}

// Define adds a CustomResourceDefinition from JSON or YAML. It replaces an earlier definition of the
// same kind. If the status says that the server does not serve the definition, because another
// definition has the same names, Define returns the definition but does not add it.
//
// The document must contain exactly one definition with usable schemas. Otherwise, Define returns an
// error. Call crd.Definition.Validate to find other errors.
func (t *Types) Define(doc []byte) (*Definition, error) {
	all, err := crd.Read("the definition", doc)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("want one CustomResourceDefinition, found %d", len(all))
	}
	var header struct {
		Metadata struct{ Name string }
		Spec     struct{ Conversion struct{ Strategy string } }
		Status   struct{ Conditions []condition }
	}
	content, err := json.Marshal(all[0].Object().Content)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &header); err != nil {
		return nil, err
	}
	d := &Definition{
		Definition: all[0], Name: header.Metadata.Name, Webhook: header.Spec.Conversion.Strategy == "Webhook",
		types: openapi.New(openapi.Options{DeclarativeDefaults: t.options.DeclarativeDefaults}), versions: map[string]*crd.Version{},
		allTypes: openapi.New(openapi.Options{DeclarativeDefaults: t.options.DeclarativeDefaults, UnservedVersions: true}),
	}
	for _, types := range []*openapi.Catalog{d.types, d.allTypes} {
		if err := types.AddCRD(d.Name, content); err != nil {
			return nil, err
		}
	}
	for _, v := range d.Versions {
		d.versions[v.Name] = v
	}
	if !isUnserved(header.Status.Conditions) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.custom[groupKind{d.Group, d.Kind}] = d
	}
	return d, nil
}

// condition is a condition in the status of a CustomResourceDefinition.
type condition struct{ Type, Status string }

// isUnserved reports whether a server has refused the names of a definition, and has never served the
// definition. If the definition has no status, the result is false.
func isUnserved(conditions []condition) bool {
	return slices.Contains(conditions, condition{"NamesAccepted", "False"}) && !slices.Contains(conditions, condition{"Established", "True"})
}

// Forget removes the definition with this name.
func (t *Types) Forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.custom, func(_ groupKind, d *Definition) bool { return d.Name == name })
}

// Definition returns the CustomResourceDefinition of a kind, or nil if there is none.
func (t *Types) Definition(apiVersion, kind string) *Definition {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.custom[groupKindOf(apiVersion, kind)]
}

// Version returns the CRD version that defines the given apiVersion and kind. custom is false if no
// CRD defines the kind. v is nil if no CRD defines the kind, or if the CRD lacks the version.
func (t *Types) Version(apiVersion, kind string) (v *crd.Version, custom bool) {
	d := t.Definition(apiVersion, kind)
	if d == nil {
		return nil, false
	}
	return d.versions[apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]], true
}

// Type returns the type of a kind. It returns false if the kind is not known.
func (t *Types) Type(apiVersion, kind string) (typed.ParseableType, bool) {
	return t.catalog(apiVersion, kind).Type(apiVersion, kind)
}

// unserved is like Type, but also finds versions that are not served.
func (t *Types) unserved(apiVersion, kind string) (typed.ParseableType, bool) {
	d := t.Definition(apiVersion, kind)
	if d == nil {
		return typed.ParseableType{}, false
	}
	return d.allTypes.Type(apiVersion, kind)
}

// Kind returns information about a kind. It returns false if the kind is not known.
func (t *Types) Kind(apiVersion, kind string) (openapi.Kind, bool) {
	return t.catalog(apiVersion, kind).Kind(apiVersion, kind)
}

// Kinds returns all kinds. The built-in kinds come first, sorted by version and kind. The custom
// resources follow, sorted by group and kind, then by version.
func (t *Types) Kinds() []openapi.Kind {
	all := t.builtin.Kinds()
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, gk := range slices.SortedFunc(maps.Keys(t.custom), func(a, b groupKind) int {
		return strings.Compare(a.group+"/"+a.kind, b.group+"/"+b.kind)
	}) {
		all = append(all, t.custom[gk].types.Kinds()...)
	}
	return all
}

func (t *Types) catalog(apiVersion, kind string) *openapi.Catalog {
	if d := t.Definition(apiVersion, kind); d != nil {
		return d.types
	}
	return t.builtin
}

// GoForm returns the Go types of the built-in kinds, or nil if they are not available.
func (t *Types) GoForm() *goform.Release { return t.goForm }

// Release returns the Kubernetes release of the built-in kinds, such as v1.37.2.
func (t *Types) Release() string { return t.builtin.Release() }

func (t *Types) convert(object map[string]any, apiVersion string) (map[string]any, error) {
	from, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	switch d := t.Definition(from, kind); {
	case d == nil:
		return convert.Builtin(t.builtin, object, apiVersion)
	case d.Webhook:
		return nil, fmt.Errorf("a webhook converts %s, so the object cannot be converted here", d.Name)
	}
	return fieldmanager.NoneConverter(object, apiVersion)
}
