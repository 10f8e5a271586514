// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
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

// address is what the API server finds an object by, whatever its version.
type address struct{ group, kind, namespace, name string }

func addressOf(t *sources.Types, o *manifest.Object) address {
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
func PairUp(objects, live []*manifest.Object, t *sources.Types) (pairs []Pair, notes []string, errs manifest.Errors) {
	errs = append(twice(objects, t), twice(live, t)...)
	byAddress := map[address]*manifest.Object{}
	// anywhere finds the live objects of an address without its namespace.
	anywhere := map[address][]*manifest.Object{}
	namespaces := map[string]bool{}
	others := map[address]*manifest.Object{}
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
		p := Pair{Object: o, Live: byAddress[want]}
		if p.Live == nil && want.namespace == "" && id.Name != "" {
			switch found := anywhere[want]; len(found) {
			case 0:
			case 1:
				if p.Live = found[0]; len(namespaces) > 1 {
					notes = append(notes, fmt.Sprintf("%v has no namespace: it is compared with %v, the one live object of its name", id, p.Live.Identity()))
				}
			default:
				errs = append(errs, o.Errorf(".metadata", "has no namespace, and %d live objects have its name: %v, %v: write metadata.namespace, or give the live objects of one namespace", len(found), found[0].Identity(), found[1].Identity()))
				continue
			}
		}
		if p.Live == nil && len(live) > 0 {
			note := fmt.Sprintf("%v is not among the live objects: it is new", id)
			if other := others[address{kind: want.kind, namespace: want.namespace, name: want.name}]; other != nil {
				note += fmt.Sprintf(" (%v has it as %s, of another group)", other.Start(), other.Identity().APIVersion)
			}
			notes = append(notes, note)
		}
		pairs = append(pairs, p)
	}
	return pairs, notes, errs
}

// twice finds objects that are there more than once, in whichever versions.
func twice(objects []*manifest.Object, t *sources.Types) manifest.Errors {
	var errs manifest.Errors
	first := map[address]*manifest.Object{}
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

// EachObject returns what do makes of each object in files. What is wrong with
// the input is an outcome, not an error.
func EachObject(r *command.Run, f input.Files, s *sources.Flags, do func(*sources.Types, *manifest.Object) *Outcome) ([]*Outcome, error) {
	outcomes, err := doEach(r, f, s, do)
	if errs, ok := input.Errors(err); ok {
		return []*Outcome{{Errors: errs}}, nil
	}
	return outcomes, err
}

func doEach(r *command.Run, f input.Files, s *sources.Flags, do func(*sources.Types, *manifest.Object) *Outcome) ([]*Outcome, error) {
	if len(f.Names) == 0 {
		return nil, command.Usagef("-f FILE is missing")
	}
	types, err := sources.Read(r, s, true)
	if err != nil {
		return nil, err
	}
	objects, errs, err := input.ReadObjects(r, f)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 && len(errs) == 0 {
		return nil, input.NothingIn(f)
	}
	types.NoteDefinitions(objects)
	var outcomes []*Outcome
	for object := range command.Counted(r, objects) {
		outcomes = append(outcomes, do(types, object))
	}
	if len(errs) > 0 {
		outcomes = append(outcomes, &Outcome{Errors: errs})
	}
	return outcomes, nil
}
