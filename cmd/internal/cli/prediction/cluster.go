// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Serve gets the types of objects from the cluster, if types come from one.
func Serve(r *command.Run, t *sources.Types, objects []*input.Ref) error {
	ids := make([]manifest.Identity, len(objects))
	for i, o := range objects {
		ids[i] = o.Identity()
	}
	return t.Serve(r, ids)
}

// readCluster puts objects that name no namespace into that of the cluster, and returns the
// live ones that they are written to: those of the cluster, unless read is false. What of the
// objects the cluster cannot have, or cannot tell of, is in errs in place of the objects.
func readCluster(r *command.Run, t *sources.Types, objects, live []*input.Ref, read bool) (placed, found []*input.Ref, errs manifest.Errors, err error) {
	c := t.Cluster()
	var wanted []cluster.Wanted
	var asked []int
	for _, o := range objects {
		id := o.Identity()
		of, known := t.Resource(id)
		if known && of.Namespaced {
			if err := c.CheckNamespace(id.Namespace); err != nil {
				errs = append(errs, o.Errorf(".metadata.namespace", "%v", err))
				continue
			}
			o = o.In(c.Namespace())
		}
		if read && known && id.Name != "" {
			wanted = append(wanted, cluster.Wanted{Resource: of, Namespace: inNamespace(of, o.Identity().Namespace), Object: id.Name})
			asked = append(asked, len(placed))
		}
		placed = append(placed, o)
	}
	if !read {
		return placed, live, errs, nil
	}
	answers, err := c.Read(wanted)
	if err != nil {
		return nil, nil, nil, err
	}
	problems := newProblems(objects)
	for i, a := range answers {
		if a.Live != nil {
			r.Masks.HideIn([]*manifest.Object{a.Live})
			found = append(found, input.Held(a.Live))
		}
		problems.add(placed[asked[i]], wanted[i], a)
	}
	problems.checkNamespaces(c)
	kept := placed[:0]
	for _, o := range placed {
		if !problems.of[o] {
			kept = append(kept, o)
		}
	}
	return kept, found, append(errs, problems.errs()...), nil
}

// inNamespace is the namespace of an object of a resource, empty if it has none.
func inNamespace(of cluster.Resource, namespace string) string {
	if !of.Namespaced {
		return ""
	}
	return namespace
}

// problems are what keeps objects from being compared, each told once.
type problems struct {
	of    map[*input.Ref]bool
	order []string
	by    map[string][]*input.Ref
	// fresh are the objects that are new, by namespace, unless there is something in it;
	// given are the namespaces among the objects.
	fresh        map[string][]*input.Ref
	alive, given map[string]bool
}

func newProblems(objects []*input.Ref) *problems {
	p := &problems{of: map[*input.Ref]bool{}, by: map[string][]*input.Ref{}, fresh: map[string][]*input.Ref{}, alive: map[string]bool{}, given: map[string]bool{}}
	for _, o := range objects {
		if id := o.Identity(); id.APIVersion == "v1" && id.Kind == "Namespace" {
			p.given[id.Name] = true
		}
	}
	return p
}

func (p *problems) add(o *input.Ref, w cluster.Wanted, a cluster.Answer) {
	switch {
	case a.Problem != "":
		p.tell(o, a.Problem)
	case a.Live != nil:
		p.alive[w.Namespace] = true
	case w.Namespaced:
		p.fresh[w.Namespace] = append(p.fresh[w.Namespace], o)
	}
}

func (p *problems) tell(o *input.Ref, why string) {
	if p.by[why] == nil {
		p.order = append(p.order, why)
	}
	p.by[why] = append(p.by[why], o)
	p.of[o] = true
}

// checkNamespaces refuses new objects in namespaces that are not there.
func (p *problems) checkNamespaces(c *cluster.Cluster) {
	for _, name := range slices.Sorted(maps.Keys(p.fresh)) {
		objects := p.fresh[name]
		if p.alive[name] || p.given[name] {
			continue
		}
		if why := c.NoNamespace(name); why != "" {
			for _, o := range objects {
				p.tell(o, why)
			}
		}
	}
}

// errs has each problem with the first object that has it.
func (p *problems) errs() (errs manifest.Errors) {
	for _, why := range p.order {
		objects, more := p.by[why], ""
		if n := len(objects) - 1; n > 0 {
			more = fmt.Sprintf(" (and of %d other objects)", n)
		}
		errs = append(errs, objects[0].Errorf("", "%v%s: %s", objects[0].Identity(), more, why))
	}
	return errs
}
