// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// migrate transfers the fields that a manager owns through updates to an applier. It does so
// with client-go and with Dovetail, and compares the results.
func (s *sequence) migrate(from, to, subresource string) error {
	live := &unstructured.Unstructured{Object: deepCopy(s.live).(map[string]any)}
	if err := csaupgrade.UpgradeManagedFields(live, sets.New(from), to, csaupgrade.Subresource(subresource)); err != nil {
		return err
	}
	theirs, err := managedfields.Decode(plain.Of(live.Object))
	if err != nil {
		return err
	}
	before, err := managedfields.Decode(s.live)
	if err != nil {
		return err
	}
	upgraded, changed, err := before.Upgrade([]string{from}, to, subresource)
	if err != nil {
		return err
	}
	if got, want := plain.Text(upgraded.Encode()), plain.Text(theirs.Encode()); got != want {
		return fmt.Errorf("upgrade of %q to %q: Dovetail returns %s\nclient-go returns %s", from, to, got, want)
	}
	if !changed {
		return nil
	}
	s.Upgraded++
	for _, e := range before.Entries() {
		// A migration transfers more entries than client-go's upgrade. If one of these
		// additional entries exists, the results differ. In this case, do not compare them.
		if e.APIVersion != s.live["apiVersion"] || e.Manager == from && from != to && e.Operation == managedfields.OperationApply {
			return nil
		}
	}
	m, err := fieldmanager.New(fieldmanager.Options{Types: s.types.find})
	if err != nil {
		return err
	}
	out, err := ownership.Migrate(m, s.live, ownership.MigrateOptions{From: []string{from}, To: to, Subresource: subresource})
	if err != nil {
		return err
	}
	if out.Recalled != nil {
		return nil
	}
	s.Migrated++
	if got, want := plain.Text(out.Managed.Encode()), plain.Text(theirs.Encode()); got != want {
		return fmt.Errorf("migration of %q to %q: Dovetail returns %s\nclient-go returns %s", from, to, got, want)
	}
	if !reflect.DeepEqual(unmanaged(out.Object), unmanaged(s.live)) {
		return fmt.Errorf("migration of %q to %q: the object must not change, but it is %s\nand was %s", from, to, plain.Text(out.Object), plain.Text(s.live))
	}
	return nil
}

func unmanaged(object map[string]any) map[string]any {
	return (*managedfields.Managed)(nil).EncodeInto(object)
}
