// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"iter"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Pair is an object to be written and the live object it is written to, nil if
// there is none.
type Pair struct {
	Object, Live *manifest.Object
}

// Refs are those of a pair, of which Live may be nil.
type Refs struct{ Object, Live *input.Ref }

// Size is how many bytes are read for the pair.
func (p Refs) Size() int64 {
	n := p.Object.Size()
	if p.Live != nil {
		n += p.Live.Size()
	}
	return n
}

// Read reads the pair.
func (p Refs) Read() (Pair, *manifest.Error) {
	object, err := p.Object.Object()
	if err != nil {
		return Pair{}, err
	}
	live, err := p.Live.Object()
	return Pair{object, live}, err
}

// address is what the API server finds an object by, whatever its version.
type address struct{ group, kind, namespace, name string }

func addressOf(t *sources.Types, o *input.Ref) address {
	id := o.Identity()
	a := address{unstructured.GroupOf(id.APIVersion), id.Kind, id.Namespace, id.Name}
	if t.ClusterWide(id) {
		a.namespace = ""
	}
	return a
}

// PairUp finds the live object of each object as the API server does: by group, kind,
// namespace and name, in whichever version it is. An object without a namespace is also
// the one live object with its name in some namespace.
func PairUp(objects, live []*input.Ref, t *sources.Types, note func(string)) (pairs []Refs, errs manifest.Errors) {
	errs = append(twice(objects, t), twice(live, t)...)
	byAddress := make(map[address]*input.Ref, len(live))
	// anywhere finds the live objects of an address without its namespace.
	anywhere := map[address][]*input.Ref{}
	namespaces := map[string]bool{}
	others := map[address]*input.Ref{}
	for _, l := range live {
		a := addressOf(t, l)
		if a.namespace != "" {
			namespaces[a.namespace] = true
		}
		byAddress[a] = l
		others[address{kind: a.kind, namespace: a.namespace, name: a.name}] = l
		a.namespace = ""
		anywhere[a] = append(anywhere[a], l)
	}
	for _, o := range objects {
		id := o.Identity()
		want := addressOf(t, o)
		p := Refs{Object: o, Live: byAddress[want]}
		if p.Live == nil && want.namespace == "" && id.Name != "" {
			switch found := anywhere[want]; len(found) {
			case 0:
			case 1:
				if p.Live = found[0]; len(namespaces) > 1 {
					note(fmt.Sprintf("%v has no namespace: it is compared with %v, the one live object of its name", id, p.Live.Identity()))
				}
			default:
				errs = append(errs, o.Errorf(".metadata", "has no namespace, and %d live objects have its name: %v, %v: write metadata.namespace, or give the live objects of one namespace", len(found), found[0].Identity(), found[1].Identity()))
				continue
			}
		}
		if p.Live == nil && len(live) > 0 {
			text := fmt.Sprintf("%v is not among the live objects: it is new", id)
			if other := others[address{kind: want.kind, namespace: want.namespace, name: want.name}]; other != nil {
				text += fmt.Sprintf(" (%v has it as %s, of another group)", other.Start(), other.Identity().APIVersion)
			}
			note(text)
		}
		pairs = append(pairs, p)
	}
	return pairs, errs
}

// twice finds objects that are there more than once, in whichever versions.
func twice(objects []*input.Ref, t *sources.Types) manifest.Errors {
	var errs manifest.Errors
	first := make(map[address]*input.Ref, len(objects))
	for _, o := range objects {
		id := o.Identity()
		if id.Name == "" {
			continue
		}
		a := addressOf(t, o)
		if before, ok := first[a]; ok {
			as := ""
			if before.Identity() != id {
				as = fmt.Sprintf(" as %v", before.Identity())
			}
			errs = append(errs, o.Errorf("", "%v is given twice, first at %v%s", id, before.Start(), as))
			continue
		}
		first[a] = o
	}
	return slices.Clip(errs)
}

// EachPair does work for each pair, several at a time, and then something with what came of
// it, one after the other.
func EachPair[T any](r *command.Run, pairs []Refs, work func(Refs) T, then func(T)) {
	progress := command.NewProgress(r, len(pairs))
	defer progress.Erase()
	for v := range command.InOrder(slices.Values(pairs), Refs.Size, func(_ *command.Turn, p Refs) T { return work(p) }) {
		then(v)
		progress.Done()
	}
}

// Index returns where the objects in files are, and what is wrong with these; forget is to be
// called when nobody reads them any more.
func Index(r *command.Run, f input.Files) (refs []*input.Ref, errs manifest.Errors, forget func(), err error) {
	set, err := input.Open(r, f)
	if err != nil {
		return nil, nil, func() {}, err
	}
	if refs, errs, err = set.Index(); err != nil {
		return nil, nil, set.Close, err
	}
	if len(refs) == 0 && len(errs) == 0 {
		_ = set.NothingIn() // it notes why, for whoever says so
	}
	return refs, errs, set.Close, nil
}

// held are refs to objects at hand.
func held(objects []*manifest.Object) []*input.Ref {
	refs := make([]*input.Ref, len(objects))
	for i, o := range objects {
		refs[i] = input.Held(o)
	}
	return refs
}

// definitionsAmong ranges over the definitions of custom resources among objects.
func definitionsAmong(refs []*input.Ref) iter.Seq[*manifest.Object] {
	return func(yield func(*manifest.Object) bool) {
		for _, x := range refs {
			if x.Identity().Kind != sources.DefinitionKind {
				continue
			}
			if o, err := x.Object(); err == nil && !yield(o) {
				return
			}
		}
	}
}

// EachObject does work for each object in files, several at a time, and then something with
// what came of it, one after the other. What is wrong with the input is an outcome, not an
// error: told makes of it what work makes of an object.
func EachObject[T any](r *command.Run, f input.Files, s *sources.Flags, work func(*sources.Types, *manifest.Object) T, told func(*Outcome) T, then func(T)) error {
	err := eachObject(r, f, s, work, told, then)
	if errs, ok := input.Errors(err); ok {
		then(told(&Outcome{Errors: errs}))
		return nil
	}
	return err
}

func eachObject[T any](r *command.Run, f input.Files, s *sources.Flags, work func(*sources.Types, *manifest.Object) T, told func(*Outcome) T, then func(T)) error {
	selects := s.Cluster.Selects(r)
	switch {
	case len(f.Names) == 0 && !selects:
		return command.Usagef("-f FILE is missing")
	case len(f.Names) > 0 && s.Cluster.Named():
		return command.Usagef("-f, and names of objects of a cluster, or -A or -l: use one of them")
	}
	types, err := sources.Read(r, s, true)
	if err != nil {
		return err
	}
	set, err := open(r, f, types)
	if err != nil {
		return err
	}
	defer set.Close()
	types.NoteDefinitions(definitionsIn(set))
	if types.Cluster() != nil {
		refs, _, err := set.Index() // what is wrong is found below
		if err != nil {
			return err
		}
		if err := Serve(r, types, refs); err != nil {
			return err
		}
	}
	types.AddDefinitions(r, definitionsIn(set))
	progress := command.NewProgress(r, set.Len())
	defer progress.Erase()
	none := true
	errs, err := input.Work(set, func(o *manifest.Object) T { return work(types, o) }, func(v T) {
		none = false
		then(v)
		progress.Done()
	})
	if err != nil {
		return err
	}
	if none && len(errs) == 0 {
		return set.NothingIn()
	}
	if len(errs) > 0 {
		then(told(&Outcome{Errors: errs}))
	}
	return nil
}

// open opens the files, or what is selected of the cluster that types come from.
func open(r *command.Run, f input.Files, t *sources.Types) (*input.Set, error) {
	if len(f.Names) > 0 {
		return input.Open(r, f)
	}
	objects, err := t.Cluster().Select()
	if err != nil {
		return nil, err
	}
	f.Names = []string{t.Cluster().Host}
	return input.Of(r, f, objects), nil
}

// definitionsIn ranges over the definitions of custom resources in a set.
func definitionsIn(set *input.Set) iter.Seq[*manifest.Object] {
	return func(yield func(*manifest.Object) bool) {
		for o := range set.Of(sources.DefinitionKind) {
			if o.Identity().Kind == sources.DefinitionKind && !yield(o) {
				return
			}
		}
	}
}
