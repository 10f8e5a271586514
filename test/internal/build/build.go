// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package build builds the programs of a cluster from the module cache: etcd, kubectl, and
// kube-apiserver with one of the engines.
package build

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dovetail-ssa/dovetail/test/internal/consumer"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Engine is the merge engine in a kube-apiserver.
type Engine struct {
	Name string // also the name of the folder with the program
	Ours bool
	Tags string // build tags of the drop-in
}

// These are the engines for API servers.
var (
	SMD         = Engine{Name: "smd"}
	Dovetail    = Engine{Name: "dovetail", Ours: true}
	Declarative = Engine{Name: "declarative", Ours: true, Tags: "declarativedefaults"}
)

// Builder builds the programs of one release, in a separate folder for each release. It builds
// each program only once.
type Builder struct {
	repo.Release
	dir    string // folder of the programs
	module string // folder with a copy of the module that pins Kubernetes
	keep   bool   // whether to use programs of earlier runs
}

// New returns a Builder for a release in the folder dir. If keep is set, the Builder uses the
// programs of earlier runs, and checks that they contain the right engine.
func New(dir string, r repo.Release, keep bool) (*Builder, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	b := &Builder{Release: r, dir: filepath.Join(dir, "bin", r.Name), module: filepath.Join(dir, r.Consumer), keep: keep}
	if err := os.RemoveAll(b.module); err != nil {
		return nil, err
	}
	return b, consumer.Place(b.module, r.Consumer, r.Major, root, root)
}

// Etcd builds the version of etcd that Kubernetes requires.
func (b *Builder) Etcd() (string, error) {
	return b.build("etcd", "go.etcd.io/etcd/server/v3")
}

// Kubectl builds kubectl.
func (b *Builder) Kubectl() (string, error) {
	return b.build("kubectl", "k8s.io/kubernetes/cmd/kubectl")
}

// APIServer builds kube-apiserver with an engine. It checks that the program contains this
// engine.
func (b *Builder) APIServer(e Engine) (string, error) {
	var flags []string
	if e.Ours {
		flags = []string{"-mod=mod", "-modfile=" + consumer.Modfile}
	}
	if e.Tags != "" {
		flags = append(flags, "-tags="+e.Tags)
	}
	bin, err := b.build(filepath.Join(e.Name, "kube-apiserver"), "k8s.io/kubernetes/cmd/kube-apiserver", flags...)
	if err != nil {
		return "", err
	}
	return bin, b.checkEngine(bin, e.Ours)
}

func (b *Builder) build(name, pkg string, flags ...string) (string, error) {
	bin := filepath.Join(b.dir, name)
	if _, err := os.Stat(bin); err == nil && b.keep {
		return bin, nil
	}
	// Kubernetes may need a different version of Go from the caller.
	_, err := gocmd.With(append([]string{"GOTOOLCHAIN=auto"}, b.Major.Env()...), b.module, append(append([]string{"build", "-o", bin}, flags...), pkg)...)
	return bin, err
}

// checkEngine checks which modules a program contains. If ours is true, Dovetail must replace
// structured-merge-diff in the program. If ours is false, the program must contain
// structured-merge-diff itself. In both cases, the program must contain no other major version of
// structured-merge-diff.
func (b *Builder) checkEngine(bin string, ours bool) error {
	info, err := buildinfo.ReadFile(bin)
	if err != nil {
		return err
	}
	found, replaced, engine := false, false, false
	for _, m := range info.Deps {
		switch m.Path {
		case b.Major.Path:
			found, replaced = true, m.Replace != nil
		case repo.Module:
			engine = true
		case repo.V4.Path, repo.V6.Path, repo.V7.Path:
			return fmt.Errorf("%s: has %s, want only %s", bin, m.Path, b.Major.Path)
		}
	}
	if !found || replaced != ours || engine != ours {
		return fmt.Errorf("%s: contains structured-merge-diff: %v, replaced: %v, contains Dovetail: %v; want Dovetail: %v", bin, found, replaced, engine, ours)
	}
	return nil
}
