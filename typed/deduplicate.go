// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed

import (
	"fmt"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/engine"
	"github.com/dovetail-ssa/dovetail/value"
)

// Duplicates says what becomes of items of an associative list that have one
// identity: the same keys, defaults counted, or in a set the same value.
type Duplicates string

const (
	// RefuseDuplicates leaves them to validation, which refuses them.
	RefuseDuplicates Duplicates = ""
	// KeepFirst keeps the first of them where it is, and drops the others.
	KeepFirst Duplicates = "first"
	// KeepLast keeps the last of them where it is, as what replaces a whole object
	// seems to do: of two variables of one name, a process sees the last.
	KeepLast Duplicates = "last"
)

// Check returns an error if d is none of the constants.
func (d Duplicates) Check() error {
	switch d {
	case RefuseDuplicates, KeepFirst, KeepLast:
		return nil
	}
	return errorf("want %q or %q of duplicates to be kept, found %q", KeepFirst, KeepLast, string(d))
}

// DroppedItem is an item that went because another one has its identity.
type DroppedItem struct {
	// Path names the item, which is what both are called.
	Path fieldpath.Path
	// KeptAt and DroppedAt are the indexes of the two in the list before any item
	// went; where that list is below an item, before that item moved.
	KeptAt, DroppedAt int
	// Kept and Dropped are the two as they were.
	Kept, Dropped value.Value
}

// String returns the path and the message.
func (d DroppedItem) String() string { return d.Path.String() + ": " + d.Message() }

// Message returns both items with their indexes.
func (d DroppedItem) Message() string {
	return fmt.Sprintf("item %d %s is dropped, item %d %s stays", d.DroppedAt, brief(d.Dropped), d.KeptAt, brief(d.Kept))
}

// Deduplicate returns the value with one item of each identity left in its
// associative lists, however deep they are, and the items that went, sorted by path.
// Items without an identity stay: validation says what they lack. What is below an
// item that went is not told of. With RefuseDuplicates nothing goes.
//
// A value with duplicates is one that was made with AllowDuplicates. The result is
// tv itself if nothing changes, and shares with tv what does not change. It fails
// with ValidationErrors if the value is nested too deep, or for another keep.
func (tv *TypedValue) Deduplicate(keep Duplicates) (*TypedValue, []DroppedItem, error) {
	if err := keep.Check(); err != nil {
		return nil, nil, err
	}
	n, tree, ok := tv.in().Plain()
	if !ok || keep == RefuseDuplicates || tv.in().Knows(engine.Valid|engine.Unique) {
		return tv, nil, nil
	}
	out, twins, found := engine.Deduplicate(n, tree, keep == KeepLast)
	if found != nil {
		return nil, nil, errorsOf(found)
	}
	if len(twins) == 0 {
		return tv, nil, nil
	}
	dropped := make([]DroppedItem, len(twins))
	for i, t := range twins {
		dropped[i] = DroppedItem{
			Path: t.Path, KeptAt: t.KeptAt, DroppedAt: t.DroppedAt,
			Kept: value.NewValueInterface(t.Kept), Dropped: value.NewValueInterface(t.Dropped),
		}
	}
	return of(tv.in().With(out)), dropped, nil
}
