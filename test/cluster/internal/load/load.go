// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package load measures the cost of requests on an API server.
package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

// Cost is the average cost of one request on the server.
type Cost struct {
	CPU   time.Duration
	Bytes float64 // allocated bytes
}

// Result compares the costs of one case on both servers.
type Result struct {
	Case        string
	Requests    int // number of requests to each server
	Base, Other Cost
}

// rounds is how often each server is measured in one case. The two servers take turns.
const rounds = 3

// Options select what to measure.
type Options struct {
	Scale    float64        // factor for the number of requests
	Cases    *regexp.Regexp // matches names of cases
	Profiles string         // folder for CPU and allocation profiles; "" writes none
}

// Run measures each case on both servers. The servers take turns.
func Run(ctx context.Context, base, other *server.Server, o Options) ([]Result, error) {
	sides := make([]*side, 2)
	for i, s := range []*server.Server{base, other} {
		client, err := kubernetes.NewForConfig(s.Config())
		if err != nil {
			return nil, err
		}
		config := rest.CopyConfig(s.Config())
		config.ContentType = "application/vnd.kubernetes.protobuf"
		typed, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		sides[i] = &side{server: s, rest: client.RESTClient(), typed: typed}
		if err := sides[i].prepare(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	var results []Result
	for number, c := range cases {
		if !o.Cases.MatchString(c.name) {
			continue
		}
		n := max(int(float64(c.requests)*o.Scale)/rounds, 5)
		r := Result{Case: c.name, Requests: n * rounds}
		costs := []*Cost{&r.Base, &r.Other}
		for _, s := range sides {
			if err := s.warm(ctx, c, n); err != nil {
				return nil, fmt.Errorf("%s on %s: %w", c.name, s.server.Name, err)
			}
		}
		for range rounds {
			for i, s := range sides {
				cost, err := s.measure(ctx, c, n)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", c.name, s.server.Name, err)
				}
				costs[i].CPU += cost.CPU / rounds
				costs[i].Bytes += cost.Bytes / rounds
			}
		}
		results = append(results, r)
		if o.Profiles == "" {
			continue
		}
		for _, s := range sides {
			if err := s.profile(ctx, c, filepath.Join(o.Profiles, fmt.Sprintf("%d-%s", number+1, s.server.Name))); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// side is one of the two servers under load.
type side struct {
	server *server.Server
	rest   rest.Interface
	typed  kubernetes.Interface // a client that sends protobuf, as controllers do
	sent   int                  // number of requests sent in this case; it makes each request differ from the one before
}

func (s *side) warm(ctx context.Context, c loadCase, n int) error {
	s.sent = 0
	if c.setup != nil {
		for _, req := range c.setup() {
			if err := req(ctx, s); err != nil {
				return err
			}
		}
	}
	return s.sendRequests(ctx, c, n/5+5)
}

func (s *side) sendRequests(ctx context.Context, c loadCase, n int) error {
	for range n {
		if err := c.request(s.sent)(ctx, s); err != nil {
			return err
		}
		s.sent++
	}
	return nil
}

func (s *side) measure(ctx context.Context, c loadCase, n int) (Cost, error) {
	before, err := s.server.Usage(ctx)
	if err != nil {
		return Cost{}, err
	}
	if err := s.sendRequests(ctx, c, n); err != nil {
		return Cost{}, err
	}
	after, err := s.server.Usage(ctx)
	if err != nil {
		return Cost{}, err
	}
	return Cost{CPU: (after.CPU - before.CPU) / time.Duration(n), Bytes: (after.Alloc - before.Alloc) / float64(n)}, nil
}

// apply returns a request that applies an object with force.
func apply(path, manager string, body m) request {
	return func(ctx context.Context, s *side) error {
		return s.patch(ctx, types.ApplyPatchType, path, manager, body)
	}
}

func mergePatch(path string, body m) request {
	return func(ctx context.Context, s *side) error {
		return s.patch(ctx, types.MergePatchType, path, "patcher", body)
	}
}

func (s *side) patch(ctx context.Context, kind types.PatchType, path, manager string, body m) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req := s.rest.Patch(kind).Param("fieldManager", manager)
	if kind == types.ApplyPatchType {
		req = req.Param("force", "true")
	}
	return req.AbsPath(path).SetHeader("Accept", "application/json").Body(data).Do(ctx).Error()
}

// Write prints the results as a Markdown table. A ratio is the cost with structured-merge-diff
// divided by the cost with Dovetail.
func Write(w io.Writer, results []Result) {
	fmt.Fprintln(w, "| request | CPU time of the server for one request | ratio of CPU time | memory that the server allocates for one request | ratio of memory |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|")
	for _, r := range results {
		fmt.Fprintf(w, "| %s | %s with SMD, %s with Dovetail | %.1f | %s with SMD, %s with Dovetail | %.1f |\n", r.Case,
			ms(r.Base.CPU), ms(r.Other.CPU), float64(r.Base.CPU)/float64(r.Other.CPU),
			kB(r.Base.Bytes), kB(r.Other.Bytes), r.Base.Bytes/r.Other.Bytes)
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

func kB(n float64) string { return fmt.Sprintf("%.0f kB", n/1000) }
