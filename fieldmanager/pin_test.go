// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// typesOfVersion returns a TypeSource that has the types of a single API version.
func typesOfVersion(version string, types fieldmanager.TypeSource) fieldmanager.TypeSource {
	return func(apiVersion, kind string) (typed.ParseableType, error) {
		if apiVersion != version {
			return typed.ParseableType{}, fmt.Errorf("%s: %w", apiVersion, fieldmanager.ErrUnknownType)
		}
		return types(apiVersion, kind)
	}
}

// TestPinnedKeysIdentifyTheSameItems changes the default of a key from TCP to UDP. In the
// pinned API version, the same manifests must still change nothing, and no item may become
// two.
func TestPinnedKeysIdentifyTheSameItems(t *testing.T) {
	old, now := objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular)), objects.AppTypes(t, true, objects.UDP, objects.Relation(objects.Granular))
	config := func(version, ports string) map[string]any {
		return parse(fmt.Sprintf(`{"apiVersion": "example.com/%s", "kind": "App", "metadata": {"name": "web"}, "spec": {"ports": [%s]}}`, version, ports))
	}
	manifests := []struct{ manager, ports string }{
		{"a", `{"port": 80}`},
		{"b", `{"port": 80, "protocol": "TCP", "name": "fromB"}`},
		{"c", `{"port": 90}`},
	}
	// fill returns a Defaulter that stores objects with their defaults, like a server.
	fill := func(types fieldmanager.TypeSource) fieldmanager.Defaulter {
		return func(object map[string]any) (map[string]any, error) {
			typ, err := types(object["apiVersion"].(string), "App")
			if err != nil {
				return nil, err
			}
			tv, err := typ.FromUnstructured(object)
			if err != nil {
				return nil, err
			}
			if tv, err = tv.Default(); err != nil {
				return nil, err
			}
			return tv.AsValue().Unstructured().(map[string]any), nil
		}
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: old, Defaulter: fill(old)})
	var live map[string]any
	for _, c := range manifests {
		r, err := m.Apply(live, config("v1", c.ports), c.manager, false)
		if err != nil {
			t.Fatal(err)
		}
		live = r.Object
	}
	const want = `{"ports":[{"name":"fromB","port":80,"protocol":"TCP"},{"port":90,"protocol":"TCP"}]}`
	if got := objects.AsJSON(live["spec"]); got != want {
		t.Fatalf("before the change: %s", got)
	}
	pinned := fieldmanager.PinKeyDefaults(now, typesOfVersion("example.com/v1", old))
	convert := func(object map[string]any, apiVersion string) (map[string]any, error) {
		object, err := fill(pinned)(object)
		if err != nil {
			return nil, err
		}
		return fieldmanager.NoneConverter(object, apiVersion)
	}
	m = objects.NewManager(t, fieldmanager.Options{Types: pinned, Defaulter: fill(pinned), Converter: convert, Clock: objects.At("2027-01-01T00:00:00Z")})
	for _, c := range manifests {
		r, err := m.Apply(live, config("v1", c.ports), c.manager, false)
		if err != nil || r.Changed {
			t.Errorf("%s: %v, changed to %s", c.manager, err, objects.AsJSON(r.Object))
		}
	}
	// A client of version v2 gets the new default.
	live["apiVersion"] = "example.com/v2"
	r, err := m.Apply(live, config("v2", `{"port": 90}`), "d", false)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := r.Managed.Find(managedfields.Owner{Manager: "d", Operation: managedfields.OperationApply, APIVersion: "example.com/v2"}.ID())
	if got := e.Set.String(); got != ".spec.ports[port=90,protocol=\"UDP\"]\n.spec.ports[port=90,protocol=\"UDP\"].port" {
		t.Errorf("d owns %s", got)
	}
	// Without PinKeyDefaults, the same manifest of manager c changes the object.
	m = objects.NewManager(t, fieldmanager.Options{Types: now, Defaulter: fill(now)})
	live["apiVersion"] = "example.com/v1"
	r, err = m.Apply(live, config("v1", `{"port": 90}`), "c", false)
	if err != nil || !r.Changed {
		t.Errorf("%v, changed %v", err, r.Changed)
	}
}

func TestPinKeyDefaultsFindsOneTypeOnce(t *testing.T) {
	now := objects.AppTypes(t, true, objects.UDP, objects.Relation(objects.Granular))
	pinned := fieldmanager.PinKeyDefaults(now, typesOfVersion("example.com/v1", objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular))))
	first, err := pinned("example.com/v1", "App")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := pinned("example.com/v1", "App"); err != nil || again.Schema != first.Schema {
		t.Errorf("%v, another schema", err)
	}
	other, err := pinned("example.com/v2", "App")
	if is, _ := now("example.com/v2", "App"); err != nil || other.Schema != is.Schema {
		t.Errorf("%v: types that are not pinned have another schema", err)
	}
	if _, err := pinned("example.com/v1", "Nothing"); !errors.Is(err, fieldmanager.ErrUnknownType) {
		t.Errorf("got %v", err)
	}
	unreachable := errors.New("unreachable")
	broken := fieldmanager.PinKeyDefaults(now, func(string, string) (typed.ParseableType, error) { return typed.ParseableType{}, unreachable })
	if _, err := broken("example.com/v1", "App"); !errors.Is(err, unreachable) {
		t.Errorf("got %v", err)
	}
}
