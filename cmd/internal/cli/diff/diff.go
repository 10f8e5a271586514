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
		Long: `Show what a server-side apply of CONFIG would change in the live objects. For each changed
field, diff prints the old value, the new value and the owners.

For each object in CONFIG, diff looks for the live object with the same group, kind, namespace and
name. If there is none, the object is new. Diff ignores live objects that CONFIG does not
contain. A default that the server sets is not a difference.

With --context, -n or another cluster flag, diff reads the live objects and their types from the
cluster. For details, see docs/cluster.md.

If fields conflict, diff shows the result of a forced apply. The mark = means that a conflicting
field keeps its value, because the server stores both values in the same way. Diff also marks
changes of immutable fields. To resolve conflicts, use --force-conflicts, --yield and --share, if necessary with paths,
as for "dovetail apply".

With --show-defaults, diff also shows fields that CONFIG leaves out and that have a default. The
mark = means that the live value is the default. The mark ! means that another manager set a
different value. Only fields with the mark ! count as differences.

For built-in kinds, --show-defaults knows only the defaults in OpenAPI documents. It does not know
the defaults that Go code of the server sets, such as replicas: 1.

With --verify, diff also sends a dry run of each apply to the cluster. If the result differs
from the prediction, diff prints an error with all details for a bug report.

In a set or in a list with keys, a new order of the items is not a difference. In an atomic list,
it is a difference. If a list with keys is immutable, a new order is a forbidden change, unless
you use --ignore-item-order.

--view unified prints a diff of the YAML without managed fields. The programs "patch" and
"git apply" can read this diff. --view side-by-side uses the width of the terminal. Both views
print the conflicts first.

If your schema is outdated, a live object may have fields that the schema does not declare. Diff
keeps these fields, and prints a warning. An undeclared field in CONFIG is an error.

A quantity can have several spellings, such as 1000m and 1. In a built-in kind, two spellings are
no difference, because servers store only one of them. In a custom resource, they are a
difference, unless you use --equal-quantities.

With --trace, diff also writes to standard error how each stage of the prediction, such as the
merge, changes the object. Use this output to find the stage that sets a value.

Exit status: 0 no difference; 1 a difference; 2 conflict; 3 invalid input; 4 a change of an
immutable field. If there are both conflicts and changes of immutable fields, the status is
2, because a server reports the conflict first.`,
		Example: `  # Compare a new release of a chart with the live objects.
  helm template shop ./shop > config.yaml
  kubectl get -f config.yaml -o yaml --show-managed-fields |
    dovetail diff -f config.yaml --live - --field-manager helm

  # Show what an apply would change.
  dovetail diff -f service.yaml --live live.yaml --field-manager web

  # Show what an apply would change if it left out all conflicting fields.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --yield

  # Also show fields that have defaults.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --show-defaults

  # Show YAML as a patch, or side by side.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --view unified
  dovetail diff -f service.yaml --live live.yaml --field-manager web --view side-by-side

  # Show which stage of the prediction changes which field.
  dovetail diff -f service.yaml --live live.yaml --field-manager web --trace`,
	}
	q.RegisterApply(c.Flags())
	c.Flags().BoolVar(&showDefaults, "show-defaults", false, "also show fields that CONFIG leaves out and that have a default")
	c.Flags().BoolVar(&verify, "verify", false, "compare each prediction with a dry run in the cluster, and print differences as a bug report")
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
			return command.Usagef("no live objects: give a file with --live, or a cluster with --context or -n")
		}
		if verify {
			if err := q.CheckVerify(r); err != nil {
				return err
			}
		}
		return runDiff(r, &q, &diffWriter{r: r, form: &form, view: &view, showDefaults: showDefaults, verify: verify})
	})
}

func runDiff(r *command.Run, q *prediction.Requests, d *diffWriter) error {
	q.Reports = d.form.Reports()
	d.writer = report.NewOutcomeWriter(r, d.form)
	d.writer.ConflictsShown = r.Env.Terminal && d.form.Form == command.FormText
	if err := prediction.MakeRequests(r, q, false, d.render, d.add); err != nil {
		return err
	}
	d.writer.Summary.SetChanged(d.created, d.changed, d.inConflict, d.unchanged)
	if r.Status = command.StatusDone; d.changed > 0 {
		r.Status = command.StatusDifference
	}
	return d.writer.End()
}

// diffWriter writes the differences of objects, in the order of the input.
type diffWriter struct {
	r            *command.Run
	form         *command.Output
	view         *view
	showDefaults bool
	verify       bool
	writer       *report.OutcomeWriter
	// created counts new objects. A new object has no live object.
	created int
	// changed counts objects that differ from the live object. It includes new objects.
	changed int
	// inConflict counts the changed objects that have conflicts.
	inConflict int
	// unchanged counts objects without changes, conflicts and errors.
	unchanged int
}

// renderedDiff is the rendered difference of one object.
type renderedDiff struct {
	*report.Rendered
	difference *difference
	text       bytes.Buffer
	// cut is set if the text shortens a value.
	cut bool
}

// render renders the difference between the live object and the result of a request.
func (d *diffWriter) render(o *prediction.Outcome) *renderedDiff {
	t := &renderedDiff{}
	if d.verify {
		o.Verify()
	}
	if maker := o.Maker; maker != nil && len(o.Errors) == 0 {
		t.difference = differenceOf(o)
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

// add writes the next difference.
func (d *diffWriter) add(t *renderedDiff) {
	d.writer.Add(t.Rendered)
	if t.difference == nil {
		return
	}
	switch {
	case t.difference.differs():
		d.changed++
		if len(t.Outcome.Conflicts) > 0 {
			d.inConflict++
		}
	case len(t.Outcome.Errors)+len(t.Outcome.Conflicts) == 0:
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

// addFindings adds the changes of one object to the findings for CI systems.
func addFindings(all *ci.Report, o *prediction.Outcome, d *difference) {
	subject := report.Subject(o)
	if d.isNew {
		all.Add(ci.Finding{Rule: ci.Created, At: o.Object.Start(), Subject: subject, Message: "is new"})
	}
	for i := range d.changes {
		c := &d.changes[i]
		if c.Conflict || c.Immutable {
			continue // conflicts and forbidden changes have findings of their own
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
