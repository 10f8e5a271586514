// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/kube/defaults"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/testserver"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/e2e"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/live"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/load"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/predicted"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/soak"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/upgrade"
	"github.com/dovetail-ssa/dovetail/test/internal/build"
	"github.com/dovetail-ssa/dovetail/test/internal/gocmd"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
	"github.com/dovetail-ssa/dovetail/test/internal/suite"
)

type options struct {
	work     string
	release  repo.Release
	stages   []string
	rounds   int
	soak     soak.Options
	load     load.Options
	upgrade  upgrade.Options
	predict  predicted.Options
	verdicts predicted.VerdictOptions

	reconciles, kills, pairs int
	// record is the folder to which the stage "spec" writes a copy of the stories with the actual
	// answers.
	record string

	declarative, keep, projects bool

	// logged reports whether the current stage expects this error line in a server's log. It
	// is nil if the stage expects no errors.
	logged func(line string) bool

	builder *build.Builder
	etcd    string
	kubectl string
}

func (o *options) run(ctx context.Context) (ok bool, err error) {
	if o.work, err = filepath.Abs(o.work); err != nil {
		return false, err
	}
	if o.builder, err = build.New(o.work, o.release, o.keep); err != nil {
		return false, err
	}
	fmt.Printf("Kubernetes %s\n\n", o.release.Name)
	if o.etcd, err = o.builder.Etcd(); err != nil {
		return false, err
	}
	if o.kubectl, err = o.builder.Kubectl(); err != nil {
		return false, err
	}
	ok = true
	for _, stage := range o.stages {
		start := time.Now()
		f := map[string]func(context.Context) (bool, error){"e2e": o.e2e, "apply": o.apply, "soak": o.runSoak, "load": o.runLoad, "upgrade": o.runUpgrade, "predict": o.runPredict, "verdicts": o.runVerdicts, "loop": o.runLoop, "live": o.runLive, "kubectl": o.runClientSide, "write": o.runWrite, "policies": o.runPolicies, "gate": o.runGate, "serve": o.runServe, "spec": o.runSpec}[stage]
		good, err := f(ctx)
		if err != nil {
			return false, fmt.Errorf("%s: %w", stage, err)
		}
		fmt.Printf("%s: ok %v, %.0f s\n\n", stage, good, time.Since(start).Seconds())
		ok = ok && good
	}
	return ok, nil
}

// onServers starts a new server for each engine and calls f with these servers.
func (o *options) onServers(ctx context.Context, f func(servers []*server.Server) error, engines ...build.Engine) (err error) {
	var servers []*server.Server
	defer func() {
		for _, s := range servers {
			lines, lerr := s.Swallowed()
			if o.logged != nil {
				lines = slices.DeleteFunc(lines, o.logged)
			}
			if len(lines) > 0 {
				lerr = fmt.Errorf("the log of %s contains errors that no client received:\n%s", s.Name, lines[0])
			}
			err = errors.Join(err, lerr, s.Stop())
		}
	}()
	for _, e := range engines {
		bin, err := o.builder.APIServer(e)
		if err != nil {
			return err
		}
		s, err := server.Start(ctx, e.Name, o.etcd, bin, filepath.Join(o.work, "run", e.Name))
		if err != nil {
			return err
		}
		servers = append(servers, s)
	}
	return f(servers)
}

func (o *options) e2e(ctx context.Context) (ok bool, err error) {
	ok = true
	for round := range o.rounds {
		err := o.onServers(ctx, func(servers []*server.Server) error {
			target := func(i int) e2e.Target { return e2e.Target{Server: servers[i], Kubectl: o.kubectl} }
			r, err := e2e.Compare(ctx, target(0), target(1))
			if err == nil {
				r.Write(os.Stdout, fmt.Sprintf("e2e, round %d, SMD and Dovetail", round+1))
				ok = ok && len(r.Differences) == 0
			}
			return err
		}, build.SMD, build.Dovetail)
		if err != nil {
			return false, err
		}
	}
	if !o.declarative {
		return ok, nil
	}
	return ok, o.onServers(ctx, func(servers []*server.Server) error {
		smd := e2e.Target{Server: servers[0], Kubectl: o.kubectl}
		r, err := e2e.Compare(ctx, smd, e2e.Target{Server: servers[1], Kubectl: o.kubectl, Declarative: true})
		if err == nil {
			r.Write(os.Stdout, "e2e, SMD and Dovetail with declarative defaults")
		}
		return err
	}, build.SMD, build.Declarative)
}

// apply runs Kubernetes' own integration tests. They start servers inside the test binary.
func (o *options) apply(context.Context) (bool, error) {
	root, err := repo.Root()
	if err != nil {
		return false, err
	}
	work := filepath.Join(o.work, "apply")
	if err := errors.Join(os.RemoveAll(work), os.MkdirAll(work, 0o755)); err != nil {
		return false, err
	}
	v, err := suite.ServerApply(o.release).Run(root, root, work)
	if err != nil {
		return false, err
	}
	v.Write(os.Stdout)
	return v.OK(), nil
}

func (o *options) runSoak(ctx context.Context) (ok bool, err error) {
	err = o.onServers(ctx, func(servers []*server.Server) error {
		r, err := soak.Run(ctx, o.soak, servers[0], servers[1])
		if err == nil {
			ok = len(r.Differences) == 0
			r.Write(os.Stdout)
		}
		return err
	}, build.SMD, build.Dovetail)
	return ok, err
}

func (o *options) runLoad(ctx context.Context) (bool, error) {
	return true, o.onServers(ctx, func(servers []*server.Server) error {
		results, err := load.Run(ctx, servers[0], servers[1], o.load)
		if err == nil {
			load.Write(os.Stdout, results)
		}
		return err
	}, build.SMD, build.Dovetail)
}

// runUpgrade upgrades one cluster from an old release to the newest release, and then
// downgrades it. It uses the etcd of the newest release, because administrators upgrade etcd
// first.
func (o *options) runUpgrade(ctx context.Context) (bool, error) {
	p := upgrade.Programs{Servers: map[upgrade.Turn]string{}}
	builders := map[string]*build.Builder{o.release.Name: o.builder}
	for _, t := range append(upgrade.From(o.upgrade.From), upgrade.Turn{Release: o.upgrade.From}) {
		b := builders[t.Release]
		if b == nil {
			r, err := repo.FindRelease(t.Release)
			if err == nil {
				b, err = build.New(o.work, r, o.keep)
			}
			if err != nil {
				return false, err
			}
			builders[t.Release] = b
		}
		engine := build.SMD
		if t.Ours {
			engine = build.Dovetail
		}
		var err error
		if p.Servers[t], err = b.APIServer(engine); err != nil {
			return false, err
		}
	}
	newest := slices.Max(slices.Collect(maps.Keys(builders)))
	var err error
	if p.Etcd, err = builders[newest].Etcd(); err != nil {
		return false, err
	}
	r, err := upgrade.Run(ctx, o.upgrade, p, filepath.Join(o.work, "run"))
	if err != nil {
		return false, err
	}
	r.Write(os.Stdout)
	return r.OK(), nil
}

// outcome is the result of a stage that uses a single server, with structured-merge-diff.
type outcome interface {
	OK() bool
	Write(io.Writer)
}

// onOneServer runs a stage on a single server and prints the result.
func (o *options) onOneServer(ctx context.Context, ask func(*server.Server) (outcome, error)) (ok bool, err error) {
	err = o.onServers(ctx, func(servers []*server.Server) error {
		r, err := ask(servers[0])
		if err == nil {
			ok = r.OK()
			r.Write(os.Stdout)
		}
		return err
	}, build.SMD)
	return ok, err
}

// samples returns objects of all built-in kinds.
func samples() ([]map[string]any, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	return predicted.Objects(filepath.Join(root, "test", "immutable", "testdata", "objects"))
}

// runPredict compares predictions of kube/predict with the objects that a server stores.
func (o *options) runPredict(ctx context.Context) (ok bool, err error) {
	p := o.predict
	p.Release, p.Seed = o.release.Name, o.soak.Seed
	if o.projects {
		p.Projects = predicted.Modules
	}
	if p.Objects, err = samples(); err != nil {
		return false, err
	}
	o.logged = predicted.Logged
	defer func() { o.logged = nil }()
	engine, err := o.native()
	if err != nil {
		return false, err
	}
	if engine != nil {
		p.Native = engine
		defer func() { err = errors.Join(err, engine.Close()) }()
	}
	return o.onOneServer(ctx, func(s *server.Server) (outcome, error) { return predicted.Run(ctx, p, s) })
}

// native builds the helper program, which contains the release's own code, and returns an
// engine that runs this program. The result is nil if there is no helper program for the
// release. The caller must close the engine.
func (o *options) native() (*native.Engine, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, "kube", "native", o.release.Name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	program := filepath.Join(o.work, native.Name(o.release.Name))
	if _, err := gocmd.InWorkspace(dir, "build", "-o", program, "./"+native.Name(o.release.Name)); err != nil {
		return nil, err
	}
	return native.New(program, o.release.Name, native.Limits{}), nil
}

// runVerdicts checks whether the test servers reject the same objects as a real server.
func (o *options) runVerdicts(ctx context.Context) (ok bool, err error) {
	v := o.verdicts
	v.Release, v.Seed, v.Dir = o.release.Name, o.soak.Seed, filepath.Join(o.work, "verdicts")
	if v.Objects, err = samples(); err != nil {
		return false, err
	}
	for _, dir := range o.predict.Folders {
		_, more, err := predicted.ReadFolder(dir)
		if err != nil {
			return false, err
		}
		v.Objects = append(v.Objects, more...)
	}
	engine, err := o.native()
	switch {
	case err != nil:
		return false, err
	case engine == nil:
		return false, fmt.Errorf("no program contains the code of Kubernetes %s", o.release.Name)
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	v.Native = engine
	o.logged = func(line string) bool { return predicted.Logged(line) || strings.Contains(line, `"Observed a panic"`) } // see Verdicts.Panics
	defer func() { o.logged = nil }()
	return o.onOneServer(ctx, func(s *server.Server) (outcome, error) { return predicted.RunVerdicts(ctx, v, s) })
}

// runPolicies compares predictions of kube/policy with the results of a server that has the
// same admission policies.
func (o *options) runPolicies(ctx context.Context) (ok bool, err error) {
	p := o.predict
	p.Release, p.Seed = o.release.Name, o.soak.Seed
	return o.onOneServer(ctx, func(s *server.Server) (outcome, error) { return predicted.RunPolicies(ctx, p, s) })
}

// runGate lets controllers reconcile through a gate, and checks the gate's decisions.
func (o *options) runGate(ctx context.Context) (ok bool, err error) {
	p := predicted.Options{Release: o.release.Name, Seed: o.soak.Seed, Kinds: o.load.Cases}
	if p.Objects, err = samples(); err != nil {
		return false, err
	}
	o.logged = predicted.Logged
	defer func() { o.logged = nil }()
	ok = true
	for _, lag := range []int{0, 10} {
		good, err := o.onOneServer(ctx, func(s *server.Server) (outcome, error) { return predicted.RunGate(ctx, p, s, o.reconciles, lag) })
		if err != nil {
			return false, err
		}
		ok = ok && good
	}
	return ok, nil
}

// runSpec runs the stories of spec/cases on servers with both engines, and on the test server.
func (o *options) runSpec(ctx context.Context) (ok bool, err error) {
	root, err := repo.Root()
	if err != nil {
		return false, err
	}
	var t *testserver.Server // nil if the test server does not support this release
	if slices.Contains(defaults.Releases(), o.release.Name) {
		if t, err = testserver.Start(testserver.Options{Release: o.release.Name}); err != nil {
			return false, err
		}
		defer t.Close()
	}
	return ok, o.onServers(ctx, func(servers []*server.Server) error {
		args := []string{"run", "./cmd/ssa-conformance", "-token", servers[0].Config().BearerToken, "-insecure"}
		if o.record != "" {
			args = append(args, "-record", o.record, "-run", "^http-", "smd="+servers[0].Config().Host)
		} else {
			for _, s := range servers {
				args = append(args, s.Name+"="+s.Config().Host)
			}
			if t != nil {
				args = append(args, "testserver="+t.URL())
			}
		}
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir = filepath.Join(root, "spec")
		c.Env = append(os.Environ(), "GOWORK=off")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		err := c.Run()
		var status *exec.ExitError
		if ok = err == nil; errors.As(err, &status) && status.ExitCode() == 1 {
			return nil
		}
		return err
	}, build.SMD, build.Dovetail)
}

func (o *options) runServe(ctx context.Context) (ok bool, err error) {
	t, err := testserver.Start(testserver.Options{Release: o.release.Name})
	if err != nil {
		return false, err
	}
	defer t.Close()
	other, err := server.At("testserver", t.URL(), filepath.Join(o.work, "run", "testserver"))
	if err != nil {
		return false, err
	}
	return ok, o.onServers(ctx, func(servers []*server.Server) error {
		target := func(s *server.Server) e2e.Target { return e2e.Target{Server: s, Kubectl: o.kubectl, Sorted: true} }
		r, err := e2e.Compare(ctx, target(servers[0]), target(other))
		if err != nil {
			return err
		}
		r.Write(os.Stdout, "e2e, a server and the test server")
		p := o.soak
		p.Sorted, p.Lenient = true, true
		written, err := soak.Run(ctx, p, servers[0], other)
		if err != nil {
			return err
		}
		written.Write(os.Stdout)
		ok = len(r.Differences)+len(written.Differences) == 0
		return nil
	}, build.SMD)
}

// runLive compares kubectl dovetail with kubectl on a cluster, and runs the commands of
// docs/cluster.md.
func (o *options) runLive(ctx context.Context) (ok bool, err error) {
	program, err := gocmd.Dovetail(o.work)
	if err != nil {
		return false, err
	}
	bin, err := o.builder.APIServer(build.SMD)
	if err != nil {
		return false, err
	}
	dir := filepath.Join(o.work, "live")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	flags, err := server.AuditFlags(dir)
	if err != nil {
		return false, err
	}
	run := filepath.Join(o.work, "run", "live")
	etcd, err := server.StartEtcd(o.etcd, run)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, etcd.Stop()) }()
	s, err := server.StartOn(ctx, etcd, "live", bin, run, append(flags, "--authorization-mode=RBAC")...)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	p := live.Programs{Dovetail: program, Kubectl: o.kubectl}
	r, err := live.Compare(ctx, p, s, o.release.Name, filepath.Join(dir, "compare"))
	if err != nil {
		return false, err
	}
	r.Write(os.Stdout)
	objects, err := samples()
	if err != nil {
		return false, err
	}
	for _, folder := range o.predict.Folders {
		crds, more, err := predicted.ReadFolder(folder)
		if err != nil {
			return false, err
		}
		objects = append(append(objects, crds...), more...)
	}
	k, err := live.CompareKinds(ctx, p, s, o.release.Name, filepath.Join(dir, "kinds"), objects)
	if err != nil {
		return false, err
	}
	k.Write(os.Stdout)
	servers := live.Servers{Works: s}
	if servers.Throttles, err = server.StartOn(ctx, etcd, "busy", bin, run, "--authorization-mode=RBAC", "--max-requests-inflight=1", "--max-mutating-requests-inflight=1"); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, servers.Throttles.Stop()) }()
	if servers.Stops, err = server.StartOn(ctx, etcd, "stops", bin, run, append(flags, "--authorization-mode=RBAC")...); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, servers.Stops.Stop()) }()
	root, err := repo.Root()
	if err != nil {
		return false, err
	}
	g, err := live.Type(ctx, p, servers, o.release.Name, filepath.Join(root, "docs", "cluster.md"), filepath.Join(dir, "guide"))
	if err != nil {
		return false, err
	}
	g.Write(os.Stdout)
	return r.OK() && k.OK() && g.OK(), nil
}

// runClientSide applies manifests with kubectl, first client-side and then server-side.
func (o *options) runClientSide(ctx context.Context) (ok bool, err error) {
	p := predicted.Options{Release: o.release.Name, Seed: o.soak.Seed}
	if p.Objects, err = samples(); err != nil {
		return false, err
	}
	program, err := gocmd.Dovetail(o.work)
	if err != nil {
		return false, err
	}
	return o.onOneServer(ctx, func(s *server.Server) (outcome, error) {
		return predicted.RunClientSide(ctx, p, s, o.pairs, program, o.kubectl, filepath.Join(o.work, "kubectl"))
	})
}

// runWrite runs commands with --write while other clients write. It kills the commands and
// undoes their writes.
func (o *options) runWrite(ctx context.Context) (ok bool, err error) {
	program, err := gocmd.Dovetail(o.work)
	if err != nil {
		return false, err
	}
	return o.onOneServer(ctx, func(s *server.Server) (outcome, error) {
		p := live.Programs{Dovetail: program, Kubectl: o.kubectl}
		return live.RunWrites(ctx, p, s, o.release.Name, filepath.Join(o.work, "write"), o.kills, o.soak.Seed)
	})
}

// runLoop compares the output of dovetail diff for manifests with the result of applying these
// manifests on a server.
func (o *options) runLoop(ctx context.Context) (ok bool, err error) {
	p := predicted.Options{Release: o.release.Name, Seed: o.soak.Seed}
	if p.Objects, err = samples(); err != nil {
		return false, err
	}
	program, err := gocmd.Dovetail(o.work)
	if err != nil {
		return false, err
	}
	return o.onOneServer(ctx, func(s *server.Server) (outcome, error) {
		return predicted.RunLoop(ctx, p, s, 1000, program, o.work)
	})
}
