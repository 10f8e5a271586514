// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

// blamed returns a BlameResult as text, one line for each place.
func blamed(b *ownership.BlameResult) []string {
	var lines []string
	for path, p := range b.All() {
		line := path.String() + " " + string(p.State)
		for _, i := range p.Owners {
			line += " " + b.Entries[i].Manager
		}
		if p.Whole {
			line += " (whole)"
		}
		lines = append(lines, line)
	}
	for _, l := range b.Lost {
		lines = append(lines, "lost "+l.Path.String()+" "+b.Entries[l.Entry].Manager)
	}
	return lines
}

func checkBlame(t *testing.T, b *ownership.BlameResult, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(blamed(b), "\n"); got != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBlame(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "a", `"type":"ClusterIP","ports":[{"port":80},{"port":53,"protocol":"UDP","name":"dns"}]`).Object
	live = objects.Apply(t, m, live, "b", `"selector":{"app":"x"},"ports":[{"port":80,"protocol":"TCP","name":"http"}]`).Object
	live["spec"].(map[string]any)["replicas"] = int64(3)
	b, err := ownership.Blame(m, live)
	checkBlame(t, b, err, `
.apiVersion server
.kind server
.metadata server
.metadata.name server
.spec holder
.spec.ports holder
.spec.ports[port=80,protocol="TCP"] owned a b
.spec.ports[port=80,protocol="TCP"].name owned b
.spec.ports[port=80,protocol="TCP"].port owned a b
.spec.ports[port=80,protocol="TCP"].protocol owned b
.spec.ports[port=53,protocol="UDP"] owned a
.spec.ports[port=53,protocol="UDP"].name owned a
.spec.ports[port=53,protocol="UDP"].port owned a
.spec.ports[port=53,protocol="UDP"].protocol owned a
.spec.replicas unowned
.spec.selector owned b (whole)
.spec.selector.app part b
.spec.type owned a`)
}

// TestBlameOfUnownedPlaces checks that Blame reports places that have no owner and have their
// default value. Blame must list owned paths that do not exist. A path with the default of a
// key must match an item that lacks this key.
func TestBlameOfUnownedPlaces(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Object(t, `"type":"ClusterIP","selector":{"app":"x"},"ports":[{"port":80,"name":"http"},{"port":81}]`)
	managed, err := managedfields.DecodeEntries([]any{objects.Whole(objects.Deep(map[string]any{
		"manager": "a", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
		"fieldsV1": map[string]any{"f:spec": map[string]any{
			"f:gone": map[string]any{"f:below": map[string]any{}},
			"f:type": map[string]any{"f:deeper": map[string]any{}},
			"f:ports": map[string]any{
				`k:{"port":80,"protocol":"TCP"}`: map[string]any{"f:name": map[string]any{}, "f:lost": map[string]any{}},
				`k:{"port":80,"protocol":"UDP"}`: map[string]any{".": map[string]any{}, "f:name": map[string]any{}},
			},
		}},
	}))})
	if err != nil {
		t.Fatal(err)
	}
	b, err := ownership.Blame(m, managed.EncodeInto(live))
	checkBlame(t, b, err, `
.apiVersion server
.kind server
.metadata server
.metadata.name server
.spec holder
.spec.ports holder
.spec.ports[port=80,protocol="TCP"] holder
.spec.ports[port=80,protocol="TCP"].name owned a
.spec.ports[port=80,protocol="TCP"].port unowned
.spec.ports[port=81,protocol="TCP"] unowned
.spec.ports[port=81,protocol="TCP"].port unowned
.spec.selector unowned (whole)
.spec.selector.app unowned
.spec.type default
lost .spec.ports[port=80,protocol="TCP"].lost a
lost .spec.ports[port=80,protocol="UDP"] a
lost .spec.type.deeper a
lost .spec.gone a`)
}

// TestBlameWithoutType checks that the entries of managed fields identify the items if there
// is no type. An entry must match an item whose values do not contradict the keys in the
// entry, if there is only one such item.
func TestBlameWithoutType(t *testing.T) {
	typedManager := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, typedManager, nil, "a", `"ports":[{"port":80},{"port":53,"protocol":"UDP"}]`).Object
	b, err := ownership.Blame(objects.NewManager(t, fieldmanager.Options{Untyped: true}), live)
	checkBlame(t, b, err, `
.apiVersion server
.kind server
.metadata server
.metadata.name server
.spec holder
.spec.ports holder
.spec.ports[port=80,protocol="TCP"] owned a
.spec.ports[port=80,protocol="TCP"].port owned a
.spec.ports[port=53,protocol="UDP"] owned a
.spec.ports[port=53,protocol="UDP"].port owned a
.spec.ports[port=53,protocol="UDP"].protocol owned a`)
}

// TestBlameOfAnAtomicList checks that an atomic list is one place if nobody owns a part of
// it.
func TestBlameOfAnAtomicList(t *testing.T) {
	p, err := typed.NewParser(`types:
- name: object
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {fields: [{name: name, type: {scalar: string}}]}}}
    - {name: args, type: {list: {elementType: {scalar: string}, elementRelationship: atomic}}}
    - {name: tags, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return p.Type("object"), nil }})
	b, err := ownership.Blame(m, map[string]any{"apiVersion": "v1", "kind": "K", "metadata": map[string]any{"name": "n"}, "args": []any{"a"}, "tags": []any{"a"}})
	checkBlame(t, b, err, `
.apiVersion server
.args unowned (whole)
.args[0] unowned
.kind server
.metadata server
.metadata.name server
.tags unowned
.tags[="a"] unowned`)
}

// TestBlameGuessesRemainingKeys checks that Blame first assigns keys that match an item
// exactly, and then guesses which other keys belong to the remaining items. An exactly matching
// key must not be used for another item.
func TestBlameGuessesRemainingKeys(t *testing.T) {
	live := objects.ManagedBy(t, `"ports":[{"port":80,"protocol":"TCP"},{"port":80}]`,
		objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},"k:{\"port\":80,\"protocol\":\"UDP\"}":{".":{},"f:port":{}}}}}`))
	b, err := ownership.Blame(objects.NewManager(t, fieldmanager.Options{Untyped: true}), live)
	checkBlame(t, b, err, `
.apiVersion server
.kind server
.metadata server
.metadata.name server
.spec holder
.spec.ports holder
.spec.ports[port=80,protocol="TCP"] owned a
.spec.ports[port=80,protocol="TCP"].port owned a
.spec.ports[port=80,protocol="TCP"].protocol unowned
.spec.ports[port=80,protocol="UDP"] owned a
.spec.ports[port=80,protocol="UDP"].port owned a`)
}

func TestBlameErrors(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	if _, err := ownership.Blame(m, objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"managedFields":3}}`)); !errors.As(err, new(*managedfields.EntryError)) {
		t.Error(err)
	}
	if _, err := ownership.Blame(m, objects.Object(t, `{"apiVersion":"v1","kind":"Other"}`)); !errors.Is(err, fieldmanager.ErrUnknownType) {
		t.Error(err)
	}
}

// TestBlameIsComplete checks that each path that an entry owns is an owned place or a lost
// path. Owned places must be in the object's field set, and lost paths must not be in it.
func TestBlameIsComplete(t *testing.T) {
	lost, places := 0, 0
	for _, o := range objects.OwnedObjects(t) {
		b, err := ownership.Blame(o.Fm, o.Live)
		if err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		lost += len(b.Lost)
		for path := range b.All() {
			_ = path
			places++
		}
		if err := checkClaims(o, b); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}
	if lost == 0 || places < 2000 {
		t.Errorf("%d lost paths of %d places: the objects show too little", lost, places)
	}
}

func checkClaims(o objects.Owned, b *ownership.BlameResult) error {
	tv, err := o.Typ.FromUnstructured(o.Live, typed.AllowDuplicates)
	if err != nil {
		return err
	}
	_, err = o.Typ.FromUnstructured(o.Live)
	twice := err != nil // the field set has no paths inside duplicate items
	there, err := tv.ToFieldSet()
	if err != nil {
		return err
	}
	for i, e := range b.Entries {
		owns := fieldpath.NewSet()
		for path, p := range b.All() {
			if p.State == ownership.Owned && slices.Contains(p.Owners, i) {
				owns.Insert(path.Copy())
			}
		}
		for path := range e.Set.All() {
			missing := slices.ContainsFunc(b.Lost, func(c ownership.Claim) bool {
				return c.Entry == i && len(c.Path) <= len(path) && path[:len(c.Path)].Equals(c.Path)
			})
			if owns.Has(path) == missing {
				return fmt.Errorf("%s of %v: owned %v, lost %v", path, e.Owner, !missing, missing)
			}
		}
		if more := owns.Difference(e.Set); !more.Empty() {
			return fmt.Errorf("%v owns more than it does: %v", e.Owner, more)
		}
		for _, c := range b.Lost {
			if c.Entry == i && there.Has(c.Path) {
				return fmt.Errorf("%s of %v is not lost", c.Path, e.Owner)
			}
		}
		for path := range owns.All() {
			if !twice && !there.Has(path) && !below(there, path) {
				return fmt.Errorf("%s of %v is not in the object", path, e.Owner)
			}
		}
	}
	return nil
}

// below reports whether set has a path that starts with path.
func below(set *fieldpath.Set, path fieldpath.Path) bool {
	for _, e := range path {
		next, ok := set.Children.Get(e)
		if !ok {
			return false
		}
		set = next
	}
	return !set.Empty()
}
