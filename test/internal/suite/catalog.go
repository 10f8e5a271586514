// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Suite is a set of tests from another project. A test that passes with structured-merge-diff
// must also pass with Dovetail.
type Suite struct {
	Name     string
	Doc      string     // a description in one line
	Major    repo.Major // the major version of structured-merge-diff that the project uses
	Consumer string     // the module in test/consumers that pins the release; "" for the tests of structured-merge-diff itself
	Packages []string   // patterns of the packages with the tests
	Ginkgo   bool       // there is only one package, and each of its Ginkgo specs counts as a test
	Etcd     bool       // the tests start the etcd program that they find in PATH
	// Server is the Kubernetes release whose API server the tests start, or "". The tests start
	// this server and an etcd with controller-runtime's envtest. The server contains the same
	// engine as the tests.
	Server string
	// Toolchain is the version of Go that the tests require, in the spelling of GOTOOLCHAIN.
	// If it is "", the tests use the version that Major requires, or any version.
	Toolchain string
	// Adapter, if not nil, changes the tests of the second run.
	Adapter *Adapter
}

// libraryPackages lists all packages in Kubernetes' libraries that merge objects, or use
// schemas of structured-merge-diff.
var libraryPackages = []string{
	"k8s.io/apiextensions-apiserver/pkg/apiserver",
	"k8s.io/apiextensions-apiserver/pkg/registry/...",
	"k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/util/managedfields/...",
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/...",
	"k8s.io/apiserver/pkg/cel/common/...",
	"k8s.io/apiserver/pkg/endpoints",
	"k8s.io/apiserver/pkg/endpoints/handlers/...",
	"k8s.io/apiserver/pkg/registry/generic/registry",
	"k8s.io/apiserver/pkg/registry/rest",
	"k8s.io/client-go/applyconfigurations/...",
	"k8s.io/client-go/testing/...",
	"k8s.io/client-go/util/csaupgrade/...",
	"k8s.io/kube-openapi/pkg/schemaconv/...",
}

// quickPackages lists the libraryPackages that need no server and build in a few minutes.
var quickPackages = []string{
	"k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/util/managedfields/...",
	"k8s.io/client-go/applyconfigurations/...",
	"k8s.io/client-go/testing/...",
	"k8s.io/client-go/util/csaupgrade/...",
	"k8s.io/kube-openapi/pkg/schemaconv/...",
}

// v4Packages lists the packages of Kubernetes 1.33, the last release that uses
// structured-merge-diff v4.
var v4Packages = append([]string{
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch",
	"k8s.io/apiserver/pkg/cel/common/...",
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager",
}, quickPackages...)

// Suites lists all suites, in the order of the output.
var Suites = append(suites, serverApplies()...)

var suites = []Suite{
	{Name: "smd-v6", Doc: "structured-merge-diff v6.4.2's own tests", Major: repo.V6},
	{Name: "smd-v7", Doc: "structured-merge-diff v7.0.0's own tests", Major: repo.V7},
	{Name: "smd-v4", Doc: "structured-merge-diff v4.7.0's own tests", Major: repo.V4},
	{
		Name: "managedfields", Doc: "Kubernetes 1.37's managed fields and schemaconv, the fastest suite",
		Major: repo.V6, Consumer: "kubernetes-1.37",
		Packages: []string{"k8s.io/apimachinery/pkg/util/managedfields/...", "k8s.io/kube-openapi/pkg/schemaconv/..."},
	},
	{Name: "clients-1.38", Doc: "the parts of Kubernetes 1.38's libraries (beta) that run without a server, with the v7 drop-in", Major: repo.V7, Consumer: "kubernetes-1.38", Packages: quickPackages},
	{Name: "clients-1.36", Doc: "the parts of Kubernetes 1.36's libraries that run without a server", Major: repo.V6, Consumer: "kubernetes-1.36", Packages: quickPackages},
	{Name: "clients-1.35", Doc: "the parts of Kubernetes 1.35's libraries that run without a server", Major: repo.V6, Consumer: "kubernetes-1.35", Packages: quickPackages},
	{Name: "kubernetes-1.33", Doc: "Kubernetes 1.33's libraries, with the v4 drop-in", Major: repo.V4, Consumer: "kubernetes-1.33", Packages: v4Packages},
	{
		Name: "argo", Doc: "Argo CD's diff and managed fields", Major: repo.V6, Consumer: "argo",
		Packages: []string{
			"github.com/argoproj/argo-cd/gitops-engine/pkg/diff",
			"github.com/argoproj/argo-cd/v3/util/argo/managedfields",
		},
	},
	{
		Name: "argo-3.6", Doc: "Argo CD 3.6's diff and managed fields, needs Go 1.27", Major: repo.V6, Toolchain: repo.V7.Toolchain,
		Consumer: "argo-3.6",
		Packages: []string{
			"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/diff",
			"github.com/argoproj/argo-cd/v3/util/argo/managedfields",
		},
	},
	{
		Name: "argo-dryrun", Doc: "Argo CD's server-side diff with kube/gate instead of recorded server answers, needs Go 1.27",
		Major: repo.V6, Toolchain: repo.V7.Toolchain, Consumer: "argo-3.6",
		Packages: []string{"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/diff"},
		Adapter: &Adapter{
			Module: "github.com/argoproj/argo-cd/gitops-engine/v3",
			Edits: []edit{{
				file: "pkg/diff/diff_test.go",
				replace: []replacement{
					{"TestServerSideDiff", "mocks.NewServerSideDryRunner(t)", "predicted(t)"},
					{"TestServerSideDiff", `dryRunner.EXPECT().Run(mock.Anything, mock.AnythingOfType("*unstructured.Unstructured"), manager).`, ""},
					{"TestServerSideDiff", "Return(predictedLive, nil)", ""},
					{"TestServerSideDiff", "serverSideDiff(t.Context(), desiredState, liveState,", "serverSideDiff(withLive(t, liveState), desiredState, liveState,"},
				},
			}},
			Helper: "argo.txt",
		},
	},
	{
		Name: "helm", Doc: "Helm's applies", Major: repo.V6, Consumer: "helm",
		Packages: []string{"helm.sh/helm/v4/pkg/kube"},
	},
	{
		Name: "flux", Doc: "Flux's library for server-side apply, with etcd and API server", Major: repo.V6, Toolchain: repo.V7.Toolchain,
		Consumer: "flux", Server: "1.37",
		Packages: []string{"github.com/fluxcd/pkg/ssa/..."},
	},
	{
		Name: "flux-dryrun", Doc: "Flux's library for server-side apply, with kube/gate instead of the server's dry runs", Major: repo.V6, Toolchain: repo.V7.Toolchain,
		Consumer: "flux", Server: "1.37",
		Packages: []string{"github.com/fluxcd/pkg/ssa/..."},
		Adapter: &Adapter{
			Module: "github.com/fluxcd/pkg/ssa",
			Edits: []edit{
				{file: "main_test.go", replace: []replacement{
					{"TestMain", "client: kubeClient,", "client: answering(kubeClient),"},
					{"TestMain", "code := m.Run()", "code := answered(m.Run())"},
				}},
				{file: "jsondiff/suite_test.go", replace: []replacement{
					{"TestMain", "testClient = c", "testClient = answering(c)"},
					{"TestMain", "code := m.Run()", "code := answered(m.Run())"},
				}},
			},
			Helper: "flux.txt",
		},
	},
	{
		Name: "cluster-api", Doc: "Cluster API's helpers for server-side apply, with etcd and API server", Major: repo.V6,
		Consumer: "cluster-api", Server: "1.37",
		Packages: []string{"sigs.k8s.io/cluster-api/internal/util/ssa/..."},
	},
	{
		Name: "kubectl", Doc: "kubectl's apply and diff", Major: repo.V6, Consumer: "kubectl",
		Packages: []string{"k8s.io/kubectl/pkg/cmd/apply", "k8s.io/kubectl/pkg/cmd/diff"},
	},
	{
		Name: "controller-runtime", Doc: "controller-runtime's fake client, by Ginkgo spec", Major: repo.V6,
		Consumer: "controller-runtime", Ginkgo: true,
		Packages: []string{"sigs.k8s.io/controller-runtime/pkg/client/fake"},
	},
	{Name: "kubernetes-1.37", Doc: "all of Kubernetes 1.37's libraries that merge objects, takes long", Major: repo.V6, Consumer: "kubernetes-1.37", Packages: libraryPackages},
	{Name: "kubernetes-1.38", Doc: "all of Kubernetes 1.38's libraries (beta) that merge objects except apiextensions, with the v7 drop-in", Major: repo.V7, Consumer: "kubernetes-1.38", Packages: libraryPackages[2:]},
	{Name: "kubernetes-1.36", Doc: "all of Kubernetes 1.36's libraries that merge objects", Major: repo.V6, Consumer: "kubernetes-1.36", Packages: libraryPackages},
	{Name: "kubernetes-1.35", Doc: "all of Kubernetes 1.35's libraries that merge objects", Major: repo.V6, Consumer: "kubernetes-1.35", Packages: libraryPackages},
	{
		Name: "registry", Doc: "the API server's Pod and Deployment registries", Major: repo.V6, Consumer: "server-1.36",
		Packages: []string{"k8s.io/kubernetes/pkg/registry/core/pod", "k8s.io/kubernetes/pkg/registry/apps/deployment"},
	},
}

// serverApplies calls ServerApply for each release, and returns all suites.
func serverApplies() (all []Suite) {
	for _, r := range repo.Releases {
		all = append(all, ServerApply(r))
	}
	return all
}

// ServerApply returns a suite with Kubernetes' own integration tests of server-side apply.
func ServerApply(r repo.Release) Suite {
	return Suite{
		Name: "server-apply-" + r.Name, Doc: "Kubernetes " + r.Name + "'s integration tests of server-side apply, with etcd and API server", Major: r.Major,
		Consumer: r.Consumer, Etcd: true,
		Packages: []string{"k8s.io/kubernetes/test/integration/apiserver/apply"},
	}
}

// Find returns the suite with the given name.
func Find(name string) (Suite, error) {
	i := slices.IndexFunc(Suites, func(s Suite) bool { return s.Name == name })
	if i < 0 {
		return Suite{}, fmt.Errorf("no suite %q", name)
	}
	return Suites[i], nil
}

// Run runs the tests twice: with structured-merge-diff, and with the engine in the folder of the
// second argument. It uses the last argument, an empty folder, for its files.
func (s Suite) Run(root, engine, work string) (*Verdict, error) {
	if toolchain := cmp.Or(s.Toolchain, s.Major.Toolchain); toolchain != "" {
		if err := os.Setenv("GOTOOLCHAIN", toolchain); err != nil {
			return nil, err
		}
	}
	if s.Consumer == "" {
		return s.runOwn(root, engine, work)
	}
	return s.runImporter(root, engine, work)
}
