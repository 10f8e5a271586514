// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package surface

import (
	"slices"
	"sort"
	"strings"
)

// orderSuffix is the suffix for entries that list the exported fields of a struct in order.
const orderSuffix = ".(order of fields)"

// hiddenSuffix is the suffix of an entry that marks an interface with unexported methods.
const hiddenSuffix = ".(unexported)"

// Difference is a name whose descriptions differ between two APIs.
type Difference struct {
	Name string
	Want string // empty if the name was added
	Got  string // empty if the name is missing
}

func (d Difference) String() string {
	switch {
	case d.Got == "":
		return "missing    " + d.Name + "\n             want " + d.Want
	case d.Want == "":
		return "added      " + d.Name + "\n             got  " + d.Got
	default:
		return "different  " + d.Name + "\n             want " + d.Want + "\n             got  " + d.Got
	}
}

// Compare compares an old API with a new one. It returns the differences that break programs
// written for the old API, and the compatible additions. Both lists are sorted by name.
func Compare(want, got Surface) (broken, added []Difference) {
	for name, w := range want {
		if g, ok := got[name]; !ok || !fits(name, w, g) {
			broken = append(broken, Difference{name, w, g})
		}
	}
	for name, g := range got {
		if _, ok := want[name]; ok || strings.HasSuffix(name, orderSuffix) {
			continue
		}
		if d := (Difference{Name: name, Got: g}); implementable(want, name) {
			broken = append(broken, d)
		} else {
			added = append(added, d)
		}
	}
	byName := func(ds []Difference) {
		sort.Slice(ds, func(i, j int) bool { return ds[i].Name < ds[j].Name })
	}
	byName(broken)
	byName(added)
	return broken, added
}

// implementable reports whether a name is a method of an interface that other programs can
// implement. An additional method in such an interface breaks these programs.
func implementable(want Surface, name string) bool {
	i := strings.LastIndex(name, ".")
	if strings.HasSuffix(name, hiddenSuffix) {
		i = len(name) - len(hiddenSuffix)
	}
	typ := name[:i]
	return want[typ] == "type interface" && want[typ+hiddenSuffix] == ""
}

// fits reports whether programs that compile with the old description of a name also compile with
// the new one. The new description must be equal, but may add fields to an order of fields, or
// make a type comparable.
func fits(name, want, got string) bool {
	if want == got {
		return true
	}
	if strings.HasSuffix(name, orderSuffix) {
		return subsequence(strings.Fields(want), strings.Fields(got))
	}
	return strings.HasPrefix(want, "type ") && got == want+", comparable"
}

func subsequence(part, whole []string) bool {
	for _, p := range part {
		i := slices.Index(whole, p)
		if i < 0 {
			return false
		}
		whole = whole[i+1:]
	}
	return true
}
