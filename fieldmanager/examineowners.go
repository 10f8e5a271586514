// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// clientSideApply is the manager of kubectl's client-side apply.
const clientSideApply = "kubectl-client-side-apply"

// lastAppliedPath is the annotation that client-side apply keeps.
var lastAppliedPath = fieldpath.MakePathOrDie("metadata", "annotations", LastAppliedAnnotation)

// stale finds the managers that have not written for long.
func (x *examination) stale() {
	if x.o.Stale <= 0 {
		return
	}
	now := x.m.o.Clock()
	for i := range x.entries {
		e := &x.entries[i]
		if e.Time != nil && now.Sub(*e.Time) > x.o.Stale {
			x.found(StaleManager, e, nil, "", "wrote last on %s: see whether anybody still answers for it, or hand its fields over with a migration", e.Time.UTC().Format(time.DateOnly))
		}
	}
}

// isClientSide tells whether an entry is that of a client-side apply.
func isClientSide(e *managedfields.Entry) bool {
	return e.Operation == managedfields.OperationUpdate && e.Subresource == "" && (e.Manager == clientSideApply || e.Set.Has(lastAppliedPath))
}

// clientSide finds the fields that client-side apply left behind in an object
// that is applied server-side by now.
func (x *examination) clientSide() error {
	var all, byApply []*fieldpath.Set
	to := ""
	for i := range x.entries {
		e := &x.entries[i]
		all = append(all, e.Set)
		if e.Operation == managedfields.OperationApply && e.Subresource == "" {
			byApply = append(byApply, e.Set)
			if to == "" || e.Manager == kubectl {
				to = e.Manager
			}
		}
	}
	if to == "" {
		return nil
	}
	applied, owned := stored.Union(byApply), stored.Union(all)
	for i := range x.entries {
		e := &x.entries[i]
		if !isClientSide(&e.Entry) {
			continue
		}
		for _, path := range tops(e.Set.Difference(applied), applied) {
			x.found(ClientSideOrphan, e, path, "", "only client-side apply owns it: it stays when it is left out of an apply; hand it over to %s with a migration", to)
		}
	}
	for _, path := range x.forgotten(owned) {
		x.found(ClientSideOrphan, nil, path, "", "client-side apply set it, by the annotation %s, and nobody owns it: it stays when it is left out of an apply", LastAppliedAnnotation)
	}
	return nil
}

// tops are the paths of set, each without those below it, that hold nothing of
// others; the annotation of client-side apply is not among them.
func tops(set, others *fieldpath.Set) []fieldpath.Path {
	var list []fieldpath.Path
	taken := fieldpath.NewSet()
	for path := range set.All() {
		if len(path) <= len(lastAppliedPath) && lastAppliedPath[:len(path)].Equals(path) || contains(others, path) {
			continue
		}
		below := false
		for n := 1; n < len(path) && !below; n++ {
			below = taken.Has(path[:n])
		}
		if !below {
			taken.Insert(path.Copy())
			list = append(list, path.Copy())
		}
	}
	return list
}

// contains tells whether set has something below path.
func contains(set *fieldpath.Set, path fieldpath.Path) bool {
	for _, e := range path {
		next, ok := set.Children.Get(e)
		if !ok {
			return false
		}
		set = next
	}
	return true
}

// forgotten are the fields of the last-applied annotation that the object still
// has as they were and that nobody owns.
func (x *examination) forgotten(owned *fieldpath.Set) []fieldpath.Path {
	own, err := x.m.lastAppliedFields(x.plain)
	if err != nil {
		return nil // there is none, or it cannot be read: it says nothing
	}
	return tops(own.Difference(document.Unowned).Difference(owned), owned)
}

// lastAppliedFields are the fields in the annotation of object that have the same
// value in it.
func (m *FieldManager) lastAppliedFields(object map[string]any) (*fieldpath.Set, error) {
	apiVersion, kind := document.TypeOf(object)
	t, err := m.typeFor(apiVersion, kind)
	if err != nil {
		return nil, err
	}
	return lastAppliedSet(object, apiVersion, t)
}

// twoNames finds the entries by which a tool stands in its own way.
func (x *examination) twoNames() {
	orphans := map[int]bool{}
	for _, p := range x.problems {
		if p.Rule == ClientSideOrphan {
			orphans[p.Index] = true
		}
	}
	applies, all := map[tool][]int{}, map[tool][]int{}
	for i := range x.entries {
		t := toolOf(&x.entries[i])
		if all[t] = append(all[t], i); x.entries[i].Operation == managedfields.OperationApply {
			applies[t] = append(applies[t], i)
		}
	}
	var pairs [][2]int // of an apply and another entry
	add := func(i, j int) {
		other := &x.entries[j]
		if i != j && !orphans[other.index] && !(other.Operation == managedfields.OperationApply && i > j) {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	for k := range x.entries {
		own := toolOf(&x.entries[k])
		for t := range own.shorter() {
			for _, i := range first(applies[t]) {
				add(i, k)
			}
			if x.entries[k].Operation == managedfields.OperationApply && t != own {
				for _, j := range first(all[t]) {
					add(k, j)
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	for _, p := range pairs {
		apply, other := &x.entries[p[0]], &x.entries[p[1]]
		shared := apply.Set.Intersection(other.Set).Leaves().Size()
		if other.Operation == managedfields.OperationApply && shared == 0 {
			continue
		}
		only := other.Set.Difference(apply.Set).Leaves().Size()
		p := x.found(TwoNames, other, nil, "",
			"the same tool as %v (%s): %d of its fields are both's, %d only its own; what the tool leaves out of an apply stays, and it may conflict with itself; a migration joins the two",
			apply.Owner, apply.Operation, shared, only)
		p.Other = apply.Owner
	}
}

// maxNamesakes is how many entries of one name are compared with others: there are as
// many as the tool has API versions.
const maxNamesakes = 16

func first(list []int) []int { return list[:min(len(list), maxNamesakes)] }

// tool is a program by the name of its manager: helm and Helm are one, and so are
// kubectl and kubectl-client-side-apply, argocd and argocd-controller.
type tool struct{ name, subresource string }

func toolOf(e *examinedEntry) tool { return tool{strings.ToLower(e.Manager), e.Subresource} }

// shorter yields t, and the names of the same program that are shorter.
func (t tool) shorter() iter.Seq[tool] {
	return func(yield func(tool) bool) {
		if !yield(t) {
			return
		}
		for i := 1; i < len(t.name); i++ {
			if t.name[i] == '-' && !yield(tool{t.name[:i], t.subresource}) {
				return
			}
		}
	}
}
