// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package prediction

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Pair holds an object to write, and its live object. Live is nil if the object is new.
type Pair struct {
	Object, Live *manifest.Object
}

// Refs locates the objects of a pair. Live is nil if the object is new.
type Refs struct{ Object, Live *input.Ref }

// Size returns the number of bytes that Read reads.
func (p Refs) Size() int64 {
	n := p.Object.Size()
	if p.Live != nil {
		n += p.Live.Size()
	}
	return n
}

// Read reads both objects of the pair.
func (p Refs) Read() (Pair, *manifest.Error) {
	object, err := p.Object.Object()
	if err != nil {
		return Pair{}, err
	}
	live, err := p.Live.Object()
	return Pair{object, live}, err
}

// An Address identifies an object in an API server. It is the same in all API versions.
type Address struct{ group, kind, namespace, name string }

// AddressOf returns the address of an object.
func AddressOf(t *sources.Types, o *input.Ref) Address {
	id := o.Identity()
	a := Address{unstructured.GroupOf(id.APIVersion), id.Kind, id.Namespace, id.Name}
	if t.ClusterWide(id) {
		a.namespace = ""
	}
	return a
}

// PairUp finds the live object for each object. As in an API server, both have the same group,
// kind, namespace and name, but can have different versions. For a Scale, the live object is the
// object to scale. If an object has no namespace, PairUp also accepts a live object in any
// namespace, if only one live object has this name. PairUp calls note with messages for users.
func PairUp(objects, live []*input.Ref, t *sources.Types, note func(string)) (pairs []Refs, errs manifest.Errors) {
	errs = append(duplicateObjects(objects, t), duplicateObjects(live, t)...)
	byAddress := make(map[Address]*input.Ref, len(live))
	// anywhere groups the live objects by their address without the namespace.
	anywhere := map[Address][]*input.Ref{}
	namespaces := map[string]bool{}
	others := map[Address]*input.Ref{}
	for _, l := range live {
		a := AddressOf(t, l)
		if a.namespace != "" {
			namespaces[a.namespace] = true
		}
		byAddress[a] = l
		others[Address{kind: a.kind, namespace: a.namespace, name: a.name}] = l
		a.namespace = ""
		anywhere[a] = append(anywhere[a], l)
	}
	for _, o := range objects {
		id := o.Identity()
		want := AddressOf(t, o)
		p := Refs{Object: o, Live: byAddress[want]}
		if p.Live == nil && want.namespace == "" && id.Name != "" {
			switch found := anywhere[want]; len(found) {
			case 0:
			case 1:
				if p.Live = found[0]; len(namespaces) > 1 {
					note(fmt.Sprintf("%v has no namespace: it is compared with %v, the only live object with its name", id, p.Live.Identity()))
				}
			default:
				errs = append(errs, o.Errorf(".metadata", "has no namespace, and %d live objects have its name, such as %v and %v: set metadata.namespace, or pass live objects of one namespace only", len(found), found[0].Identity(), found[1].Identity()))
				continue
			}
		}
		if p.Live == nil && isScale(id) {
			found, others := scaleTargets(id, live, t)
			if len(found) > 1 {
				errs = append(errs, o.Errorf("", "is a Scale of %v or of %v: pass only one of these live objects", found[0].Identity(), found[1].Identity()))
				continue
			}
			if len(found) == 1 {
				p.Live = found[0]
			} else if len(others) > 0 {
				errs = append(errs, o.Errorf("", "is a Scale, but %v has no subresource scale: add the scaled live object to the files of --live", others[0].Identity()))
				continue
			}
		}
		if p.Live == nil && len(live) > 0 && !isScale(id) {
			text := fmt.Sprintf("%v is new: it is not among the live objects", id)
			if other := others[Address{kind: want.kind, namespace: want.namespace, name: want.name}]; other != nil {
				text += fmt.Sprintf(" (%v has an object with this kind and name in another group, %s)", other.Start(), other.Identity().APIVersion)
			}
			note(text)
		}
		pairs = append(pairs, p)
	}
	return pairs, errs
}

// duplicateObjects returns an error for each object that is given more than once, in the same
// API version or in different ones.
func duplicateObjects(objects []*input.Ref, t *sources.Types) manifest.Errors {
	var errs manifest.Errors
	var repeats Repeats
	for _, o := range objects {
		if message := repeats.Add(AddressOf(t, o), o.Identity(), o.Start); message != "" {
			errs = append(errs, o.Errorf("", "%s", message))
		}
	}
	return slices.Clip(errs)
}

// Repeats finds objects that occur more than once. The zero value is ready to use.
type Repeats struct{ first map[Address]occurrence }

// occurrence is the first occurrence of an object. The function start returns its position.
type occurrence struct {
	id    manifest.Identity
	start func() manifest.Position
}

// Add adds an object. If the same object was added before, Add returns a message that says so.
// Objects without a name are never the same, because the server may generate their names.
func (r *Repeats) Add(a Address, id manifest.Identity, start func() manifest.Position) (message string) {
	if id.Name == "" {
		return ""
	}
	first, ok := r.first[a]
	switch {
	case ok && first.id == id:
		return fmt.Sprintf("%v appears twice, first at %v", id, first.start())
	case ok:
		return fmt.Sprintf("%v appears twice, first at %v as %v", id, first.start(), first.id)
	case r.first == nil:
		r.first = map[Address]occurrence{}
	}
	r.first[a] = occurrence{id, start}
	return ""
}

// EachPair calls work for several pairs at a time, and passes the results to handle in the order
// of the pairs.
func EachPair[T any](r *command.Run, pairs []Refs, work func(Refs) T, handle func(T)) {
	progress := command.NewProgress(r, len(pairs))
	defer progress.Erase()
	for v := range command.InOrder(slices.Values(pairs), Refs.Size, func(_ *command.Turn, p Refs) T { return work(p) }) {
		handle(v)
		progress.Done()
	}
}

// Index finds the objects in files. The returned errs are errors in the files. The caller must
// call closeFiles, even after an error, when it no longer reads the objects.
func Index(r *command.Run, f input.Files, t *sources.Types) (refs []*input.Ref, errs manifest.Errors, closeFiles func(), err error) {
	set, err := input.Open(r, f)
	if err != nil {
		return nil, nil, func() {}, err
	}
	if refs, errs, err = set.Index(); err != nil {
		return nil, nil, set.Close, err
	}
	return refs, t.ExplainMissingKind(errs), set.Close, nil
}

// refsTo returns Refs for objects that are in memory.
func refsTo(objects []*manifest.Object) []*input.Ref {
	refs := make([]*input.Ref, len(objects))
	for i, o := range objects {
		refs[i] = input.RefTo(o)
	}
	return refs
}

// definitionsAmong returns the CustomResourceDefinitions among objects. It skips objects that
// cannot be read.
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

// EachObject calls work for each object in the files or in the cluster, several at a time. It
// passes the results to handle in the order of the input. If the input has errors, EachObject still
// handles all other objects. At the end, it passes one more value to handle, which convert makes
// from an Outcome with these errors.
func EachObject[T any](r *command.Run, f input.Files, s *sources.Flags, work func(*sources.Types, *manifest.Object) T, convert func(*Outcome) T, handle func(T)) error {
	return EachObjectAmong(r, f, s, func(t *sources.Types, _ Others, o *manifest.Object) T { return work(t, o) }, convert, handle)
}

// EachObjectAmong is like EachObject, but also passes an Others to work. With it, work can list all
// objects in the input that have a certain kind.
func EachObjectAmong[T any](r *command.Run, f input.Files, s *sources.Flags, work func(*sources.Types, Others, *manifest.Object) T, convert func(*Outcome) T, handle func(T)) error {
	err := eachObject(r, f, s, work, convert, handle)
	if errs, ok := input.Errors(err); ok {
		handle(convert(&Outcome{Errors: errs}))
		return nil
	}
	return err
}

func eachObject[T any](r *command.Run, f input.Files, s *sources.Flags, work func(*sources.Types, Others, *manifest.Object) T, convert func(*Outcome) T, handle func(T)) error {
	selects := s.Cluster.Selects(r)
	switch {
	case len(f.Names) == 0 && !selects && s.Cluster.CanSelect():
		return command.Usagef("-f is missing: name a file, or an object in a cluster, such as deployment/web")
	case len(f.Names) == 0 && !selects:
		return command.Usagef("-f is missing: name the file with the objects")
	case len(f.Names) > 0 && s.Cluster.Named():
		return command.Usagef("-f cannot be combined with -A or -l: leave one of them out")
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
	others := othersIn(set)
	if types.Cluster() != nil {
		refs, _, err := set.Index() // Work returns these errors again
		if err != nil {
			return err
		}
		if err := readTypes(r, types, refs); err != nil {
			return err
		}
		inCluster := sync.OnceValue(func() Others { return byKind(readNamespaces(r, types, refs, nil), refs) })
		others = func(group, kind string) []map[string]any { return inCluster()(group, kind) }
	}
	types.AddDefinitions(r, definitionsIn(set))
	var selected map[manifest.Identity]bool
	if args := s.Cluster.NamesInFiles(); len(args) > 0 {
		refs, _, err := set.Index() // Work returns these errors again
		if err != nil {
			return err
		}
		var missing *manifest.Error
		if len(refs) > 0 {
			selected, missing = selectByName(types, refs, f, args)
		}
		if missing != nil {
			return missing
		}
	}
	progress := command.NewProgress(r, set.Len())
	defer progress.Erase()
	none := true
	errs, err := input.Work(set, func(o *manifest.Object) *T {
		if selected != nil && !selected[o.Identity()] {
			return nil
		}
		v := work(types, others, o)
		return &v
	}, func(v *T) {
		none = false
		if v != nil {
			handle(*v)
		}
		progress.Done()
	})
	if err != nil {
		return err
	}
	switch {
	case len(errs) > 0:
		handle(convert(&Outcome{Errors: types.ExplainMissingKind(errs)}))
	case none:
		set.NoteNoObjects()
	}
	return nil
}

// open opens the files. If there are no files, it reads the selected objects from the cluster
// of t.
func open(r *command.Run, f input.Files, t *sources.Types) (*input.Set, error) {
	if len(f.Names) > 0 {
		return input.Open(r, f)
	}
	objects, err := t.Cluster().Select()
	if err != nil {
		return nil, err
	}
	f.Names = []string{t.Cluster().Host}
	return input.FromObjects(r, f, objects), nil
}

// definitionsIn returns the CustomResourceDefinitions in a set.
func definitionsIn(set *input.Set) iter.Seq[*manifest.Object] {
	return set.Containing(sources.DefinitionKind, func(o *manifest.Object) bool {
		return o.Identity().Kind == sources.DefinitionKind
	})
}
