// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// discovered is a resource with the names that people have for it.
type discovered struct {
	Resource
	names []string
	verbs []string
}

// aggregated asks for all resources of all groups in one answer.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

// discover lists the resources of the cluster, those of the preferred version of each group
// first. stale are versions of aggregated APIs that do not answer.
func (c *Cluster) discover() (all []discovered, stale []string, err error) {
	var others []discovered
	for _, path := range []string{"/api", "/apis"} {
		q := request{path: path, accept: aggregated}
		body, problem := c.get(q)
		if problem != nil {
			return nil, nil, c.explain(q, problem)
		}
		var list struct {
			Kind  string
			Items []struct {
				Metadata struct{ Name string }
				Versions []struct {
					Version, Freshness string
					Resources          []struct {
						Resource, Scope, SingularResource string
						ResponseKind                      struct{ Kind string }
						Verbs, ShortNames                 []string
					}
				}
			}
		}
		if err := json.Unmarshal(body, &list); err != nil || list.Kind != "APIGroupDiscoveryList" {
			return nil, nil, &manifest.Error{File: c.Host, Message: "the cluster does not list its resources in one answer, as those of Kubernetes 1.27 and later do: give objects as files"}
		}
		for _, g := range list.Items {
			for i, v := range g.Versions {
				if v.Freshness == "Stale" {
					stale = append(stale, joinVersion(g.Metadata.Name, v.Version))
					continue
				}
				for _, r := range v.Resources {
					d := discovered{
						Resource: Resource{Group: g.Metadata.Name, Version: v.Version, Name: r.Resource, Kind: r.ResponseKind.Kind, Namespaced: r.Scope == "Namespaced"},
						names:    append([]string{r.Resource, r.SingularResource, strings.ToLower(r.ResponseKind.Kind)}, r.ShortNames...),
						verbs:    r.Verbs,
					}
					has := func(o discovered) bool { return o.Group == d.Group && o.Name == d.Name }
					if i == 0 || !slices.ContainsFunc(all, has) && !slices.ContainsFunc(others, has) {
						all = append(all, d)
					} else {
						others = append(others, d)
					}
				}
			}
		}
	}
	return append(all, others...), stale, nil
}

// find is the resource of a name, as kubectl has it: deploy, deployments.apps,
// deployments.v1.apps.
func find(all []discovered, name string) (Resource, error) {
	wanted := strings.ToLower(name)
	short, rest, _ := strings.Cut(wanted, ".")
	for _, d := range all {
		if !slices.Contains(d.names, short) {
			continue
		}
		version, group, _ := strings.Cut(rest, ".")
		if rest == "" || rest == d.Group || version == d.Version && group == d.Group {
			return d.Resource, nil
		}
	}
	var names []string
	for _, d := range all {
		names = append(names, d.names...)
	}
	return Resource{}, command.Usagef("the cluster has no resource %s%s", words.Flow(name), words.DidYouMean(suggest.Nearest(wanted, names)))
}

// selection is what is read: one object, or all of a resource.
type selection struct {
	of   Resource
	name string
}

// selected are what arguments name, as those of kubectl get do: deployment/web pod/a, or
// deployments,pods, or deployment web.
func selected(all []discovered, args []string) (list []selection, err error) {
	if strings.Contains(args[0], "/") {
		for _, a := range args {
			kind, name, ok := strings.Cut(a, "/")
			if !ok || kind == "" || name == "" {
				return nil, command.Usagef("argument %s: want RESOURCE/NAME, as deployment/web", words.Flow(a))
			}
			of, err := find(all, kind)
			if err != nil {
				return nil, err
			}
			list = append(list, selection{of, name})
		}
		return list, nil
	}
	for _, kind := range strings.Split(args[0], ",") {
		of, err := find(all, kind)
		if err != nil {
			return nil, err
		}
		names := args[1:]
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			list = append(list, selection{of, name})
		}
	}
	return list, nil
}

// everything are all resources whose objects can have managed fields. Events are not among
// them: they are gone in an hour.
func everything(all []discovered, clusterWide bool) (list []selection) {
	seen := map[string]bool{}
	for _, d := range all {
		writes := slices.Contains(d.verbs, "list") && slices.Contains(d.verbs, "get") && slices.Contains(d.verbs, "patch")
		if !writes || d.Name == "events" || seen[d.Resource.String()] || !d.Namespaced && !clusterWide {
			continue
		}
		seen[d.Resource.String()] = true
		list = append(list, selection{of: d.Resource})
	}
	return list
}

// Select reads the objects that arguments, -n, -A and -l name: without arguments those of all
// resources. What of these the account may not list, or does not answer, is passed over, with
// a warning.
func (c *Cluster) Select() ([]*manifest.Object, error) {
	all, stale, err := c.discover()
	if err != nil {
		return nil, err
	}
	f := c.flags
	var list []selection
	if len(f.names) > 0 {
		if list, err = selected(all, f.names); err != nil {
			return nil, err
		}
		if f.all && slices.ContainsFunc(list, func(s selection) bool { return s.name != "" }) {
			return nil, command.Usagef("-A and the name of an object: an object is in one namespace, give that with -n")
		}
	} else {
		list = everything(all, f.all)
		if len(stale) > 0 {
			c.run.Warnf("%s: aggregated APIs that do not answer are passed over: %s", c.Host, strings.Join(stale, ", "))
		}
	}
	return c.read(list, len(f.names) > 0)
}

// All reads all objects of resources: of all namespaces, or of that of -n.
func (c *Cluster) All(of []Resource) ([]*manifest.Object, error) {
	list := make([]selection, len(of))
	for i, r := range of {
		list[i].of = r
	}
	return c.read(list, true)
}

// read reads what is selected; named says that each of it was asked for.
func (c *Cluster) read(list []selection, named bool) ([]*manifest.Object, error) {
	s := &selecting{c: c, found: make([][]*manifest.Object, len(list))}
	Each(len(list), func(i int) { s.read(i, list[i], named) })
	if s.err != nil {
		return nil, s.err
	}
	if len(s.passed) > 0 {
		slices.Sort(s.passed)
		c.run.Warnf("%s: %s passed over: %s", c.Host, words.Count(len(s.passed), "resource"), strings.Join(s.passed, "; "))
	}
	return slices.Concat(s.found...), nil
}

// selecting reads what is selected.
type selecting struct {
	c     *Cluster
	found [][]*manifest.Object
	mu    sync.Mutex
	// passed are resources that cannot be listed, with why.
	passed []string
	err    error
}

func (s *selecting) read(i int, of selection, named bool) {
	namespace := ""
	if of.of.Namespaced && !s.c.flags.all {
		namespace = s.c.namespace
	}
	q := request{path: of.of.path(namespace, of.name), of: of.of, namespace: namespace, name: of.name}
	var problem *Problem
	if of.name != "" {
		var body []byte
		if body, problem = s.c.get(q); problem == nil {
			s.add(i, of.of, body)
		}
	} else {
		problem = s.list(i, of.of, namespace)
	}
	if problem == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.c.explain(q, problem)
	if problem.Code == http.StatusNotFound && of.name != "" {
		err.Message = fmt.Sprintf("there is no %s %s", of.of, words.Flow(of.name))
		if namespace != "" {
			err.Message += " in namespace " + words.Flow(namespace)
		}
	}
	if named || problem.fatal() {
		s.err = cmp.Or(s.err, error(err))
		return
	}
	s.passed = append(s.passed, fmt.Sprintf("%s (%d)", of.of, problem.Code))
}

// list reads a list to its end. One that changed on the way is read anew.
func (s *selecting) list(i int, of Resource, namespace string) *Problem {
	again := false
	for next := ""; ; {
		p, problem := s.c.page(of, namespace, s.c.flags.selector, next)
		if problem != nil && problem.Code == http.StatusGone && !again {
			again, next, s.found[i] = true, "", nil
			continue
		}
		if problem != nil {
			return problem
		}
		for _, item := range p.Items {
			s.add(i, of, item)
		}
		if next = p.Metadata.Continue; next == "" {
			return nil
		}
	}
}

func (s *selecting) add(i int, of Resource, body []byte) {
	var named struct {
		Metadata struct{ Namespace, Name string }
	}
	_ = json.Unmarshal(body, &named) // what is wrong with it is found below
	o, err := manifest.ReadResponse(of.shown(named.Metadata.Namespace, named.Metadata.Name), body, of.apiVersion(), of.Kind)
	if err == nil {
		s.found[i] = append(s.found[i], o)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = cmp.Or(s.err, error(&manifest.Error{File: s.c.Host, Message: fmt.Sprintf("%s: %v", of, err)}))
}
