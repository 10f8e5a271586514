// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/value"
)

// Duplicates selects how Deduplicate handles duplicates. Two items of an associative list are
// duplicates if their keys are equal after defaults are filled in. Two items of a set are
// duplicates if their values are equal.
type Duplicates string

const (
	// RefuseDuplicates keeps all duplicates, so that validation rejects them.
	RefuseDuplicates Duplicates = ""
	// KeepFirst keeps the first of several duplicates and removes the later ones.
	KeepFirst Duplicates = "first"
	// KeepLast keeps the last of several duplicates and removes the earlier ones. The kept item
	// stays at its own position. The last duplicate is often the one that has
	// an effect. For example, if two environment variables have the same name, a process gets
	// the last one.
	KeepLast Duplicates = "last"
)

// Check returns an error if d is not one of the constants.
func (d Duplicates) Check() error {
	switch d {
	case RefuseDuplicates, KeepFirst, KeepLast:
		return nil
	}
	return errorf("duplicates to keep: want %q or %q, got %q", KeepFirst, KeepLast, string(d))
}

// DroppedItem is an item that was removed because another item has the same identity.
type DroppedItem struct {
	// Path is the path that identifies both items.
	Path fieldpath.Path
	// KeptAt and DroppedAt are the indexes of the kept item and of the removed item in the
	// original list.
	KeptAt, DroppedAt int
	// Kept and Dropped are the original values of both items.
	Kept, Dropped value.Value
}

// String returns the path and the text of Message.
func (d DroppedItem) String() string { return d.Path.String() + ": " + d.Message() }

// Message names the dropped and the kept item, with their indexes and values.
func (d DroppedItem) Message() string {
	return fmt.Sprintf("item %d %s is dropped, item %d %s stays", d.DroppedAt, brief(d.Dropped), d.KeptAt, brief(d.Kept))
}

// Deduplicate removes duplicates from all associative lists and sets in the value, at any depth.
// It returns the resulting value and the removed items, sorted by path. Items without an
// identity stay, and validation reports them. Duplicates inside a removed item are not listed.
// With RefuseDuplicates, nothing is removed.
//
// Only values created with AllowDuplicates or AsTypedUnvalidated can have duplicates. The
// result is tv itself if nothing changes, and otherwise shares unchanged parts with tv.
// Deduplicate returns ValidationErrors if the value is nested too deep, or if keep is not one
// of the constants.
func (tv *TypedValue) Deduplicate(keep Duplicates) (*TypedValue, []DroppedItem, error) {
	if err := keep.Check(); err != nil {
		return nil, nil, err
	}
	if findings := tv.operand().CheckDepth(); findings != nil {
		return nil, nil, errorsOf(findings)
	}
	n, tree, ok := tv.operand().Plain()
	if !ok || keep == RefuseDuplicates || tv.operand().Knows(engine.Valid|engine.Unique) {
		return tv, nil, nil
	}
	out, removed, findings := engine.Deduplicate(n, tree, keep == KeepLast)
	if findings != nil {
		return nil, nil, errorsOf(findings)
	}
	if len(removed) == 0 {
		return tv, nil, nil
	}
	dropped := make([]DroppedItem, len(removed))
	for i, t := range removed {
		dropped[i] = DroppedItem{
			Path: t.Path, KeptAt: t.KeptAt, DroppedAt: t.DroppedAt,
			Kept: value.NewValueInterface(t.Kept), Dropped: value.NewValueInterface(t.Dropped),
		}
	}
	return typedOf(tv.operand().With(out)), dropped, nil
}
