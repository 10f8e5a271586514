// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"errors"
	"time"
)

// Endpoint is where requests go: a version of a kind, and a subresource, "" for the objects themselves. It keeps
// metadata.managedFields as the field manager of an API server does. Live objects come in its version; Absent
// is one that is yet to be made. It changes nothing of what it is given.
type Endpoint struct {
	*Model
	Version, Subresource string
}

// Apply returns what an object becomes when a config is applied, or the conflicts.
func (e Endpoint) Apply(live, config any, manager string, force bool, now time.Time) (any, []Conflict, error) {
	owned, err := readEntries(managedFields(live))
	if err != nil {
		return nil, nil, err // rule L5
	}
	live = without(orNew(live, config))
	if _, ok := managedFields(config).([]any); ok {
		return nil, nil, errors.New("a config with managed fields") // rule L5
	}
	if field(config, "apiVersion") != e.Version || field(config, "kind") != field(live, "kind") {
		return nil, nil, errors.New("an object of another endpoint") // rule L12
	}
	if err := cmp.Or(Refuse(config, e.Types[e.Version], false), Refuse(live, e.Types[e.Version], true)); err != nil {
		return nil, nil, err
	}
	if len(owned.owners) == 0 { // rule L9
		if owned, err = e.record(orNew(Absent, live), live, owned, "before-first-apply", now); err != nil {
			return nil, nil, err
		}
	}
	id := identity{manager, apply, e.Version, e.Subresource}.text()
	object, owners, conflicts, err := e.Model.Apply(live, config, e.Version, owned.owners, id, force)
	if manager == kubectl && len(conflicts) > 0 { // rule L13
		conflicts = outside(conflicts, e.clientSide(live))
		if len(conflicts) == 0 {
			object, owners, _, err = e.Model.Apply(live, config, e.Version, owned.owners, id, true)
		}
	}
	if err != nil || len(conflicts) > 0 {
		return nil, named(conflicts), err
	}
	owned.owners = owners
	owned.strip(id)
	if !equal(live, object) { // rule L8
		owned.times[id] = &now
	}
	if manager == kubectl {
		object = synced(object, config)
	}
	return put(object, owned.list(), "metadata", "managedFields"), nil, nil
}

// Update returns what is stored when an object takes the place of another.
func (e Endpoint) Update(live, object any, manager string, now time.Time) (any, error) {
	owned := e.before(live, object)
	live, object = without(orNew(live, object)), without(object)
	if len(owned.owners) == 0 && !isAbsent(field(field(live, "metadata"), "uid")) {
		return object, nil // rule L7
	}
	if err := cmp.Or(Refuse(object, e.Types[e.Version], true), Refuse(live, e.Types[e.Version], true)); err != nil {
		return nil, err
	}
	owned, err := e.record(live, object, owned, manager, now)
	return put(object, owned.list(), "metadata", "managedFields"), err
}

// before are the entries that an update starts from. Rule L4.
func (e Endpoint) before(live, object any) entries {
	stored, _ := readEntries(managedFields(live)) // what cannot be read is lost
	list := managedFields(object)
	if e.Subresource != "" {
		return stored
	}
	if equal(list, []any{}) || equal(list, []any{map[string]any{}}) {
		return none()
	}
	if sent, err := readEntries(list); err == nil && len(sent.owners) > 0 {
		return sent
	}
	return stored
}

// record makes a manager the owner of what an update changes.
func (e Endpoint) record(live, object any, owned entries, manager string, now time.Time) (entries, error) {
	const self = "" // as no owner is called
	var err error
	if _, owned.owners, err = e.Model.Update(live, object, e.Version, owned.owners, self); err != nil {
		return entries{}, err
	}
	owned.strip(self)
	if changed, ok := owned.owners[self]; ok {
		id := identity{cmp.Or(manager, "unknown"), update, e.Version, e.Subresource}.text()
		delete(owned.owners, self)
		owned.owners[id] = Entry{e.Version, false, union(changed.Set, owned.owners[id].Set)}
		owned.times[id] = &now // rule L8
	}
	owned.fold()
	return owned, nil
}

// strip takes from who has just written what is never owned. Rule L6.
func (es entries) strip(id string) {
	e := es.owners[id]
	out := Set{}
	for p := range e.Set {
		switch p {
		case "f:apiVersion\n", "f:kind\n", "f:metadata\n", "f:metadata\nf:name\n", "f:metadata\nf:namespace\n",
			"f:metadata\nf:creationTimestamp\n", "f:metadata\nf:selfLink\n", "f:metadata\nf:uid\n",
			"f:metadata\nf:clusterName\n", "f:metadata\nf:generation\n", "f:metadata\nf:managedFields\n",
			"f:metadata\nf:resourceVersion\n":
		default:
			out.add(p)
		}
	}
	delete(es.owners, id)
	if len(out) > 0 {
		es.owners[id] = Entry{e.Version, e.Applied, out}
	}
}

// named are conflicts with managers by their names.
func named(conflicts []Conflict) []Conflict {
	var out []Conflict
	for _, c := range conflicts {
		out = append(out, Conflict{identityOf(c.Manager).Manager, c.Path})
	}
	return out
}

func managedFields(object any) any { return field(field(object, "metadata"), "managedFields") }

func without(object any) any { return put(object, Absent, "metadata", "managedFields") }

// orNew is the object, or one of the kind of another that has nothing in it.
func orNew(object, like any) any {
	if !isAbsent(object) {
		return object
	}
	return map[string]any{"apiVersion": field(like, "apiVersion"), "kind": field(like, "kind")}
}

// put is a map with another value in a place; Absent takes out what is there.
func put(in, v any, at ...string) any {
	if len(at) == 0 {
		return v
	}
	if isAbsent(v) && isAbsent(field(in, at[0])) {
		return in
	}
	out := map[string]any{}
	for _, name := range names(in) {
		out[name] = field(in, name)
	}
	out[at[0]] = put(field(in, at[0]), v, at[1:]...)
	if isAbsent(out[at[0]]) {
		delete(out, at[0])
	}
	return out
}
