// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/linediff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// printer renders differences.
type printer struct {
	w      io.Writer
	colour bool
}

func (p *printer) line(colour int, format string, args ...any) {
	fmt.Fprintln(p.w, p.paint(colour, words.Visible(fmt.Sprintf(format, args...))))
}

func (p *printer) paint(colour int, text string) string {
	if !p.colour {
		return text
	}
	return words.Paint(colour, text)
}

// difference writes the changes of one object. It writes nothing if there are none.
func (p *printer) difference(o *prediction.Outcome, d *difference) {
	if d.isEmpty() {
		return
	}
	if d.isNew {
		p.line(words.Bold, "%v (new)", o.Object.Identity())
		p.block(words.Green, "+ ", unstructured.WithoutManagedFields(d.object))
		return
	}
	p.line(words.Bold, "%v", o.Object.Identity())
	for i := range d.changes {
		p.change(&d.changes[i])
	}
	for _, c := range d.unchanged {
		p.line(words.Dim, "= %v: %s", c.Path, words.ValueOrNone(c.Live, c.HasLive))
		p.line(words.Red, "    %s", unchangedNote(o, c))
	}
	for _, l := range d.defaults {
		p.defaulted(l)
	}
}

func (p *printer) change(c *fields.Change) {
	switch {
	case c.Path[len(c.Path)-1].Value != nil && c.HasOld != c.HasNew && c.Times < 2:
		// The path contains the value, so print only the path.
		if c.HasNew {
			p.line(words.Green, "+ %v", c.Path)
		} else {
			p.line(words.Red, "- %v", c.Path)
		}
	case !c.HasOld:
		p.whole(words.Green, "+", c.Path.String(), c.New)
	case !c.HasNew:
		p.whole(words.Red, "-", c.Path.String(), c.Old)
	case inLine(c.Old) && inLine(c.New):
		p.line(words.Yellow, "~ %v: %s -> %s", c.Path, words.Scalar(c.Old), words.Scalar(c.New))
	default:
		p.line(words.Yellow, "~ %v:", c.Path)
		p.lines(c.Old, c.New)
	}
	for _, note := range c.Notes() {
		p.line(words.Dim, "    %s", note)
	}
	if c.Immutable {
		p.line(words.Red, "    %s%s", immutableNote, proposalRemark(c))
	}
	if !c.HasOld && len(c.Owners) == 0 {
		return
	}
	if c.Conflict {
		p.line(words.Red, "    %s", conflictNote(c.Owners))
		return
	}
	p.line(words.Dim, "    owned by %s", words.Owners(c.Owners))
}

// immutableNote is the remark about a forbidden change in all views.
const immutableNote = "immutable: recreate the object"

// conflictNote returns the remark about a conflict in all views.
func conflictNote(owners []managedfields.Entry) string {
	return "conflict: owned by " + words.Owners(owners)
}

// unchangedNote returns the remark about a conflict whose field keeps its value.
func unchangedNote(o *prediction.Outcome, c *fieldmanager.Conflict) string {
	return conflictNote([]managedfields.Entry{{Owner: c.Owner, Time: c.Time}}) + onlyOwner(o)
}

// onlyOwner returns the remark that a forced apply would keep the value of a field. It returns "" if
// a server would reject the forced apply.
func onlyOwner(o *prediction.Outcome) string {
	if o.Forced == nil || o.Forced.Result == nil {
		return ""
	}
	return "; forcing changes only the owner"
}

// inLine reports whether a value is short enough to be printed after its path on the same line.
func inLine(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return len(v) <= words.MaxFlow && !strings.Contains(v, "\n")
	}
	return true
}

// whole prints a value that was added or removed.
func (p *printer) whole(colour int, sign, path string, v any) {
	if inLine(v) {
		p.line(colour, "%s %s: %s", sign, path, words.Flow(v))
		return
	}
	p.line(colour, "%s %s:", sign, path)
	p.block(colour, sign+"   ", v)
}

// block writes a value as YAML. Each line begins with sign.
func (p *printer) block(colour int, sign string, v any) {
	for _, line := range encode.YAMLLines(v) {
		p.line(colour, "%s%s", sign, line)
	}
}

// lines writes the difference between two values, as lines of YAML.
func (p *printer) lines(old, new any) {
	for _, l := range linediff.Of(encode.YAMLLines(old), encode.YAMLLines(new)) {
		switch l.Sign {
		case '+':
			p.line(words.Green, "+   %s", l.Text)
		case '-':
			p.line(words.Red, "-   %s", l.Text)
		default:
			p.line(words.Plain, "    %s", l.Text)
		}
	}
}

func (p *printer) defaulted(l fields.Defaulted) {
	if l.Same {
		p.line(words.Dim, "= %v", l)
	} else {
		p.line(words.Yellow, "! %v", l)
	}
}
