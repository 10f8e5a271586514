// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Cluster runs a real kube-apiserver over both engines and compares them.
//
//	go run ./cmd/cluster [flags] [stage...]
//
// The stages, the first four unless some are named, are
//
//	e2e    scenarios with client-go and kubectl, every answer compared
//	apply  Kubernetes' own integration tests of server-side apply
//	soak   20,000 writes by 20 managers, what is stored in the end compared
//	load   server CPU and bytes per request, side by side
//	upgrade  one cluster from release to release and back, over both engines
//	predict  requests for every built-in kind, and what kube/predict says of them
//	policies  requests under admission policies, and what kube/policy says of them
//	gate     reconciles by controllers through kube/gate, each skip checked by a dry-run
//	loop     dovetail diff of 1,000 manifests against a dump, and what the server does with them
//	live     kubectl dovetail diff beside kubectl diff --server-side, on 500 objects, and docs/cluster.md
//	serve    the scenarios and the soak, on the test server beside a server
//	spec     the stories of spec/cases, told to a server over each engine and to the test server
//	write    migrate, doctor and apply with --write beside others that write, killed 50 times, and undone
//
// The release of Kubernetes is that of -kubernetes; upgrade takes all of them.
// Programs are built from the module cache, which takes about ten minutes for a
// release the first time, and stay in the work directory. Everything listens on 127.0.0.1
// only and ends with the command.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/soak"
	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// The first four compare two servers of one release.
var stages = []string{"e2e", "apply", "soak", "load", "upgrade", "predict", "policies", "loop", "gate", "live", "serve", "spec", "write"}

func main() {
	o := options{soak: soak.Options{Objects: 200, Managers: 20}}
	flag.StringVar(&o.work, "work", filepath.Join(os.TempDir(), "dovetail-cluster"), "`directory` for programs, data and logs")
	flag.BoolVar(&o.keep, "keep", false, "take the programs that are in the work directory, even if the engine has changed")
	flag.IntVar(&o.rounds, "rounds", 3, "how often to run the scenarios, on new servers each time")
	flag.BoolVar(&o.declarative, "declarative", true, "run the scenarios over declarative defaults, too, which takes one more build")
	flag.IntVar(&o.soak.Writes, "writes", 20000, "writes of the soak")
	flag.Uint64Var(&o.soak.Seed, "seed", 1, "seed of the soak, of predict, of policies, of gate and of write")
	flag.Float64Var(&o.load.Scale, "scale", 1, "multiplies the requests of the load")
	flag.StringVar(&o.load.Profiles, "profiles", "", "`directory` for profiles of the servers under load")
	flag.StringVar(&o.upgrade.From, "upgrade-from", "1.36", "`release` that the upgrade begins with")
	flag.IntVar(&o.upgrade.Writes, "turn-writes", 400, "writes of each turn of the upgrade")
	flag.Uint64Var(&o.upgrade.Seed, "upgrade-seed", 1, "seed of the upgrade")
	flag.IntVar(&o.predict.Random, "random", 20, "requests at random for each object of predict and policies")
	flag.IntVar(&o.reconciles, "n", 20000, "reconciles of gate, once with caches that are up to date and once with such that lag")
	flag.IntVar(&o.kills, "kills", 50, "how often commands are killed in write")
	flag.BoolVar(&o.projects, "projects", true, "custom resources of well-known projects in predict, too, which are downloaded")
	var releases []string
	for _, r := range repo.Releases {
		releases = append(releases, r.Name)
	}
	release := flag.String("kubernetes", "1.36", "`release` of Kubernetes: "+strings.Join(releases, ", "))
	flag.StringVar(&o.record, "record", "", "`folder` that spec writes the stories to as the server over structured-merge-diff answers them")
	only := flag.String("cases", "", "`pattern` of the names of the load's cases, and of the kinds of gate")
	flag.Parse()
	o.stages = flag.Args()
	if len(o.stages) == 0 {
		o.stages = stages[:4]
	}
	for _, s := range o.stages {
		if !slices.Contains(stages, s) {
			fmt.Fprintf(os.Stderr, "cluster: no stage %q, want some of %q\n", s, stages)
			os.Exit(2)
		}
	}
	var err error
	if o.release, err = repo.FindRelease(*release); err != nil {
		fmt.Fprintln(os.Stderr, "cluster: -kubernetes:", err)
		os.Exit(2)
	}
	if _, err = repo.FindRelease(o.upgrade.From); err != nil {
		fmt.Fprintln(os.Stderr, "cluster: -upgrade-from:", err)
		os.Exit(2)
	}
	if o.load.Cases, err = regexp.Compile(*only); err != nil {
		fmt.Fprintln(os.Stderr, "cluster: -cases:", err)
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ok, err := o.run(ctx)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}
