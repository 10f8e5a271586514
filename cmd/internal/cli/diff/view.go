// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/linediff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
)

// These are the values of --view.
const (
	viewFields     = "fields"
	viewUnified    = "unified"
	viewSideBySide = "side-by-side"
)

var views = []string{viewFields, viewUnified, viewSideBySide}

// These are the limits of --width, in columns.
const (
	minWidth = 20
	maxWidth = 10_000
)

// view is the value of the flags --view and --width.
type view struct {
	name  string
	width int
}

func (v *view) register(flags *pflag.FlagSet) {
	flags.StringVar(&v.name, "view", viewFields, "how to show differences: "+strings.Join(views, ", "))
	command.OneOf(flags, "view", views...)
	flags.IntVar(&v.width, "width", 0, "width of the side-by-side view in columns (default: the width of the terminal; 80 in a pipe or a file; 160 in a pipe or a file with --explain=false)")
}

// check returns an error if the flags are invalid. If --width is not given, it sets the width.
func (v *view) check(env command.Env, form string) error {
	known := false
	for _, name := range views {
		known = known || v.name == name
	}
	switch {
	case !known:
		return command.Usagef("--view %s: use %s", v.name, strings.Join(views, ", "))
	case v.name != viewFields && form != command.FormText:
		return command.Usagef("--view %s prints text: leave out -o %s", v.name, form)
	case v.width != 0 && v.name != viewSideBySide:
		return command.Usagef("--width has an effect only with --view %s", viewSideBySide)
	case v.width != 0 && (v.width < minWidth || v.width > maxWidth):
		return command.Usagef("--width %d: use %d to %d columns", v.width, minWidth, maxWidth)
	case v.width == 0:
		v.width = words.LineWidth
		if env.Width > 0 {
			v.width = min(max(env.Width, minWidth), maxWidth)
		}
	}
	return nil
}

// show writes the changes of one object. It writes nothing if there are none.
func (v *view) show(p *printer, o *prediction.Outcome, d *difference) {
	if v.name == viewFields {
		p.difference(o, d)
		return
	}
	if d.isEmpty() {
		return
	}
	hunks := d.hunks(o)
	if v.name == viewUnified {
		p.unified(o, d, hunks)
	} else {
		p.sideBySide(o, d, hunks, v.width)
	}
}

// hunks compares the YAML of the object before and after the apply, and returns the hunks that
// differ.
func (d *difference) hunks(o *prediction.Outcome) []linediff.Hunk {
	switch {
	case d.isNew:
		return linediff.Hunks(nil, encode.YAMLLines(fields.Comparable(d.object)))
	case len(d.changes) == 0:
		return nil
	}
	return linediff.Hunks(encode.YAMLLines(fields.Comparable(o.Before)), encode.YAMLLines(fields.Comparable(d.object)))
}

// proposalRemark names the KEP that proposes the immutability rule of a change. If released API
// servers already enforce the rule, proposalRemark returns "".
func proposalRemark(c *fields.Change) string {
	if c.Proposal == "" {
		return ""
	}
	return " (" + c.Proposal + ", a proposal)"
}

// notes prints the remarks that do not fit into a diff of YAML, such as conflicts and defaults.
// Each line starts with sign.
func (p *printer) notes(sign string, o *prediction.Outcome, d *difference) {
	for i := range d.changes {
		c := &d.changes[i]
		if c.Respelled {
			p.line(words.Dim, "%s%v: %s", sign, c.Path, fields.RespelledNote)
		}
		if c.Immutable {
			p.line(words.Red, "%s%v: %s%s", sign, c.Path, immutableNote, proposalRemark(c))
		}
		if c.Conflict {
			p.line(words.Red, "%s%v: %s", sign, c.Path, conflictNote(c.Owners))
		}
	}
	for _, c := range d.unchanged {
		p.line(words.Red, "%s%v: %s", sign, c.Path, unchangedNote(o, c))
	}
	for _, l := range d.defaults {
		colour, mark := words.Dim, "="
		if !l.Same {
			colour, mark = words.Yellow, "!"
		}
		p.line(colour, "%s%s %v", sign, mark, words.OneLine(fmt.Sprint(l)))
	}
}
