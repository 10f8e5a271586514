// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package owners

import (
	"bytes"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// legend explains the comments.
const legend = `  web apply 3d              web owns the field by server-side apply, and last
                            wrote three days ago. Other owners follow after a
                            comma. A ? means that the time is unknown.
  kubelet update status 5m  kubelet owns the field by a create, replace or
                            patch of the subresource status.
  ... (whole)               The manager owns the list or map as a whole.
  | ...                     The line is inside a list or map that the manager
                            owns as a whole.
  item ...                  These are the owners of the list item that begins
                            on the line. The field on the same line has other
                            owners.
  nobody                    No manager owns the field. The server or an earlier
                            owner set its value.
  nobody (default)          No manager owns the field, and it has the default
                            in its schema. Schemas of built-in kinds lack the
                            defaults that Go code of the server sets.
  -                         Nobody can own the field: it identifies the
                            object, or the server sets it.`

// New returns the command owners.
func New(r *command.Run) *cobra.Command {
	var (
		q    ownersQuery
		form command.Output
	)
	c := &cobra.Command{
		Use:   "owners {-f LIVE [NAME...]|RESOURCE/NAME} [--field-manager NAME] [--html FILE]",
		Short: "Show the owners of every line of an object",
		Long: `Print live objects as YAML. A comment on each line shows the owners of the field, the
operation (apply or update), and the time since their last write. The objects need their
managed fields, which "kubectl get" shows only with --show-managed-fields.

The comments have this form:

` + legend + `

A line without a comment, such as "spec:", has no owners itself, but contains other fields. The
command needs the type of the object to know which lists and maps are owned as a whole, and which
list keys have a default.

With --html, write a page for a browser. The page shows the managers next to the object, and
you can select the lines of one manager. A page of several objects begins with an index, and
with totals by manager, kind and namespace. The page needs no network. It uses JavaScript only
to search the index and to step through the lines with the arrow keys.`,
		Annotations: map[string]string{command.LegendTitle: legend},
		Example: `  # Show the owner of each field.
  kubectl get deployment web -o yaml --show-managed-fields | dovetail owners -f -

  # Select one of the objects in a file.
  dovetail owners -f live.yaml deployment/web

  # Show the fields of one manager, and who else owns them.
  dovetail owners -f live.yaml --field-manager argocd-controller

  # Write a page for a browser.
  dovetail owners -f live.yaml --html owners.html

  # Show the conflicts of a manifest on the page.
  dovetail owners -f live.yaml --html owners.html --config web.yaml --field-manager web

  # List the paths that have more than one owner.
  dovetail owners -f live.yaml -o report | jq '.objects[].places[] | select(.owners | length > 1) | .path'`,
	}
	q.files.Register(c.Flags(), "filename", "f", "live objects: a file, a directory, or - for standard input (repeatable)")
	c.Flags().StringVar(&q.manager, "field-manager", "", "show only the fields of this manager; with --config, this is also the manager that would apply the config")
	c.Flags().StringVar(&q.clock, "time", "", "compute ages as of this time, in RFC 3339 (default now)")
	c.Flags().StringVar(&q.html, "html", "", "write an HTML page to this `file`, or to standard output with -")
	q.config.Register(c.Flags(), "config", "", "file or directory with objects that the manager in --field-manager would apply; the --html page shows their conflicts (repeatable)")
	q.sources.Register(c.Flags(), "name of the type in the file given with --schema")
	q.sources.RegisterUntyped(c.Flags())
	q.sources.Cluster.RegisterSelection(c.Flags())
	form.Register(c.Flags(), command.FormYAML, command.FormReport, command.FormNDJSON)
	return q.sources.Cluster.AcceptNames(r, r.Command(c, func() error {
		if form.Form == "html" {
			return command.Usagef("-o html: use --html FILE")
		}
		if err := form.Check(); err != nil {
			return err
		}
		if q.html != "" && form.Form != command.FormYAML {
			return command.Usagef("--html cannot be combined with -o %s: leave one of them out", form.Form)
		}
		return runOwners(r, &q, &form)
	}))
}

// ownersQuery holds the flags of the command owners.
type ownersQuery struct {
	files   input.Files
	sources sources.Flags
	manager string
	clock   string
	html    string
	config  input.Files
}

func (q *ownersQuery) check() error {
	switch {
	case len(q.config.Names) == 0:
		return nil
	case q.html == "":
		return command.Usagef("--config needs --html; to compare a config with live objects as text, use dovetail diff")
	case q.manager == "":
		return command.Usagef("--config needs --field-manager with the name of the manager that would apply it")
	}
	return nil
}

func runOwners(r *command.Run, q *ownersQuery, form *command.Output) error {
	if err := q.check(); err != nil {
		return err
	}
	now, err := command.Clock(q.clock)
	if err != nil {
		return err
	}
	written := form
	if !form.Reports() {
		written = &command.Output{Form: command.FormText} // blamedList renders the objects itself
	}
	list := &blamedList{r: r, q: q, form: form, writer: report.NewOutcomeWriter(r, written), now: now()}
	filter := &prediction.OwnerFilter[blamedObject]{Files: q.files, Manager: q.manager, Convert: list.withoutObject, Next: list.add}
	err = prediction.EachObject(r, q.files, &q.sources, func(types *sources.Types, object *manifest.Object) blamedObject {
		list.types.Store(types)
		b := blame(types, object)
		if q.manager != "" && len(q.config.Names) == 0 && b.BlameResult != nil {
			b.keepOnly(q.manager)
		}
		list.render(&b)
		return b
	}, list.withoutObject, func(b blamedObject) { filter.Add(b.Outcome, b) })
	if err != nil {
		return err
	}
	filter.End(r)
	return list.end()
}

// blamedList collects the results of all objects. To save memory, it keeps the objects only if the
// command writes an HTML page.
type blamedList struct {
	r        *command.Run
	q        *ownersQuery
	form     *command.Output
	writer   *report.OutcomeWriter
	now      time.Time
	types    atomic.Pointer[sources.Types]
	managers report.ManagerCounts
	text     encode.Objects
	// found holds the results for the HTML page.
	found []blamedObject
	// others holds the results that have no object.
	others []blamedObject
}

// withoutObject renders an outcome for which there is no object to show. The cause is an error in
// the input, or the selected manager owns nothing.
func (l *blamedList) withoutObject(o *prediction.Outcome) blamedObject {
	b := blamedObject{Outcome: o}
	b.rendered = l.renderOutcome(&b)
	return b
}

// renderOutcome renders the messages of b. With -o report, it also renders the report.
func (l *blamedList) renderOutcome(b *blamedObject) *report.Rendered {
	if l.form.Reports() && b.Object != nil {
		return l.writer.RenderWith(b.Outcome, b.report())
	}
	return l.writer.Render(b.Outcome)
}

// render renders b, and then discards the owners in b to free memory. It does nothing if the
// command writes an HTML page.
func (l *blamedList) render(b *blamedObject) {
	if l.q.html != "" {
		return // page renders all objects together
	}
	b.rendered = l.renderOutcome(b)
	if b.BlameResult == nil {
		return
	}
	b.owned = b.fieldsByOwner()
	if !l.form.Reports() {
		var out bytes.Buffer
		text := newBlameText(&out, l.r.Env.Colour, l.now, *b)
		if l.r.Env.Terminal {
			text.fit(l.r.Env.Width)
		}
		text.write()
		b.text = out.Bytes()
	}
	b.BlameResult = nil
}

// add adds the result of the next object.
func (l *blamedList) add(b blamedObject) {
	switch {
	case l.q.html == "":
		l.addText(b)
	case b.Object != nil:
		l.found = append(l.found, b)
	default:
		l.others = append(l.others, b)
	}
}

func (l *blamedList) addText(b blamedObject) {
	l.writer.Add(b.rendered)
	if l.managers == nil {
		l.managers = report.ManagerCounts{}
	}
	l.managers.Add(b.owned)
	if b.text != nil {
		l.text.AddDocument(b.text, true)
	}
}

// end writes the results.
func (l *blamedList) end() error {
	if l.q.html != "" {
		return l.page()
	}
	l.writeMessages()
	if l.form.Reports() {
		return l.writer.Results()
	}
	if l.r.Status == command.StatusDone {
		l.r.Later(l.text.WriteDocuments)
	}
	return nil
}

func (l *blamedList) writeMessages() {
	l.writer.Summary.FieldsByManager = l.managers.List()
	l.writer.WriteMessages()
}

// page writes the HTML page.
func (l *blamedList) page() error {
	status := command.StatusDone
	for _, b := range slices.Concat(l.found, l.others) {
		status = max(status, b.Status())
	}
	if types := l.types.Load(); types != nil && len(l.q.config.Names) > 0 && status == command.StatusDone {
		now := func() time.Time { return l.now }
		maker := &prediction.Requester{Requests: &prediction.Requests{Manager: l.q.manager}, Types: types, Now: now}
		if err := findConflicts(l.r, l.q.config, maker, l.found); err != nil {
			return err
		}
	}
	for _, b := range slices.Concat(l.found, l.others) {
		b.rendered, b.owned = l.writer.Render(b.Outcome), b.fieldsByOwner()
		l.addText(b)
	}
	l.writeMessages()
	if l.r.Status != command.StatusDone {
		return nil
	}
	return writeOwnersPage(l.r, l.q, l.found, l.now)
}

// findConflicts predicts an apply of each config. It adds the conflicts to the result of the live
// object.
func findConflicts(r *command.Run, config input.Files, maker *prediction.Requester, found []blamedObject) error {
	objects, errs, closeFiles, err := prediction.Index(r, config, maker.Types)
	defer closeFiles()
	if bad, ok := input.Errors(err); ok {
		errs, err = bad, nil
	}
	if err != nil {
		return err
	}
	live, at := make([]*input.Ref, len(found)), map[*manifest.Object]int{}
	for i := range found {
		live[i] = input.RefTo(found[i].Object)
		at[found[i].Object] = i
	}
	pairs, pairErrs := prediction.PairUp(objects, live, maker.Types, r.NoteObject)
	errs = append(errs, pairErrs...)
	for refs := range command.Counted(r, pairs) {
		p, err := refs.Read()
		if err != nil {
			errs = append(errs, err)
		}
		i, paired := at[p.Live]
		if err != nil || !paired {
			continue
		}
		outcome := maker.Make(p, false)
		errs = append(errs, outcome.Errors...)
		found[i].comparison = &comparison{maker.Manager, outcome.Conflicts}
	}
	if len(found) > 0 {
		found[0].Errors = append(found[0].Errors, errs...)
	}
	return nil
}
