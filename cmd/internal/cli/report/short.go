// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// Short writes the differences and conflicts of one object for a terminal: one line for the
// object, and one for each field. The line of a field can end with a remark.
type Short struct {
	W      io.Writer
	Colour bool
	// Width is the number of columns of the terminal, or 0 if it is unknown.
	Width int
	// Cut is set if values were shortened.
	Cut  bool
	rows []shortRow
}

// shortRow is the line of a field.
type shortRow struct {
	sign   string
	colour int
	// difference is the path of the field with its values. If the path is empty, the line shows the
	// field text instead.
	difference words.Difference
	text       string
	remark     string
	// remarkBelow is true if the remark is too long for the line of the field.
	remarkBelow bool
	warns       bool // the remark is about a conflict or a forbidden change
}

// These are the signs that come before fields.
const (
	signAdded    = "+"
	signRemoved  = "-"
	signChanged  = "~"
	signConflict = "✗"
	signKept     = "="
)

// Object writes the line of an object, with a note such as "(new)". It then writes the lines
// of the fields that have been added, and clears them.
func (s *Short) Object(id manifest.Identity, note string) {
	title := words.OneLine(ShortName(id))
	if note != "" {
		note = " " + s.paint(words.Green, note)
	}
	fmt.Fprintln(s.W, s.paint(words.Bold, title)+note)
	s.flush()
}

// ShortName returns the name of an object for a terminal, such as "Deployment shop/web". For a
// kind that is not built into Kubernetes, the name includes the API group, as in
// "Database.example.com shop/orders". An object without a name is "Deployment in namespace shop", or
// "Deployment" if it has no namespace either.
func ShortName(id manifest.Identity) string {
	kind := id.Kind
	if group, _, found := strings.Cut(id.APIVersion, "/"); found && strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
		kind += "." + group
	}
	id.APIVersion, id.Kind = "", kind
	return strings.TrimPrefix(id.String(), " ")
}

// Change adds a line about a changed field.
func (s *Short) Change(c *fields.Change, remark string) {
	row := shortRow{sign: signChanged, colour: words.Yellow, remark: remark, warns: c.Conflict || c.Immutable,
		difference: words.Difference{Path: c.Path, Old: c.Old, New: c.New, HasOld: c.HasOld, HasNew: c.HasNew}}
	switch {
	case c.Conflict || c.Immutable:
		row.sign, row.colour = signConflict, words.Red
	case !c.HasOld:
		row.sign, row.colour = signAdded, words.Green
	case !c.HasNew:
		row.sign, row.colour = signRemoved, words.Red
	}
	s.rows = append(s.rows, row)
}

// Conflict adds a line about a conflict. The line shows the live value and the value in the
// config.
func (s *Short) Conflict(c *fieldmanager.Conflict, remark string) {
	s.rows = append(s.rows, shortRow{sign: signConflict, colour: words.Red, remark: remark, warns: true,
		difference: words.Difference{Path: c.Path, Old: c.Live, New: c.Yours, HasOld: c.HasLive, HasNew: c.HasYours}})
}

// Resolved adds a line for each conflict that a flag resolved. It leaves out forced conflicts whose
// paths overlap a path in the argument changed. It returns the number of added lines.
func (s *Short) Resolved(o *prediction.Outcome, changed *fieldpath.Set) (lines int) {
	stored := storedObject(o, o.Result)
	for i := range o.Resolved {
		r := &o.Resolved[i]
		c := &r.Conflict
		remark := "yielded to "
		switch r.Choice {
		case resolve.Force:
			remark = "forced from "
		case resolve.Share:
			remark = "shared with "
		}
		remark += ShortOwner(o.Manager, c.Owner, c.Time, o.Maker.Now())
		change := fields.Change{Path: c.Path}
		if r.Choice == resolve.Force {
			if fields.Overlaps(changed, c.Path) {
				continue
			}
			change = changeOf(stored, c)
		}
		if lines++; differs(&change) {
			s.Change(&change, remark)
			continue
		}
		s.rows = append(s.rows, shortRow{sign: signKept, colour: words.Dim, remark: remark,
			difference: words.Difference{Path: c.Path, Old: c.Live, HasOld: c.HasLive}})
	}
	return lines
}

// Line adds a line that consists of a sign and a text.
func (s *Short) Line(sign string, colour int, text string) {
	s.rows = append(s.rows, shortRow{sign: sign, colour: colour, text: text})
}

// shortestField is the minimum width of a field's text. If a remark leaves less space, the remark
// gets a line of its own.
const shortestField = 30

// flush writes the lines of the fields. If possible, it aligns the remarks in one column.
func (s *Short) flush() {
	const indent, gap, below = len("  ~ "), 2, len("  ~   ")
	width := s.Width
	if width == 0 {
		width = words.LineWidth
	}
	texts, column := make([]string, len(s.rows)), 0
	for i := range s.rows {
		row := &s.rows[i]
		if len(row.difference.Path) == 0 {
			texts[i] = words.Cut(words.OneLine(row.text), max(width-indent, shortestField))
			continue
		}
		room := width - indent
		if row.remark != "" {
			if left := room - gap - words.TextWidth(row.remark); left >= shortestField {
				room = left
			} else {
				row.remarkBelow = true
			}
		}
		var cut bool
		texts[i], cut = row.difference.Short(max(room, shortestField))
		s.Cut = s.Cut || cut
		if n := words.TextWidth(texts[i]); row.remark != "" && !row.remarkBelow && n <= room {
			column = max(column, n)
		}
	}
	for i := range s.rows {
		row := &s.rows[i]
		line := "  " + s.paint(row.colour, row.sign+" "+texts[i])
		colour := words.Dim
		if row.warns {
			colour = words.Red
		}
		switch {
		case row.remark == "":
		case row.remarkBelow:
			for _, part := range words.Wrap(row.remark, max(width-below, shortestField)) {
				line += "\n" + strings.Repeat(" ", below) + s.paint(colour, part)
			}
		default:
			at := min(column, width-indent-gap-words.TextWidth(row.remark))
			line += strings.Repeat(" ", max(0, at-words.TextWidth(texts[i]))+gap) + s.paint(colour, row.remark)
		}
		fmt.Fprintln(s.W, line)
	}
	s.rows = nil
}

func (s *Short) paint(colour int, text string) string {
	if !s.Colour {
		return text
	}
	return words.Paint(colour, text)
}

// ShortOwner returns the name of an owner and the age of its entry, as in "kubectl-edit, 8d
// ago". It leaves out an unknown age. If the owner has the same name as the manager that applies, its
// operation tells them apart, as in "helm (Update), 8d ago".
func ShortOwner(applier string, o managedfields.Owner, at *time.Time, now time.Time) string {
	name := words.Manager(o.Manager)
	if o.Manager == applier && o.Operation == managedfields.OperationUpdate {
		name += " (Update)"
	}
	if o.Subresource != "" {
		name += " (" + words.Manager(o.Subresource) + ")"
	}
	if at == nil {
		return name
	}
	return name + ", " + words.Age(now, at) + " ago"
}

// ShortOwners returns the names of owners for a terminal. The owner that wrote last comes first. If
// there are three or more owners, ShortOwners names only the first owner, and counts the others. It
// changes the order of the slice owners.
func ShortOwners(applier string, owners []managedfields.Entry, now time.Time) string {
	if len(owners) == 0 {
		return ""
	}
	slices.SortStableFunc(owners, func(a, b managedfields.Entry) int { return compareTimes(b.Time, a.Time) })
	first := ShortOwner(applier, owners[0].Owner, owners[0].Time, now)
	switch n := len(owners) - 1; n {
	case 0:
		return first
	case 1:
		return first + " and " + words.Manager(owners[1].Manager)
	default:
		return fmt.Sprintf("%s and %d more", first, n)
	}
}

func compareTimes(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.Compare(*b)
}

// maxShort is the maximum number of conflicts of one object that are listed.
const maxShort = 100

// shortConflicts writes one line for each conflict, for each forbidden change of an immutable
// field, and for each conflict that a flag resolved. If refused is true, it also adds "immutable"
// to the line of a conflict whose field is immutable.
func shortConflicts(s *Short, o *prediction.Outcome, refused bool) {
	if o.Status() == command.StatusDone {
		s.Resolved(o, fieldpath.NewSet())
	}
	for i := range o.Conflicts {
		if i == maxShort && len(o.Conflicts) > maxShort+1 {
			s.Line(signConflict, words.Red, fmt.Sprintf("and %d more conflicts", len(o.Conflicts)-i))
			break
		}
		c := &o.Conflicts[i]
		remark := ShortOwner(o.Manager, c.Owner, c.Time, o.Maker.Now())
		if refused && o.Resolution(resolve.Force).Immutable(c.Path) != nil {
			remark += "; immutable"
		}
		s.Conflict(c, remark)
	}
	for i := range o.Immutable {
		f := &o.Immutable[i]
		if slices.ContainsFunc(o.Conflicts, func(c fieldmanager.Conflict) bool { return fields.Overlap(c.Path, f.Path) }) {
			continue
		}
		c := &fields.Change{Path: f.Path, Immutable: true}
		if c.HasOld = f.Old != nil; c.HasOld {
			c.Old = f.Old.Unstructured()
		}
		if c.HasNew = f.New != nil; c.HasNew {
			c.New = f.New.Unstructured()
		}
		s.Change(c, ImmutableRemark(f.KEP))
	}
	if len(s.rows) > 0 {
		s.Object(o.Object.Identity(), "")
	}
}

// ImmutableRemark returns the remark that a field is immutable. kep is the KEP that proposes the
// rule, or "" if released API servers enforce it.
func ImmutableRemark(kep string) string {
	if kep == "" {
		return "immutable"
	}
	return "immutable (" + kep + ", a proposal)"
}
