// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// The widths that the text is made for.
const (
	screen      = 80
	leastColumn = 32
)

// lineName names an entry in a line: kubelet update status 5m.
func lineName(e fieldmanager.Entry, now time.Time) string {
	parts := []string{managerName(e.Manager), strings.ToLower(string(e.Operation))}
	if e.Subresource != "" {
		parts = append(parts, managerName(e.Subresource))
	}
	return strings.Join(append(parts, age(now, e.Time)), " ")
}

// managerName is a name as it stands in a line: in quotes if it would not be
// taken for one word.
func managerName(name string) string {
	if name == "" || strings.ContainsFunc(name, func(c rune) bool {
		return unicode.IsSpace(c) || !unicode.IsPrint(c) || c == '"' || c == ',' || c == utf8.RuneError
	}) {
		return strconv.Quote(name)
	}
	return name
}

// part is a piece of a comment that is not broken, about one owner; -1 is nobody.
type part struct {
	text  string
	owner int
}

func (p part) width() int { return utf8.RuneCountInString(p.text) }

// comment is who owns a line, in parts that may stand in lines of their own.
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
			switch {
			case j < len(owners)-1:
				owners[j].text += ","
			case i < len(l.places)-1:
				owners[j].text += ";"
			}
		}
		parts = append(parts, owners...)
	}
	return parts
}

func (t *blameText) owners(p *fieldmanager.Place) []part {
	nobody := func(text string) []part { return []part{{text, -1}} }
	var owners []part
	for _, i := range p.Owners {
		owners = append(owners, part{t.names[i], i})
	}
	switch p.Standing {
	case fieldmanager.Holder:
		return nil
	case fieldmanager.Server:
		if len(p.Children) > 0 {
			return nil
		}
		owners = nobody("-")
	case fieldmanager.Defaulted:
		owners = nobody("nobody (default)")
	case fieldmanager.Unowned:
		owners = nobody("nobody")
	case fieldmanager.Part:
		owners[0].text = "| " + owners[0].text
	}
	if p.Whole && len(p.Children) > 0 && p.Standing != fieldmanager.Part {
		owners[len(owners)-1].text += " (whole)"
	}
	return owners
}

// column is where comments begin: as far to the right as costs no line more
// than need be.
func (t *blameText) column() int {
	longest := leastColumn
	comments := make([][]part, len(t.lines))
	for i := range t.lines {
		if comments[i] = t.comment(&t.lines[i]); len(comments[i]) > 0 {
			longest = max(longest, min(t.lines[i].width()+2, screen/2+leastColumn/2))
		}
	}
	best, least := longest, -1
	for column := longest; column >= leastColumn; column-- {
		cost := 0
		for i, parts := range comments {
			if len(parts) > 0 && !t.lines[i].open {
				lines, fits := layOut(t.lines[i].width(), column, parts)
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

// overflow is how many lines more are better than one that is too long.
const overflow = 3

// layOut is how many parts stand in each line, the first of which has text of
// some width already.
func layOut(width, column int, parts []part) (lines []int, fits bool) {
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
