// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/value"
)

// Duplicates defines the handling of duplicates. Duplicates are items of an associative list
// with the same keys, including defaults, or items of a set with the same value.
type Duplicates string

const (
	// RefuseDuplicates keeps all duplicates, so that validation rejects them.
	RefuseDuplicates Duplicates = ""
	// KeepFirst keeps the first of several duplicates at its index, and removes the others.
	KeepFirst Duplicates = "first"
	// KeepLast keeps the last of several duplicates at its index, and removes the others. The
	// last duplicate is often the one that has an effect. For example, if two environment
	// variables have the same name, a process gets the last one.
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
	// Path is the path of both items.
	Path fieldpath.Path
	// KeptAt and DroppedAt are the indexes of the item that stays and of the removed
	// item, in the original list.
	KeptAt, DroppedAt int
	// Kept and Dropped are the original values of both items.
	Kept, Dropped value.Value
}

// String returns the path and the text of Message.
func (d DroppedItem) String() string { return d.Path.String() + ": " + d.Message() }

// Message describes both items with their indexes.
func (d DroppedItem) Message() string {
	return fmt.Sprintf("item %d %s is dropped, item %d %s stays", d.DroppedAt, brief(d.Dropped), d.KeptAt, brief(d.Kept))
}

// Deduplicate returns the value with only one item of each identity in every associative
// list, at any depth. It also returns the removed items, sorted by path. Items without an
// identity stay, and validation reports them. Duplicates inside a removed item are not
// listed. With RefuseDuplicates, nothing is removed.
//
// Only values created with AllowDuplicates or AsTypedUnvalidated can have duplicates. The
// result is tv itself if nothing changes, and otherwise shares unchanged parts with tv.
// Deduplicate returns ValidationErrors if the value is nested too deep, or if keep is not one
// of the constants.
func (tv *TypedValue) Deduplicate(keep Duplicates) (*TypedValue, []DroppedItem, error) {
	if err := keep.Check(); err != nil {
		return nil, nil, err
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
