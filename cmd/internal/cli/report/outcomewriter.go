// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// OutcomeWriter collects the outcomes of objects in order. At the end, it writes the summary, the
// messages and the results. Resulting objects are written only if no object has an error, a
// conflict or a forbidden change. To save memory, OutcomeWriter stores only text, and moves long
// text to a file.
type OutcomeWriter struct {
	// Summary counts the outcomes. A command can add counts of its own.
	Summary *Summary
	// Findings holds additional findings of the command for CI systems. They are written after the
	// findings about outcomes. Findings is set only if -o selects a format for CI systems.
	Findings *ci.Report
	// ConflictsShown is set if the command itself shows conflicts and immutable fields on the
	// terminal. In this case, the short messages leave out conflicts and immutable fields.
	ConflictsShown bool
	outcomes       *ci.Report

	r         *command.Run
	form      *command.Output
	conflicts ManagerCounts
	advice    adviser
	// unmanaged is the message about the first object without managed fields. It stands for all
	// such objects, because usually a whole dump lacks managed fields.
	unmanaged string
	// unmanagedObjects is the number of objects without managed fields.
	unmanagedObjects int
	// unread holds the messages about input that could not be read. They are written before the
	// text in the field messages.
	unread   spool.Text
	messages spool.Text
	shorts   spool.Text
	reports  encode.Reports
	objects  *command.Objects
	// inFull is the number of conflicts that may still be described in full.
	inFull int
	// explained holds the ways to resolve conflicts that were already described.
	explained map[waysOut]string
	// shortOutcomes is the number of objects for which a forced apply may still be predicted. Short
	// messages need this prediction to say which fields are immutable.
	shortOutcomes int
	status        int
	// err is the first error in writing results.
	err error
}

// NewOutcomeWriter returns an OutcomeWriter for a command that has the flag -o.
func NewOutcomeWriter(r *command.Run, form *command.Output) *OutcomeWriter {
	t := &OutcomeWriter{r: r, form: form, Summary: NewSummary(), conflicts: ManagerCounts{}, inFull: maxInFull, explained: map[waysOut]string{}, shortOutcomes: maxInFull, objects: command.NewObjects(form)}
	if ci.Is(form.Form) {
		t.Findings, t.outcomes = &ci.Report{}, &ci.Report{Command: r.Name}
	}
	return t
}

// Rendered is a rendered outcome. Outcomes can be rendered concurrently, because they do not
// depend on each other.
type Rendered struct {
	Outcome *prediction.Outcome
	// messages holds two texts: the messages before the conflicts, and the messages after them.
	messages [2]bytes.Buffer
	// unmanaged is the message that the object has no managed fields, or "". It is not part of
	// messages.
	unmanaged string
	report    []byte
	object    []byte
	err       error
}

// Render renders an outcome so that Add can add it. It is safe for concurrent use.
func (t *OutcomeWriter) Render(o *prediction.Outcome) *Rendered {
	if t.form.Reports() && o.Object != nil {
		return t.RenderWith(o, Of(o))
	}
	return t.RenderWith(o, nil)
}

// RenderWith is like Render, but for a command that makes its own report about an object. If the
// outcome has no object, RenderWith leaves out the report, and the errors become part of the
// summary.
func (t *OutcomeWriter) RenderWith(o *prediction.Outcome, report any) *Rendered {
	rendered := &Rendered{Outcome: o}
	t.writeTrace(&rendered.messages[0], o)
	rendered.writeMessages(!t.r.ShortMessages())
	object, _ := o.Final()
	switch {
	case t.form.Reports() && o.Object == nil:
	case t.form.Reports():
		rendered.report, rendered.err = encode.Line(report)
	case t.Findings != nil, t.form.Form == command.FormText:
	case o.Status() == command.StatusDone:
		rendered.object, rendered.err = t.objects.Encode(t.r.Masks.Reveal(object))
	}
	return rendered
}

// writeMessages writes the warnings and errors of an outcome. If immutable is true, it also
// describes the changes of immutable fields in full.
func (rendered *Rendered) writeMessages(immutable bool) {
	o := rendered.Outcome
	say := func(line, message string) {
		if message == o.Unmanaged {
			rendered.unmanaged = line
			return
		}
		fmt.Fprintln(&rendered.messages[0], words.Visible(line))
	}
	for _, w := range o.Warnings {
		path := w.Path
		if path != "" {
			path += ": "
		}
		message := w.Message
		for _, m := range o.Migrations { // the advice has the whole command
			message = strings.Replace(message, m.String(), "dovetail migrate", 1)
		}
		say(fmt.Sprintf("%s: warning: %s%s", w.At, path, message), w.Message)
	}
	for _, e := range o.Errors {
		say(e.Error(), e.Message)
	}
	for i := range o.Immutable {
		if immutable {
			writeImmutable(&rendered.messages[1], o, &o.Immutable[i])
		}
	}
}

// Add adds the next rendered outcome. Call it in the order of the objects.
func (t *OutcomeWriter) Add(rendered *Rendered) {
	o := rendered.Outcome
	t.Summary.add(o, t.conflicts)
	t.advice.add(o)
	for _, note := range o.Notes {
		t.r.NoteObject(note)
	}
	if rendered.unmanaged != "" {
		t.unmanaged = cmp.Or(t.unmanaged, rendered.unmanaged)
		t.unmanagedObjects++
	}
	if o.Object == nil {
		t.unread.Write(rendered.messages[0].Bytes())
	} else {
		t.messages.Write(rendered.messages[0].Bytes())
	}
	t.writeConflicts(o)
	t.messages.Write(rendered.messages[1].Bytes())
	t.status = max(t.status, o.Status())
	if t.outcomes != nil {
		addFindings(t.outcomes, o)
	}
	switch {
	case rendered.err != nil:
		t.err = cmp.Or(t.err, rendered.err)
	case rendered.report != nil:
		t.reports.Add(rendered.report)
	case rendered.object != nil && t.status == command.StatusDone:
		t.objects.Add(rendered.object)
	}
}

// writeConflicts writes the conflicts of an outcome: one line for each if the messages are
// short, and the full description otherwise.
func (t *OutcomeWriter) writeConflicts(o *prediction.Outcome) {
	switch {
	case !t.r.ShortMessages():
		t.inFull = writeConflicts(o, &t.messages, t.inFull, t.explained)
	case t.ConflictsShown:
	default:
		s := &Short{W: &t.shorts, Colour: t.r.Env.ErrColour, Width: t.r.Env.ErrWidth}
		shortConflicts(s, o, t.shortOutcomes > 0)
		t.shortOutcomes--
		t.ShortenedValues(s.Cut)
	}
}

// ShortenedValues records whether values were shortened for a terminal, so that the advice can
// mention --explain.
func (t *OutcomeWriter) ShortenedValues(cut bool) { t.advice.cut = t.advice.cut || cut }

// Status returns the highest exit status of the outcomes.
func (t *OutcomeWriter) Status() int { return t.status }

// Errors writes a summary with the errors, and then the errors themselves. It is for commands
// without outcomes.
func Errors(r *command.Run, errs manifest.Errors, s *Summary) {
	s.addErrors(errs)
	s.Write(r)
	for _, e := range errs {
		fmt.Fprintln(r.Env.Stderr, words.Visible(e.Error()))
	}
}

// WriteReports writes the reports of a command that predicts no requests.
func WriteReports[T any](r *command.Run, form *command.Output, s *Summary, objects []T) error {
	reports := &encode.Reports{}
	for _, object := range objects {
		line, err := encode.Line(object)
		if err != nil {
			return err
		}
		reports.Add(line)
	}
	writeLater(r, form, s, reports)
	return nil
}

// writeLater writes the reports when the command ends, because only then is the summary complete.
func writeLater(r *command.Run, form *command.Output, s *Summary, reports *encode.Reports) {
	r.Later(func(w io.Writer) error {
		s.Command, s.ExitStatus, s.KubernetesVersion = r.Name, r.Status, r.Kubernetes
		s.Notes, s.Warnings = r.RunNotes(), r.Warnings()
		if form.Form == command.FormNDJSON {
			return reports.WriteLines(w, s)
		}
		return reports.Write(w, s)
	})
}

// WriteMessages writes the summary and all messages, and sets the exit status.
func (t *OutcomeWriter) WriteMessages() {
	t.Summary.ConflictsByOwner = t.conflicts.List()
	t.Summary.advice = t.advice.lines(conflictCommands[t.r.Name], t.r.ShortMessages())
	t.Summary.Write(t.r)
	t.r.WriteMessages(&t.unread)
	t.writeUnmanaged()
	t.r.WriteMessages(&t.messages)
	t.writeAdvice()
	t.r.WritePainted(&t.shorts)
	t.r.Status = max(t.r.Status, t.status)
}

// writeAdvice writes the migrations that the messages mention. On a terminal, it writes nothing,
// because the summary contains the migrations.
func (t *OutcomeWriter) writeAdvice() {
	if t.r.Env.ErrTerminal {
		return
	}
	for _, line := range t.advice.migrationLines() {
		fmt.Fprintln(t.r.Env.Stderr, words.OneLine(line))
	}
	if t.advice.conflicts > 1 && conflictCommands[t.r.Name] && t.r.ShortenedByFlag() {
		fmt.Fprintln(t.r.Closing(), "To see each conflict on one line, add --explain=false.")
	}
}

// writeUnmanaged writes a single message about all objects that have no managed fields.
func (t *OutcomeWriter) writeUnmanaged() {
	if t.unmanagedObjects == 0 {
		return
	}
	if others := t.unmanagedObjects - 1; others > 0 {
		all := fmt.Sprintf("%s, here and in %s", prediction.NoManagedFields, words.Count(others, "other object"))
		t.unmanaged = strings.Replace(t.unmanaged, prediction.NoManagedFields, all, 1)
	}
	fmt.Fprintln(t.r.Env.Stderr, words.Visible(t.unmanaged))
}

// conflictCommands lists the commands that have flags to resolve conflicts.
var conflictCommands = map[string]bool{"apply": true, "diff": true}

// End writes the messages, and then the reports, findings or objects that -o selects. If any
// object has an error, a conflict or a forbidden change, End writes no objects.
func (t *OutcomeWriter) End() error {
	t.WriteMessages()
	return t.Results()
}

// Results writes the reports, findings or objects that -o selects.
func (t *OutcomeWriter) Results() error {
	switch {
	case t.err != nil:
		return t.err
	case t.form.Reports():
		writeLater(t.r, t.form, t.Summary, &t.reports)
	case t.outcomes != nil:
		t.outcomes.Append(t.Findings)
		return t.outcomes.Write(&t.r.Out, t.form.Form)
	case t.form.Form != command.FormText && t.status == command.StatusDone:
		t.r.Later(t.objects.Write)
	}
	return nil
}
