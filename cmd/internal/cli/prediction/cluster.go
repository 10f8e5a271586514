// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// readTypes reads the types of objects from the cluster, if t reads from a cluster.
func readTypes(r *command.Run, t *sources.Types, objects []*input.Ref) error {
	ids := make([]manifest.Identity, len(objects))
	for i, o := range objects {
		ids[i] = o.Identity()
	}
	return t.ReadServed(r, ids)
}

// readCluster prepares objects for requests to the cluster of t. It puts each namespaced object
// that has no namespace into the default namespace of the cluster. If read is true, it also reads
// the live objects from the cluster and returns them in found. If read is false, found is the
// argument live.
//
// The result errs describes objects that the cluster would reject, and objects whose live object
// cannot be read. All other objects are in the result placed.
func readCluster(r *command.Run, t *sources.Types, objects, live []*input.Ref, read bool) (placed, found []*input.Ref, errs manifest.Errors, err error) {
	c := t.Cluster()
	var wanted []cluster.Wanted
	// asked lists, for each object in wanted, the indexes of its configs in the slice placed. If the
	// input contains an object more than once, which is an error, the object is read only once.
	var asked [][]int
	first := map[cluster.Wanted]int{}
	for _, o := range objects {
		id := o.Identity()
		resource, known := t.Resource(id)
		if known && resource.Namespaced {
			if err := c.CheckNamespace(id.Namespace); err != nil {
				errs = append(errs, o.Errorf(".metadata.namespace", "%v", err))
				continue
			}
			o = o.WithNamespace(c.Namespace())
		}
		if read && known && id.Name != "" {
			w := cluster.Wanted{Resource: resource, Namespace: inNamespace(resource, o.Identity().Namespace), Object: id.Name}
			address := w
			address.Version = "" // an object is the same in all versions
			i, ok := first[address]
			if !ok {
				i = len(wanted)
				first[address] = i
				wanted, asked = append(wanted, w), append(asked, nil)
			}
			asked[i] = append(asked[i], len(placed))
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
			found = append(found, input.RefTo(a.Live))
		}
		for _, at := range asked[i] {
			problems.add(placed[at], wanted[i], a)
		}
	}
	problems.checkNamespaces(c)
	kept := placed[:0]
	for _, o := range placed {
		if !problems.affected[o] {
			kept = append(kept, o)
		}
	}
	return kept, found, append(errs, problems.errs()...), nil
}

// readNamespaces reads the Namespaces of Pods and workloads from the cluster. The PodSecurity
// checks need their labels. It skips Namespaces that are already in found. If it cannot read a
// Namespace, it adds a note for the user.
func readNamespaces(r *command.Run, t *sources.Types, objects, found []*input.Ref) (read []*input.Ref) {
	if podSecurity(t) == nil {
		return nil
	}
	wanted := map[string]bool{}
	for _, o := range objects {
		if id := o.Identity(); securesPods(id) {
			wanted[cmp.Or(id.Namespace, t.Cluster().Namespace())] = true
		}
	}
	for _, o := range found {
		if id := o.Identity(); id.APIVersion == "v1" && id.Kind == "Namespace" {
			delete(wanted, id.Name)
		}
	}
	names := slices.Sorted(maps.Keys(wanted))
	answers := make([]cluster.Answer, len(names))
	cluster.Each(len(names), func(i int) { answers[i] = t.Cluster().ReadNamespace(names[i]) })
	var unread []int
	for i, a := range answers {
		if a.Live != nil {
			read = append(read, input.RefTo(a.Live))
		} else if a.Problem != "" {
			unread = append(unread, i)
		}
	}
	if len(unread) > 0 {
		more := ""
		if n := len(unread) - 1; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		r.NoteOnce("Pod security was not checked in namespace %s%s: %s", names[unread[0]], more, answers[unread[0]].Problem)
	}
	return read
}

// inNamespace returns namespace, or "" if the resource is cluster-scoped.
func inNamespace(resource cluster.Resource, namespace string) string {
	if !resource.Namespaced {
		return ""
	}
	return namespace
}

// problems collects objects that cannot be compared, with the reasons. A reason that affects
// several objects becomes a single error.
type problems struct {
	affected map[*input.Ref]bool
	// reasons holds the reasons in the order of discovery.
	reasons  []string
	byReason map[string][]*input.Ref
	// created lists the new objects in each namespace.
	created map[string][]*input.Ref
	// populated has the namespaces that contain at least one live object.
	populated map[string]bool
	// given has the namespaces whose Namespace object is in the input.
	given map[string]bool
}

func newProblems(objects []*input.Ref) *problems {
	p := &problems{affected: map[*input.Ref]bool{}, byReason: map[string][]*input.Ref{}, created: map[string][]*input.Ref{}, populated: map[string]bool{}, given: map[string]bool{}}
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
		p.report(o, a.Problem)
	case a.Live != nil:
		p.populated[w.Namespace] = true
	case w.Namespaced:
		p.created[w.Namespace] = append(p.created[w.Namespace], o)
	}
}

func (p *problems) report(o *input.Ref, reason string) {
	if p.byReason[reason] == nil {
		p.reasons = append(p.reasons, reason)
	}
	p.byReason[reason] = append(p.byReason[reason], o)
	p.affected[o] = true
}

// checkNamespaces adds a problem for each new object in a namespace that does not exist, or
// that is being deleted.
func (p *problems) checkNamespaces(c *cluster.Cluster) {
	for _, name := range slices.Sorted(maps.Keys(p.created)) {
		objects := p.created[name]
		if p.populated[name] || p.given[name] {
			continue
		}
		if reason := c.NoNamespace(name); reason != "" {
			for _, o := range objects {
				p.report(o, reason)
			}
		}
	}
}

// errs returns one error for each reason. An error has the position of the first affected object,
// and says how many other objects are affected.
func (p *problems) errs() (errs manifest.Errors) {
	for _, reason := range p.reasons {
		objects, more := p.byReason[reason], ""
		if n := len(objects) - 1; n > 0 {
			more = " (and one more object)"
			if n > 1 {
				more = fmt.Sprintf(" (and %d more objects)", n)
			}
		}
		errs = append(errs, objects[0].Errorf("", "%v%s: %s", objects[0].Identity(), more, reason))
	}
	return errs
}
