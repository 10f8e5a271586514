// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"errors"
	"time"
)

// Endpoint receives the writes to objects of one kind. It serves the kind in one version, and
// either the object itself or one subresource (Subresource is "" for the object itself). Its
// methods maintain metadata.managedFields as the field manager of an API server does. They expect
// the live object in the version of the endpoint, or Absent if the object does not exist yet.
// They do not modify their arguments.
type Endpoint struct {
	*Model
	Version, Subresource string
}

// Apply applies a config to the live object. It returns the new object. If there are conflicts
// and force is false, it returns only the conflicts.
func (e Endpoint) Apply(live, config any, manager string, force bool, now time.Time) (any, []Conflict, error) {
	owned, err := readEntries(managedFields(live))
	if err != nil {
		return nil, nil, err // rule L5
	}
	live = withoutManagedFields(orNew(live, config))
	if _, ok := managedFields(config).([]any); ok {
		return nil, nil, errors.New("a config must not contain managed fields") // rule L5
	}
	if field(config, "apiVersion") != e.Version || field(config, "kind") != field(live, "kind") {
		return nil, nil, errors.New("the object has another version or kind than the endpoint") // rule L12
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
		conflicts = conflictsOutside(conflicts, e.clientSide(live))
		if len(conflicts) == 0 {
			object, owners, _, err = e.Model.Apply(live, config, e.Version, owned.owners, id, true)
		}
	}
	if err != nil || len(conflicts) > 0 {
		return nil, withManagerNames(conflicts), err
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

// Update replaces the live object by the object that a client sends. It returns the object to
// store, which includes the new managed fields.
func (e Endpoint) Update(live, object any, manager string, now time.Time) (any, error) {
	owned := e.entriesBefore(live, object)
	live, object = withoutManagedFields(orNew(live, object)), withoutManagedFields(object)
	if len(owned.owners) == 0 && !isAbsent(field(field(live, "metadata"), "uid")) {
		return object, nil // rule L7
	}
	if err := cmp.Or(Refuse(object, e.Types[e.Version], true), Refuse(live, e.Types[e.Version], true)); err != nil {
		return nil, err
	}
	owned, err := e.record(live, object, owned, manager, now)
	return put(object, owned.list(), "metadata", "managedFields"), err
}

// entriesBefore returns the managed fields before an update. A client may send its own list of
// managed fields, which then replaces the list of the live object (rule L4).
func (e Endpoint) entriesBefore(live, object any) entries {
	stored, _ := readEntries(managedFields(live)) // unreadable entries are lost
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

// record updates the entries after an update by a manager: the manager's entry gets the fields
// that the update changed, and the other entries lose them.
func (e Endpoint) record(live, object any, owned entries, manager string, now time.Time) (entries, error) {
	const self = "" // a name that no owner has
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

// strip removes the fields that nobody can own, such as metadata.name, from the entry with the
// identity id (rule L6).
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

// withManagerNames returns a copy of the conflicts that contains the names of managers instead
// of their identities.
func withManagerNames(conflicts []Conflict) []Conflict {
	var out []Conflict
	for _, c := range conflicts {
		out = append(out, Conflict{identityOf(c.Manager).Manager, c.Path})
	}
	return out
}

func managedFields(object any) any { return field(field(object, "metadata"), "managedFields") }

func withoutManagedFields(object any) any { return put(object, Absent, "metadata", "managedFields") }

// orNew returns the object. If the object is Absent, orNew returns a new object with the
// apiVersion and kind of the second argument.
func orNew(object, like any) any {
	if !isAbsent(object) {
		return object
	}
	return map[string]any{"apiVersion": field(like, "apiVersion"), "kind": field(like, "kind")}
}

// put returns a copy of an object in which the field at a path has the given value. If the value
// is Absent, the copy does not have the field.
func put(object, value any, path ...string) any {
	if len(path) == 0 {
		return value
	}
	if isAbsent(value) && isAbsent(field(object, path[0])) {
		return object
	}
	out := map[string]any{}
	for _, name := range names(object) {
		out[name] = field(object, name)
	}
	out[path[0]] = put(field(object, path[0]), value, path[1:]...)
	if isAbsent(out[path[0]]) {
		delete(out, path[0])
	}
	return out
}
