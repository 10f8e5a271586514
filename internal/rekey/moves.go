// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package rekey

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/value"
)

// Move is a change of a field set, or a part of a field set that Rekey could not convert.
type Move struct {
	// Old is the path under the old type, and New is the path under the new type. They can be
	// equal, for example if the path now stands for the whole list or map.
	Old, New fieldpath.Path
	Reason   Reason
	// Why describes what caused the move: a change of the schema, or a value in the live object.
	Why string
}

// Reason is the reason for a Move. Reasons are stable, but the texts of Move.Why are not.
type Reason string

// These are the reasons for a Move. In the examples, a list has the keys port and protocol, and
// the new schema gives protocol the default TCP.
const (
	// ReasonRekeyed: [port=80] becomes [port=80,protocol="TCP"].
	ReasonRekeyed Reason = "rekeyed"
	// ReasonMerged: an element becomes equal to another element of the same owner. Only one of
	// the two remains.
	ReasonMerged Reason = "merged"
	// ReasonSplit: an element identified several live items, which now have different identities.
	// One element for each item replaces it.
	ReasonSplit Reason = "split"
	// ReasonShared: an element now also identifies live items that it did not identify before.
	ReasonShared Reason = "shared"
	// ReasonNoItem: an element identifies no live item. The missing keys of the element
	// got their new defaults.
	ReasonNoItem Reason = "no-item"
	// ReasonLeftOut: the element stays the same, for example [port=80,protocol="TCP"]. But the
	// owner of the item does not own the key protocol, so the owner's config probably omits this
	// key. The next apply of this config would then identify a different item.
	ReasonLeftOut Reason = "left-out"
	// ReasonUnnamed: the live item has no identity under the new type, so nobody can own it.
	ReasonUnnamed Reason = "unnamed"
	// ReasonBecameAtomic: entries of a list or map were owned separately. Now the list or map is
	// owned as a whole.
	ReasonBecameAtomic Reason = "became-atomic"
	// ReasonBecameGranular: a list or map was owned as a whole. Now its entries are owned
	// separately.
	ReasonBecameGranular Reason = "became-granular"
	// ReasonFieldGone: the schema no longer has the field.
	ReasonFieldGone Reason = "field-gone"
	// ReasonKindChanged: the kind of the value changed, for example from map to list. The owned
	// paths are not converted.
	ReasonKindChanged Reason = "kind-changed"
)

// describeKeyChanges explains why another path element has replaced pe. It describes how the schema
// changed the keys that differ between the two elements. If no key differs, it describes all
// changed keys.
func describeKeyChanges(old, now *graph.List, pe, to fieldpath.PathElement) string {
	if !slices.EqualFunc(old.Keys, now.Keys, func(a, b graph.Key) bool { return a.Name == b.Name }) {
		return fmt.Sprintf("the keys were [%s] and are now [%s]", strings.Join(old.KeyNames, ", "), strings.Join(now.KeyNames, ", "))
	}
	all := pe.Compare(to) == 0
	var changes []string
	for i := range now.Keys {
		was, is := &old.Keys[i], &now.Keys[i]
		v, had := keyValue(pe, is.Name)
		u, has := keyValue(to, is.Name)
		if all || had != has || !value.EqualUnstructured(v, u) {
			changes = append(changes, describeKeyChange(was, is)...)
		}
	}
	if len(changes) == 0 {
		return "keys that were left out are now present"
	}
	return strings.Join(changes, "; ")
}

// describeKeyChange describes how the schema changed one key.
func describeKeyChange(was, is *graph.Key) (changes []string) {
	before, had := item.KeyDefault(was)
	today, has := item.KeyDefault(is)
	switch {
	case !had && !has:
	case !had:
		changes = append(changes, fmt.Sprintf("%s now has the default %s", is.Name, valueText(today)))
	case !has:
		changes = append(changes, fmt.Sprintf("%s no longer has the default %s", is.Name, valueText(before)))
	case !value.EqualUnstructured(before, today):
		changes = append(changes, fmt.Sprintf("the default of %s changed from %s to %s", is.Name, valueText(before), valueText(today)))
	}
	if was.NullIsMissing != is.NullIsMissing {
		changes = append(changes, fmt.Sprintf("a null %s %s", is.Name, missingText(is.NullIsMissing)))
	}
	if was.ZeroIsMissing != is.ZeroIsMissing {
		changes = append(changes, fmt.Sprintf("an empty %s %s", is.Name, missingText(is.ZeroIsMissing)))
	}
	return changes
}

// keyValue returns the value that pe has for the key with the given name. It returns false if pe
// does not have the key.
func keyValue(pe fieldpath.PathElement, name string) (any, bool) {
	if pe.Key == nil {
		return nil, false
	}
	for _, f := range *pe.Key {
		if f.Name == name {
			return f.Value.Unstructured(), true
		}
	}
	return nil, false
}

// missingText returns "now counts as missing" or "no longer counts as missing", depending on
// missing.
func missingText(missing bool) string {
	if missing {
		return "now counts as missing"
	}
	return "no longer counts as missing"
}

func valueText(v any) string { return value.ToString(value.NewValueInterface(v)) }
