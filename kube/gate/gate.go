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

// Options describes the API server, and the applies that a gate always sends.
type Options struct {
	// Release is the Kubernetes release of the server, such as 1.37 or v1.37.2. A controller
	// can read it with a discovery client. Release is required.
	Release string
	// AlwaysSend lists kinds whose applies are always sent, for example because a webhook
	// changes their objects.
	AlwaysSend []schema.GroupKind
	// Native, if not nil, predicts objects of built-in kinds with the release's own code. Use
	// a native.Engine of the same release, and close it after use. If Native is nil, the gate
	// uses the rules of package predict.
	Native predict.Native
}

// Gate decides which applies to send. It is safe for concurrent use. It is also a
// prometheus.Collector for the counter dovetail_gate_applies_total, which has the labels
// group, kind, outcome (sent or saved) and reason.
type Gate struct {
	options Options
	server  *predict.Server
	types   *served.Types
	applies *prometheus.CounterVec
}

// New returns a gate for a server. If data about the release is missing, New returns an
// error, because the gate could then skip an apply that would change something.
func New(o Options) (*Gate, error) {
	if missing := openapi.Missing(o.Release); len(missing) > 0 {
		return nil, fmt.Errorf("release %s of Kubernetes: dovetail does not know %s of this release; use another release", o.Release, strings.Join(missing, ", "))
	}
	types, err := served.New(served.Options{Release: o.Release})
	if err != nil {
		return nil, err
	}
	g := &Gate{options: o, types: types, server: types.Server()}
	g.server.Native = o.Native
	g.applies = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dovetail_gate_applies_total",
		Help: "Server-side applies by group, kind, outcome (sent, or saved because it would change nothing) and reason.",
	}, []string{"group", "kind", "outcome", "reason"})
	return g, nil
}

// Define adds or updates a CustomResourceDefinition. Call it for each event of an informer
// for definitions. Define ignores definitions that the server does not serve, because another
// definition has the same names.
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

// Forget removes the CustomResourceDefinition with this name. From then on, the gate sends
// all applies of the kind that the definition declared.
func (g *Gate) Forget(name string) { g.types.Forget(name) }

// alwaysSends reports whether the options require sending all applies of a kind.
func (g *Gate) alwaysSends(apiVersion, kind string) bool {
	return slices.Contains(g.options.AlwaysSend, schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind())
}

// Describe implements prometheus.Collector.
func (g *Gate) Describe(to chan<- *prometheus.Desc) { g.applies.Describe(to) }

// Collect implements prometheus.Collector.
func (g *Gate) Collect(to chan<- prometheus.Metric) { g.applies.Collect(to) }

// Count adds a decision to the metric. Call Count only if your program calls Check directly
// and sends the applies itself.
func (g *Gate) Count(apiVersion, kind string, d Decision) {
	outcome := "saved"
	if d.Send() {
		outcome = "sent"
	}
	gk := schema.FromAPIVersionAndKind(apiVersion, kind)
	g.applies.WithLabelValues(gk.Group, gk.Kind, outcome, string(d.Reason)).Inc()
}
