// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// What a manager owns by Apply, applied again, changes nothing, as long as all
// of it is there; what it owns by Update, applied, changes nothing but owners.
// Where the schema has changed since, stored paths change as the schema has it;
// an item owned without what names it comes to be owned with it.
func TestExtractedIsNoOp(t *testing.T) {
	applied, updated, less := 0, 0, 0
	for _, o := range ownedObjects(t) {
		if _, err := o.typ.FromUnstructured(unmanaged(o.live)); err != nil {
			continue // an entry that means one of two items means both
		}
		b, err := o.fm.Blame(o.live)
		if err != nil {
			t.Fatalf("%s: %v", o.name, err)
		}
		lost := map[int]bool{}
		for _, c := range b.Lost {
			lost[c.Entry] = true
		}
		for i, e := range b.Entries {
			if e.Manager == "kubectl" && annotation(o.live) != "" {
				continue // the annotation is brought up to date: TestKubectlUpgrade
			}
			before := asJSON(o.live)
			result, err := applyExtracted(t, o, e.Owner)
			if asJSON(o.live) != before {
				t.Fatalf("%s: the live object was modified", o.name)
			}
			switch {
			case lost[i], gateStepDifferences[o.name] == "null-field":
				less++
				continue
			case err == nil:
				err = checkNoOp(t, o, e, result)
			}
			if err != nil {
				t.Errorf("%s: %v: %v", o.name, e.Owner, err)
			}
			if e.Operation == fieldmanager.OperationUpdate {
				updated++
			} else {
				applied++
			}
		}
	}
	if applied < 200 || updated < 40 || less == 0 {
		t.Errorf("%d applied, %d updated, %d of which a part is gone: the objects show too little", applied, updated, less)
	}
}

func applyExtracted(t *testing.T, o owned, owner fieldmanager.Owner) (*fieldmanager.Result, error) {
	config, err := o.fm.ExtractOwner(o.live, owner)
	if err != nil {
		return nil, err
	}
	options := o.options
	options.Subresource = owner.Subresource
	result, err := newManager(t, options).Apply(o.live, config, owner.Manager, false)
	if err != nil {
		return nil, fmt.Errorf("applying %s: %w", asJSON(config), err)
	}
	return result, nil
}

func checkNoOp(t *testing.T, o owned, e fieldmanager.Entry, result *fieldmanager.Result) error {
	if got, want := asJSON(unmanaged(result.Object)), asJSON(unmanaged(o.live)); got != want {
		return fmt.Errorf("makes %s\nof %s", got, want)
	}
	before, err := fieldmanager.Decode(o.live)
	if err != nil {
		return err
	}
	tv, err := o.typ.FromUnstructured(unmanaged(o.live))
	if err != nil {
		return err
	}
	changed := e.Operation == fieldmanager.OperationUpdate
	for _, was := range before.Entries() {
		want := was.Set
		if was.APIVersion == o.live["apiVersion"] {
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
		return fmt.Errorf("changes something: %q", owners(result.Managed))
	}
	return nil
}

// changesKeys tells whether now has nothing more than before but fields that
// name an item.
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
		// The item itself comes with them.
		if !isKey && path[len(path)-1].Key == nil {
			return false
		}
	}
	return !now.Equals(before)
}

func unmanaged(object map[string]any) map[string]any {
	return (*fieldmanager.Managed)(nil).Into(object)
}

func TestExtractOwner(t *testing.T) {
	m := newManager(t, fieldmanager.Options{})
	live := update(t, m, nil, "a", `"replicas":1,"selector":{"app":"x"}`).Object
	live = apply(t, m, live, "a", `"type":"NodePort"`).Object
	for operation, want := range map[fieldmanager.Operation]string{
		fieldmanager.OperationUpdate: `{"replicas":1,"selector":{"app":"x"}}`,
		fieldmanager.OperationApply:  `{"type":"NodePort"}`,
	} {
		got, err := m.ExtractOwner(live, fieldmanager.Owner{Manager: "a", Operation: operation, APIVersion: "v1"})
		if err != nil || asJSON(got["spec"]) != want {
			t.Errorf("%s: got %s, %v", operation, asJSON(got), err)
		}
	}
	for _, o := range []fieldmanager.Owner{
		{Manager: "a", Operation: fieldmanager.OperationUpdate, APIVersion: "v2"},
		{Manager: "a", Operation: fieldmanager.OperationApply, Subresource: "status"},
		{Manager: "b", Operation: fieldmanager.OperationApply},
	} {
		if got, err := m.ExtractOwner(live, o); got != nil || err != nil {
			t.Errorf("%v: got %v, %v", o, got, err)
		}
	}
	if _, err := m.ExtractOwner(object(t, `{"metadata":{"managedFields":3}}`), fieldmanager.Owner{}); !errors.As(err, new(*fieldmanager.ManagedFieldsError)) {
		t.Error(err)
	}
}
