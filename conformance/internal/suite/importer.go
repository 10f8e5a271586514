package suite

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/conformance/internal/consumer"
	"github.com/dovetail-ssa/dovetail/conformance/internal/gocmd"
)

// packages are the patterns of the suites over Kubernetes' libraries.
var packages = map[string][]string{
	"managedfields": {
		"k8s.io/apimachinery/pkg/util/managedfields/...",
		"k8s.io/kube-openapi/pkg/schemaconv/...",
	},
	"kubernetes": {
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
	},
}

// Kubernetes runs tests of Kubernetes' libraries as a program sees them that
// requires them, once as they are and once with structured-merge-diff replaced
// by our shim.
func Kubernetes(name, root, engine, work string) (*Verdict, error) {
	listed, err := Listed(root, name)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(work, "consumer")
	if err := consumer.Copy(filepath.Join(root, "conformance", "consumer", "kubernetes"), dir, nil); err != nil {
		return nil, err
	}
	if err := consumer.Replace(dir, root, engine); err != nil {
		return nil, err
	}
	intree := filepath.Join(work, "intree")
	if _, err := gocmd.Output(filepath.Join(root, "conformance"), "build", "-o", intree, "./cmd/intree"); err != nil {
		return nil, err
	}
	tree := filepath.Join(work, "tree")
	if err := placeSwagger(dir, tree); err != nil {
		return nil, err
	}

	run := func(log, modfile string) (*Result, error) {
		args := append([]string{"-mod=mod", "-modfile=" + modfile, "-exec=" + intree}, packages[name]...)
		return goTest(dir, filepath.Join(work, log), "", []string{"INTREE=" + tree}, args...)
	}
	base, err := run("upstream.json", "go.mod")
	if err != nil {
		return nil, err
	}
	ours, err := run("dovetail.json", consumer.Modfile)
	if err != nil {
		return nil, err
	}
	return Compare(name, base, ours, nil, listed), nil
}

// placeSwagger puts the OpenAPI document that the tests read into tree. It is
// kube-openapi's copy, which comes with the libraries.
func placeSwagger(module, tree string) error {
	kubeOpenAPI, err := gocmd.Output(module, "list", "-m", "-f", "{{.Dir}}", "k8s.io/kube-openapi")
	if err != nil {
		return err
	}
	from := filepath.Join(strings.TrimSpace(string(kubeOpenAPI)), "pkg", "schemaconv", "testdata", "swagger.json")
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	to := filepath.Join(tree, "api", "openapi-spec", "swagger.json")
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
