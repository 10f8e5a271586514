// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package carry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/graph"
	"github.com/dovetail-ssa/dovetail/internal/item"
	"github.com/dovetail-ssa/dovetail/value"
)

// Move is one thing that Carry did to a field set, or could not do.
type Move struct {
	// Old is what the owner had, by the type it was written under; New is what
	// that is now. They are equal where only what the path means has changed.
	Old, New fieldpath.Path
	Reason   Reason
	// Why says in words what of the schema, or of the object, is behind it.
	Why string
}

// Reason is why a Move was made. Reasons are stable; texts are not.
type Reason string

// The reasons, each with the smallest example: keys are port and protocol, and
// the schema came to have TCP as the default of protocol.
const (
	// ReasonRekeyed: [port=80] is [port=80,protocol="TCP"] now.
	ReasonRekeyed Reason = "rekeyed"
	// ReasonMerged: so is another entry of the same owner, which has one of them now.
	ReasonMerged Reason = "merged"
	// ReasonSplit: an entry named several live items that are told apart now, and
	// names each of them.
	ReasonSplit Reason = "split"
	// ReasonShared: the entry names a live item that it did not name before.
	ReasonShared Reason = "shared"
	// ReasonNoItem: the entry names no live item; only its missing keys were filled.
	ReasonNoItem Reason = "no-item"
	// ReasonLeftOut: the item stays [port=80,protocol="TCP"], but its owner does not
	// own its protocol. If it applied the item, it left the protocol out, and names
	// another item when it applies the same again.
	ReasonLeftOut Reason = "left-out"
	// ReasonUnnamed: the live item has no identity any more.
	ReasonUnnamed Reason = "unnamed"
	// ReasonBecameAtomic: what was owned piece by piece is owned as a whole.
	ReasonBecameAtomic Reason = "became-atomic"
	// ReasonBecameGranular: what was owned as a whole is owned piece by piece.
	ReasonBecameGranular Reason = "became-granular"
	// ReasonFieldGone: the schema does not have the field any more.
	ReasonFieldGone Reason = "field-gone"
	// ReasonKindChanged: what was a map is a list, or the like. The paths stay.
	ReasonKindChanged Reason = "kind-changed"
)

// keysChanged says what makes the item that was called pe be called to now: what
// changed of the keys that differ, of all keys if none does.
func keysChanged(old, now *graph.List, pe, to fieldpath.PathElement) string {
	if !slices.EqualFunc(old.Keys, now.Keys, func(a, b graph.Key) bool { return a.Name == b.Name }) {
		return fmt.Sprintf("the keys were [%s] and are [%s]", strings.Join(old.KeyNames, ", "), strings.Join(now.KeyNames, ", "))
	}
	all := pe.Compare(to) == 0
	var said []string
	for i := range now.Keys {
		was, is := &old.Keys[i], &now.Keys[i]
		v, had := keyIn(pe, is.Name)
		u, has := keyIn(to, is.Name)
		if all || had != has || !value.EqualUnstructured(v, u) {
			said = append(said, keyChanged(was, is)...)
		}
	}
	if len(said) == 0 {
		return "keys that were left out are written now"
	}
	return strings.Join(said, "; ")
}

// keyChanged says what changed of one key.
func keyChanged(was, is *graph.Key) (said []string) {
	before, had := item.KeyDefault(was)
	today, has := item.KeyDefault(is)
	switch {
	case !had && !has:
	case !had:
		said = append(said, fmt.Sprintf("%s had no default and now has %s", is.Name, spelled(today)))
	case !has:
		said = append(said, fmt.Sprintf("%s had the default %s and now has none", is.Name, spelled(before)))
	case !value.EqualUnstructured(before, today):
		said = append(said, fmt.Sprintf("%s had the default %s and now has %s", is.Name, spelled(before), spelled(today)))
	}
	if was.NullIsMissing != is.NullIsMissing {
		said = append(said, fmt.Sprintf("a null %s %s", is.Name, counts(is.NullIsMissing)))
	}
	if was.ZeroIsMissing != is.ZeroIsMissing {
		said = append(said, fmt.Sprintf("an empty %s %s", is.Name, counts(is.ZeroIsMissing)))
	}
	return said
}

// keyIn returns the value that pe has for a key.
func keyIn(pe fieldpath.PathElement, name string) (any, bool) {
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

func counts(missing bool) string {
	if missing {
		return "now counts as missing"
	}
	return "does not count as missing any more"
}

func spelled(v any) string { return value.ToString(value.NewValueInterface(v)) }
