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

// Change is one place where two states of an object differ: the topmost one
// that only one of them has, or a leaf that both have.
type Change struct {
	Path           fieldpath.Path
	Old, New       any
	HasOld, HasNew bool
	// Owners own the place, or part of it, in the old state.
	Owners []managedfields.Entry
	// Conflict is set if the change takes the place from other managers.
	Conflict bool
	// Immutable is set if the change is not allowed. Proposal is the KEP of the rule that forbids
	// it, empty if API servers of today do.
	Immutable bool
	Proposal  string
	// Respelled is set if the values differ in nothing but the spelling of quantities.
	Respelled bool
	// Encoded is set if the new value is text of a Secret's stringData.
	Encoded bool
	// Times is how often the old state has the item at path, if old and new are lists
	// of all that are there, since one of the states has it several times.
	Times int
}

// Changes returns how after differs from before, sorted by path. Managed
// fields do not count, nor what a server counts.
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
	twice := HasDuplicates(t, before) || HasDuplicates(t, after)
	for i, path := range paths {
		if !twice {
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
		if twice {
			olds, news := find.ItemsAt(before, path), find.ItemsAt(after, path)
			if len(olds) > 1 || len(news) > 1 {
				c.Old, c.New, c.Times = olds, news, len(olds)
			}
		}
		list[i] = c
	}
	return list, nil
}

// Comparable is an object without what does not count as a change.
func Comparable(object map[string]any) map[string]any {
	return predict.RemoveCounters(unstructured.SecretAsStored(unstructured.WithoutManagedFields(object)))
}

// Notes say what the values do not.
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

// RespelledNote says of a change that it is none but in writing.
const RespelledNote = "equal quantity, different spelling"

// stringDataNote says of a change of data what the manifest has instead.
const stringDataNote = "from stringData, which is stored as base64 in data"
