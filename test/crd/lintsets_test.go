// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	lintrules "github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

var sets = flag.Bool("sets", false, "download and lint the CRDs of thirty projects")

// linted are modules of projects whose CRDs many clusters use.
var linted = []string{
	"sigs.k8s.io/gateway-api@v1.7.0",
	"github.com/external-secrets/external-secrets@v1.3.2",
	"github.com/kyverno/kyverno@v1.19.1",
	"github.com/envoyproxy/gateway@v1.9.1",
	"github.com/cert-manager/cert-manager@v1.21.2",
	"github.com/argoproj/argo-cd/v3@v3.6.1",
	"github.com/crossplane/crossplane/v2@v2.4.0",
	"open-cluster-management.io/api@v1.3.0",
	"sigs.k8s.io/jobset@v0.10.1",
	"sigs.k8s.io/lws@v0.7.0",
	"github.com/tektoncd/pipeline@v1.6.0",
	"github.com/cloudnative-pg/cloudnative-pg@v1.27.1",
	"sigs.k8s.io/node-feature-discovery@v0.18.3",
	"github.com/open-telemetry/opentelemetry-operator@v0.136.0",
	"sigs.k8s.io/cluster-api@v1.14.2",
	"github.com/prometheus-operator/prometheus-operator@v0.85.0",
	"github.com/fluxcd/kustomize-controller@v1.10.1",
	"github.com/fluxcd/source-controller@v1.10.1",
	"sigs.k8s.io/kueue@v0.17.0",
	"github.com/kedacore/keda/v2@v2.21.0",
	"github.com/vmware-tanzu/velero@v1.18.3",
	"github.com/traefik/traefik/v3@v3.7.13",
	"sigs.k8s.io/karpenter@v1.15.0",
	"github.com/kubeflow/spark-operator/v2@v2.3.0",
	"github.com/argoproj/argo-rollouts@v1.10.2",
	"github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0",
	"go.universe.tf/metallb@v0.16.2",
	"github.com/projectcontour/contour@v1.33.8",
	"github.com/operator-framework/api@v0.9.1",
	"sigs.k8s.io/network-policy-api@v0.1.1",
}

// TestLintSets runs lint on the CRDs of thirty projects and checks each error. Either the API
// server must reject the CRD, or each server-side apply to its objects must fail.
func TestLintSets(t *testing.T) {
	if !*sets {
		t.Skip("without -sets")
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "project\tCRDs\terrors\twarnings\thints\twhich errors and warnings\t")
	for _, module := range linted {
		crds, _ := shipped(t, []string{module})
		if len(crds) == 0 {
			t.Errorf("%s has no CRDs", module)
		}
		var n [3]int
		which := map[string]int{}
		for _, doc := range crds {
			d := read(t, doc)
			errs := 0
			for _, f := range slices.Concat(d.Validate(), d.Lint()) {
				r, ok := lintrules.Lookup(string(f.Rule))
				if !ok {
					t.Errorf("%s: unknown rule %s", module, f.Rule)
				}
				n[r.Severity]++
				if r.Severity > lintrules.Hint {
					which[r.ID]++
				}
				if r.Severity == lintrules.Error && f.Rule != openapi.SetOfObjects {
					errs++
				}
			}
			refused, err := upstream(t, doc)
			if (errs > 0) != (len(refused) > 0 || err != nil) {
				t.Errorf("%s, %s: lint reports %d errors; the API server rejects the CRD: %v, %v", module, d.Object().Identity().Name, errs, refused, err)
			}
		}
		var list []string
		for _, id := range slices.Sorted(maps.Keys(which)) {
			list = append(list, fmt.Sprintf("%d %s", which[id], id))
		}
		name, _, _ := strings.Cut(module, "@")
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%s\t\n", name, len(crds), n[lintrules.Error], n[lintrules.Warning], n[lintrules.Hint], strings.Join(list, ", "))
	}
	w.Flush()
	t.Logf("\n%s", table.Bytes())
}

func read(t *testing.T, doc map[string]any) *crd.Definition {
	t.Helper()
	objects, err := manifest.Read("crd.json", []byte(plain.Text(doc)))
	if err != nil {
		t.Fatal(err)
	}
	return crd.New(objects[0])
}
