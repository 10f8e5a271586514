// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
)

// A wayOut is one way to settle conflicts, and what comes of it.
type wayOut struct {
	choice fieldmanager.Choice
	// config is what is to be applied, and result what is stored then; nil if err
	// is not.
	config map[string]any
	result *fieldmanager.Result
	err    error
	// bare are the items of lists that the config has with their keys only.
	bare []fieldpath.Path
	// yaml is config, once somebody has asked.
	yaml *rendered
}

var choices = []fieldmanager.Choice{fieldmanager.Force, fieldmanager.Drop, fieldmanager.Match}

// wayOut returns what becomes of all conflicts of o by a choice. Each is worked out when
// somebody asks, once: a config and a result may be as large as the object.
func (o *outcome) wayOut(choice fieldmanager.Choice) *wayOut {
	if o.ways == nil {
		o.ways = map[fieldmanager.Choice]*wayOut{}
	}
	if o.ways[choice] == nil {
		o.ways[choice] = o.choose(choice, o.conflicts, o.refused.Outcome)
	}
	return o.ways[choice]
}

// choose works out what becomes of some conflicts of o by a choice.
func (o *outcome) choose(choice fieldmanager.Choice, conflicts []fieldmanager.Conflict, outcome func(fieldmanager.Choice) (*fieldmanager.Resolved, error)) *wayOut {
	w := &wayOut{choice: choice}
	done, err := outcome(choice)
	w.err = err
	if done != nil {
		w.config, w.result = done.Config, done.Result
	}
	if w.result != nil {
		// That rules cannot be asked is told of the request itself.
		if fixed, _ := o.maker.types.forbidden(o, w.result.Object); len(fixed) > 0 {
			w.config, w.result, w.err = nil, nil, refusedByRule(fixed)
		}
	}
	if choice != fieldmanager.Force && w.config != nil {
		find := newFinder(o.typ)
		for i := range conflicts {
			w.bare = append(w.bare, find.bareItem(o.object.Content, w.config, conflicts[i].Path)...)
		}
		slices.SortFunc(w.bare, fieldpath.Path.Compare)
		w.bare = slices.CompactFunc(w.bare, fieldpath.Path.Equals)
	}
	return w
}

// bareItem returns the item of a list that path leads to or into, if it has nothing
// but its keys in config, but had more before.
func (f *finder) bareItem(before, config map[string]any, path fieldpath.Path) []fieldpath.Path {
	for n := len(path) - 1; n > 0; n-- {
		keys := path[n-1].Key
		if keys == nil {
			continue
		}
		had, _ := f.valueAt(before, path[:n])
		has, ok := f.valueAt(config, path[:n])
		item, isMap := has.(map[string]any)
		if old, _ := had.(map[string]any); !ok || !isMap || len(item) >= len(old) {
			return nil
		}
		for name := range item {
			if !slices.ContainsFunc(*keys, func(k value.Field) bool { return k.Name == name }) {
				return nil
			}
		}
		return []fieldpath.Path{path[:n]}
	}
	return nil
}

// maxWhole is how many lines a config has that is shown as a whole; of a longer one
// only what changes is.
const maxWhole = 30

// maxDiff is how many lines of what changes in a config are shown.
const maxDiff = 60

// maxShown is how many changes of an object are shown.
const maxShown = 8

// waysOut writes what becomes of the object and the config by each choice for all
// conflicts.
func (t *conflictText) waysOut() {
	o := t.o
	what := "the conflict"
	if n := len(o.conflicts); n > 1 {
		what = fmt.Sprintf("all %d conflicts", n)
	}
	if o.maker.chosen() {
		what += " with the flags given"
	}
	t.line("%v: the ways out of %s:", o.object.Identity(), what)
	for i, choice := range choices {
		w := o.wayOut(choice)
		switch {
		case w.choice == fieldmanager.Force:
			t.way("force", "--"+forceFlag, w)
		case w.choice == fieldmanager.Drop:
			t.way("drop", "--"+yieldFlag+", or apply", w)
		case reflect.DeepEqual(w.config, o.wayOut(choices[i-1]).config):
			t.line("%s", labelled("match", "the same as drop: there is no live value"))
		default:
			t.way("match", "apply", w)
		}
		if !o.maker.reports {
			w.result = nil
		}
	}
	if masked(o.object.Content) {
		t.labelled("note", "*** and a number stand for a value of the Secret, the same for equal ones: --show-secrets shows the values")
	}
}

func (t *conflictText) way(label, how string, w *wayOut) {
	if w.err != nil {
		t.labelled(label, strings.TrimSuffix(how, ", or apply")+" is refused: "+w.reason())
		return
	}
	t.line("%s", labelled(label, how))
	if w.choice != fieldmanager.Force {
		t.config(w)
	}
	t.bare(w.bare)
	found, err := changes(t.o.liveType, t.o.before, w.result.Object)
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

// reason is why a way is none.
func (w *wayOut) reason() string {
	var fixed *fieldmanager.ImmutableError
	if errors.As(w.err, &fixed) {
		return fixed.Error()
	}
	var left *fieldmanager.ConflictError
	if errors.As(w.err, &left) {
		var texts []string
		for i := range left.Conflicts {
			texts = append(texts, fmt.Sprintf("%v conflicts still", left.Conflicts[i].Path))
		}
		return strings.Join(texts, ", ")
	}
	return w.err.Error()
}

// immutable says whether the way would change what is immutable at path.
func (w *wayOut) immutable(path fieldpath.Path) bool {
	var marked *fieldmanager.ImmutableError
	var ruled refusedByRule
	fields := []fieldmanager.ImmutableField{}
	if errors.As(w.err, &marked) {
		fields = marked.Fields
	} else if errors.As(w.err, &ruled) {
		fields = ruled
	}
	return slices.ContainsFunc(fields, func(f fieldmanager.ImmutableField) bool { return overlap(f.Path, path) })
}

// inOneLine is a change as diff shows it, if there is room.
func inOneLine(c *change) string {
	switch {
	case !c.hasOld:
		return fmt.Sprintf("+ %v: %s", c.path, flow(c.new))
	case !c.hasNew:
		return fmt.Sprintf("- %v: %s", c.path, flow(c.old))
	}
	return fmt.Sprintf("~ %v: %s -> %s", c.path, flow(c.old), flow(c.new))
}

// rendered is a config as YAML, without the end of its last line. kept says that it has
// the comments and the order of the file.
type rendered struct {
	text string
	kept bool
}

func (r *rendered) lines() []string { return strings.Split(r.text, "\n") }

// yaml is the config of a way as YAML, as the file has it if it can be kept: with its
// comments and its order.
func (o *outcome) yaml(w *wayOut) *rendered {
	if w.yaml == nil {
		if kept := o.rewritten(w.config); kept != nil && o.unchanged(true).kept {
			w.yaml = kept
		} else {
			w.yaml = plainYAML(w.config)
		}
	}
	return w.yaml
}

// unchanged is the config of o in the same form.
func (o *outcome) unchanged(kept bool) *rendered {
	if o.given == nil || o.given.kept && !kept {
		o.given = nil
		if kept {
			o.given = o.rewritten(o.object.Content)
		}
		if o.given == nil {
			o.given = plainYAML(o.object.Content)
		}
	}
	return o.given
}

func (o *outcome) rewritten(config map[string]any) *rendered {
	text, err := o.object.Rewritten(config)
	if err != nil {
		return nil
	}
	return &rendered{strings.TrimSuffix(string(text), "\n"), true}
}

func plainYAML(config map[string]any) *rendered { return &rendered{text: yamlText(config)} }

// config writes a config: a short one as a whole, of a long one what is not as in
// the one given.
func (t *conflictText) config(w *wayOut) {
	after := t.o.yaml(w)
	lines := after.lines()
	if len(lines) <= maxWhole {
		for _, line := range lines {
			t.line("             %s", line)
		}
		return
	}
	const around = 2
	all := lineDiff(t.o.unchanged(after.kept).lines(), lines)
	shown := make([]bool, len(all))
	for i, l := range all {
		for j := max(0, i-around); l.sign != ' ' && j < min(len(all), i+around+1); j++ {
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
			t.line("           %c %s", l.sign, l.text)
			left--
		case i == 0 || shown[i-1]:
			t.line("             ...")
		}
	}
	t.line("%s", labelled("", wholeInReport))
}

const wholeInReport = "The whole config is in the report: -o report."
