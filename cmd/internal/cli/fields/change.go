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

// Change is one difference between the old and the new state of an object. Its path is a leaf
// that both states contain, or the topmost value that only one state contains.
type Change struct {
	Path           fieldpath.Path
	Old, New       any
	HasOld, HasNew bool
	// Owners lists the owners of the path, or of paths below it, in the old state.
	Owners []managedfields.Entry
	// Conflict is set if the change conflicts with other managers.
	Conflict bool
	// Immutable is set if an immutability rule forbids the change. Proposal is the KEP that
	// proposes the rule. It is empty if released API servers already enforce the rule.
	Immutable bool
	Proposal  string
	// Respelled is set if the old and new values are equal quantities with different spellings.
	Respelled bool
	// Encoded is set if the new value comes from stringData of a Secret.
	Encoded bool
	// Times is the number of items at Path in the old state. It is set only if one of the
	// states has duplicates there. Old and New are then lists of all items at Path.
	Times int
}

// Changes returns the differences between two states of an object, sorted by path. It ignores
// managed fields and counters of the server, such as metadata.generation. It fails if a state
// is invalid.
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

// Comparable returns a copy of object for comparisons. The copy has no managed fields and no
// counters of the server, such as metadata.generation. In a Secret, stringData is encoded into
// data.
func Comparable(object map[string]any) map[string]any {
	return predict.RemoveCounters(unstructured.SecretAsStored(unstructured.WithoutManagedFields(object)))
}

// Notes returns remarks with facts that the values of the change do not show.
func (c *Change) Notes() (notes []string) {
	if c.Respelled {
		notes = append(notes, RespelledNote)
	}
	if c.Times > 1 {
		notes = append(notes, fmt.Sprintf("the live object has this item %d times", c.Times))
	}
	if c.Encoded {
		notes = append(notes, stringDataNote)
	}
	return notes
}

// RespelledNote is the remark on a change between equal quantities.
const RespelledNote = "equal quantity, different spelling"

// stringDataNote is the remark on a change in data of a Secret that the manifest sets in
// stringData.
const stringDataNote = "from stringData, which is stored as base64 in data"
