// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package diff

import (
	"bytes"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
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
not have. A default that the server sets is not a difference.

With --context, -n or another flag of a cluster, live objects and types are read from the
cluster. See docs/cluster.md.

If fields conflict, the diff shows the result of a forced apply. It marks the change of an
immutable field. The flags --force-conflicts, --yield and
--share take paths, as in "dovetail apply".

With --show-defaults, the diff also shows fields with a default that CONFIG leaves out. The
mark = means that the field has its default value. The mark ! means that another manager set
another value. Only fields with the mark ! are a difference.

With --verify, diff also sends a dry run of each apply to the cluster. If the result differs
from the prediction, diff prints an error with all details for a bug report.

A different order of a set, or of a list with keys, is not a difference. In an immutable
field, the order of a list with keys must not change, unless you use --ignore-item-order. A
different order of an atomic list is always a difference.

--view unified prints a diff of the YAML without managed fields. The programs patch and git
apply can read it. --view side-by-side uses the width of the terminal. Both print conflicts
before the lines.

If the schema is older than the server, a live object may have undeclared fields. Such a field
stays in the object, with a warning. An undeclared field in CONFIG is an error. For built-in
kinds, another form of a quantity, such as 1000m for 1, is not a change, because servers store
only one form. In a custom resource, it is a change, unless you use --equal-quantities.

With --trace, diff writes to standard error how each stage of the prediction changes the
object. Use it to find the stage that sets a value.

Exit status: 0 no difference; 1 a difference; 2 conflict; 3 invalid input; 4 a change of an
immutable field. With a conflict and a change of an immutable field, it is 2, because a server
reports the conflict first.`,
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
	c.Flags().BoolVar(&showDefaults, "show-defaults", false, "also show fields with a default that CONFIG leaves out")
	c.Flags().BoolVar(&verify, "verify", false, "compare each prediction with a dry run in the cluster, and report differences for a bug report")
	view.register(c.Flags())
	r.RegisterExplain(c.Flags())
	form.RegisterFindings(c.Flags())
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if err := view.check(r.Env, form.Form); err != nil {
			return err
		}
		if len(q.Live.Names) == 0 && !q.Sources.Cluster.EnableForPlugin(r) {
			return command.Usagef("--live FILE is missing: give the live objects, or a cluster with --context or -n")
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
	if err := prediction.MakeRequests(r, q, false, d.render, d.add); err != nil {
		return err
	}
	s := d.writer.Summary
	s.Created, s.Changed, s.Unchanged = d.created, d.changed, d.unchanged
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
	// created, changed and unchanged count objects. created counts objects without a live
	// object. changed counts objects that differ, including created ones. unchanged counts all
	// others.
	created, changed, unchanged int
}

// renderedDiff is the rendered difference of one object.
type renderedDiff struct {
	*report.Rendered
	difference *difference
	text       bytes.Buffer
	// cut reports whether the text contains shortened values.
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
			t.difference.warnRespelled(o)
		}
	}
	var all any
	if d.form.Reports() && o.Object != nil {
		one := Report{Report: report.Of(o)}
		if t.difference != nil {
			one.Differences = t.difference.report()
		}
		all = one
	}
	t.Rendered = d.writer.RenderWith(o, all)
	return t
}

// add writes the difference of an object after the earlier differences.
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
