// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package owners

import (
	"bytes"
	"slices"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/cmd/internal/page"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/wholefile"
)

// writeOwnersPage writes the HTML page with all objects.
func writeOwnersPage(r *command.Run, q *ownersQuery, found []blamedObject, now time.Time) error {
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
	if slices.ContainsFunc(found, func(b blamedObject) bool { return unstructured.LooksLikeSecret(b.Object.Content) }) {
		mode = wholefile.ForOwner
	}
	return input.WriteFile(q.html, out.Bytes(), mode)
}

// page converts the object for the HTML page.
func (b *blamedObject) page(now time.Time) page.Object {
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
	for _, l := range linesOf(newBlameText(nil, false, now, *b)) {
		o.Lines = append(o.Lines, page.Line{
			Text: words.Visible(l.Text), Path: words.Visible(l.Path), Owners: l.Owners, Part: l.Part, Note: words.Visible(l.Note),
			Nobody: l.Nobody, Below: l.Below, NobodyBelow: l.NobodyBelow,
		})
	}
	if b.comparison != nil {
		o.ConfigBy = b.comparison.manager
		for i := range b.comparison.conflicts {
			o.Conflicts = append(o.Conflicts, pageConflict(&b.comparison.conflicts[i], o.Lines, len(o.Conflicts)+1))
		}
	}
	return o
}

// pageConflict converts a conflict for the HTML page. It also stores the number of the conflict in
// the line of the field.
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
