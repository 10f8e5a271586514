// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Cluster runs a real kube-apiserver with each of the two engines, and compares the two
// servers.
//
//	go run ./cmd/cluster [flags] [stage...]
//
// Without arguments, it runs the stages e2e, apply, soak and load. These are all stages:
//
//	e2e       runs scenarios with client-go and kubectl, and compares every answer
//	apply     runs Kubernetes' own integration tests of server-side apply
//	soak      sends 20,000 writes by 20 managers, and compares the stored objects at the end
//	load      measures the CPU time and memory that a request needs on each server
//	upgrade   upgrades and downgrades a cluster through all releases, with each engine
//	predict   compares kube/predict with the server, for requests to every built-in kind
//	verdicts  compares which invalid and valid objects the server and the test server reject
//	policies  compares kube/policy with the server, for requests under admission policies
//	gate      lets controllers reconcile through kube/gate, and checks skipped applies by dry runs
//	loop      compares dovetail diff of 1,000 manifests with applies on the server
//	live      compares kubectl dovetail diff with kubectl diff, and runs docs/cluster.md
//	kubectl   runs kubectl apply client-side, then server-side; checks that dovetail diff reports lost fields
//	serve     runs e2e and soak on the test server, and compares it with a server
//	spec      runs the stories of spec/cases on servers with each engine, and on the test server
//	write     kills commands with --write 50 times while other clients write, and undoes them
//
// -kubernetes selects the release of Kubernetes. The stage upgrade uses all releases. The
// command builds the servers from the module cache, and keeps the programs in the work
// directory. The first build of a release takes about ten minutes. All servers listen on
// 127.0.0.1 only, and stop at the end of the command.
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

// stages lists all stages. Without arguments, the command runs the first four.
var stages = []string{"e2e", "apply", "soak", "load", "upgrade", "predict", "verdicts", "policies", "loop", "gate", "live", "kubectl", "serve", "spec", "write"}

func main() {
	o := options{soak: soak.Options{Objects: 200, Managers: 20}}
	flag.StringVar(&o.work, "work", filepath.Join(os.TempDir(), "dovetail-cluster"), "`directory` for programs, data and logs")
	flag.BoolVar(&o.keep, "keep", false, "use the programs in the work directory, even if the engine has changed")
	flag.IntVar(&o.rounds, "rounds", 3, "how often to run the scenarios, on new servers each time")
	flag.BoolVar(&o.declarative, "declarative", true, "also run the scenarios with declarative defaults, which needs one more build")
	flag.IntVar(&o.soak.Writes, "writes", 20000, "number of writes in the soak")
	flag.Uint64Var(&o.soak.Seed, "seed", 1, "seed for soak, predict, verdicts, policies, gate, kubectl and write")
	flag.Float64Var(&o.load.Scale, "scale", 1, "factor for the number of requests of load")
	flag.StringVar(&o.load.Profiles, "profiles", "", "`directory` for profiles of the servers under load")
	flag.StringVar(&o.upgrade.From, "upgrade-from", "1.36", "`release` that the upgrade starts from")
	flag.IntVar(&o.upgrade.Writes, "turn-writes", 400, "number of writes in each turn of the upgrade")
	flag.Uint64Var(&o.upgrade.Seed, "upgrade-seed", 1, "seed for the upgrade")
	flag.IntVar(&o.verdicts.Mutants, "mutants", 4000, "number of new objects in verdicts")
	flag.IntVar(&o.verdicts.Merged, "merged", 2000, "number of merged objects in verdicts")
	flag.IntVar(&o.verdicts.Places, "places", 20, "number of fields of each object that updates change in verdicts")
	flag.Func("objects", "`folder` with more CRDs and objects for predict and verdicts; may be repeated", func(dir string) error {
		o.predict.Folders = append(o.predict.Folders, dir)
		return nil
	})
	flag.IntVar(&o.predict.Random, "random", 20, "number of random requests for each object of predict and policies")
	flag.IntVar(&o.reconciles, "n", 20000, "number of reconciles in gate, once with current caches and once with caches that lag")
	flag.IntVar(&o.pairs, "pairs", 100, "number of pairs of manifests in kubectl, for each of two field managers")
	flag.IntVar(&o.kills, "kills", 50, "how often commands are killed in write")
	flag.BoolVar(&o.projects, "projects", true, "also download custom resources of well-known projects for predict")
	var releases []string
	for _, r := range repo.Releases {
		releases = append(releases, r.Name)
	}
	release := flag.String("kubernetes", "1.36", "`release` of Kubernetes: "+strings.Join(releases, ", "))
	flag.StringVar(&o.record, "record", "", "write the stories of spec, with the answers of the server with structured-merge-diff, to this `folder`")
	only := flag.String("cases", "", "`pattern` for the names of cases in load and of kinds in gate")
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
