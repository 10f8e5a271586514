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
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/immutable"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Types are the kinds of a server. They are safe for concurrent use.
type Types struct {
	builtin *openapi.Catalog
	release *defaults.Release
	goForm  *goform.Release
	// immutable is what may not change in built-in kinds.
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

// Definition is a CustomResourceDefinition that is served. It is not written to.
type Definition struct {
	*crd.Definition
	// Name is that of the definition, such as widgets.example.com.
	Name string
	// Webhook says that a webhook converts between its versions, so that nobody here can.
	Webhook bool

	// types are those of the versions that are served, all those of all.
	types, all *openapi.Catalog
	versions   map[string]*crd.Version
}

// New returns the built-in kinds of a release, such as 1.37 or v1.37.2, of which the minor
// release counts. It fails if the types of the release are not known; openapi.Missing lists
// what else may be unknown, and is then left out.
func New(release string) (*Types, error) {
	t := &Types{custom: map[groupKind]*Definition{}}
	var err error
	if t.builtin, err = openapi.BuiltinRelease(release, openapi.Options{}); err != nil {
		return nil, err
	}
	// These are nil if they are not known.
	t.release, _ = defaults.New(release)
	t.immutable, _ = immutable.New(release)
	t.goForm, _ = goform.New(release)
	return t, nil
}

// Server returns a server of these kinds, whose other fields are to be set before it is used.
func (t *Types) Server() *predict.Server {
	custom := func(apiVersion, kind string) bool { return t.Definition(apiVersion, kind) != nil }
	return &predict.Server{
		FieldManager: fieldmanager.Options{Types: predict.NewOwnedTypeSource(fieldmanager.NewTypeSource(t.Type), t.unserved, custom), Converter: t.convert},
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

// Define tells of one CustomResourceDefinition, or of a new state of it, in JSON or YAML. It
// fails if the document is none, or if its schemas cannot be used; what else is wrong with it
// crd.Definition.Validate says.
func (t *Types) Define(doc []byte) (*Definition, error) {
	all, err := crd.Read("the definition", doc)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("want one CustomResourceDefinition, found %d", len(all))
	}
	var said struct {
		Metadata struct{ Name string }
		Spec     struct{ Conversion struct{ Strategy string } }
	}
	content, err := json.Marshal(all[0].Object().Content)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &said); err != nil {
		return nil, err
	}
	d := &Definition{
		Definition: all[0], Name: said.Metadata.Name, Webhook: said.Spec.Conversion.Strategy == "Webhook",
		types: openapi.New(openapi.Options{}), versions: map[string]*crd.Version{},
		all: openapi.New(openapi.Options{UnservedVersions: true}),
	}
	for _, types := range []*openapi.Catalog{d.types, d.all} {
		if err := types.AddCRD(d.Name, content); err != nil {
			return nil, err
		}
	}
	for _, v := range d.Versions {
		d.versions[v.Name] = v
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.custom[groupKind{d.Group, d.Kind}] = d
	return d, nil
}

// Forget takes back what Define said of the definition of a name.
func (t *Types) Forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.custom, func(_ groupKind, d *Definition) bool { return d.Name == name })
}

// Definition returns the definition of a kind, nil if it has none.
func (t *Types) Definition(apiVersion, kind string) *Definition {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.custom[groupKindOf(apiVersion, kind)]
}

// Version returns the version of a custom resource, nil if its definition has none of that
// name, and whether the kind is a custom resource.
func (t *Types) Version(apiVersion, kind string) (v *crd.Version, custom bool) {
	d := t.Definition(apiVersion, kind)
	if d == nil {
		return nil, false
	}
	return d.versions[apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]], true
}

// Type returns the type of a kind, and whether it is known.
func (t *Types) Type(apiVersion, kind string) (typed.ParseableType, bool) {
	return t.catalog(apiVersion, kind).Type(apiVersion, kind)
}

// unserved is Type for the versions that a definition has, served or not.
func (t *Types) unserved(apiVersion, kind string) (typed.ParseableType, bool) {
	d := t.Definition(apiVersion, kind)
	if d == nil {
		return typed.ParseableType{}, false
	}
	return d.all.Type(apiVersion, kind)
}

// Kind returns what is known of a kind, and whether it is known.
func (t *Types) Kind(apiVersion, kind string) (openapi.Kind, bool) {
	return t.catalog(apiVersion, kind).Kind(apiVersion, kind)
}

// Kinds returns all kinds: first the built-in ones, and then custom resources by their group
// and kind; of one definition or release by version and kind.
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

// GoForm returns the Go types of the built-in kinds, nil if they are not known.
func (t *Types) GoForm() *goform.Release { return t.goForm }

// Release returns the release of the built-in kinds, such as v1.37.2.
func (t *Types) Release() string { return t.builtin.Release() }

func (t *Types) convert(object map[string]any, apiVersion string) (map[string]any, error) {
	was, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	switch d := t.Definition(was, kind); {
	case d == nil:
		return convert.Builtin(t.builtin, object, apiVersion)
	case d.Webhook:
		return nil, fmt.Errorf("%s is converted by a webhook", d.Name)
	}
	return fieldmanager.NoneConverter(object, apiVersion)
}
