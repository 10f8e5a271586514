// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// New returns the command diff.
func New(r *command.Run) *cobra.Command {
	var (
		q            prediction.Requests
		form         command.Output
		showDefaults bool
		verify       bool
		view         view
	)
	c := &cobra.Command{
		Use:   "diff -f CONFIG --field-manager NAME {--live LIVE|--context NAME|-n NAMESPACE}",
		Short: "Show what a server-side apply would change",
		Long: `Show what a server-side apply of CONFIG would change in the live objects: each field with
its old value, its new value and its owners. Diff pairs objects by group, kind, namespace
and name. An object without a live object is new. Diff ignores live objects that CONFIG does
not have. A field that the server fills with its default is no difference.

With --context, -n or another flag of a cluster, live objects and types are read from the
cluster. See docs/cluster.md.

If fields conflict, the diff shows the result of --force-conflicts. If fields are
immutable, it shows the change and marks it. The flags --force-conflicts, --yield and
--share take paths, as in "dovetail apply".

With --show-defaults, the diff also shows the fields that CONFIG leaves to a default: those
with the default value (=), and those that someone set to another value (!). Only the
fields marked with ! count as a difference.

With --verify, the cluster also makes a dry run of each apply. A result that differs from
the prediction is an error, with all that a bug report needs.

Moved items of a set, or of a list with keys, are no difference. Within an immutable field
the order of a list with keys counts, unless --ignore-item-order is given. The order of an
atomic list always counts.

--view unified prints a diff of the YAML, without managed fields, that patch and git apply
read. --view side-by-side fits the width of the terminal. Both print conflicts before the
lines.

A field of a live object that its type does not have (the schema is older than the server)
stays in the object, with a warning. A field of CONFIG that its type does not have is an
error. A quantity in another spelling, such as 1000m for 1, is no change of a built-in
kind, since servers store one spelling. In a custom resource it is a change, unless
--equal-quantities is given.

With --trace, standard error shows what each stage of the prediction changes in the
object. It helps to find out where a value comes from.

Exit status: 0 no difference; 1 a difference; 2 conflict; 3 invalid input; 4 a change of an
immutable field. If there is a conflict too, it is 2, as a server reports the conflict
first.`,
		Example: `  # Would this apply change anything?
  dovetail diff -f service.yaml --live live.yaml --field-manager web

  # What would it change if it yields all conflicts?
  dovetail diff -f service.yaml --live live.yaml --field-manager web --yield

  # Also show fields with defaults.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --show-defaults

  # Show YAML as a patch, or side by side.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --view unified
  dovetail diff -f service.yaml --live live.yaml --field-manager web --view side-by-side

  # Which stage of the prediction changes which field?
  dovetail diff -f service.yaml --live live.yaml --field-manager web --trace

  # Compare a new release of a chart with the live objects.
  helm template shop ./shop > config.yaml
  kubectl get -f config.yaml -o yaml --show-managed-fields |
    dovetail diff -f config.yaml --live - --field-manager helm`,
	}
	q.RegisterApply(c.Flags())
	c.Flags().BoolVar(&showDefaults, "show-defaults", false, "also show the fields that CONFIG leaves to a default")
	c.Flags().BoolVar(&verify, "verify", false, "compare each prediction with a dry run in the cluster, and report differences for a bug report")
	view.register(c.Flags())
	r.RegisterExplain(c.Flags())
	form.RegisterFindings(c.Flags(), command.FormNDJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if err := view.check(r.Env, form.Form); err != nil {
			return err
		}
		if len(q.Live.Names) == 0 && !q.Sources.Cluster.EnableForPlugin(r) {
			return command.Usagef("--live FILE is missing: what should the objects be compared with? Or name a cluster: --context, -n")
		}
		if verify {
			if err := q.CheckVerify(r); err != nil {
				return err
			}
		}
		return runDiff(r, &q, &diffing{r: r, form: &form, view: &view, showDefaults: showDefaults, verify: verify})
	})
}

func runDiff(r *command.Run, q *prediction.Requests, d *diffing) error {
	q.Reports = d.form.Reports()
	d.writer = report.NewOutcomeWriter(r, d.form)
	d.writer.ConflictsShown = r.Env.Terminal && d.form.Form == command.FormText
	if err := prediction.MakeAnyRequests(r, q, false, d.render, d.add); err != nil {
		return err
	}
	d.writer.Summary.SetChanges(d.created, d.changed, d.unchanged)
	if r.Status = command.StatusDone; d.changed > 0 {
		r.Status = command.StatusDifference
	}
	return d.writer.End()
}

// diffing renders and writes the differences of objects, one after the other.
type diffing struct {
	r            *command.Run
	form         *command.Output
	view         *view
	showDefaults bool
	verify       bool
	writer       *report.OutcomeWriter
	// created, changed and unchanged count objects: those without a live object, those that
	// differ, which include the created ones, and those that do not.
	created, changed, unchanged int
}

// renderedDiff is the rendered difference of one object.
type renderedDiff struct {
	*report.Rendered
	difference *difference
	text       bytes.Buffer
	// cut says that the text shortens values.
	cut bool
}

// render compares the result of a request with the live object.
func (d *diffing) render(o *prediction.Outcome) *renderedDiff {
	t := &renderedDiff{}
	if d.verify {
		o.Verify()
	}
	if maker := o.Maker; maker != nil && len(o.Errors) == 0 {
		t.difference = differenceOf(o, maker)
		if d.showDefaults && len(o.Errors) == 0 {
			id := o.Object.Identity()
			t.difference.defaults = defaultedOf(o, maker.Manager, maker.Types.FromGo(id.APIVersion, id.Kind))
			for _, l := range t.difference.defaults {
				o.Defaulted = append(o.Defaulted, l.Path)
			}
			slices.Sort(o.Defaulted)
			o.Defaulted = slices.Compact(o.Defaulted)
		}
		if d.form.Form == command.FormText && d.view.name == viewFields && d.r.ShortResult() {
			s := &report.Short{W: &t.text, Colour: d.r.Env.Colour, Width: d.r.Env.Width}
			shortDifference(s, o, t.difference)
			t.cut = s.Cut
		} else if d.form.Form == command.FormText {
			d.view.show(&printer{w: &t.text, colour: d.r.Env.Colour}, o, t.difference)
		} else {
			for _, c := range t.difference.changes {
				if c.Respelled {
					o.Warn(c.Path.String(), fields.RespelledNote)
				}
			}
		}
	}
	var all any
	if d.form.Reports() {
		one := Report{Report: report.Of(o)}
		if t.difference != nil {
			one.Differences = t.difference.report()
		}
		all = one
	}
	t.Rendered = d.writer.RenderWith(o, all)
	return t
}

// add writes the difference of an object behind the earlier ones.
func (d *diffing) add(t *renderedDiff) {
	d.writer.Add(t.Rendered)
	if t.difference == nil {
		return
	}
	switch {
	case t.difference.differs():
		d.changed++
	case len(t.Outcome.Errors) == 0:
		d.unchanged++
	}
	if t.difference.isNew {
		d.created++
	}
	d.writer.ShortenedValues(t.cut)
	d.r.Out.Write(t.text.Bytes())
	if d.writer.Findings != nil {
		addFindings(d.writer.Findings, t.Outcome, t.difference)
	}
}

// addFindings adds a difference to the findings for CI systems.
func addFindings(all *ci.Report, o *prediction.Outcome, d *difference) {
	subject := report.Subject(o)
	if d.isNew {
		all.Add(ci.Finding{Rule: ci.Created, At: o.Object.Start(), Subject: subject, Message: "is new"})
	}
	for i := range d.changes {
		c := &d.changes[i]
		if c.Conflict || c.Immutable {
			continue // reported as an outcome
		}
		path := c.Path.String()
		message := "changes"
		switch {
		case !c.HasOld:
			message = "is added: " + words.Flow(c.New)
		case !c.HasNew:
			message = "is removed"
		default:
			message = "changes from " + words.Flow(c.Old) + " to " + words.Flow(c.New)
		}
		all.Add(ci.Finding{Rule: ci.Changed, At: o.Object.Position(path), Subject: subject, Path: path, Message: message})
	}
}

// difference has the changes of one object by an apply.
type difference struct {
	isNew    bool
	object   map[string]any
	changes  []fields.Change
	defaults []fields.Defaulted
}

func (d *difference) differs() bool {
	if d.isNew || len(d.changes) > 0 {
		return true
	}
	for _, l := range d.defaults {
		if !l.Same {
			return true
		}
	}
	return false
}

// differenceOf compares the live object with the result of the apply, or of a forced apply if there
// are conflicts.
func differenceOf(o *prediction.Outcome, m *prediction.Requester) *difference {
	d := &difference{}
	done := o
	if len(o.Conflicts) > 0 {
		done = m.Make(o.Pair, true)
		o.ShowForced(done)
		o.Immutable = done.Immutable
	}
	result := cmp.Or(done.Result, done.Preview)
	if done != o {
		o.NoteWarnings(result)
	}
	if result == nil {
		o.Errors = append(o.Errors, done.Errors...)
		return d
	}
	d.object = result.Object
	if o.Live == nil {
		d.isNew = true
		return d
	}
	found, err := fields.Changes(o.LiveType, o.Before, result.Object)
	if err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "%v", err))
		return d
	}
	markRespelled(o.LiveType, found, fieldmanager.RespellQuantities(o.LiveType, o.Before, unstructured.SecretAsStored(result.Object)))
	found = withImmutable(found, o.Immutable)
	owned := fields.NewOwnership(liveEntries(o))
	contested := fieldpath.NewSet()
	for _, c := range o.Conflicts {
		contested.Insert(c.Path)
	}
	for i := range found {
		found[i].Owners = owned.Of(found[i].Path)
		var written fieldpath.Path
		if written, found[i].Encoded = fromStringData(o, found[i].Path); found[i].Encoded && len(found[i].Owners) == 0 {
			found[i].Owners = owned.Of(written)
		}
		found[i].Conflict = fields.Overlaps(contested, found[i].Path)
	}
	d.changes = found
	return d
}

// markRespelled marks the changes between two spellings of one quantity. spelled is the result with
// the spellings of the live object.
func markRespelled(t typed.ParseableType, changes []fields.Change, spelled map[string]any) {
	find := fields.NewFinder(t)
	for i := range changes {
		c := &changes[i]
		if v, ok := find.ValueAt(spelled, c.Path); ok && c.HasOld && c.HasNew {
			c.Respelled = !value.EqualUnstructured(c.Old, c.New) && value.EqualUnstructured(c.Old, v)
		}
	}
}

// withImmutable marks the forbidden changes, and adds those that are no difference of values, such as
// another order of items.
func withImmutable(changes []fields.Change, forbidden []fieldmanager.ImmutableField) []fields.Change {
	fixed, shown := fieldpath.NewSet(), fieldpath.NewSet()
	for _, f := range forbidden {
		fixed.Insert(f.Path)
	}
	for i := range changes {
		changes[i].Immutable = changes[i].Immutable || fields.Overlaps(fixed, changes[i].Path)
		if at := slices.IndexFunc(forbidden, func(f fieldmanager.ImmutableField) bool { return fields.Overlap(f.Path, changes[i].Path) }); at >= 0 {
			changes[i].Proposal = forbidden[at].KEP
		}
		shown.Insert(changes[i].Path)
	}
	for _, f := range forbidden {
		if !fields.Overlaps(shown, f.Path) && f.Old != nil && f.New != nil {
			changes = append(changes, fields.Change{
				Path: f.Path, Old: f.Old.Unstructured(), New: f.New.Unstructured(),
				HasOld: true, HasNew: true, Immutable: true, Proposal: f.KEP,
			})
			shown.Insert(f.Path)
		}
	}
	slices.SortStableFunc(changes, func(a, b fields.Change) int { return a.Path.Compare(b.Path) })
	return changes
}

func liveEntries(o *prediction.Outcome) []managedfields.Entry {
	if o.Live == nil {
		return nil
	}
	managed, err := managedfields.Decode(o.Live.Content)
	if err != nil {
		return nil // the apply has reported it
	}
	return managed.Entries()
}

// defaultedOf returns the fields that the config of o leaves to their defaults and that the live object
// has. It leaves out fields that the manager owns, since the apply removes them.
func defaultedOf(o *prediction.Outcome, manager string, fromGo bool) []fields.Defaulted {
	if o.Live == nil {
		return nil
	}
	s := &fields.DefaultSearch{
		Schema:  o.Type.Schema,
		Owned:   fields.NewOwnership(liveEntries(o)),
		Manager: manager,
		Zeroes:  fromGo,
	}
	s.Value(o.Type.TypeRef, unstructured.WithoutManagedFields(o.Sent()), unstructured.WithoutManagedFields(o.Before), false, nil)
	slices.SortStableFunc(s.Found, func(a, b fields.Defaulted) int { return strings.Compare(a.Path, b.Path) })
	return s.Found
}

// fromStringData returns the path in stringData of a Secret that sets the stored value at path, and
// whether the config has it.
func fromStringData(o *prediction.Outcome, path fieldpath.Path) (fieldpath.Path, bool) {
	id := o.Object.Identity()
	if id.APIVersion != "v1" || id.Kind != "Secret" || len(path) != 2 || path[0].FieldName == nil || *path[0].FieldName != unstructured.SecretData {
		return nil, false
	}
	written := fieldpath.Path{fieldpath.FieldNameElement(unstructured.SecretStringData), path[1]}
	_, ok := fields.ValueAt(o.Sent(), written)
	return written, ok
}

// Report is the report of diff about one object. Its form is part of the contract of the command line.
type Report struct {
	report.Report
	// Differences are the changes. They are left out if nothing was compared.
	Differences *[]differenceReport `json:"differences,omitempty"`
}

// differenceReport is a change in a report: a path, and its values before and after an apply.
type differenceReport struct {
	Path string `json:"path"`
	// Old is the value before, null if there is none.
	Old any `json:"old"`
	// New is the value after, null if there is none.
	New any `json:"new"`
	// HasOld says whether there is a value before; it may be null.
	HasOld bool `json:"hasOld"`
	// HasNew says whether there is a value after; it may be null.
	HasNew bool `json:"hasNew"`
	// Owners own the path, or part of its value, before the apply.
	Owners []report.OwnerReport `json:"owners"`
	// Conflict says that another manager owns the field.
	Conflict bool `json:"conflict"`
	// Immutable says that the change is forbidden.
	Immutable bool `json:"immutable"`
	// Proposal is the KEP that proposes the rule, left out for a rule of released API servers.
	Proposal string `json:"proposal,omitempty"`
	// Note has more information for people.
	Note string `json:"note"`
}

// report returns the changes as data. The list is empty if there are none, and for a new object, which
// is in the report as a whole.
func (d *difference) report() *[]differenceReport {
	list := []differenceReport{}
	for i := range d.changes {
		c := &d.changes[i]
		r := differenceReport{
			Path: c.Path.String(), Old: c.Old, New: c.New, HasOld: c.HasOld, HasNew: c.HasNew,
			Owners: []report.OwnerReport{}, Conflict: c.Conflict, Immutable: c.Immutable, Proposal: c.Proposal, Note: strings.Join(c.Notes(), "; "),
		}
		for _, e := range c.Owners {
			r.Owners = append(r.Owners, report.ReportOwner(e.Owner))
		}
		list = append(list, r)
	}
	return &list
}
