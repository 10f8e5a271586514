// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package upgrade upgrades and downgrades one cluster through several Kubernetes releases, with
// both engines. After each write, it checks the owners of all fields.
//
// Three clusters get the same writes. The first one is the cluster under test. Its API servers
// run one after the other on one etcd, and some of them contain Dovetail. The second cluster,
// upstream, uses the same releases, always with structured-merge-diff. The third cluster is
// the model. It has one server, of the first release, with structured-merge-diff. If the
// cluster under test differs from the model, the package compares the model with the second
// cluster, too. If this cluster has the same difference, the Kubernetes release is the cause. If
// not, the difference is unexplained.
package upgrade

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/test/internal/repo"
)

// Turn is a period in which one server serves the cluster.
type Turn struct {
	Release string
	Ours    bool // whether the server contains Dovetail
}

func (t Turn) String() string {
	if t.Ours {
		return t.Release + " with Dovetail"
	}
	return t.Release + " with SMD"
}

// route lists the turns of the cluster under test, through all releases.
var route = routeThrough(repo.Releases)

// routeThrough returns the turns of a cluster through the given releases, oldest first. There
// must be at least two releases. The cluster is upgraded to the newest release, rolled back by
// one release, upgraded again, and then downgraded to the oldest release.
func routeThrough(releases []repo.Release) []Turn {
	turns := []Turn{{releases[0].Name, false}}
	for _, r := range releases[1:] {
		turns = append(turns, Turn{r.Name, true}, Turn{r.Name, false})
	}
	last := len(releases) - 1
	turns = append(turns, Turn{releases[last-1].Name, true}, Turn{releases[last].Name, true})
	for _, r := range slices.Backward(releases[:last]) {
		turns = append(turns, Turn{r.Name, false})
	}
	return turns
}

// From returns the route without releases older than the given one.
func From(release string) []Turn {
	return slices.DeleteFunc(slices.Clone(route), func(t Turn) bool { return t.Release < release })
}

// Programs are the paths of the programs to run.
type Programs struct {
	Etcd    string
	Servers map[Turn]string
}

// Options select the writes of a run.
type Options struct {
	From   string // the release of the first turn; the model cluster runs this release in all turns
	Writes int    // number of writes in each turn; in the last turn, all servers run, and there are twice as many writes
	Seed   uint64
}

// Run sends all writes and compares the results.
func Run(ctx context.Context, o Options, p Programs, dir string) (r *Report, err error) {
	r = &Report{Options: o}
	clusters := make([]*cluster, 3)
	defer func() {
		for _, c := range clusters {
			err = errors.Join(err, c.stop())
		}
	}()
	for i, name := range []string{"upgrade-dovetail", "upgrade-smd", "upgrade-model"} {
		if clusters[i], err = startCluster(name, p, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	turns := From(o.From)
	u := &run{report: r, clusters: clusters, rnd: rand.New(rand.NewPCG(o.Seed, 37)), last: map[string]write{}}
	if err := u.start(ctx, turns[:1]); err != nil {
		return nil, err
	}
	for _, c := range clusters {
		if err := c.prepare(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for _, t := range turns {
		if err := u.turn(ctx, t.String(), []Turn{t}, o.Writes); err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
	}
	var all []Turn
	for _, t := range turns {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	if err := u.turn(ctx, "all at once", all, 2*o.Writes); err != nil {
		return nil, fmt.Errorf("all at once: %w", err)
	}
	return r, nil
}

// These are the indexes of the three clusters.
const (
	tested = iota
	upstream
	model
)

// turnOf returns the turn of one of the three clusters during a turn of the cluster under test.
// The first argument is the index of the cluster.
func (u *run) turnOf(side int, t Turn) Turn {
	switch side {
	case upstream:
		t.Ours = false
	case model:
		t = Turn{Release: u.report.From}
	}
	return t
}

type run struct {
	report   *Report
	clusters []*cluster
	rnd      *rand.Rand
	last     map[string]write // the last apply of each manager to each object
}

// start runs the servers that serve the clusters during the turns in its argument turns, and stops
// all other servers.
func (u *run) start(ctx context.Context, turns []Turn) error {
	for side, c := range u.clusters {
		var its []Turn
		for _, t := range turns {
			its = append(its, u.turnOf(side, t))
		}
		if err := c.runOnly(ctx, its); err != nil {
			return err
		}
	}
	return nil
}

// turn sends n writes. It sends each write to one of the servers.
func (u *run) turn(ctx context.Context, name string, turns []Turn, n int) error {
	if err := u.start(ctx, turns); err != nil {
		return err
	}
	for _, c := range u.clusters {
		if err := c.waitUntilServed(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	u.report.Turns = append(u.report.Turns, Count{Name: name})
	count := &u.report.Turns[len(u.report.Turns)-1]
	for i := range n {
		w := u.next(i)
		if err := u.write(ctx, count, w, turns[u.rnd.IntN(len(turns))]); err != nil {
			return fmt.Errorf("write %d, %s: %w", i, w, err)
		}
	}
	return nil
}

// write sends one write to all three clusters and compares the results.
func (u *run) write(ctx context.Context, count *Count, w write, t Turn) error {
	var outcomes [3]outcome
	var errs [3]error
	var wg sync.WaitGroup
	for side, c := range u.clusters {
		wg.Go(func() {
			outcomes[side], errs[side] = c.do(ctx, u.turnOf(side, t), w)
			if errs[side] != nil {
				errs[side] = fmt.Errorf("%s: %w", c.name, errs[side])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	u.report.compare(count, w, t, outcomes)
	return nil
}
