// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

// TestExtractedIsNoOp checks that nothing changes if a manager applies its extracted fields
// again, as long as all these fields exist. If the manager owns the fields by Update, the
// apply may change only owners. If the schema changed, stored paths are converted first. If
// the manager owned an item without the keys of the item, it also owns these keys after the
// apply.
func TestExtractedIsNoOp(t *testing.T) {
	applied, updated, less := 0, 0, 0
	for _, o := range objects.OwnedObjects(t) {
		if _, err := o.Typ.FromUnstructured(objects.WithoutManagedFields(o.Live)); err != nil {
			continue // if an entry matches one of two equal items, it matches both
		}
		b, err := ownership.Blame(o.Fm, o.Live)
		if err != nil {
			t.Fatalf("%s: %v", o.Name, err)
		}
		lost := map[int]bool{}
		for _, c := range b.Lost {
			lost[c.Entry] = true
		}
		for i, e := range b.Entries {
			if e.Manager == "kubectl" && objects.Annotation(o.Live) != "" {
				continue // TestKubectlUpgrade checks that the annotation is updated
			}
			before := objects.AsJSON(o.Live)
			result, err := applyExtracted(t, o, e.Owner)
			if objects.AsJSON(o.Live) != before {
				t.Fatalf("%s: the live object was modified", o.Name)
			}
			switch {
			case lost[i], objects.GateStepDifferences[o.Name] == "null-field":
				less++
				continue
			case err == nil:
				err = checkNoOp(t, o, e, result)
			}
			if err != nil {
				t.Errorf("%s: %v: %v", o.Name, e.Owner, err)
			}
			if e.Operation == managedfields.OperationUpdate {
				updated++
			} else {
				applied++
			}
		}
	}
	if applied < 200 || updated < 40 || less == 0 {
		t.Errorf("%d applied, %d updated, %d of them with removed parts: the test covers too few cases", applied, updated, less)
	}
}

func applyExtracted(t *testing.T, o objects.Owned, owner managedfields.Owner) (*fieldmanager.Result, error) {
	config, err := ownership.ExtractOwner(o.Fm, o.Live, owner)
	if err != nil {
		return nil, err
	}
	options := o.Options
	options.Subresource = owner.Subresource
	result, err := objects.NewManager(t, options).Apply(o.Live, config, owner.Manager, false)
	if err != nil {
		return nil, fmt.Errorf("applying %s: %w", objects.AsJSON(config), err)
	}
	return result, nil
}

func checkNoOp(t *testing.T, o objects.Owned, e managedfields.Entry, result *fieldmanager.Result) error {
	if got, want := objects.AsJSON(objects.WithoutManagedFields(result.Object)), objects.AsJSON(objects.WithoutManagedFields(o.Live)); got != want {
		return fmt.Errorf("makes %s\nof %s", got, want)
	}
	before, err := managedfields.Decode(o.Live)
	if err != nil {
		return err
	}
	tv, err := o.Typ.FromUnstructured(objects.WithoutManagedFields(o.Live))
	if err != nil {
		return err
	}
	changed := e.Operation == managedfields.OperationUpdate
	for _, was := range before.Entries() {
		want := was.Set
		if was.APIVersion == o.Live["apiVersion"] {
			if today, err := typed.ReconcileFieldSetWithSchema(want, tv); err != nil {
				return err
			} else if today != nil {
				want, changed = today, true
			}
		}
		now, _ := result.Managed.Find(was.Owner.ID())
		if was.Owner == e.Owner && changesKeys(now.Set, want) {
			changed = true
		} else if now.Set == nil || !now.Set.Equals(want) {
			return fmt.Errorf("leaves %v %v\nof %v", was.Owner, now.Set, want)
		}
	}
	if result.Changed && !changed {
		return fmt.Errorf("changes something: %q", objects.Owners(result.Managed))
	}
	return nil
}

// changesKeys reports whether now has all paths of before, and whether all other paths
// of now are keys of items.
func changesKeys(now, before *fieldpath.Set) bool {
	if now == nil || !before.Difference(now).Empty() {
		return false
	}
	for path := range now.Difference(before).All() {
		isKey := false
		if n := len(path) - 1; n > 0 && path[n-1].Key != nil && path[n].FieldName != nil {
			for _, k := range *path[n-1].Key {
				isKey = isKey || k.Name == *path[n].FieldName
			}
		}
		// The path of the item itself is added together with its keys.
		if !isKey && path[len(path)-1].Key == nil {
			return false
		}
	}
	return !now.Equals(before)
}

func TestExtractOwner(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Update(t, m, nil, "a", `"replicas":1,"selector":{"app":"x"}`).Object
	live = objects.Apply(t, m, live, "a", `"type":"NodePort"`).Object
	for operation, want := range map[managedfields.Operation]string{
		managedfields.OperationUpdate: `{"replicas":1,"selector":{"app":"x"}}`,
		managedfields.OperationApply:  `{"type":"NodePort"}`,
	} {
		got, err := ownership.ExtractOwner(m, live, managedfields.Owner{Manager: "a", Operation: operation, APIVersion: "v1"})
		if err != nil || objects.AsJSON(got["spec"]) != want {
			t.Errorf("%s: got %s, %v", operation, objects.AsJSON(got), err)
		}
	}
	for _, o := range []managedfields.Owner{
		{Manager: "a", Operation: managedfields.OperationUpdate, APIVersion: "v2"},
		{Manager: "a", Operation: managedfields.OperationApply, Subresource: "status"},
		{Manager: "b", Operation: managedfields.OperationApply},
	} {
		if got, err := ownership.ExtractOwner(m, live, o); got != nil || err != nil {
			t.Errorf("%v: got %v, %v", o, got, err)
		}
	}
	// If the object does not have the fields of an owner, the extracted object has no
	// fields.
	live = objects.ManagedBy(t, `"replicas":1`, objects.StoredEntry("none", "Apply", "v1", `{}`), objects.StoredEntry("gone", "Apply", "v1", `{"f:spec":{"f:type":{}}}`))
	for _, manager := range []string{"none", "gone"} {
		got, err := ownership.ExtractOwner(m, live, managedfields.Owner{Manager: manager, Operation: managedfields.OperationApply, APIVersion: "v1"})
		if err != nil || got["kind"] != "Service" || got["spec"] != nil {
			t.Errorf("%s: got %s, %v", manager, objects.AsJSON(got), err)
		}
	}
	// An undeclared field in the live object is an error, unless CarryUnknown is set.
	unknown := objects.ManagedBy(t, `"replicas":1,"unknown":1`, objects.StoredEntry("a", "Apply", "v1", `{"f:spec":{"f:replicas":{}}}`))
	owner := managedfields.Owner{Manager: "a", Operation: managedfields.OperationApply, APIVersion: "v1"}
	if got, err := ownership.ExtractOwner(m, unknown, owner); err == nil {
		t.Errorf("an unknown field: got %s", objects.AsJSON(got))
	}
	if got, err := ownership.ExtractOwner(objects.NewManager(t, fieldmanager.Options{CarryUnknown: true}), unknown, owner); err != nil || objects.AsJSON(got["spec"]) != `{"replicas":1}` {
		t.Errorf("an unknown field that is carried: got %s, %v", objects.AsJSON(got), err)
	}
	if _, err := ownership.ExtractOwner(m, objects.Object(t, `{"metadata":{"managedFields":3}}`), managedfields.Owner{}); !errors.As(err, new(*managedfields.EntryError)) {
		t.Error(err)
	}
}
