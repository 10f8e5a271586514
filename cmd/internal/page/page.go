// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// Page holds the contents of the HTML page.
type Page struct {
	Title   string
	Objects []Object
	// Totals counts the fields of all objects by manager, by kind and by namespace. The page shows
	// these counts first, and then an index of the objects. Totals is empty for a page with a
	// single object.
	Totals []Totals
}

// Totals is a table that counts fields in all objects, with one row for each manager, kind or
// namespace.
type Totals struct {
	// By is the title of the first column: manager, kind or namespace.
	By   string
	Rows []Total
	// ByManager is set if each row is about a manager, and therefore has an Operation, and perhaps Shares.
	// If the rows also show the number of conflicts, Conflicts is set.
	ByManager, Conflicts bool
}

// A Total is one row of Totals, such as the row of one manager.
type Total struct {
	Name string
	// Operation is the operation of the manager. It is empty in a row for a kind or namespace.
	Operation                  string
	Objects, Fields, Conflicts int
	// Shares lists the other managers that own some of the same fields.
	Shares []Share
}

// Share is the number of fields that a manager shares with another manager, whose name is Name.
type Share struct {
	Name   string
	Fields int
}

// Object is an object as lines of YAML, together with its managers.
type Object struct {
	Name     string
	Managers []Manager
	// Fields is the number of fields that have an owner.
	Fields int
	Lines  []Line
	// Lost lists the owned paths that do not exist in the object.
	Lost []Lost
	// ConfigBy is the manager that would apply a config. It is empty if there is no config.
	ConfigBy string
	// Conflicts lists the conflicts that an apply of the config would cause.
	Conflicts []Conflict
}

// Manager is one entry of managed fields.
type Manager struct {
	Name, Operation, APIVersion, Subresource string
	// Time is the time of the last write, and Age is how long ago it was. Both are empty if the
	// time is unknown.
	Time, Age string
	Paths     int
}

// A Line is one line of YAML.
type Line struct {
	Text string
	// Path is the path of the field or item that starts on the line. It is empty in the second and
	// later lines of a text.
	Path string
	// Owners lists the owners of the field or item, as indexes of Object.Managers.
	Owners []int
	// Part is set if the line is inside a list or map that has an owner only as a whole.
	Part bool
	// Note is a remark about the line, such as "nobody (default)".
	Note string
	// Nobody is set if the line's field has no owner, but could have one.
	Nobody bool
	// Below lists the owners of the fields inside the list or map that starts on the line.
	Below []int
	// NobodyBelow is set if a field inside this list or map has no owner.
	NobodyBelow bool
	// Conflict is 1 for the first conflict in Object.Conflicts, 2 for the second, and so on. It is
	// 0 if the line has no conflict.
	Conflict int
}

// Lost is one owned path that does not exist in the object.
type Lost struct {
	Path    string
	Manager int
}

// Conflict is a conflict of the config: it would change a field that another manager owns.
type Conflict struct {
	Path, Yours, Live, Owner, Note string
	// Line is the number of the line with the field, or 0 if there is no such line.
	Line int
}

var (
	//go:embed page.css
	css string
	//go:embed page.js
	js string
)

// colours is the number of different colors for managers. If there are more managers, the colors
// repeat with a different shape.
const colours = 8

// Write writes the page. It is safe for concurrent use.
func Write(w io.Writer, p Page) error {
	h := &writer{out: bufio.NewWriter(w), page: p}
	h.head()
	h.totals()
	for n := range p.Objects {
		h.object(n)
	}
	h.print(`
</main>
<aside id="details" role="status" aria-live="polite" hidden></aside>
<script>%s</script>
</body>
</html>
`, markup(js))
	return h.out.Flush()
}

// A writer writes a page as HTML. It does not use html/template, which would make the program 20 %
// larger: html/template calls methods by name, so the linker could not remove unused methods.
type writer struct {
	out  *bufio.Writer
	page Page
}

// markup is text that is already HTML, so print does not escape it.
type markup string

// print writes HTML. It escapes all arguments of type string.
func (h *writer) print(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = html.EscapeString(text)
		}
	}
	fmt.Fprintf(h.out, format, args...) // Flush returns the error
}

// printIf writes HTML if the condition is true.
func (h *writer) printIf(condition bool, format string, args ...any) {
	if condition {
		h.print(format, args...)
	}
}

// head writes the beginning of the page.
func (h *writer) head() {
	lanes := 0
	for _, o := range h.page.Objects {
		lanes = max(lanes, len(o.Managers))
	}
	sum := sha256.Sum256([]byte(js))
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
	first := ""
	if len(h.page.Totals) > 0 {
		first = "first "
	}
	h.print(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>%s</style>
</head>
<body>
<a class="skip" href="#object-1">Skip to the %sobject</a>
<main>`, policy, h.page.Title, markup(css+filters(lanes)), first)
}

// totals writes the tables of totals and the index of objects, if the page has totals.
func (h *writer) totals() {
	if len(h.page.Totals) == 0 {
		return
	}
	h.print(`
<h1>%s</h1>
<div class="totals">`, h.page.Title)
	for _, t := range h.page.Totals {
		shares := slices.ContainsFunc(t.Rows, func(row Total) bool { return len(row.Shares) > 0 })
		h.print(`
<section tabindex="0" aria-label="totals by %s">
<table>
<thead><tr><th scope="col">%s</th>`, t.By, t.By)
		h.printIf(t.ByManager, `<th scope="col">operation</th>`)
		h.print(`<th scope="col" class="number">objects</th><th scope="col" class="number">fields</th>`)
		h.printIf(t.Conflicts, `<th scope="col" class="number">conflicts</th>`)
		h.printIf(shares, `<th scope="col">shared with</th>`)
		h.print(`</tr></thead>
<tbody>`)
		for _, row := range t.Rows {
			h.total(t, row, shares)
		}
		h.print(`
</tbody>
</table>
</section>`)
	}
	conflicts := h.page.Totals[0].Conflicts
	h.print(`
</div>
<h2 id="index">Index</h2>
<search hidden><label for="find">Find by kind, namespace, name or manager</label> <input type="search" id="find" autocomplete="off" spellcheck="false"> <span id="count" role="status"></span></search>
<section class="index" tabindex="0" aria-labelledby="index">
<table>
<thead><tr><th scope="col">object</th><th scope="col">owners</th><th scope="col" class="number">fields</th>`)
	h.printIf(conflicts, `<th scope="col" class="number">conflicts</th>`)
	h.print(`</tr></thead>
<tbody>`)
	for n, o := range h.page.Objects {
		h.print(`
<tr><th scope="row"><a href="#name-%d">%s</a></th><td>%s</td><td class="number">%d</td>`, n+1, o.Name, names(o.Managers), o.Fields)
		h.printIf(conflicts, `<td class="number">%d</td>`, len(o.Conflicts))
		h.print(`</tr>`)
	}
	h.print(`
</tbody>
</table>
</section>`)
}

// total writes one row of totals.
func (h *writer) total(t Totals, row Total, shares bool) {
	name := markup(`<i>none</i>`)
	if row.Name != "" {
		name = markup(`<a class="find" href="#index">` + html.EscapeString(row.Name) + `</a>`)
	}
	h.print(`
<tr><th scope="row">%s</th>`, name)
	h.printIf(t.ByManager, `<td>%s</td>`, row.Operation)
	h.print(`<td class="number">%d</td><td class="number">%d</td>`, row.Objects, row.Fields)
	h.printIf(t.Conflicts, `<td class="number">%d</td>`, row.Conflicts)
	if shares {
		h.print(`<td>`)
		for i, share := range row.Shares {
			h.printIf(i > 0, `, `)
			h.print(`%s (%d)`, share.Name, share.Fields)
		}
		h.print(`</td>`)
	}
	h.print(`</tr>`)
}

// object writes the object with index n.
func (h *writer) object(n int) {
	o := &h.page.Objects[n]
	h.print(`
<section class="object" style="--lanes:%d" aria-labelledby="name-%d">`, len(o.Managers), n+1)
	// If the page has a title of its own, the headings of objects are one level lower.
	part := "h2"
	if len(h.page.Totals) > 0 {
		part = "h3"
		h.print(`
<h2 id="name-%d">%s <a href="#index">index</a></h2>`, n+1, o.Name)
	} else {
		h.print(`
<h1 id="name-%d">%s</h1>`, n+1, o.Name)
	}
	h.managers(n, o)
	h.conflicts(n, o, markup(part))
	h.print(`
<table class="lines" id="object-%d" aria-label="%s, line by line">
<thead><tr><th scope="col" class="number">line</th><th scope="col" class="lanes"><span class="hidden">lanes</span></th><th scope="col">object</th><th scope="col">owners</th></tr></thead>
<tbody>`, n+1, o.Name)
	for i := range o.Lines {
		h.line(n, i, o)
	}
	h.print(`
</tbody>
</table>`)
	if len(o.Lost) > 0 {
		h.print(`
<%s>Owned, but not in the object</%[1]s>
<ul>`, markup(part))
		for _, lost := range o.Lost {
			h.print(`
<li><code>%s</code> by %s %s</li>`, lost.Path, letterMark(lost.Manager), o.Managers[lost.Manager].Name)
		}
		h.print(`
</ul>`)
	}
	h.print(`
</section>`)
}

// managers writes a list of the managers of the object with index n. Each manager has a button that
// shows only the lines of this manager.
func (h *writer) managers(n int, o *Object) {
	h.print(`
<form>
<fieldset>
<legend>Show the lines of</legend>
<table class="managers">
<thead><tr><td></td><th scope="col">manager</th><th scope="col">operation</th><th scope="col">version</th><th scope="col">last write</th><th scope="col" class="number">owns</th></tr></thead>
<tbody>
<tr><td><input class="filter" type="radio" name="filter-%d" id="all-%[1]d" value="all" checked></td>
<th scope="row" colspan="5"><label for="all-%[1]d">everybody</label></th></tr>`, n)
	for i, m := range o.Managers {
		h.print(`
<tr><td><input class="filter" type="radio" name="filter-%d" id="m-%[1]d-%[2]d" value="%[2]d"></td>
<th scope="row"><label for="m-%[1]d-%[2]d">%[3]s %[4]s</label></th>
<td>%[5]s`, n, i, letterMark(i), m.Name, m.Operation)
		h.printIf(m.Subresource != "", ` of %s`, m.Subresource)
		h.print(`</td><td>%s</td>
<td>`, m.APIVersion)
		h.printIf(m.Age != "", `%s ago`, m.Age)
		h.printIf(m.Time != "", ` <time datetime="%s">%[1]s</time>`, m.Time)
		noun := "paths"
		if m.Paths == 1 {
			noun = "path"
		}
		h.print(`</td><td class="number">%d %s</td></tr>`, m.Paths, noun)
	}
	h.print(`
<tr><td><input class="filter" type="radio" name="filter-%d" id="nobody-%[1]d" value="nobody"></td>
<th scope="row" colspan="5"><label for="nobody-%[1]d"><b class="mark none">–</b> nobody: defaults, and fields without an owner</label></th></tr>
</tbody>
</table>
</fieldset>
</form>`, n)
}

// conflicts writes the conflicts between the config and the object with index n. It writes
// nothing if there is no config. heading is the name of the HTML element for the heading.
func (h *writer) conflicts(n int, o *Object, heading markup) {
	if o.ConfigBy == "" {
		return
	}
	h.print(`
<%s>Conflicts of the config by %s</%[1]s>`, heading, o.ConfigBy)
	if len(o.Conflicts) == 0 {
		h.print(`
<p>There are no conflicts.</p>`)
		return
	}
	h.print(`
<ul class="conflicts">`)
	for _, c := range o.Conflicts {
		h.print(`
<li>`)
		if c.Line > 0 {
			h.print(`<a href="#line-%d-%d">%s</a>`, n+1, c.Line, c.Path)
		} else {
			h.print(`<code>%s</code>`, c.Path)
		}
		h.print(`: the config has <code>%s</code>, the object has <code>%s</code>, owned by %s`, c.Yours, c.Live, c.Owner)
		h.printIf(c.Note != "", `; %s`, c.Note)
		h.print(`</li>`)
	}
	h.print(`
</ul>`)
}

// line writes the line with index i of the object with index n.
func (h *writer) line(n, i int, o *Object) {
	l := &o.Lines[i]
	h.print(`
<tr class="line`)
	for _, m := range l.Owners {
		h.print(` o%d`, m)
	}
	for _, m := range l.Below {
		h.print(` b%d`, m)
	}
	h.printIf(l.Nobody, ` on`)
	h.printIf(l.NobodyBelow, ` bn`)
	h.printIf(l.Conflict > 0, ` conflict`)
	h.print(`" id="line-%d-%d"`, n+1, i+1)
	h.printIf(l.Path != "", ` data-path="%s"`, l.Path)
	h.print(`>
<td class="number">%d</td><td class="lanes" aria-hidden="true">`, i+1)
	for _, m := range l.Owners {
		h.print(`<b class="mark l%d %s`, m, colour(m))
		if l.Part {
			h.print(` part"></b>`)
		} else {
			h.print(`">%s</b>`, letter(m))
		}
	}
	h.print(`</td><td class="yaml">%s</td><td class="who">`, l.Text)
	for j, m := range l.Owners {
		h.printIf(j > 0, `, `)
		h.print(`<span class="t%d">%s %s</span>`, m%colours, letter(m), o.Managers[m].Name)
	}
	h.printIf(l.Note != "", ` <i>%s</i>`, l.Note)
	h.printIf(l.Conflict > 0, ` <strong>conflict</strong>`)
	h.print(`</td></tr>`)
}

// letterMark returns the colored letter of a manager.
func letterMark(manager int) markup {
	return markup(fmt.Sprintf(`<b class="mark %s">%s</b>`, colour(manager), letter(manager)))
}

// colour returns the CSS classes that give a manager its color.
func colour(manager int) string {
	class := fmt.Sprintf("c%d", manager%colours)
	if manager >= colours {
		class += " again"
	}
	return class
}

// filters returns the CSS rules of a filter that works without JavaScript. If the user selects a
// manager, the rules hide all lines except the lines of this manager and their parents. Each
// manager has a lane, which is a narrow column next to the lines. Other rules set the position of
// each lane.
func filters(lanes int) string {
	var b strings.Builder
	for i := range lanes {
		fmt.Fprintf(&b, ".l%d{left:calc(var(--lane)*%d)}", i, i)
		fmt.Fprintf(&b, "form:has(.filter[value=\"%d\"]:checked)~.lines .line:not(.o%d,.b%d){display:none}", i, i, i)
		fmt.Fprintf(&b, "form:has(.filter[value=\"%d\"]:checked)~.lines .line:not(.o%d) .yaml{color:var(--faint)}\n", i, i)
	}
	return b.String()
}

// names returns the names of the managers. Each name occurs only once.
func names(managers []Manager) string {
	var all []string
	for _, m := range managers {
		if !slices.Contains(all, m.Name) {
			all = append(all, m.Name)
		}
	}
	return strings.Join(all, ", ")
}

// letter returns the letter of a lane: A to Z, then AA, AB and so on.
func letter(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}
