// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// A Line is one line of an object as YAML.
type Line struct {
	Text string
	// Path is the path of the innermost field or item that starts on the line. It is empty in the
	// second and later lines of a text.
	Path string
	// Owners lists the owners of the fields and items that start on the line, as indexes of
	// BlameResult.Entries.
	Owners []int
	// Part is set if the line is inside a list, map or text that has an owner only as a whole.
	Part bool
	// Note is a remark about the owners, such as "nobody (default)".
	Note string
	// Nobody is set if the line's field has no owner, but could have one.
	Nobody bool
	// Below lists the owners of all fields and items inside the list or map that starts on the
	// line.
	Below []int
	// NobodyBelow is set if a field or item inside this list or map has no owner.
	NobodyBelow bool
}

// Blamed is a live object together with the owners of its fields. If Outcome has errors,
// BlameResult is nil.
type Blamed struct {
	Outcome *prediction.Outcome
	*ownership.BlameResult
	Lines []Line
	// Fields is the number of paths in each entry.
	Fields []int
}

// Blame finds the owners of the fields of one live object.
func Blame(t *sources.Types, object *manifest.Object) Blamed {
	b := blame(t, object)
	if b.BlameResult == nil {
		return Blamed{Outcome: b.Outcome}
	}
	return Blamed{b.Outcome, b.BlameResult, linesOf(newBlameText(nil, false, time.Time{}, b)), b.sizes()}
}

// linesOf returns the lines of an object as YAML, together with their owners.
func linesOf(t *blameText) []Line {
	paths := map[*ownership.Place]string{}
	for path, p := range t.All() {
		paths[p] = path.String()
	}
	below := map[*ownership.Place]reach{}
	reachOf(t.Root, below)
	var lines []Line
	for i := range t.lines {
		lines = append(lines, t.line(i, lines, paths, below))
	}
	return lines
}

// line returns the line with the given index. The lines above it must be in previous.
func (t *blameText) line(i int, previous []Line, paths map[*ownership.Place]string, below map[*ownership.Place]reach) Line {
	l := &t.lines[i]
	if len(l.places) == 0 { // the second or a later line of a text
		out := previous[len(previous)-1]
		out.Text, out.Path, out.Note, out.Part = l.text, "", "", true
		return out
	}
	out := Line{Text: l.text}
	var notes []string
	for i, p := range l.places {
		for _, owner := range p.Owners {
			if !slices.Contains(out.Owners, owner) {
				out.Owners = append(out.Owners, owner)
			}
		}
		if i < len(l.places)-1 && len(p.Owners) > 0 && !slices.Equal(p.Owners, l.places[i+1].Owners) {
			var names []string
			for _, owner := range p.Owners {
				names = append(names, t.Entries[owner].Manager)
			}
			notes = append(notes, "item: "+strings.Join(names, ", "))
		}
	}
	last := l.places[len(l.places)-1]
	first := below[l.places[0]]
	out.Below, out.NobodyBelow = first.owners, first.nobody
	out.Path, out.Part = paths[last], last.State == ownership.Part
	switch last.State {
	case ownership.Defaulted:
		notes, out.Nobody = append(notes, "nobody (default)"), true
	case ownership.Unowned:
		notes, out.Nobody = append(notes, "nobody"), true
	case ownership.Server:
		if len(last.Children) == 0 {
			notes = append(notes, "cannot have an owner")
		}
	}
	if last.Whole && len(last.Children) > 0 && last.State != ownership.Part {
		notes = append(notes, "as one value")
	}
	slices.Sort(out.Owners)
	out.Note = strings.Join(notes, "; ")
	return out
}

// reach lists the owners of all fields and items inside a value. If a field or item inside it has no
// owner, nobody is set.
type reach struct {
	owners []int
	nobody bool
}

func reachOf(p *ownership.Place, all map[*ownership.Place]reach) reach {
	var r reach
	for _, c := range p.Children {
		below := reachOf(c, all)
		r.owners = append(append(r.owners, c.Owners...), below.owners...)
		r.nobody = r.nobody || below.nobody || c.State == ownership.Defaulted || c.State == ownership.Unowned
	}
	slices.Sort(r.owners)
	r.owners = slices.Compact(r.owners)
	all[p] = r
	return r
}
