// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// blameText renders a blame as YAML with comments.
type blameText struct {
	out    io.Writer
	colour bool
	blamed
	// names are what the lines call the entries.
	names []string
	lines []blameLine
}

// blameLine is a line of YAML and the places that begin in it: items, then what
// they hold first.
type blameLine struct {
	text   string
	places []*fieldmanager.Place
	// open says that the text goes on in the next line, so that only a comment
	// in this one is no part of it.
	open bool
}

// ownerColours tell owners apart on a terminal.
var ownerColours = []int{36, 33, 35, 32, 34, 31}

func newBlameText(out io.Writer, colour bool, now time.Time, b blamed) *blameText {
	t := &blameText{out: out, colour: colour, blamed: b}
	for _, e := range b.Entries {
		t.names = append(t.names, lineName(e, now))
	}
	t.emit(b.Root, "", "")
	return t
}

// emit makes the lines of what p holds. The first begins with first, which may
// hold the dash of an item, and the others with rest.
func (t *blameText) emit(p *fieldmanager.Place, first, rest string, above ...*fieldmanager.Place) {
	for _, c := range p.Children {
		places := append(slices.Clip(above), c)
		if c.Element.FieldName != nil {
			t.field(c, *c.Element.FieldName, first, rest, places)
		} else {
			t.item(c, first, rest, places)
		}
		first, above = rest, nil
	}
}

// maxKey is how long a key may be that stands before its value in one line.
const maxKey = 1000

func (t *blameText) field(p *fieldmanager.Place, name, first, rest string, places []*fieldmanager.Place) {
	if len(p.Children) == 0 {
		t.block(map[string]any{name: p.Value}, first, rest, places)
		return
	}
	keys := yamlLines(map[string]any{name: map[string]any{}})
	key, inLine := strings.CutSuffix(keys[0], " {}")
	if !inLine || len(keys) > 1 || len(key) > maxKey {
		// A key that YAML does not take in line; what it holds is shown as it is.
		t.block(map[string]any{name: p.Value}, first, rest, places)
		return
	}
	t.lines = append(t.lines, blameLine{text: first + key, places: places})
	if isList(p.Value) {
		t.emit(p, rest, rest)
	} else {
		t.emit(p, rest+"  ", rest+"  ")
	}
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

func (t *blameText) item(p *fieldmanager.Place, first, rest string, places []*fieldmanager.Place) {
	if len(p.Children) == 0 {
		t.block([]any{p.Value}, first, rest, places)
		return
	}
	t.emit(p, first+"- ", rest+"  ", places...)
}

// block adds a value that is not taken apart.
func (t *blameText) block(v any, first, rest string, places []*fieldmanager.Place) {
	lines := yamlLines(v)
	for i, line := range lines {
		l := blameLine{text: rest + line, open: i < len(lines)-1}
		if i == 0 {
			l.text, l.places = first+line, places
		}
		if line == "" {
			l.text = ""
		}
		t.lines = append(t.lines, l)
	}
}

// write renders the header, the lines and what is lost.
func (t *blameText) write() {
	t.header()
	column := t.column()
	for i := range t.lines {
		l := &t.lines[i]
		io.WriteString(t.out, visible(l.text))
		parts, at := t.comment(l), l.width()
		lines := []int{len(parts)}
		if !l.open && len(parts) > 0 {
			lines, _ = layOut(at, column, parts)
		}
		for _, n := range lines {
			if n > 0 {
				io.WriteString(t.out, strings.Repeat(" ", max(2, column-at))+"#")
			}
			for _, p := range parts[:n] {
				io.WriteString(t.out, " "+t.coloured(p))
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
		if v := t.Entries[l.Entry].APIVersion; v != t.object.Identity().APIVersion {
			note = ", by the names of " + oneLine(v)
		}
		fmt.Fprintf(t.out, "#   %s  %s%s\n", oneLine(l.Path.String()), t.coloured(part{t.names[l.Entry], l.Entry}), note)
	}
}

// header names the object and its managers.
func (t *blameText) header() {
	fmt.Fprintf(t.out, "# %s\n", oneLine(t.object.Identity().String()))
	rows := [][]string{}
	for i, size := range t.sizes() {
		e := t.Entries[i]
		at := "?"
		if e.Time != nil {
			at = e.Time.UTC().Format(time.RFC3339)
		}
		through := strings.ToLower(string(e.Operation))
		if e.Subresource != "" {
			through += " " + managerName(e.Subresource)
		}
		rows = append(rows, []string{managerName(e.Manager), through, oneLine(e.APIVersion), at, count(size, "path")})
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
			line = fmt.Sprintf("\x1b[%dm%s\x1b[0m", ownerColours[r%len(ownerColours)], line)
		}
		io.WriteString(t.out, line+"\n")
	}
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// oneLine is s without what would end a comment.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, visible(s))
}

// coloured gives a part of a comment the colour of its owner.
func (t *blameText) coloured(p part) string {
	switch {
	case !t.colour:
		return p.text
	case p.owner < 0:
		return fmt.Sprintf("\x1b[%dm%s\x1b[0m", dim, p.text)
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", ownerColours[p.owner%len(ownerColours)], p.text)
}
