// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/kube/predict"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Change is one difference between an old and a new state of an object. A Path that exists in both
// states is the path of a leaf. A Path that exists in only one state is the path of the whole value
// that was added or removed.
type Change struct {
	Path           fieldpath.Path
	Old, New       any
	HasOld, HasNew bool
	// Owners lists the owners of the path, or of paths below it, in the old state.
	Owners []managedfields.Entry
	// Conflict is set if the change conflicts with other managers.
	Conflict bool
	// Forced is set if a flag such as --force-conflicts takes the field from its other owners.
	Forced bool
	// Immutable is set if an immutability rule forbids the change.
	Immutable bool
	// Proposal is the KEP that proposes the rule. It is empty if released API servers already
	// enforce the rule.
	Proposal string
	// Respelled is set if Old and New are two spellings of the same quantity, such as 1000m and 1.
	Respelled bool
	// Encoded is set if the object is a Secret whose stringData sets the new value.
	Encoded bool
	// LeftOut is set if New is a default, which the field gets because the config leaves it out or
	// contains null. Removed is set if the config contained the field before. Null is set if the config
	// contains null.
	LeftOut, Removed, Null bool
	// Times is the number of items with this path in the old state. It is set only if one of the
	// states contains several such items. Old and New are then lists of the items.
	Times int
}

// Changes returns the differences between two states of an object, sorted by path. It ignores
// managed fields and the server's counters, such as metadata.generation. It returns an error if a
// state is invalid.
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
	old, now := place.ObjectOf(t, before), place.ObjectOf(t, after)
	var paths []fieldpath.Path
	for path := range compared.Modified.All() {
		paths = append(paths, path.Copy())
	}
	for path := range compared.Added.All() {
		paths = append(paths, topmostMissing(old, path).Copy())
	}
	for path := range compared.Removed.All() {
		paths = append(paths, topmostMissing(now, path).Copy())
	}
	duplicates := HasDuplicates(t, before) || HasDuplicates(t, after)
	for i, path := range paths {
		if !duplicates {
			break
		}
		paths[i] = upToDuplicate(old, upToDuplicate(now, path))
	}
	slices.SortFunc(paths, fieldpath.Path.Compare)
	paths = slices.CompactFunc(paths, fieldpath.Path.Equals)

	list := make([]Change, len(paths))
	for i, path := range paths {
		c := Change{Path: path}
		was, had := old.At(path)
		is, has := now.At(path)
		c.Old, c.HasOld, c.New, c.HasNew = was.Plain, had, is.Plain, has
		if duplicates {
			olds, news := old.Items(path), now.Items(path)
			if len(olds) > 1 || len(news) > 1 {
				c.Old, c.New, c.Times = olds, news, len(olds)
			}
		}
		list[i] = c
	}
	return list, nil
}

// Comparable prepares an object for a comparison. It returns a copy without managed fields and
// without the server's counters, such as metadata.generation. In a Secret, it moves stringData to
// data, as a server does.
func Comparable(object map[string]any) map[string]any {
	return predict.RemoveCounters(unstructured.SecretAsStored(unstructured.WithoutManagedFields(object)))
}

// Notes returns remarks about a change that its values do not show.
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
	if c.LeftOut {
		reason := "not in your config"
		switch {
		case c.Null:
			reason = "null in your config"
		case c.Removed:
			reason = "removed from your config"
		}
		notes = append(notes, fmt.Sprintf("%s; %s is the default", reason, words.Flow(c.New)))
	}
	return notes
}

// RespelledNote is the remark about a quantity whose spelling changes, but not its value.
const RespelledNote = "equal quantity, different spelling"

// stringDataNote is the remark about a change in the data of a Secret if the manifest sets the
// value in stringData.
const stringDataNote = "from stringData, which is stored as base64 in data"
