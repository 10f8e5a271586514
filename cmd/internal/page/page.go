// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

// Page holds the contents of the HTML page.
type Page struct {
	Title   string
	Objects []Object
	// Totals holds the totals of all objects: by manager, by kind and by namespace. A page of
	// several objects begins with the totals and an index.
	Totals []Totals
}

// Totals holds totals of all objects, with one row for each manager, kind or namespace.
type Totals struct {
	// By says what each row stands for, such as a namespace.
	By   string
	Rows []Total
	// ByManager reports whether the rows have Shares. Conflicts reports whether there is a config.
	ByManager, Conflicts bool
}

// A Total is one row of Totals.
type Total struct {
	Name string
	// Operation is the operation of the manager. It is set if the row is for a manager.
	Operation                  string
	Objects, Fields, Conflicts int
	// Shares lists the managers that own some of the same fields.
	Shares []Share
}

// Share is the number of fields that a manager owns together with one other manager.
type Share struct {
	Name   string
	Fields int
}

// Object is an object as lines of YAML, with its managers.
type Object struct {
	Name     string
	Managers []Manager
	// Fields is the number of fields that have an owner.
	Fields int
	Lines  []Line
	// Lost lists the owned paths that the object does not have.
	Lost []Lost
	// Conflicts lists the conflicts with a config. ConfigBy is the manager that would apply the
	// config, or empty.
	ConfigBy  string
	Conflicts []Conflict
}

// Manager is one entry of managed fields.
type Manager struct {
	Name, Operation, APIVersion, Subresource string
	// Time is the time of the last write. Age is the time since then. Both are empty if the time is
	// unknown.
	Time, Age string
	Paths     int
}

// A Line is one line of YAML.
type Line struct {
	Text string
	// Path is the path of the field or item that begins on the line. It is empty inside a text of
	// several lines.
	Path string
	// Owners lists the owners of the line, as indexes of Object.Managers.
	Owners []int
	// Part is set if the line belongs to a list or map that its owners own as a whole.
	Part bool
	// Note is a remark about the line, such as nobody (default).
	Note string
	// Nobody is set if no manager owns the line, although one could.
	Nobody bool
	// Below lists the owners of fields inside the list or map that begins on the line. NobodyBelow
	// is set if a field inside has no owner.
	Below       []int
	NobodyBelow bool
	// Conflict is the number of the line's conflict in Object.Conflicts, counted from
	// 1. It is 0 if the line has no conflict.
	Conflict int
}

// Lost is one owned path that the object does not have.
type Lost struct {
	Path    string
	Manager int
}

// Conflict is a field of another manager that the config would change.
type Conflict struct {
	Path, Yours, Live, Owner, Note string
	// Line is the number of the line with the conflict, or 0 if there is none.
	Line int
}

var (
	//go:embed page.css
	css string
	//go:embed page.js
	js string
	//go:embed page.html
	html string
)

// colours is the number of colors for the lanes of managers. Further lanes repeat the colors with
// another shape.
const colours = 8

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"letter": letter,
	"names":  names,
	"add":    func(a, b int) int { return a + b },
	"mod":    func(i int) int { return i % colours },
	"again":  func(i int) bool { return i >= colours },
	"plural": func(n int, noun string) string {
		if n == 1 {
			return "1 " + noun
		}
		return fmt.Sprintf("%d %ss", n, noun)
	},
}).Parse(html))

// Write writes the page. It is safe for concurrent use.
func Write(w io.Writer, p Page) error {
	lanes := 0
	for _, o := range p.Objects {
		lanes = max(lanes, len(o.Managers))
	}
	sum := sha256.Sum256([]byte(js))
	return page.Execute(w, struct {
		Page
		CSS    template.CSS
		JS     template.JS
		Policy string
	}{
		p,
		template.CSS(css + filters(lanes)), // all input is our own CSS, and numbers
		template.JS(js),
		"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'",
	})
}

// filters returns two kinds of CSS rules. Rules of the first kind position the lanes. Rules of
// the second kind show only the lines of the selected manager, so the filter works without
// JavaScript.
func filters(lanes int) string {
	var b strings.Builder
	for i := range lanes {
		fmt.Fprintf(&b, ".l%d{left:calc(var(--lane)*%d)}", i, i)
		fmt.Fprintf(&b, "form:has(.filter[value=\"%d\"]:checked)~.lines .line:not(.o%d,.b%d){display:none}", i, i, i)
		fmt.Fprintf(&b, "form:has(.filter[value=\"%d\"]:checked)~.lines .line:not(.o%d) .yaml{color:var(--faint)}\n", i, i)
	}
	return b.String()
}

// names returns the names of managers, each once.
func names(managers []Manager) string {
	var all []string
	for _, m := range managers {
		if !slices.Contains(all, m.Name) {
			all = append(all, m.Name)
		}
	}
	return strings.Join(all, ", ")
}

// letter returns the name of a lane: A to Z, then AA, AB and so on.
func letter(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}
