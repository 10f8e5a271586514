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

// Options say what is known of the API server.
type Options struct {
	// Release is that of the server, such as 1.37, or v1.37.2 as it says itself: a controller asks
	// discovery for it. It is required.
	Release string
	// AlwaysSend are kinds of which all applies are sent, such as those that a webhook changes.
	AlwaysSend []schema.GroupKind
	// Native predicts objects of built-in kinds with the code of the release: a native.Engine for
	// the same release, which the caller closes. Nil leaves that to the rules of package predict.
	Native predict.Native
}

// Gate decides which applies are sent. It is safe for concurrent use. As a
// prometheus.Collector it has the counter dovetail_gate_applies_total, with the labels group, kind,
// outcome (sent or saved) and reason.
type Gate struct {
	options Options
	server  *predict.Server
	types   *served.Types
	applies *prometheus.CounterVec
}

// New is a gate before a server. It fails if the release is not known, or known in part only:
// a gate must not save a request that would change something.
func New(o Options) (*Gate, error) {
	if missing := openapi.Missing(o.Release); len(missing) > 0 {
		return nil, fmt.Errorf("release %s of Kubernetes: %s are not known", o.Release, strings.Join(missing, ", "))
	}
	types, err := served.New(o.Release)
	if err != nil {
		return nil, err
	}
	g := &Gate{options: o, types: types, server: types.Server()}
	g.server.Native = o.Native
	g.applies = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dovetail_gate_applies_total",
		Help: "Applies that were sent, or saved since they would change nothing, by group and kind, with the reason.",
	}, []string{"group", "kind", "outcome", "reason"})
	return g, nil
}

// Define tells of a CustomResourceDefinition, or of a new state of it. A controller calls it with
// what its informer of definitions has.
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

// Forget takes back what Define said of the definition of a name. Applies of its kind are sent.
func (g *Gate) Forget(name string) { g.types.Forget(name) }

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
