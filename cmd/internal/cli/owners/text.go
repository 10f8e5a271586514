// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// blameText writes an object as YAML. Comments name the owners.
type blameText struct {
	out    io.Writer
	colour bool
	blamedObject
	// names holds the name that comments use for each entry of the managed fields.
	names []string
	lines []blameLine
	// screen is the maximum width of a line, including its comment.
	screen int
}

// blameLine is a line of YAML, together with the fields and items that start on it. For example,
// the line "- - name: a" starts two list items, and then the field name. They are in places, in
// this order.
type blameLine struct {
	text   string
	places []*ownership.Place
	// open is set if a text continues on the next line. A comment between the two lines would
	// become part of the text.
	open bool
}

// ownerColours lists the colors of owners on a terminal.
var ownerColours = []int{words.Cyan, words.Yellow, words.Magenta, words.Green, words.Blue, words.Red}

func newBlameText(out io.Writer, colour bool, now time.Time, b blamedObject) *blameText {
	t := &blameText{out: out, colour: colour, blamedObject: b, screen: defaultScreen}
	for _, e := range b.Entries {
		t.names = append(t.names, lineName(e, now))
	}
	t.emit(b.Root, "", "")
	return t
}

// emit adds the lines for the children of p. The first line starts with the text first, such as an
// indent and the dash of a list item. All other lines start with indent. The argument above holds
// the items that also start on the first line.
func (t *blameText) emit(p *ownership.Place, first, indent string, above ...*ownership.Place) {
	for _, c := range p.Children {
		places := append(slices.Clip(above), c)
		if c.Element.FieldName != nil {
			t.field(c, *c.Element.FieldName, first, indent, places)
		} else {
			t.item(c, first, indent, places)
		}
		first, above = indent, nil
	}
}

// maxKey is the maximum length of a key that is written on the same line as its value.
const maxKey = 1000

func (t *blameText) field(p *ownership.Place, name, first, indent string, places []*ownership.Place) {
	if len(p.Children) == 0 {
		t.block(map[string]any{name: p.Value}, first, indent, places)
		return
	}
	keys := encode.YAMLLines(map[string]any{name: map[string]any{}})
	key, inLine := strings.CutSuffix(keys[0], " {}")
	if !inLine || len(keys) > 1 || len(key) > maxKey {
		// The YAML encoder does not write this key on a single line. So the whole value gets
		// one comment.
		t.block(map[string]any{name: p.Value}, first, indent, places)
		return
	}
	t.lines = append(t.lines, blameLine{text: first + key, places: places})
	if isList(p.Value) {
		t.emit(p, indent, indent)
	} else {
		t.emit(p, indent+"  ", indent+"  ")
	}
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

func (t *blameText) item(p *ownership.Place, first, indent string, places []*ownership.Place) {
	if len(p.Children) == 0 {
		t.block([]any{p.Value}, first, indent, places)
		return
	}
	t.emit(p, first+"- ", indent+"  ", places...)
}

// block adds the lines of a value. A single comment covers the whole value.
func (t *blameText) block(v any, first, indent string, places []*ownership.Place) {
	lines := encode.YAMLLines(v)
	// In YAML 1.1, these characters also end a line, and the next line needs the indentation.
	indentBreaks := strings.NewReplacer("\u0085", "\u0085"+indent, "\u2028", "\u2028"+indent, "\u2029", "\u2029"+indent)
	for i, line := range lines {
		line = indentBreaks.Replace(line)
		l := blameLine{text: indent + line, open: i < len(lines)-1}
		if i == 0 {
			l.text, l.places = first+line, places
		}
		if line == "" {
			l.text = ""
		}
		t.lines = append(t.lines, l)
	}
}

// write writes the header, the lines, and the owned paths that do not exist in the object.
func (t *blameText) write() {
	t.header()
	column := t.column()
	for i := range t.lines {
		l := &t.lines[i]
		io.WriteString(t.out, words.Visible(l.text))
		parts, at := t.comment(l), l.width()
		lines := []int{len(parts)}
		if !l.open && len(parts) > 0 {
			lines, _ = layOut(at, column, t.screen, parts)
		}
		for _, n := range lines {
			if n > 0 {
				io.WriteString(t.out, strings.Repeat(" ", max(2, column-at))+"#")
			}
			for _, p := range parts[:n] {
				io.WriteString(t.out, " "+t.paint(p))
			}
			io.WriteString(t.out, "\n")
			parts, at = parts[n:], 0
		}
	}
	for i, l := range t.Lost {
		if i == 0 {
			io.WriteString(t.out, "# owned, but not in the object:\n")
		}
		note := ""
		if v := t.Entries[l.Entry].APIVersion; v != t.Object.Identity().APIVersion {
			note = ", path in " + words.OneLine(v)
		}
		fmt.Fprintf(t.out, "#   %s  %s%s\n", words.OneLine(l.Path.String()), t.paint(part{t.names[l.Entry], l.Entry}), note)
	}
}

// header writes the name of the object, and a table of its managers.
func (t *blameText) header() {
	fmt.Fprintf(t.out, "# %s\n", words.OneLine(t.Object.Identity().String()))
	rows := [][]string{}
	for i, size := range t.sizes() {
		e := t.Entries[i]
		at := "?"
		if e.Time != nil {
			at = e.Time.UTC().Format(time.RFC3339)
		}
		through := strings.ToLower(string(e.Operation))
		if e.Subresource != "" {
			through += " " + words.Manager(e.Subresource)
		}
		rows = append(rows, []string{words.Manager(e.Manager), through, words.OneLine(e.APIVersion), at, words.Count(size, "path")})
	}
	widths := make([]int, 5)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for r, row := range rows {
		line := "# "
		for i, cell := range row {
			line += " " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1)
		}
		line = strings.TrimRight(line, " ")
		if t.colour {
			line = words.Paint(ownerColours[r%len(ownerColours)], line)
		}
		io.WriteString(t.out, line+"\n")
	}
}

// paint returns the text of p, in the color of its owner.
func (t *blameText) paint(p part) string {
	switch {
	case !t.colour:
		return p.text
	case p.owner < 0:
		return words.Paint(words.Dim, p.text)
	}
	return words.Paint(ownerColours[p.owner%len(ownerColours)], p.text)
}

// defaultScreen is the maximum width of a line of YAML together with its comment. It is used if
// the width of the terminal is unknown or larger than this. On other terminals, lines are shorter.
// Comments start in column leastColumn or further right.
const (
	defaultScreen = 80
	leastColumn   = 32
)

// fit sets the maximum width of lines for a terminal with the given number of columns. It does not
// use the last column, because some terminals wrap a line that fills it.
func (t *blameText) fit(columns int) {
	if columns > 0 {
		t.screen = min(defaultScreen, columns-1)
	}
}

// lineName returns the name that comments use for an entry, such as "kubelet update status
// 5m".
func lineName(e managedfields.Entry, now time.Time) string {
	parts := []string{words.Manager(e.Manager), strings.ToLower(string(e.Operation))}
	if e.Subresource != "" {
		parts = append(parts, words.Manager(e.Subresource))
	}
	return strings.Join(append(parts, words.Age(now, e.Time)), " ")
}

// part is a piece of a comment that stays on one line. The field owner is the index of the owner's
// entry, or -1 if there is none.
type part struct {
	text  string
	owner int
}

func (p part) width() int { return utf8.RuneCountInString(p.text) }

// comment returns the comment of a line, in pieces between which the line may be broken.
func (t *blameText) comment(l *blameLine) []part {
	var parts []part
	for i, p := range l.places {
		owners := t.owners(p)
		if i < len(l.places)-1 {
			if next := l.places[i+1]; len(owners) == 0 || slices.Equal(owners, t.owners(next)) {
				continue
			}
			owners[0].text = "item " + owners[0].text
		}
		for j := range owners {
			if j < len(owners)-1 {
				owners[j].text += ","
			}
		}
		if len(parts) > 0 && len(owners) > 0 {
			parts[len(parts)-1].text += ";"
		}
		parts = append(parts, owners...)
	}
	return parts
}

func (t *blameText) owners(p *ownership.Place) []part {
	nobody := func(text string) []part { return []part{{text, -1}} }
	var owners []part
	for _, i := range p.Owners {
		owners = append(owners, part{t.names[i], i})
	}
	switch p.State {
	case ownership.Holder:
		return nil
	case ownership.Server:
		if len(p.Children) > 0 {
			return nil
		}
		owners = nobody("-")
	case ownership.Defaulted:
		owners = nobody("nobody (default)")
	case ownership.Unowned:
		owners = nobody("nobody")
	case ownership.Part:
		owners[0].text = "| " + owners[0].text
	}
	if p.Whole && len(p.Children) > 0 && p.State != ownership.Part {
		owners[len(owners)-1].text += " (whole)"
	}
	return owners
}

// column returns the column in which comments start. It chooses the column that needs the fewest
// lines of output. If there are several such columns, it chooses the rightmost one.
func (t *blameText) column() int {
	longest := leastColumn
	comments := make([][]part, len(t.lines))
	for i := range t.lines {
		if comments[i] = t.comment(&t.lines[i]); len(comments[i]) > 0 {
			longest = max(longest, min(t.lines[i].width()+2, t.screen/2+leastColumn/2))
		}
	}
	best, least := longest, -1
	for column := longest; column >= leastColumn; column-- {
		cost := 0
		for i, parts := range comments {
			if len(parts) > 0 && !t.lines[i].open {
				lines, fits := layOut(t.lines[i].width(), column, t.screen, parts)
				if cost += len(lines); !fits {
					cost += overflow
				}
			}
		}
		if least < 0 || cost < least {
			best, least = column, cost
		}
	}
	return best
}

func (l *blameLine) width() int { return utf8.RuneCountInString(l.text) }

// overflow is the penalty for a line that is too long, as a number of lines.
const overflow = 3

// layOut distributes the parts of a comment over lines of at most screen columns. It returns the
// number of parts on each line, and whether all parts fit. width is the width of the text before
// the comment. column is the column in which comments start.
func layOut(width, column, screen int, parts []part) (lines []int, fits bool) {
	fits = true
	if at := max(width+2, column); at > column && at+len("# ")+parts[0].width() > screen {
		lines, width = append(lines, 0), 0
	}
	for len(parts) > 0 {
		at := max(width+2, column) + len("#")
		n := 0
		for n < len(parts) && (n == 0 || at+1+parts[n].width() <= screen) {
			at += 1 + parts[n].width()
			n++
		}
		fits = fits && at <= screen
		lines, parts, width = append(lines, n), parts[n:], 0
	}
	return lines, fits
}
