// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Change is one difference between two states of an object: a leaf that both states have, or the
// topmost value that only one of them has.
type Change struct {
	Path           fieldpath.Path
	Old, New       any
	HasOld, HasNew bool
	// Owners own the path, or a part of its value, in the old state.
	Owners []managedfields.Entry
	// Conflict is set if other managers own the path, so that the change is a conflict.
	Conflict bool
	// Immutable is set if the change is not allowed. Proposal is the KEP of the rule that forbids
	// it, or empty if released API servers forbid it.
	Immutable bool
	Proposal  string
	// Respelled is set if the values are equal quantities with different spellings.
	Respelled bool
	// Encoded is set if the new value comes from stringData of a Secret.
	Encoded bool
	// Times is set if the object has several items at Path in one of the states. It is the number
	// of these items in the old state. Old and New are then lists of all these items.
	Times int
}

// Changes returns the differences between before and after, sorted by path. It ignores managed fields
// and values that a server counts. It fails if an object is not valid.
func Changes(t typed.ParseableType, before, after map[string]any) ([]Change, error) {
	before, after = Comparable(before), Comparable(after)
	lhs, err := t.FromUnstructured(before, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	rhs, err := t.FromUnstructured(after, typed.AllowDuplicates)
	if err != nil {
		return nil, err
	}
	compared, err := lhs.Compare(rhs)
	if err != nil {
		return nil, err
	}
	find := NewFinder(t)
	var paths []fieldpath.Path
	for path := range compared.Modified.All() {
		paths = append(paths, path.Copy())
	}
	for path := range compared.Added.All() {
		paths = append(paths, find.topmostMissing(before, path).Copy())
	}
	for path := range compared.Removed.All() {
		paths = append(paths, find.topmostMissing(after, path).Copy())
	}
	duplicates := HasDuplicates(t, before) || HasDuplicates(t, after)
	for i, path := range paths {
		if !duplicates {
			break
		}
		paths[i] = find.upToDuplicate(before, find.upToDuplicate(after, path))
	}
	slices.SortFunc(paths, fieldpath.Path.Compare)
	paths = slices.CompactFunc(paths, fieldpath.Path.Equals)

	list := make([]Change, len(paths))
	for i, path := range paths {
		c := Change{Path: path}
		c.Old, c.HasOld = find.ValueAt(before, path)
		c.New, c.HasNew = find.ValueAt(after, path)
		if duplicates {
			olds, news := find.ItemsAt(before, path), find.ItemsAt(after, path)
			if len(olds) > 1 || len(news) > 1 {
				c.Old, c.New, c.Times = olds, news, len(olds)
			}
		}
		list[i] = c
	}
	return list, nil
}

// Comparable returns object without managed fields and without values that a server counts, with
// stringData of a Secret encoded into data. It does not change object.
func Comparable(object map[string]any) map[string]any {
	return predict.RemoveCounters(unstructured.SecretAsStored(unstructured.WithoutManagedFields(object)))
}

// Notes returns explanations of the change that its values do not show.
func (c *Change) Notes() (notes []string) {
	if c.Respelled {
		notes = append(notes, RespelledNote)
	}
	if c.Times > 1 {
		notes = append(notes, fmt.Sprintf("the live object has it %d times", c.Times))
	}
	if c.Encoded {
		notes = append(notes, stringDataNote)
	}
	return notes
}

// RespelledNote explains a change between equal quantities.
const RespelledNote = "equal quantity, different spelling"

// stringDataNote explains a change of data that the manifest has in stringData.
const stringDataNote = "from stringData, which is stored as base64 in data"
