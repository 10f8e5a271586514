// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/linediff"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// conflictText writes the full description of an object's conflicts.
type conflictText struct {
	w io.Writer
	o *prediction.Outcome
	// explained holds the ways to resolve a conflict that were already described, each with the
	// path of its conflict. All objects of a run share this map.
	explained map[waysOut]string
}

// waysOut identifies the texts about the ways to resolve a conflict. Two conflicts with equal waysOut
// have the same texts, except for paths, values and managers.
type waysOut struct {
	// forced describes the value after a forced apply.
	forced string
	// item is the path of the duplicate item that contains the field, or "". wholeItem is set if the
	// conflict is over the item itself.
	item      string
	wholeItem bool

	cleared, hasLive, sameManager bool
}

func (t *conflictText) line(format string, args ...any) {
	fmt.Fprintln(t.w, words.Visible(fmt.Sprintf(format, args...)))
}

// labelled writes a label followed by a text. It wraps the text so that the lines fit a
// terminal.
func (t *conflictText) labelled(label, text string) {
	for i, line := range words.Wrap(text, words.LineWidth-len(labelled("", ""))) {
		if i > 0 {
			label = ""
		}
		t.line("%s", labelled(label, line))
	}
}

func labelled(label, text string) string { return fmt.Sprintf("  %-9s%s", label, text) }

// conflict writes a conflict with the ways to resolve it. If the conflict is the only one of the
// object, it also writes the other effects of each way, such as changes of other fields.
func (t *conflictText) conflict(c *fieldmanager.Conflict) {
	o, path := t.o, c.Path.String()
	// If the field is immutable, fixed is the forbidden change.
	fixed := o.Resolution(resolve.Force).Immutable(c.Path)
	t.line("%v: conflict: %v: %s", o.Object.Position(path), o.Object.Identity(), path)
	t.line("%s", labelled("yours", words.ValueOrNone(c.Yours, c.HasYours)))
	duplicate, items := place.ObjectOf(o.Type, o.Before).Duplicate(c.Path)
	if len(duplicate) == len(c.Path) {
		t.line("%s", labelled("live", words.Flow(items)))
	} else {
		items = nil
		t.line("%s", labelled("live", words.ValueOrNone(c.Live, c.HasLive)))
	}
	owner := words.Owner(c.Owner, c.Time)
	if c.Time != nil {
		owner += ", " + words.Age(o.Maker.Now(), c.Time) + " ago"
	}
	t.line("%s", labelled("owner", owner))
	for _, note := range conflictNotes(o, c) {
		t.labelled("note", note)
	}
	them, both := c.Manager, "you and "+c.Manager
	if c.Manager == o.Manager {
		them, both = "the "+string(c.Operation)+" of "+c.Manager, "both entries of "+c.Manager
	}
	resolved := path // the path for the flags that resolve the conflict
	if duplicate != nil {
		resolved = duplicate.String()
	}
	forced := ""
	switch {
	case fixed != nil:
		forced = "not possible: the field is immutable"
		if fixed.KEP != "" {
			forced += " (" + fixed.KEP + ", a proposal)"
		}
	case !c.Cleared:
		forced = t.describeForced(c, items)
	}
	ways := waysOut{forced: forced, cleared: c.Cleared, hasLive: c.HasLive, sameManager: c.Manager == o.Manager, wholeItem: len(duplicate) == len(c.Path)}
	switch forced {
	case becomes(c.Yours, c.HasYours):
		ways.forced = "becomes yours"
	case "stays " + asItIs(c):
		ways.forced = "stays"
	}
	if duplicate != nil {
		ways.item = resolved
	}
	var effects wayEffects
	if len(o.Conflicts) == 1 {
		effects = t.effects()
		if fixed != nil {
			delete(effects, resolve.Force) // the text about force says this
		}
		if c.Cleared {
			delete(effects, resolve.Yield)
		}
		if c.Cleared || !c.HasLive || duplicate != nil {
			delete(effects, resolve.Share)
		}
	}
	if first := t.explained[ways]; first != "" && len(effects) == 0 {
		text := "as above"
		if len(t.explained) > 1 {
			text += " for " + first
		}
		if duplicate == nil {
			text += ", with the path of this conflict"
		}
		t.labelled("resolve", text)
		return
	}
	if len(effects) == 0 {
		t.explained[ways] = path
	}
	// way writes one way to resolve the conflict. If effects says that the way is not possible, it
	// writes the reason instead.
	way := func(choice resolve.Choice, flag, path, text string) {
		e := effects[choice]
		if e.impossible != "" {
			t.labelled(choice.String(), "not possible: "+e.impossible)
			return
		}
		t.labelled(choice.String(), text)
		if flag != "" {
			t.line("%s", labelled("", pathFlag(flag, path)))
		}
		t.below(e.lines)
	}
	if c.Cleared {
		way(resolve.Force, command.ForceFlag, resolved, fmt.Sprintf("the field is removed from the live object; %s no longer owns it:", them))
		way(resolve.Yield, "", "", "in your config, use the same union member as the live object")
		return
	}
	if fixed != nil {
		t.line("%s", labelled("force", forced))
	} else {
		way(resolve.Force, command.ForceFlag, resolved, fmt.Sprintf("the field %s; %s no longer owns it:", forced, them))
	}
	out := "it"
	if len(duplicate) > 0 && len(duplicate) < len(c.Path) {
		out = "the item"
	}
	way(resolve.Yield, command.YieldFlag, resolved, fmt.Sprintf("the field stays %s; leave %s out of your config, or use:", asItIs(c), out))
	switch {
	case !c.HasLive:
	case duplicate != nil:
		t.labelled("share", "not possible: your config cannot contain the item several times")
	default:
		way(resolve.Share, command.ShareFlag, path, fmt.Sprintf("the field stays %s, owned by %s; write this value in your config, or use:", words.Flow(c.Live), both))
	}
}

// conflictNotes returns notes that explain a conflict.
func conflictNotes(o *prediction.Outcome, c *fieldmanager.Conflict) (notes []string) {
	for _, note := range []string{c.Hint, otherSpelling(c), notDefault(o, c)} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// describeForced describes the value that a field has after a forced apply. This value can differ
// from the value in the config. If the live object contains duplicates of an item, they are in
// items.
func (t *conflictText) describeForced(c *fieldmanager.Conflict, items []any) string {
	force := t.o.Resolution(resolve.Force)
	result := force.Result
	var immutable *fieldmanager.ImmutableError
	if result == nil && errors.As(force.Err, &immutable) {
		result = immutable.Result // force is refused because of another field
	}
	change := changeOf(storedObject(t.o, result), c)
	if len(items) < 2 && !differs(&change) {
		return "stays " + asItIs(c)
	}
	return becomes(change.New, change.HasNew)
}

func becomes(v any, present bool) string { return "becomes " + words.ValueOrNone(v, present) }

// storedObject returns the object in the result of a request. It returns nil if result is nil.
func storedObject(o *prediction.Outcome, result *fieldmanager.Result) *place.Place {
	if result == nil {
		return nil
	}
	return place.ObjectOf(o.Type, result.Object)
}

// changeOf returns the change of a field that has a conflict. Its new value is the value in the
// stored object, or the value in the config if stored is nil. These values can differ, because a
// server stores a value such as 1000m as "1".
func changeOf(stored *place.Place, c *fieldmanager.Conflict) fields.Change {
	change := fields.Change{Path: c.Path, Old: c.Live, New: c.Yours, HasOld: c.HasLive, HasNew: c.HasYours}
	if stored != nil {
		field, ok := stored.At(c.Path)
		change.New, change.HasNew = field.Plain, ok
	}
	return change
}

// differs reports whether a change has different old and new values.
func differs(c *fields.Change) bool {
	return c.HasOld != c.HasNew || !reflect.DeepEqual(c.Old, c.New)
}

// maxInFull limits the number of conflicts in one run that are described in full. Each further
// conflict gets only two lines. If an object has more than maxShort conflicts, the rest are only
// counted.
const maxInFull = 10

// brief writes a conflict in two lines.
func (t *conflictText) brief(c *fieldmanager.Conflict) {
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

// pathFlag returns a flag that has a path as value, quoted for a shell.
func pathFlag(flag, path string) string {
	return words.InShell("--" + flag + "=" + path)
}

// otherSpelling returns a note if both values spell the same duration differently, such as 60s
// and 1m. Otherwise, it returns "".
func otherSpelling(c *fieldmanager.Conflict) string {
	yours, ok := c.Yours.(string)
	live, ok2 := c.Live.(string)
	if !ok || !ok2 || yours == live {
		return ""
	}
	a, err := time.ParseDuration(yours)
	b, err2 := time.ParseDuration(live)
	if err != nil || err2 != nil || a != b {
		return ""
	}
	return fmt.Sprintf("%s and %s are the same duration: write %s in your config to avoid the conflict", yours, live, live)
}

// notDefault returns a note about a controller that probably always writes its own default into a
// custom resource. The note suggests a default in the CRD instead, because such a default has no
// owner. If the owner of the field is probably no such controller, notDefault returns "".
func notDefault(o *prediction.Outcome, c *fieldmanager.Conflict) string {
	id := o.Object.Identity()
	switch {
	case c.LiveIsDefault, c.SameManager, !c.HasLive, c.Operation != managedfields.OperationUpdate, c.Subresource != "":
		return ""
	case strings.HasPrefix(c.Manager, "kubectl"), c.Manager == helm, c.Hint != "", otherSpelling(c) != "", c.Path[len(c.Path)-1].FieldName == nil:
		return ""
	case o.Maker.Types.Catalog == nil, o.Maker.Types.Builtin(id.APIVersion, id.Kind), o.Maker.Types.FromGo(id.APIVersion, id.Kind):
		return ""
	}
	return fmt.Sprintf("%s wrote this value, which is not a schema default. If %s always writes it, make it a default in the CRD: then nobody owns it, and nothing conflicts",
		c.Manager, c.Manager)
}

// helm is Helm's manager name. Until version 3, Helm uses Update instead of Apply.
const helm = "helm"

// migration returns a migration that transfers the fields of the other manager to the manager that
// applies. It returns nil if the two managers probably belong to different users. They probably
// belong to the same user if the other manager has the same name but uses Update, or if it is Helm
// 3 or client-side kubectl apply.
func migration(o *prediction.Outcome, c *fieldmanager.Conflict) *prediction.Migration {
	if o.Live == nil || migrationReason(o, c) == "" {
		return nil
	}
	return o.Migration([]string{c.Manager}, c.Subresource)
}

// migrationReason explains why the fields of the other manager should be transferred to the manager that
// applies. It returns "" if there is no reason.
func migrationReason(o *prediction.Outcome, c *fieldmanager.Conflict) string {
	switch {
	case c.SameManager:
		return fmt.Sprintf("%s owns fields through Update. To transfer them to Apply:", c.Manager)
	case c.Operation != managedfields.OperationUpdate:
		return ""
	case c.Manager == clientside.Manager:
		return fmt.Sprintf("%s is left over from kubectl apply without --server-side. To transfer its fields to %s:", c.Manager, o.Manager)
	case c.Manager == helm:
		return fmt.Sprintf("helm owns fields through Update, because Helm 3 wrote them. To transfer them to %s:", o.Manager)
	}
	return ""
}

// writeConflicts writes the conflicts of the outcome and how to resolve them. If flags have
// resolved all conflicts, it only writes a note about each conflict. It describes at most inFull
// conflicts in full, and returns how many of this number are left for the next objects. It adds the
// ways to resolve a conflict that it describes to the map explained, and does not describe them
// again for the next objects.
func writeConflicts(o *prediction.Outcome, w io.Writer, inFull int, explained map[waysOut]string) int {
	t := &conflictText{w, o, explained}
	if len(o.Conflicts) == 0 {
		if o.Status() == command.StatusDone {
			stored := storedObject(o, o.Result)
			for i := range o.Resolved {
				t.line("note: %v: %s", o.Object.Identity(), words.OneLine(resolvedLine(stored, &o.Resolved[i])))
			}
		}
		return inFull
	}
	full := inFull > 0
	for i := range o.Conflicts {
		c := &o.Conflicts[i]
		if inFull > 0 {
			t.conflict(c)
			inFull--
			continue
		}
		if i == maxShort && len(o.Conflicts) > maxShort+1 {
			t.line("%v: and %d more conflicts", o.Object.Identity(), len(o.Conflicts)-i)
			break
		}
		t.brief(c)
	}
	if full && len(o.Conflicts) > 1 {
		t.resolutions()
	}
	if full {
		t.resolutionNotes()
	}
	return inFull
}

// resolvedLine describes in one line how a flag resolved a conflict. stored is the resulting object.
func resolvedLine(stored *place.Place, r *resolve.Resolution) string {
	c := &r.Conflict
	switch r.Choice {
	case resolve.Force:
		what := "stays " + asItIs(c)
		if change := changeOf(stored, c); differs(&change) {
			what = fmt.Sprintf("changes from %s to %s", words.ValueOrNone(change.Old, change.HasOld), words.ValueOrNone(change.New, change.HasNew))
		}
		return fmt.Sprintf("%v: forced: the field %s, and %s no longer owns it", c.Path, what, c.Manager)
	case resolve.Share:
		return fmt.Sprintf("%v: shared: the field stays %s, owned by you and %s", c.Path, words.Flow(c.Live), c.Manager)
	}
	return fmt.Sprintf("%v: yielded: the field stays %s, owned by %s", c.Path, asItIs(c), c.Manager)
}

// maxDiff limits the number of lines that are printed for the changes of a config.
const maxDiff = 60

// maxShown limits the number of changes that are printed for an object.
const maxShown = 8

// resolutions writes, for each way to resolve all conflicts, the changes of the config and the
// changes of other fields of the object.
func (t *conflictText) resolutions() {
	o := t.o
	remaining := ""
	if o.Maker.Chosen() {
		remaining = "remaining "
	}
	t.line("%v: ways to resolve all %d %sconflicts:", o.Object.Identity(), len(o.Conflicts), remaining)
	effects, configs := t.effects(), false
	for i, choice := range prediction.Choices {
		w, label, flag := o.Resolution(choice), choice.String(), "--"+choiceFlags[choice]
		switch {
		case w.Err != nil:
			t.labelled(label, flag+" is not possible: "+w.Reason())
			continue
		case choice == resolve.Force:
			t.line("%s", labelled(label, flag))
		case choice == resolve.Share && reflect.DeepEqual(w.Config, o.Resolution(prediction.Choices[i-1]).Config):
			t.line("%s", labelled(label, "the same as yield: there is no live value"))
			continue
		default:
			t.line("%s", labelled(label, flag+", or apply:"))
			t.config(w)
			configs = true
		}
		t.below(effects[choice].lines)
	}
	if configs {
		t.labelled("", "-o report shows the whole configs.")
	}
}

var choiceFlags = map[resolve.Choice]string{resolve.Force: command.ForceFlag, resolve.Yield: command.YieldFlag, resolve.Share: command.ShareFlag}

// resolutionNotes writes notes about all ways to resolve the conflicts of the object.
func (t *conflictText) resolutionNotes() {
	o := t.o
	var kubectl *prediction.Kubectl
	for _, choice := range prediction.Choices {
		w := o.Resolution(choice)
		kubectl = cmp.Or(kubectl, w.Kubectl)
		if !o.Maker.Reports {
			w.Result = nil
		}
	}
	if kubectl != nil && o.Kubectl == nil { // otherwise, a note about the object says this
		t.labelled("note", kubectl.Requests(o.Manager)+"; the changes above include this")
	}
	if unstructured.Masked(o.Object.Content) {
		t.labelled("note", "*** and a number stand for a value of the Secret. Equal values have the same number. Use --show-secrets to show the values")
	}
}

// wayEffects holds the effects of each way to resolve all conflicts of an object, except for the
// effects on the conflicting fields themselves. The map lacks ways without such effects.
type wayEffects map[resolve.Choice]wayEffect

type wayEffect struct {
	// impossible explains why the conflicts cannot be resolved in this way, or is "".
	impossible string
	// lines describes the effects. Each line that begins with spaces is an item of a list.
	lines []string
}

// effects returns the effects of each way. Changes of other fields are part of the effects only if
// the ways cause different changes.
func (t *conflictText) effects() wayEffects {
	all, changes := wayEffects{}, map[resolve.Choice][]fields.Change{}
	differ, last := false, resolve.Refuse
	for _, choice := range prediction.Choices {
		w := t.o.Resolution(choice)
		if w.Err != nil {
			all[choice] = wayEffect{impossible: w.Reason()}
			continue
		}
		found, err := t.otherChanges(w)
		lines := keysOnly(w.Bare)
		if err != nil {
			lines = append(lines, fmt.Sprintf("the changes of the object cannot be shown: %v", err))
		}
		all[choice], changes[choice] = wayEffect{lines: lines}, found
		differ = differ || last != resolve.Refuse && !reflect.DeepEqual(found, changes[last])
		last = choice
	}
	last = resolve.Refuse
	for _, choice := range prediction.Choices {
		e, found := all[choice], changes[choice]
		switch {
		case e.impossible != "":
			continue
		case !differ:
		case len(found) == 0:
			e.lines = append(e.lines, "no other field of the object changes")
		case last != resolve.Refuse && reflect.DeepEqual(found, changes[last]):
			e.lines = append(e.lines, fmt.Sprintf("other fields of the object change as with %v", last))
		default:
			e.lines = append(append(e.lines, "other fields of the object change:"), listed(found)...)
		}
		last = choice
		if all[choice] = e; len(e.lines) == 0 {
			delete(all, choice)
		}
	}
	return all
}

// listed returns a line for each change, up to a limit.
func listed(changes []fields.Change) (lines []string) {
	for i := range changes {
		if i == maxShown && len(changes) > maxShown+1 {
			return append(lines, fmt.Sprintf("  and %d more, see dovetail diff", len(changes)-i))
		}
		lines = append(lines, "  "+inOneLine(&changes[i]))
	}
	return lines
}

// otherChanges returns the changes that a resolution makes to fields without a conflict.
func (t *conflictText) otherChanges(w *prediction.Resolution) ([]fields.Change, error) {
	found, err := fields.Changes(t.o.LiveType, t.o.Before, w.Result.Object)
	conflicts := fieldpath.NewSet()
	for i := range t.o.Conflicts {
		conflicts.Insert(t.o.Conflicts[i].Path)
	}
	return slices.DeleteFunc(found, func(c fields.Change) bool { return conflicts.Has(c.Path) }), err
}

// below writes lines below a way to resolve conflicts.
func (t *conflictText) below(lines []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, " ") {
			t.line("%s", labelled("", line))
		} else {
			t.labelled("", line)
		}
	}
}

// keysOnly lists items that have only their keys in the new config.
func keysOnly(items []fieldpath.Path) (lines []string) {
	if len(items) == 0 {
		return nil
	}
	lines = append(lines, "Your config still contains these items, but only with their keys, so you still own them. Remove the items that you no longer need:")
	for i, p := range items {
		if i == maxShown && len(items) > maxShown+1 {
			return append(lines, fmt.Sprintf("  and %d more", len(items)-i))
		}
		lines = append(lines, "  "+p.String())
	}
	return lines
}

// inOneLine writes a change on one line.
func inOneLine(c *fields.Change) string {
	switch {
	case !c.HasOld:
		return fmt.Sprintf("+ %v: %s", c.Path, words.Flow(c.New))
	case !c.HasNew:
		return fmt.Sprintf("- %v: %s", c.Path, words.Flow(c.Old))
	}
	return fmt.Sprintf("~ %v: %s -> %s", c.Path, words.Flow(c.Old), words.Flow(c.New))
}

// config writes the config of a resolution, but only the lines that differ from the original config.
func (t *conflictText) config(w *prediction.Resolution) {
	after := t.o.YAML(w)
	const around = 2
	all := linediff.Of(t.o.Unchanged(after.Kept).Lines(), after.Lines())
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
			return
		case shown[i]:
			t.line("           %c %s", l.Sign, l.Text)
			left--
		case i == 0 || shown[i-1]:
			t.line("             ...")
		}
	}
}
