// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/cmd/internal/page"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// writeOwnersPage writes the HTML page of the objects.
func writeOwnersPage(r *command.Run, q *ownersQuery, found []blamed, now time.Time) error {
	p := page.Page{Title: "Owners"}
	for i := range found {
		p.Objects = append(p.Objects, found[i].page(now))
	}
	if len(found) == 1 {
		p.Title += " of " + p.Objects[0].Name
	} else {
		p.Title += " of " + words.Count(len(found), "object")
		p.Totals = totalsOf(found)
	}
	if q.html == "-" {
		return page.Write(&r.Out, p)
	}
	var out bytes.Buffer
	if err := page.Write(&out, p); err != nil {
		return err
	}
	mode := wholefile.ForAll
	if slices.ContainsFunc(found, func(b blamed) bool { return unstructured.LooksLikeSecret(b.Object.Content) }) {
		mode = wholefile.ForOwner
	}
	return input.WriteFile(q.html, out.Bytes(), mode)
}

// page returns the object in the form of the page.
func (b *blamed) page(now time.Time) page.Object {
	o := page.Object{Name: words.Visible(b.Object.Identity().String()), Fields: b.ownedPaths()}
	for i, size := range b.sizes() {
		e := b.Entries[i]
		m := page.Manager{
			Name: words.Visible(e.Manager), Operation: string(e.Operation),
			APIVersion: words.Visible(e.APIVersion), Subresource: words.Visible(e.Subresource), Paths: size,
		}
		if e.Time != nil {
			m.Time, m.Age = e.Time.UTC().Format(time.RFC3339), words.Age(now, e.Time)
		}
		o.Managers = append(o.Managers, m)
	}
	for _, l := range b.Lost {
		o.Lost = append(o.Lost, page.Lost{Path: words.Visible(l.Path.String()), Manager: l.Entry})
	}
	paths := map[*ownership.Place]string{}
	for path, p := range b.All() {
		paths[p] = words.Visible(path.String())
	}
	below := map[*ownership.Place]reach{}
	reachOf(b.Root, below)
	text := newBlameText(nil, false, now, *b)
	for i := range text.lines {
		o.Lines = append(o.Lines, text.pageLine(i, o.Lines, paths, below))
	}
	if b.comparison != nil {
		o.ConfigBy = b.comparison.manager
		for i := range b.comparison.conflicts {
			o.Conflicts = append(o.Conflicts, pageConflict(&b.comparison.conflicts[i], o.Lines, len(o.Conflicts)+1))
		}
	}
	return o
}

// pageConflict returns conflict number n with its line, and sets the number in that line.
func pageConflict(c *fieldmanager.Conflict, lines []page.Line, n int) page.Conflict {
	out := page.Conflict{
		Path:  words.Visible(c.Path.String()),
		Yours: words.Visible(words.ValueOrNone(c.Yours, c.HasYours)), Live: words.Visible(words.ValueOrNone(c.Live, c.HasLive)),
		Owner: words.Visible(words.Owner(c.Owner, c.Time)), Note: words.Visible(c.Hint),
	}
	for path := c.Path; len(path) > 0 && out.Line == 0; path = path[:len(path)-1] {
		name := words.Visible(path.String())
		out.Line = 1 + slices.IndexFunc(lines, func(l page.Line) bool { return l.Path == name })
	}
	if out.Line > 0 {
		lines[out.Line-1].Conflict = n
	}
	return out
}

// pageLine returns line i. before are the lines above it.
func (t *blameText) pageLine(i int, before []page.Line, paths map[*ownership.Place]string, below map[*ownership.Place]reach) page.Line {
	l := &t.lines[i]
	if len(l.places) == 0 { // the line continues a text of several lines
		out := before[len(before)-1]
		out.Text, out.Path, out.Note, out.Part = words.Visible(l.text), "", "", true
		return out
	}
	out := page.Line{Text: words.Visible(l.text)}
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
				names = append(names, words.Visible(t.Entries[owner].Manager))
			}
			notes = append(notes, "the item: "+strings.Join(names, ", "))
		}
	}
	last := l.places[len(l.places)-1]
	first := below[l.places[0]]
	out.Below, out.NobodyBelow = first.owners, first.nobody
	out.Path, out.Part = paths[last], last.State == ownership.Part
	switch last.State {
	case ownership.Defaulted:
		notes, out.Nobody = append(notes, "nobody: the default"), true
	case ownership.Unowned:
		notes, out.Nobody = append(notes, "nobody"), true
	case ownership.Server:
		if len(last.Children) == 0 {
			notes = append(notes, "the server's")
		}
	}
	if last.Whole && len(last.Children) > 0 && last.State != ownership.Part {
		notes = append(notes, "as a whole")
	}
	slices.Sort(out.Owners)
	out.Note = strings.Join(notes, "; ")
	return out
}

// reach has the owners of everything below a place. nobody reports whether a place below has no owner.
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
