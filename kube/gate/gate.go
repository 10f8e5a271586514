// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/kube/crd/served"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// Options describe the API server.
type Options struct {
	// Release is the release of the server, such as 1.37 or v1.37.2. A controller gets it
	// from discovery. It is required.
	Release string
	// AlwaysSend are kinds whose applies are always sent, for example because a webhook
	// changes them.
	AlwaysSend []schema.GroupKind
	// Native predicts objects of built-in kinds with the code of the release. It is a
	// native.Engine for the same release. The caller must close it. If it is nil, the gate uses
	// the rules of package predict.
	Native predict.Native
}

// Gate decides which applies are sent. It is safe for concurrent use. As a
// prometheus.Collector it has the counter dovetail_gate_applies_total, with the labels
// group, kind, outcome (sent or saved) and reason.
type Gate struct {
	options Options
	server  *predict.Server
	types   *served.Types
	applies *prometheus.CounterVec
}

// New returns a gate for a server. It returns an error if data about the release is missing,
// because the gate might then skip a request that would change something.
func New(o Options) (*Gate, error) {
	if missing := openapi.Missing(o.Release); len(missing) > 0 {
		return nil, fmt.Errorf("release %s of Kubernetes: dovetail does not know %s of this release; use another release", o.Release, strings.Join(missing, ", "))
	}
	types, err := served.New(o.Release)
	if err != nil {
		return nil, err
	}
	g := &Gate{options: o, types: types, server: types.Server()}
	g.server.Native = o.Native
	g.applies = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dovetail_gate_applies_total",
		Help: "Applies that were sent, or saved because they would change nothing, by group, kind and reason.",
	}, []string{"group", "kind", "outcome", "reason"})
	return g, nil
}

// Define adds a CustomResourceDefinition, or updates it. A controller calls it for each
// event of its informer for definitions.
func (g *Gate) Define(object runtime.Object) error {
	doc, err := json.Marshal(object)
	if err != nil {
		return err
	}
	if _, err := g.types.Define(doc); err != nil {
		return fmt.Errorf("%T: %w", object, err)
	}
	return nil
}

// Forget removes the definition with a name. After that, applies of its kind are always
// sent.
func (g *Gate) Forget(name string) { g.types.Forget(name) }

// alwaysSends reports whether all applies of a kind are sent.
func (g *Gate) alwaysSends(apiVersion, kind string) bool {
	return slices.Contains(g.options.AlwaysSend, schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind())
}

// Describe implements prometheus.Collector.
func (g *Gate) Describe(to chan<- *prometheus.Desc) { g.applies.Describe(to) }

// Collect implements prometheus.Collector.
func (g *Gate) Collect(to chan<- prometheus.Metric) { g.applies.Collect(to) }

// Count counts a decision. Call it if you call Check and send applies yourself.
func (g *Gate) Count(apiVersion, kind string, d Decision) {
	outcome := "saved"
	if d.Send() {
		outcome = "sent"
	}
	gk := schema.FromAPIVersionAndKind(apiVersion, kind)
	g.applies.WithLabelValues(gk.Group, gk.Kind, outcome, string(d.Reason)).Inc()
}
