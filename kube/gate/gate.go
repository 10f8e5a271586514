// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/convert"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/goform"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Options say what is known of the API server.
type Options struct {
	// Release is that of the server, such as 1.37, or v1.37.2 as it says itself: a controller asks
	// discovery for it. It is required.
	Release string
	// AlwaysSend are kinds of which all applies are sent, such as those that a webhook changes.
	AlwaysSend []schema.GroupKind
}

// Gate decides which applies are sent. It is safe for concurrent use. As a
// prometheus.Collector it has the counter dovetail_gate_applies_total, with the labels group, kind,
// outcome (sent or saved) and reason.
type Gate struct {
	options Options
	server  *predict.Server
	builtin *openapi.Catalog
	applies *prometheus.CounterVec

	mu     sync.RWMutex
	custom map[schema.GroupKind]*definition
}

// definition is what a CustomResourceDefinition says.
type definition struct {
	name     string
	types    *openapi.Catalog
	versions map[string]*crd.Version
	// webhook says that it converts by one.
	webhook bool
}

// New is a gate before a server. It fails if the release is not known.
func New(o Options) (*Gate, error) {
	types, err := openapi.BuiltinFor(o.Release, openapi.DeclarativeDefaults(false))
	if err != nil {
		return nil, err
	}
	release, err := defaults.For(o.Release)
	if err != nil {
		return nil, err
	}
	goForm, err := goform.For(o.Release)
	if err != nil {
		return nil, err
	}
	g := &Gate{options: o, builtin: types, custom: map[schema.GroupKind]*definition{}}
	g.applies = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dovetail_gate_applies_total",
		Help: "Applies that were sent, or saved since they would change nothing, by group and kind, with the reason.",
	}, []string{"group", "kind", "outcome", "reason"})
	g.server = &predict.Server{
		FieldManager: fieldmanager.Options{Types: fieldmanager.TypesOf(g.typeOf), Converter: g.convert},
		Kind:         g.kind,
		Release:      release,
		GoForm:       goForm,
		Custom:       g.definitionOf,
	}
	return g, nil
}

// Define tells of a CustomResourceDefinition, or of a new state of it. A controller calls it with
// what its informer of definitions has.
func (g *Gate) Define(object runtime.Object) error {
	doc, err := json.Marshal(object)
	if err != nil {
		return err
	}
	all, err := crd.Read("the definition", doc)
	if err != nil {
		return err
	}
	if len(all) != 1 {
		return fmt.Errorf("want a CustomResourceDefinition with apiVersion and kind, got %T", object)
	}
	var said struct {
		Metadata struct{ Name string }
		Spec     struct{ Conversion struct{ Strategy string } }
	}
	if err := json.Unmarshal(doc, &said); err != nil {
		return err
	}
	d := &definition{
		name: said.Metadata.Name, types: openapi.New(openapi.DeclarativeDefaults(false)), versions: map[string]*crd.Version{},
		webhook: said.Spec.Conversion.Strategy == "Webhook",
	}
	if err := d.types.AddCRD(d.name, doc); err != nil {
		return err
	}
	for _, v := range all[0].Versions {
		d.versions[v.Name] = v
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.custom[schema.GroupKind{Group: all[0].Group, Kind: all[0].Kind}] = d
	return nil
}

// Forget takes back what Define said of the definition of a name. Applies of its kind are sent.
func (g *Gate) Forget(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.custom, func(_ schema.GroupKind, d *definition) bool { return d.name == name })
}

// define is the definition of a kind, nil if there is none.
func (g *Gate) define(apiVersion, kind string) *definition {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.custom[schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()]
}

func (g *Gate) typeOf(apiVersion, kind string) (typed.ParseableType, bool) {
	if d := g.define(apiVersion, kind); d != nil {
		return d.types.Type(apiVersion, kind)
	}
	return g.builtin.Type(apiVersion, kind)
}

func (g *Gate) kind(apiVersion, kind string) (openapi.Kind, bool) {
	if d := g.define(apiVersion, kind); d != nil {
		return d.types.Kind(apiVersion, kind)
	}
	return g.builtin.Kind(apiVersion, kind)
}

func (g *Gate) definitionOf(apiVersion, kind string) (predict.Definition, bool) {
	d := g.define(apiVersion, kind)
	if d == nil {
		return nil, false
	}
	version := d.versions[schema.FromAPIVersionAndKind(apiVersion, kind).Version]
	if version == nil {
		return nil, true
	}
	return version, true
}

func (g *Gate) convert(object map[string]any, apiVersion string) (map[string]any, error) {
	was, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	switch d := g.define(was, kind); {
	case d == nil:
		return convert.Builtin(g.builtin, object, apiVersion)
	case d.webhook:
		return nil, fmt.Errorf("%s is converted by a webhook", d.name)
	}
	return fieldmanager.SameShape(object, apiVersion)
}

// always says whether applies of a kind are sent without being looked at.
func (g *Gate) always(apiVersion, kind string) bool {
	return slices.Contains(g.options.AlwaysSend, schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind())
}

// Describe makes a Gate a prometheus.Collector.
func (g *Gate) Describe(to chan<- *prometheus.Desc) { g.applies.Describe(to) }

// Collect makes a Gate a prometheus.Collector.
func (g *Gate) Collect(to chan<- prometheus.Metric) { g.applies.Collect(to) }

// Count counts what became of a decision, for those who ask Check and send by themselves.
func (g *Gate) Count(apiVersion, kind string, d Decision) {
	outcome := "saved"
	if d.Send() {
		outcome = "sent"
	}
	gk := schema.FromAPIVersionAndKind(apiVersion, kind)
	g.applies.WithLabelValues(gk.Group, gk.Kind, outcome, string(d.Reason)).Inc()
}
