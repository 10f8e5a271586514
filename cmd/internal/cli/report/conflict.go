// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/linediff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/server"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// conflictText writes conflicts for people.
type conflictText struct {
	w io.Writer
	o *server.Outcome
}

func (t *conflictText) line(format string, args ...any) {
	fmt.Fprintln(t.w, words.Visible(fmt.Sprintf(format, args...)))
}

// labelled writes text behind a label, in lines that fit a terminal.
func (t *conflictText) labelled(label, text string) {
	for i, line := range words.Wrap(text, words.LineWidth-len(labelled("", ""))) {
		if i > 0 {
			label = ""
		}
		t.line("%s", labelled(label, line))
	}
}

func labelled(label, text string) string { return fmt.Sprintf("  %-9s%s", label, text) }

// conflict writes everything about a conflict that helps to decide it. If the field is
// immutable, fixed says why; else it is nil.
func (t *conflictText) conflict(c *fieldmanager.Conflict, fixed *fieldmanager.ImmutableField) {
	o, path := t.o, c.Path.String()
	t.line("%v: conflict: %v: %s", o.Object.Position(path), o.Object.Identity(), path)
	t.line("%s", labelled("yours", words.ValueOrNone(c.Yours, c.HasYours)))
	t.line("%s", labelled("live", words.ValueOrNone(c.Live, c.HasLive)))
	owner := words.Owner(c.Owner, c.Time)
	if c.Time != nil {
		owner += ", " + words.Age(o.Maker.Now(), c.Time) + " ago"
	}
	t.line("%s", labelled("owner", owner))
	for _, note := range []string{c.Hint, notDefault(o, c)} {
		if note != "" {
			t.labelled("note", note)
		}
	}
	if command := migration(o, c); command != "" {
		t.line("%s", labelled("migrate", command))
	}
	them, both := c.Manager, "by "+c.Manager+" and you"
	if c.Manager == o.Manager {
		them, both = "the "+string(c.Operation)+" of "+c.Manager, "by both entries of "+c.Manager
	}
	if c.Cleared {
		t.labelled("force", fmt.Sprintf("it goes, and %s no longer owns it:", them))
		t.line("%s", labelled("", pathFlag(command.ForceFlag, path)))
		t.labelled("drop", "choose in your config what the live object has")
		return
	}
	if fixed != nil {
		why := "is refused: it is immutable"
		if fixed.KEP != "" {
			why += " (" + fixed.KEP + ", a proposal)"
		}
		t.line("%s", labelled("force", why))
	} else {
		t.labelled("force", fmt.Sprintf("it %s; %s no longer owns it:", t.forced(c), them))
		t.line("%s", labelled("", pathFlag(command.ForceFlag, path)))
	}
	t.labelled("drop", fmt.Sprintf("it stays %s; leave it out of your config, or:", asItIs(c)))
	t.line("%s", labelled("", pathFlag(command.YieldFlag, path)))
	if c.HasLive {
		t.labelled("match", fmt.Sprintf("write %s: it stays that, owned %s", words.Flow(c.Live), both))
	}
}

// forced says what becomes of a field that is taken by force: it may be stored otherwise
// than it is sent.
func (t *conflictText) forced(c *fieldmanager.Conflict) string {
	yours, there := c.Yours, c.HasYours
	if result := t.o.Resolution(resolve.Force).Result; result != nil {
		yours, there = fields.NewFinder(t.o.Type).ValueAt(result.Object, c.Path)
	}
	if there == c.HasLive && reflect.DeepEqual(yours, c.Live) {
		return "stays " + asItIs(c)
	}
	return "becomes " + words.ValueOrNone(yours, there)
}

// maxInFull is how many conflicts of one run are told with all that can be done. Of the
// rest each has two lines, up to maxShort of one object.
const (
	maxInFull = 10
	maxShort  = 100
)

// short writes a conflict as one of many.
func (t *conflictText) short(c *fieldmanager.Conflict) {
	path := c.Path.String()
	t.line("%v: conflict: %v: %s", t.o.Object.Position(path), t.o.Object.Identity(), path)
	t.line("  yours %s, live %s, owner %s", words.ValueOrNone(c.Yours, c.HasYours), words.ValueOrNone(c.Live, c.HasLive), words.Owner(c.Owner, c.Time))
	if c.Hint != "" {
		t.line("  %s", c.Hint)
	}
}

func asItIs(c *fieldmanager.Conflict) string {
	if !c.HasLive {
		return "unset"
	}
	return words.Flow(c.Live)
}

// pathFlag is a flag with a path, as a shell takes it.
func pathFlag(flag, path string) string {
	return words.InShell("--" + flag + "=" + path)
}

// notDefault tells of a custom resource how not to come into the conflict again:
// what an operator writes that is the schema's default anyway, it does not own.
func notDefault(o *server.Outcome, c *fieldmanager.Conflict) string {
	id := o.Object.Identity()
	switch {
	case c.LiveIsDefault, c.SameManager, !c.HasLive, c.Operation != managedfields.OperationUpdate, c.Subresource != "":
		return ""
	case strings.HasPrefix(c.Manager, "kubectl"), c.Hint != "", c.Path[len(c.Path)-1].FieldName == nil:
		return ""
	case o.Maker.Types.Builtin(id.APIVersion, id.Kind), o.Maker.Types.Catalog == nil:
		return ""
	}
	return fmt.Sprintf("written by %s, not by a schema default. If %s writes a default of its own there, declare it in the CRD: then nobody owns it, and nothing conflicts",
		c.Manager, c.Manager)
}

// migration is the command that hands over what the applier owns by Update, ""
// if that is not what the conflict is about.
func migration(o *server.Outcome, c *fieldmanager.Conflict) string {
	if !c.SameManager || o.Live == nil {
		return ""
	}
	file := o.Live.Start().File
	if file == input.StdinName {
		file = "-"
	}
	args := []string{"dovetail", "migrate", "-f", file, "--from", c.Manager, "--to", c.Manager}
	if c.Subresource != "" {
		args = append(args, "--subresource", c.Subresource)
	}
	args = append(args, o.Maker.Sources.Args()...)
	for i := range args {
		args[i] = words.InShell(args[i])
	}
	return strings.Join(args, " ")
}

// writeConflicts writes the conflicts of o and what can be done, or, if none was
// left, what was chosen of each. It tells at most so many in full, and returns how many
// the next one may.
func writeConflicts(o *server.Outcome, w io.Writer, inFull int) int {
	t := &conflictText{w, o}
	if len(o.Conflicts) == 0 {
		if o.Status() == command.StatusDone {
			for i := range o.Resolved {
				t.line("note: %v: %s", o.Object.Identity(), words.OneLine(resolvedLine(&o.Resolved[i])))
			}
		}
		return inFull
	}
	full := inFull > 0
	for i := range o.Conflicts {
		c := &o.Conflicts[i]
		if inFull > 0 {
			t.conflict(c, o.Resolution(resolve.Force).Immutable(c.Path))
			inFull--
			continue
		}
		if i == maxShort && len(o.Conflicts) > maxShort+1 {
			t.line("%v: and %d more conflicts", o.Object.Identity(), len(o.Conflicts)-i)
			break
		}
		t.short(c)
	}
	if full {
		t.resolutions()
	}
	return inFull
}

// resolvedLine says what was chosen of a conflict, and what came of it.
func resolvedLine(r *resolve.Resolution) string {
	c := &r.Conflict
	switch r.Choice {
	case resolve.Force:
		return fmt.Sprintf("%v: taken over from %s: %s -> %s", c.Path, c.Manager, words.ValueOrNone(c.Live, c.HasLive), words.ValueOrNone(c.Yours, c.HasYours))
	case resolve.Share:
		return fmt.Sprintf("%v: shared with %s: it stays %s", c.Path, c.Manager, words.Flow(c.Live))
	}
	return fmt.Sprintf("%v: left out of your config: it stays %s, owned by %s", c.Path, asItIs(c), c.Manager)
}

// maxWhole is how many lines a config has that is shown as a whole; of a longer one
// only what changes is.
const maxWhole = 30

// maxDiff is how many lines of what changes in a config are shown.
const maxDiff = 60

// maxShown is how many changes of an object are shown.
const maxShown = 8

// resolutions writes what becomes of the object and the config by each choice for all
// conflicts.
func (t *conflictText) resolutions() {
	o := t.o
	what := "the conflict"
	if n := len(o.Conflicts); n > 1 {
		what = fmt.Sprintf("all %d conflicts", n)
	}
	if o.Maker.Chosen() {
		what += " with the flags given"
	}
	t.line("%v: the ways out of %s:", o.Object.Identity(), what)
	for i, choice := range server.Choices {
		w := o.Resolution(choice)
		switch {
		case w.Choice == resolve.Force:
			t.resolution("force", "--"+command.ForceFlag, w)
		case w.Choice == resolve.Yield:
			t.resolution("drop", "--"+command.YieldFlag+", or apply", w)
		case reflect.DeepEqual(w.Config, o.Resolution(server.Choices[i-1]).Config):
			t.line("%s", labelled("match", "the same as drop: there is no live value"))
		default:
			t.resolution("match", "apply", w)
		}
		if !o.Maker.Reports {
			w.Result = nil
		}
	}
	if unstructured.Masked(o.Object.Content) {
		t.labelled("note", "*** and a number stand for a value of the Secret, the same for equal ones: --show-secrets shows the values")
	}
}

func (t *conflictText) resolution(label, how string, w *server.Resolution) {
	if w.Err != nil {
		t.labelled(label, strings.TrimSuffix(how, ", or apply")+" is refused: "+w.Reason())
		return
	}
	t.line("%s", labelled(label, how))
	if w.Choice != resolve.Force {
		t.config(w)
	}
	t.bare(w.Bare)
	found, err := fields.Changes(t.o.LiveType, t.o.Before, w.Result.Object)
	switch {
	case err != nil:
		t.labelled("", fmt.Sprintf("the object then: %v", err))
	case len(found) == 0:
		t.line("%s", labelled("", "the object stays as it is"))
	default:
		t.line("%s", labelled("", "the object changes:"))
	}
	for i := range found {
		if i == maxShown && len(found) > maxShown+1 {
			t.line("             and %d more, see dovetail diff", len(found)-i)
			break
		}
		t.line("             %s", inOneLine(&found[i]))
	}
}

// bare says which items a config has with their keys only.
func (t *conflictText) bare(items []fieldpath.Path) {
	if len(items) == 0 {
		return
	}
	t.labelled("", "Items of which only the keys are left; you still own that they are there. Take out those that were only there for what is dropped:")
	for i, p := range items {
		if i == maxShown && len(items) > maxShown+1 {
			t.line("             and %d more", len(items)-i)
			return
		}
		t.line("             %v", p)
	}
}

// inOneLine is a change as diff shows it, if there is room.
func inOneLine(c *fields.Change) string {
	switch {
	case !c.HasOld:
		return fmt.Sprintf("+ %v: %s", c.Path, words.Flow(c.New))
	case !c.HasNew:
		return fmt.Sprintf("- %v: %s", c.Path, words.Flow(c.Old))
	}
	return fmt.Sprintf("~ %v: %s -> %s", c.Path, words.Flow(c.Old), words.Flow(c.New))
}

// config writes a config: a short one as a whole, of a long one what is not as in
// the one given.
func (t *conflictText) config(w *server.Resolution) {
	after := t.o.YAML(w)
	lines := after.Lines()
	if len(lines) <= maxWhole {
		for _, line := range lines {
			t.line("             %s", line)
		}
		return
	}
	const around = 2
	all := linediff.Of(t.o.Unchanged(after.Kept).Lines(), lines)
	shown := make([]bool, len(all))
	for i, l := range all {
		for j := max(0, i-around); l.Sign != ' ' && j < min(len(all), i+around+1); j++ {
			shown[j] = true
		}
	}
	left := maxDiff
	for i, l := range all {
		switch {
		case left == 0:
			t.line("             ...")
			t.line("%s", labelled("", wholeInReport))
			return
		case shown[i]:
			t.line("           %c %s", l.Sign, l.Text)
			left--
		case i == 0 || shown[i-1]:
			t.line("             ...")
		}
	}
	t.line("%s", labelled("", wholeInReport))
}

const wholeInReport = "The whole config is in the report: -o report."
