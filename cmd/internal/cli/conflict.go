// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// conflictText writes conflicts for people.
type conflictText struct {
	w io.Writer
	o *outcome
}

func (t *conflictText) line(format string, args ...any) {
	fmt.Fprintln(t.w, visible(fmt.Sprintf(format, args...)))
}

// labelled writes text behind a label, in lines that fit a terminal.
func (t *conflictText) labelled(label, text string) {
	for i, line := range wrap(text, lineWidth-len(labelled("", ""))) {
		if i > 0 {
			label = ""
		}
		t.line("%s", labelled(label, line))
	}
}

func labelled(label, text string) string { return fmt.Sprintf("  %-9s%s", label, text) }

// lineWidth is how many columns lines have, as far as paths and values let them.
const lineWidth = 80

// wrap breaks text at spaces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// conflict writes everything about a conflict that helps to decide it; fixed says
// that it is about what is immutable.
func (t *conflictText) conflict(c *fieldmanager.Conflict, fixed bool) {
	o, path := t.o, c.Path.String()
	t.line("%v: conflict: %v: %s", o.object.Position(path), o.object.Identity(), path)
	t.line("%s", labelled("yours", valueOrNone(c.Yours, c.HasYours)))
	t.line("%s", labelled("live", valueOrNone(c.Live, c.HasLive)))
	owner := describeOwner(c.Owner, c.Time)
	if c.Time != nil {
		owner += ", " + age(o.maker.now(), c.Time) + " ago"
	}
	t.line("%s", labelled("owner", owner))
	for _, note := range []string{c.Hint, o.notDefault(c)} {
		if note != "" {
			t.labelled("note", note)
		}
	}
	if command := o.migration(c); command != "" {
		t.line("%s", labelled("migrate", command))
	}
	them, both := c.Manager, "by "+c.Manager+" and you"
	if c.Manager == o.manager {
		them, both = "the "+string(c.Operation)+" of "+c.Manager, "by both entries of "+c.Manager
	}
	if c.Cleared {
		t.labelled("force", fmt.Sprintf("it goes, and %s no longer owns it:", them))
		t.line("%s", labelled("", pathFlag(forceFlag, path)))
		t.labelled("drop", "choose in your config what the live object has")
		return
	}
	if fixed {
		t.line("%s", labelled("force", "is refused: it is immutable"))
	} else {
		t.labelled("force", fmt.Sprintf("it becomes %s; %s no longer owns it:", valueOrNone(c.Yours, c.HasYours), them))
		t.line("%s", labelled("", pathFlag(forceFlag, path)))
	}
	t.labelled("drop", fmt.Sprintf("it stays %s; leave it out of your config, or:", asItIs(c)))
	t.line("%s", labelled("", pathFlag(yieldFlag, path)))
	if c.HasLive {
		t.labelled("match", fmt.Sprintf("write %s: it stays that, owned %s", flow(c.Live), both))
	}
}

// maxInFull is how many conflicts of one run are told with all that can be done. Of the
// rest each has two lines, up to maxShort of one object.
const (
	maxInFull = 10
	maxShort  = 100
)

// summariseConflicts says of many conflicts how many there are, and with whom.
func summariseConflicts(w io.Writer, outcomes []*outcome) {
	total, objects := 0, 0
	with := map[string]int{}
	for _, o := range outcomes {
		if len(o.conflicts) > 0 {
			objects++
		}
		for i := range o.conflicts {
			total++
			with[describeOwner(o.conflicts[i].Owner, nil)]++
		}
	}
	if total <= maxInFull {
		return
	}
	owners := slices.Sorted(maps.Keys(with))
	slices.SortStableFunc(owners, func(a, b string) int { return with[b] - with[a] })
	t := &conflictText{w: w}
	t.line("%s in %d of %s; -o report has all that can be done about each:", count(total, "conflict"), objects, count(len(outcomes), "object"))
	for i, owner := range owners {
		if i == maxInFull && len(owners) > maxInFull+1 {
			t.line("  and with %d other owners", len(owners)-i)
			break
		}
		t.line("  %d with %s", with[owner], owner)
	}
}

// short writes a conflict as one of many.
func (t *conflictText) short(c *fieldmanager.Conflict) {
	path := c.Path.String()
	t.line("%v: conflict: %v: %s", t.o.object.Position(path), t.o.object.Identity(), path)
	t.line("  yours %s, live %s, owner %s", valueOrNone(c.Yours, c.HasYours), valueOrNone(c.Live, c.HasLive), describeOwner(c.Owner, c.Time))
	if c.Hint != "" {
		t.line("  %s", c.Hint)
	}
}

func asItIs(c *fieldmanager.Conflict) string {
	if !c.HasLive {
		return "unset"
	}
	return flow(c.Live)
}

// pathFlag is a flag with a path, as a shell takes it.
func pathFlag(flag, path string) string {
	return inShell("--" + flag + "=" + path)
}

// inShell quotes an argument where a shell would not take it as it is.
func inShell(arg string) string {
	if strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,@%+") == "" && arg != "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// notDefault tells of a custom resource how not to come into the conflict again:
// what an operator writes that is the schema's default anyway, it does not own.
func (o *outcome) notDefault(c *fieldmanager.Conflict) string {
	id := o.object.Identity()
	switch {
	case c.LiveIsDefault, c.SameManager, !c.HasLive, c.Operation != fieldmanager.OperationUpdate, c.Subresource != "":
		return ""
	case strings.HasPrefix(c.Manager, "kubectl"), c.Hint != "", c.Path[len(c.Path)-1].FieldName == nil:
		return ""
	case o.maker.types.builtin(id.APIVersion, id.Kind), o.maker.types.catalog == nil:
		return ""
	}
	return fmt.Sprintf("written by %s, not by a schema default. If %s writes a default of its own there, declare it in the CRD: then nobody owns it, and nothing conflicts",
		c.Manager, c.Manager)
}

// migration is the command that hands over what the applier owns by Update, ""
// if that is not what the conflict is about.
func (o *outcome) migration(c *fieldmanager.Conflict) string {
	if !c.SameManager || o.live == nil {
		return ""
	}
	file := o.live.Start().File
	if file == stdinName {
		file = "-"
	}
	args := []string{"dovetail", "migrate", "-f", file, "--from", c.Manager, "--to", c.Manager}
	if c.Subresource != "" {
		args = append(args, "--subresource", c.Subresource)
	}
	args = append(args, o.maker.sources.args()...)
	for i := range args {
		args[i] = inShell(args[i])
	}
	return strings.Join(args, " ")
}

func valueOrNone(v any, has bool) string {
	if !has {
		return "(not set)"
	}
	return flow(v)
}

// describeOwner names an owner with all that managed fields say of it.
func describeOwner(o fieldmanager.Owner, at *time.Time) string {
	s := fmt.Sprintf("%s (%s, %s", o.Manager, o.Operation, o.APIVersion)
	if o.Subresource != "" {
		s += ", subresource " + o.Subresource
	}
	if at != nil {
		s += ", " + at.UTC().Format(time.RFC3339)
	}
	return s + ")"
}

func describeOwners(entries []fieldmanager.Entry) string {
	if len(entries) == 0 {
		return "nobody"
	}
	owners := make([]string, len(entries))
	for i, e := range entries {
		owners[i] = describeOwner(e.Owner, e.Time)
	}
	return strings.Join(owners, ", ")
}

// writeConflicts writes the conflicts of o and what can be done, or, if none was
// left, what was chosen of each. It tells at most so many in full, and returns how many
// the next one may.
func (o *outcome) writeConflicts(w io.Writer, inFull int) int {
	t := &conflictText{w, o}
	if len(o.conflicts) == 0 {
		if o.status() == StatusDone {
			for i := range o.settled {
				t.line("note: %v: %s", o.object.Identity(), oneLine(settledLine(&o.settled[i])))
			}
		}
		return inFull
	}
	full := inFull > 0
	for i := range o.conflicts {
		c := &o.conflicts[i]
		if inFull > 0 {
			t.conflict(c, o.wayOut(fieldmanager.Force).immutable(c.Path))
			inFull--
			continue
		}
		if i == maxShort && len(o.conflicts) > maxShort+1 {
			t.line("%v: and %d more conflicts", o.object.Identity(), len(o.conflicts)-i)
			break
		}
		t.short(c)
	}
	if full {
		t.waysOut()
	}
	return inFull
}
