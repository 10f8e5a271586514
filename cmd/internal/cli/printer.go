// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"strings"
)

// printer renders differences.
type printer struct {
	w      io.Writer
	colour bool
}

// The colours of a line, as numbers of the terminal.
const (
	plain  = 0
	bold   = 1
	dim    = 2
	red    = 31
	green  = 32
	yellow = 33
	cyan   = 36
)

func (p *printer) line(colour int, format string, args ...any) {
	fmt.Fprintln(p.w, p.paint(colour, visible(fmt.Sprintf(format, args...))))
}

func (p *printer) paint(colour int, text string) string {
	if !p.colour || colour == plain || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, text)
}

// difference renders what an apply does to one object; nothing if it does
// nothing.
func (p *printer) difference(o *outcome, d *difference) {
	if !d.isNew && len(d.changes) == 0 && len(d.defaults) == 0 {
		return
	}
	if d.isNew {
		p.line(bold, "%v (new)", o.object.Identity())
		p.block(green, "+ ", withoutManagedFields(d.object))
		return
	}
	p.line(bold, "%v", o.object.Identity())
	for i := range d.changes {
		p.change(&d.changes[i])
	}
	for _, l := range d.defaults {
		p.leftToDefault(l)
	}
}

func (p *printer) change(c *change) {
	switch {
	case c.path[len(c.path)-1].Value != nil && c.hasOld != c.hasNew && c.times < 2:
		// The path says the value already.
		if c.hasNew {
			p.line(green, "+ %v", c.path)
		} else {
			p.line(red, "- %v", c.path)
		}
	case !c.hasOld:
		p.whole(green, "+", c.path.String(), c.new)
	case !c.hasNew:
		p.whole(red, "-", c.path.String(), c.old)
	case inLine(c.old) && inLine(c.new):
		p.line(yellow, "~ %v: %s -> %s", c.path, scalar(c.old), scalar(c.new))
	default:
		p.line(yellow, "~ %v:", c.path)
		p.lines(c.old, c.new)
	}
	for _, note := range c.notes() {
		p.line(dim, "    %s", note)
	}
	if c.immutable {
		p.line(red, "    immutable: recreate the object")
	}
	if !c.hasOld && len(c.owners) == 0 {
		return
	}
	if c.conflict {
		p.line(red, "    conflict: owned by %s", describeOwners(c.owners))
		return
	}
	p.line(dim, "    owned by %s", describeOwners(c.owners))
}

// inLine says whether a value is best shown in the line of its path.
func inLine(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return len(v) <= maxFlow && !strings.Contains(v, "\n")
	}
	return true
}

// whole renders a value that only one side has.
func (p *printer) whole(colour int, sign, path string, v any) {
	if inLine(v) {
		p.line(colour, "%s %s: %s", sign, path, flow(v))
		return
	}
	p.line(colour, "%s %s:", sign, path)
	p.block(colour, sign+"   ", v)
}

// block renders a value as YAML, each line behind a sign.
func (p *printer) block(colour int, sign string, v any) {
	for _, line := range yamlLines(v) {
		p.line(colour, "%s%s", sign, line)
	}
}

// lines renders how one value became the other, as lines of YAML.
func (p *printer) lines(old, new any) {
	for _, l := range lineDiff(yamlLines(old), yamlLines(new)) {
		switch l.sign {
		case '+':
			p.line(green, "+   %s", l.text)
		case '-':
			p.line(red, "-   %s", l.text)
		default:
			p.line(plain, "    %s", l.text)
		}
	}
}

func yamlLines(v any) []string { return strings.Split(yamlText(v), "\n") }

// yamlText is v as YAML without the end of its last line.
func yamlText(v any) string {
	var b strings.Builder
	if err := writeYAML(&b, v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *printer) leftToDefault(l leftToDefault) {
	if l.same {
		p.line(dim, "= %v", l)
	} else {
		p.line(yellow, "! %v", l)
	}
}
