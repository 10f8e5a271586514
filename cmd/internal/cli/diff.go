// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

func newDiff(r *run) *cobra.Command {
	var (
		q            requests
		form         output
		showDefaults bool
		view         view
	)
	c := &cobra.Command{
		Use:   "diff -f CONFIG --field-manager NAME --live LIVE [--subresource NAME] [--show-defaults] [--view VIEW] [--force-conflicts[=PATH,...]] [--yield[=PATH,...]]",
		Short: "What an apply would change, field by field, with owners",
		Long: `Print what a server-side apply of CONFIG would change in the live objects: each
field with its old and new value, and who owns it now. What differs by defaults
only is no difference. Objects are matched by group, kind, namespace and name; one
without a live object is shown as new, and live objects that CONFIG does not have are
passed over.

With --show-defaults, fields that CONFIG leaves to a default are shown too: those
that have it (=), and those that somebody has set to something else (!), which
count as a difference.

If fields conflict, the diff shows what --force-conflicts would do. Both that and
--yield, which leaves out what conflicts, take paths, as in dovetail apply. If
fields are immutable, it shows what would be if they were not, and marks them "recreate".

Other views are of the objects as YAML, without managed fields: --view unified is a
diff that patch and git apply read, --view side-by-side fits the width of the
terminal. What they have no place for, such as conflicts, stands before the lines.

Fields of live objects that their types do not know, since the schema is older than
the server, are carried through, with a warning each. Fields of CONFIG must be known.
A quantity in another spelling, such as 1000m for 1, is a change that says so, unless
--equal-quantities is given.

Exit status: 0 no difference; 1 a difference; 2 conflict; 3 bad input; 4 a change
that immutability forbids.`,
		Example: `  # Would this change anything?
  dovetail diff -f service.yaml --live live.yaml --field-manager web

  # What would it change if it leaves to others what they own?
  dovetail diff -f service.yaml --live live.yaml --field-manager web --yield

  # The same with what defaults explain.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --show-defaults

  # As a patch of YAML, or beside each other.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --view unified
  dovetail diff -f service.yaml --live live.yaml --field-manager web --view side-by-side

  # A release against what runs.
  helm template shop ./shop > config.yaml
  kubectl get -f config.yaml -o yaml --show-managed-fields |
    dovetail diff -f config.yaml --live - --field-manager helm --equal-quantities`,
	}
	q.register(c.Flags(), "objects to apply")
	q.duplicates.register(c.Flags(), duplicatesError)
	q.registerChoices(c.Flags())
	registerZeroes(c.Flags(), &q.zeroes)
	c.Flags().BoolVar(&showDefaults, "show-defaults", false, "show the fields that CONFIG leaves to their defaults")
	view.register(c.Flags())
	form.register(c.Flags(), formText, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if err := view.check(r.env, form.form); err != nil {
			return err
		}
		if len(q.live.names) == 0 {
			return usagef("--live FILE is missing: what should the objects be compared with?")
		}
		return r.diff(&q, &form, &view, showDefaults)
	})
}

func (r *run) diff(q *requests, form *output, view *view, showDefaults bool) error {
	q.reports = form.form == formReport
	maker, outcomes, err := r.prepare(q, false)
	if err != nil {
		return err
	}
	p := &printer{w: &r.out, colour: r.env.Colour && form.form == formText}
	status := StatusDone
	for o := range counted(r, outcomes) {
		if maker == nil || o.object == nil || len(o.errors) > 0 {
			continue
		}
		d := o.difference(maker)
		o.diff = d
		if showDefaults && len(o.errors) == 0 {
			id := o.object.Identity()
			d.defaults = o.leftToDefaults(maker.manager, maker.types.fromGo(id.APIVersion, id.Kind))
			for _, l := range d.defaults {
				o.defaulted = append(o.defaulted, l.path)
			}
			slices.Sort(o.defaulted)
			o.defaulted = slices.Compact(o.defaulted)
		}
		if form.form == formText {
			view.show(p, o, d)
		} else {
			for _, c := range d.changes {
				if c.respelled {
					o.warn(c.path.String(), respelledNote)
				}
			}
		}
		if d.differs() {
			status = StatusDifference
		}
	}
	r.messages(outcomes)
	r.status = max(status, worst(outcomes))
	if form.form == formReport {
		r.out.Reset()
		return r.reports(outcomes)
	}
	return nil
}

// difference is what an apply would do to one object.
type difference struct {
	isNew    bool
	object   map[string]any
	changes  []change
	defaults []leftToDefault
}

func (d *difference) differs() bool {
	if d.isNew || len(d.changes) > 0 {
		return true
	}
	for _, l := range d.defaults {
		if !l.same {
			return true
		}
	}
	return false
}

// difference compares the live object with what the apply makes of it; with
// what a forced apply would make of it if there are conflicts.
func (o *outcome) difference(m *requester) *difference {
	d := &difference{}
	done := o
	if len(o.conflicts) > 0 {
		done = m.make(o.pair, true)
		o.immutable = done.immutable
	}
	result := cmp.Or(done.result, done.preview)
	if done != o {
		o.noteWarnings(result)
	}
	if result == nil {
		o.errors = append(o.errors, done.errors...)
		return d
	}
	d.object = result.Object
	if o.live == nil {
		d.isNew = true
		return d
	}
	found, err := changes(o.liveType, o.before, result.Object)
	if err != nil {
		o.errors = append(o.errors, o.object.Errorf("", "%v", err))
		return d
	}
	markRespelled(o.liveType, found, fieldmanager.Respell(o.liveType, o.before, secretAsStored(result.Object)))
	found = withImmutable(found, o.immutable)
	owned := newOwnership(o.liveEntries())
	contested := fieldpath.NewSet()
	for _, c := range o.conflicts {
		contested.Insert(c.Path)
	}
	for i := range found {
		found[i].owners = owned.of(found[i].path)
		var written fieldpath.Path
		if written, found[i].encoded = o.fromStringData(found[i].path); found[i].encoded && len(found[i].owners) == 0 {
			found[i].owners = owned.of(written)
		}
		found[i].conflict = overlaps(contested, found[i].path)
	}
	d.changes = found
	return d
}

// respelledNote says of a change that it is none but in writing.
const respelledNote = "equal quantity, different spelling"

// markRespelled marks the changes that are gone when quantities are spelled as
// before.
func markRespelled(t typed.ParseableType, changes []change, spelled map[string]any) {
	find := newFinder(t)
	for i := range changes {
		c := &changes[i]
		if v, ok := find.valueAt(spelled, c.path); ok && c.hasOld && c.hasNew {
			c.respelled = !value.EqualUnstructured(c.old, c.new) && value.EqualUnstructured(c.old, v)
		}
	}
}

// withImmutable marks the changes that are not allowed, and adds those that show
// nowhere else, such as another order of items.
func withImmutable(changes []change, fields []fieldmanager.ImmutableField) []change {
	fixed, shown := fieldpath.NewSet(), fieldpath.NewSet()
	for _, f := range fields {
		fixed.Insert(f.Path)
	}
	for i := range changes {
		changes[i].immutable = changes[i].immutable || overlaps(fixed, changes[i].path)
		shown.Insert(changes[i].path)
	}
	for _, f := range fields {
		if !overlaps(shown, f.Path) && f.Old != nil && f.New != nil {
			changes = append(changes, change{
				path: f.Path, old: f.Old.Unstructured(), new: f.New.Unstructured(),
				hasOld: true, hasNew: true, immutable: true,
			})
			shown.Insert(f.Path)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return a.path.Compare(b.path) })
	return changes
}

func (o *outcome) liveEntries() []fieldmanager.Entry {
	if o.live == nil {
		return nil
	}
	managed, err := fieldmanager.Decode(o.live.Content)
	if err != nil {
		return nil // the apply has reported it
	}
	return managed.Entries()
}

// overlap says whether one path leads to a part of what the other leads to.
func overlap(a, b fieldpath.Path) bool {
	n := min(len(a), len(b))
	return a[:n].Equals(b[:n])
}
