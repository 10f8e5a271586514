// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// discoveredResource is a resource, with all names and short names that kubectl accepts for it.
type discoveredResource struct {
	Resource
	names []string
	verbs []string
}

// aggregated is the Accept header that requests the resources of all API groups in a single
// list.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"

// discover lists the resources of the cluster. It lists the resources in their preferred API
// versions first. The second result lists the versions of aggregated APIs that do not answer.
func (c *Cluster) discover() (all []discoveredResource, stale []string, err error) {
	var others []discoveredResource
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
			return nil, nil, &manifest.Error{File: c.Host, Message: "the cluster does not support aggregated discovery, which needs Kubernetes 1.27 or later: pass the objects as files"}
		}
		for _, g := range list.Items {
			for i, v := range g.Versions {
				if v.Freshness == "Stale" {
					stale = append(stale, joinVersion(g.Metadata.Name, v.Version))
					continue
				}
				for _, r := range v.Resources {
					d := discoveredResource{
						Resource: Resource{Group: g.Metadata.Name, Version: v.Version, Name: r.Resource, Kind: r.ResponseKind.Kind, Namespaced: r.Scope == "Namespaced"},
						names:    append([]string{r.Resource, r.SingularResource, strings.ToLower(r.ResponseKind.Kind)}, r.ShortNames...),
						verbs:    r.Verbs,
					}
					has := func(o discoveredResource) bool { return o.Group == d.Group && o.Name == d.Name }
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

// find returns the resource that a name selects. The name can have each form that kubectl
// accepts: deploy, deployments.apps or deployments.v1.apps.
func find(all []discoveredResource, name string) (Resource, error) {
	for _, d := range all {
		if unstructured.SelectsResource(name, d.names, joinVersion(d.Group, d.Version)) {
			return d.Resource, nil
		}
	}
	var names []string
	for _, d := range all {
		names = append(names, d.names...)
	}
	return Resource{}, command.Usagef("the cluster has no resource %s%s", words.Flow(name), words.DidYouMean(suggest.Nearest(strings.ToLower(name), names)))
}

// A selection selects one object of a resource by name. If the name is empty, it selects all
// objects of the resource.
type selection struct {
	resource Resource
	name     string
}

// parseSelections parses arguments as "kubectl get" does: "deployment/web pod/a",
// "deployments,pods" or "deployment web".
func parseSelections(all []discoveredResource, args []string) (list []selection, err error) {
	if strings.Contains(args[0], "/") {
		for _, a := range args {
			kind, name, ok := strings.Cut(a, "/")
			if !ok || kind == "" || name == "" {
				return nil, command.Usagef("argument %s: write RESOURCE/NAME, such as deployment/web", words.Flow(a))
			}
			resource, err := find(all, kind)
			if err != nil {
				return nil, err
			}
			list = append(list, selection{resource, name})
		}
		return list, nil
	}
	for _, kind := range strings.Split(args[0], ",") {
		resource, err := find(all, kind)
		if err != nil {
			return nil, err
		}
		names := args[1:]
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			list = append(list, selection{resource, name})
		}
	}
	return list, nil
}

// allResources selects all resources whose objects can have managed fields. It selects
// cluster-scoped resources only if clusterWide is true. It leaves out events, because a
// cluster deletes them after an hour.
func allResources(all []discoveredResource, clusterWide bool) (list []selection) {
	seen := map[string]bool{}
	for _, d := range all {
		patchable := slices.Contains(d.verbs, "list") && slices.Contains(d.verbs, "get") && slices.Contains(d.verbs, "patch")
		if !patchable || d.Name == "events" || seen[d.Resource.String()] || !d.Namespaced && !clusterWide {
			continue
		}
		seen[d.Resource.String()] = true
		list = append(list, selection{resource: d.Resource})
	}
	return list
}

// Select reads the objects that the arguments and the flags -n, -A and -l select. Without
// arguments, it reads objects of all resources. In this case, a resource that the account may not
// list, or whose API server does not answer, only causes a warning.
func (c *Cluster) Select() ([]*manifest.Object, error) {
	all, stale, err := c.discover()
	if err != nil {
		return nil, err
	}
	f := c.flags
	var list []selection
	if len(f.names) > 0 {
		if list, err = parseSelections(all, f.names); err != nil {
			return nil, err
		}
		if f.all && slices.ContainsFunc(list, func(s selection) bool { return s.name != "" }) {
			return nil, command.Usagef("-A cannot be combined with the name of an object: give its namespace with -n")
		}
	} else {
		list = allResources(all, f.all)
		if len(stale) > 0 {
			c.run.Warnf("%s: skipped aggregated APIs that do not answer: %s", c.Host, strings.Join(stale, ", "))
		}
	}
	return c.read(list, len(f.names) > 0)
}

// ReadAll reads all objects of the given resources, in the namespaces that -n and -A select.
func (c *Cluster) ReadAll(resources []Resource) ([]*manifest.Object, error) {
	list := make([]selection, len(resources))
	for i, r := range resources {
		list[i].resource = r
	}
	return c.read(list, true)
}

// read reads the selected objects. If named is true, the user has selected the resources by name,
// and a selection that cannot be read is an error. If named is false, read skips this selection
// with a warning. But if all further requests would fail too, it returns an error.
func (c *Cluster) read(list []selection, named bool) ([]*manifest.Object, error) {
	r := &selectionReader{c: c, found: make([][]*manifest.Object, len(list))}
	Each(len(list), func(i int) { r.read(i, list[i], named) })
	if r.err != nil {
		return nil, r.err
	}
	if len(r.skipped) > 0 {
		slices.Sort(r.skipped)
		c.run.Warnf("%s: skipped %s: %s", c.Host, words.Count(len(r.skipped), "resource"), strings.Join(r.skipped, "; "))
	}
	return slices.Concat(r.found...), nil
}

// A selectionReader reads several selections concurrently.
type selectionReader struct {
	c     *Cluster
	found [][]*manifest.Object
	mu    sync.Mutex
	// skipped lists the resources that cannot be listed, each with its HTTP status.
	skipped []string
	err     error
}

func (r *selectionReader) read(i int, s selection, named bool) {
	namespace := ""
	if s.resource.Namespaced && !r.c.flags.all {
		namespace = r.c.namespace
	}
	q := request{path: s.resource.path(namespace, s.name), resource: s.resource, namespace: namespace, name: s.name}
	var problem *Problem
	if s.name != "" {
		var body []byte
		if body, problem = r.c.get(q); problem == nil {
			r.add(i, s.resource, body)
		}
	} else {
		problem = r.list(i, s.resource, namespace)
	}
	if problem == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.c.explain(q, problem)
	if problem.Code == httpstatus.NotFound && s.name != "" {
		err.Message = fmt.Sprintf("there is no %s %s", s.resource.Kind, words.Flow(s.name))
		if namespace != "" {
			err.Message += " in namespace " + words.Flow(namespace)
		}
	}
	if named || problem.fatal() {
		r.err = cmp.Or(r.err, error(err))
		return
	}
	r.skipped = append(r.skipped, fmt.Sprintf("%s (%d)", s.resource, problem.Code))
}

// list reads all pages of a list. If the token of the next page has expired, it starts again
// at the first page, but only once.
func (r *selectionReader) list(i int, resource Resource, namespace string) *Problem {
	restarted := false
	for next := ""; ; {
		p, problem := r.c.page(resource, namespace, r.c.flags.selector, next)
		if problem != nil && problem.Code == httpstatus.Gone && !restarted {
			restarted, next, r.found[i] = true, "", nil
			continue
		}
		if problem != nil {
			return problem
		}
		for _, item := range p.Items {
			r.add(i, resource, item)
		}
		if next = p.Metadata.Continue; next == "" {
			return nil
		}
	}
}

func (r *selectionReader) add(i int, resource Resource, body []byte) {
	var named struct {
		Metadata struct{ Namespace, Name string }
	}
	_ = json.Unmarshal(body, &named) // ReadResponse reports errors in the body
	o, err := manifest.ReadResponse(resource.displayName(named.Metadata.Namespace, named.Metadata.Name), body, resource.apiVersion(), resource.Kind)
	if err == nil {
		r.found[i] = append(r.found[i], o)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = cmp.Or(r.err, error(&manifest.Error{File: r.c.Host, Message: fmt.Sprintf("%s: %v", resource, err)}))
}
