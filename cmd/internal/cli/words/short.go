// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package words

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
)

// ShortPath formats a path for a terminal. It identifies list items only by the values of
// their keys: .spec.containers[api].image instead of .spec.containers[name="api"].image.
func ShortPath(path fieldpath.Path) string {
	var b strings.Builder
	for i := range path {
		b.WriteString(shortElement(&path[i]))
	}
	return b.String()
}

func shortElement(e *fieldpath.PathElement) string {
	switch {
	case e.Key != nil:
		keys := make([]string, len(*e.Key))
		for i, field := range *e.Key {
			keys[i] = shortKey(field.Value)
		}
		return "[" + strings.Join(keys, "/") + "]"
	case e.Value != nil:
		return "[" + shortKey(*e.Value) + "]"
	}
	return e.String()
}

// shortKey formats a scalar without quotes. It keeps the quotes if the scalar contains
// characters that have a meaning in paths.
func shortKey(v value.Value) string {
	if v.IsNull() || !v.IsString() {
		return value.ToString(v)
	}
	if text := v.AsString(); text != "" && !strings.ContainsAny(text, `[]"/,`) && !strings.ContainsFunc(text, unicode.IsSpace) {
		return text
	}
	return strconv.Quote(v.AsString())
}

// Arrow separates the old value from the new value on a terminal.
const Arrow = " → "

// A Difference is a path with its old and new values. One of the values may be missing.
type Difference struct {
	Path           fieldpath.Path
	Old, New       any
	HasOld, HasNew bool
}

// Short formats the difference for a terminal with the given number of columns. If the text is too
// long, it leaves out the common start of both values first, then the start of the path, and
// finally the ends of the values. The result cut reports whether anything was left out. If the path
// ends with the value itself, as for a new item of a set, cut is false.
func (d *Difference) Short(columns int) (text string, cut bool) {
	path := OneLine(ShortPath(d.Path))
	last := d.Path[len(d.Path)-1]
	if last.Value != nil && d.HasOld != d.HasNew {
		return shortenPath(d.Path, path, columns), false // the path contains the value
	}
	old, new := shortValue(d.Old, nil, d.HasOld), shortValue(d.New, d.Old, d.HasNew)
	var values string
	render := func() {
		switch {
		case d.HasOld && d.HasNew:
			values = ": " + old + Arrow + new
		case d.HasNew:
			values = ": " + new
		case d.HasOld:
			values = ": " + old
		}
	}
	render()
	fits := func() bool { return TextWidth(path)+TextWidth(values) <= columns }
	if fits() {
		return path + values, false
	}
	for _, separators := range []string{"/", "/ :,@="} {
		if d.HasOld && d.HasNew && !fits() {
			old, new = withoutSharedStart(old, new, separators)
			render()
		}
	}
	if fits() {
		return path + values, true
	}
	path = shortenPath(d.Path, path, columns-min(TextWidth(values), columns/2))
	room := max(columns-TextWidth(path)-len(": "), leastValue)
	if d.HasOld && d.HasNew {
		room = max(room-TextWidth(Arrow), 2*leastValue)
		a, b := TextWidth(old), TextWidth(new)
		switch {
		case a+b <= room:
		case a <= room/2:
			new = Cut(new, room-a)
		case b <= room/2:
			old = Cut(old, room-b)
		default:
			old, new = Cut(old, room/2), Cut(new, room-room/2)
		}
	} else {
		old, new = Cut(old, room), Cut(new, room)
	}
	render()
	return path + values, true
}

// leastValue is the minimum number of columns for a value, even on a very narrow terminal.
const leastValue = 8

// shortValue formats a value on one line. For a text with several lines, it shows only the number
// of lines. If the old value is a text, too, it also shows how many lines are new.
func shortValue(v, before any, has bool) string {
	if !has {
		return ""
	}
	if text, ok := v.(string); ok && strings.Contains(strings.TrimRight(text, "\n"), "\n") {
		n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
		if before, ok := before.(string); ok {
			return fmt.Sprintf("(%s, %d of them new)", Count(n, "line"), newLines(before, text))
		}
		return fmt.Sprintf("(%s)", Count(n, "line"))
	}
	return OneLine(Flow(v))
}

// newLines returns the number of lines in the new text that the old text does not contain.
func newLines(before, text string) (n int) {
	known := map[string]bool{}
	for line := range strings.Lines(before) {
		known[strings.TrimSuffix(line, "\n")] = true
	}
	for line := range strings.Lines(text) {
		if !known[strings.TrimSuffix(line, "\n")] {
			n++
		}
	}
	return n
}

// withoutSharedStart replaces the common start of two texts by an ellipsis. The rest of each text
// starts with a separator. If the ellipsis would save almost nothing, withoutSharedStart returns
// both texts unchanged.
func withoutSharedStart(a, b, separators string) (string, string) {
	at := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if strings.IndexByte(separators, a[i]) >= 0 {
			at = i
		}
	}
	if at < len("…")+2 {
		return a, b
	}
	return "…" + a[at:], "…" + b[at:]
}

// LeftOut stands for the start of a path that is left out.
const LeftOut = "…"

// shortenPath leaves out elements at the start of a path until it fits, but always keeps the last
// two. It begins at the end of the path, so a long path costs no more than a short one.
func shortenPath(path fieldpath.Path, text string, columns int) string {
	if TextWidth(text) <= columns || len(path) < 3 {
		return text
	}
	from := func(i int) string { return LeftOut + OneLine(ShortPath(path[i:])) }
	i := len(path) - 2
	for text = from(i); i > 1; i-- {
		longer := from(i - 1)
		if TextWidth(longer) > columns {
			break
		}
		text = longer
	}
	return text
}
