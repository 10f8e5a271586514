// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/internal/build"
	"github.com/dovetail-ssa/dovetail/test/internal/consumer"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// runImporter runs tests of programs that import structured-merge-diff. A consumer module
// requires these programs. The tests run twice: unchanged, and with Dovetail's drop-in for
// structured-merge-diff.
func (s Suite) runImporter(root, engine, work string) (*Verdict, error) {
	listed, err := Listed(root, s.Name)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(work, "consumer")
	if err := consumer.Place(dir, s.Consumer, s.Major, root, engine); err != nil {
		return nil, err
	}
	if s.Adapter != nil {
		if err := s.Adapter.place(dir, engine, work); err != nil {
			return nil, err
		}
	}
	intree := filepath.Join(work, "intree")
	if _, err := gocmd.Output(filepath.Join(root, "test"), "build", "-o", intree, "./cmd/intree"); err != nil {
		return nil, err
	}
	env, err := s.etcd(dir, work)
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(work, "tree")
	env = append(env, "INTREE="+tree)
	if err := placeSwagger(dir, tree); err != nil {
		return nil, err
	}

	run := func(name, modfile string, engine build.Engine) (*Result, error) {
		if err := s.checkEngine(dir, modfile); err != nil {
			return nil, err
		}
		server, err := s.server(work, engine)
		if err != nil {
			return nil, err
		}
		args := append([]string{"-mod=mod", "-modfile=" + modfile, "-exec=" + intree}, s.Packages...)
		report := filepath.Join(work, name+".ginkgo.json")
		if s.Ginkgo {
			args = append(args, "-ginkgo.json-report="+report)
		}
		res, err := goTest(dir, filepath.Join(work, name+".json"), "", append(server, env...), args...)
		if err == nil && s.Ginkgo {
			err = res.readGinkgo(report, s.Packages[0])
		}
		return res, err
	}
	base, err := run("upstream", "go.mod", build.SMD)
	if err != nil {
		return nil, err
	}
	ours, err := run("dovetail", consumer.Modfile, build.Dovetail)
	if err != nil {
		return nil, err
	}
	return Compare(s.Name, base, ours, nil, listed), nil
}

// etcd builds the etcd that the tests start. It returns a PATH variable that contains the
// folder of this etcd. It does nothing for tests that start no etcd.
func (s Suite) etcd(dir, work string) (env []string, err error) {
	if !s.Etcd {
		return nil, nil
	}
	bin := filepath.Join(work, "bin")
	_, err = gocmd.Output(dir, "build", "-o", filepath.Join(bin, "etcd"), "go.etcd.io/etcd/server/v3")
	return []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}, err
}

// server builds the API server and the etcd that the tests start. It returns environment
// variables with the paths of these programs. It does nothing for tests that start no API
// server.
func (s Suite) server(work string, e build.Engine) ([]string, error) {
	if s.Server == "" {
		return nil, nil
	}
	release, err := repo.FindRelease(s.Server)
	if err != nil {
		return nil, err
	}
	b, err := build.New(work, release, false)
	if err != nil {
		return nil, err
	}
	etcd, err := b.Etcd()
	if err != nil {
		return nil, err
	}
	apiServer, err := b.APIServer(e)
	return []string{"TEST_ASSET_ETCD=" + etcd, "TEST_ASSET_KUBE_APISERVER=" + apiServer}, err
}

// checkEngine fails if the tests would not use the engine that modfile selects.
func (s Suite) checkEngine(dir, modfile string) error {
	args := append([]string{"list", "-mod=mod", "-modfile=" + modfile, "-deps", "-test", "-f", "{{with .Module}}{{.Path}}{{end}}"}, s.Packages...)
	out, err := gocmd.Output(dir, args...)
	if err != nil {
		return err
	}
	ours := false
	for _, module := range strings.Fields(string(out)) {
		ours = ours || module == repo.Module
		if s.Major == repo.V7 && module == repo.V6.Path {
			return fmt.Errorf("%s: tests also import %s", modfile, module)
		}
	}
	if want := modfile == consumer.Modfile; ours != want {
		return fmt.Errorf("%s: tests import our engine: %v, want %v", modfile, ours, want)
	}
	return nil
}

// placeSwagger writes an OpenAPI document to the folder tree, where the tests expect it. It
// copies the document from kube-openapi.
func placeSwagger(module, tree string) error {
	// Download the module first, because its folder is known only after the download.
	kubeOpenAPI, err := gocmd.DownloadFor(module, "k8s.io/kube-openapi")
	if err != nil {
		return err
	}
	from := filepath.Join(kubeOpenAPI, "pkg", "schemaconv", "testdata", "swagger.json")
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
