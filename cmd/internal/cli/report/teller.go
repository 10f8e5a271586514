// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Teller collects the outcomes of objects, one after the other, and writes messages and results
// at the end: messages stand behind a summary, and a result is written only if all objects have
// one. It holds no object. The texts are kept in memory or in a file.
type Teller struct {
	// Summary counts the outcomes. Commands add what only they know.
	Summary *Summary
	// Findings are those of the command itself, for CI systems. They follow the findings about
	// the outcomes. nil if -o asks for another form.
	Findings *ci.Report
	// ConflictsShown says that the result on the terminal shows conflicts and immutable fields,
	// so the messages leave them out.
	ConflictsShown bool
	outcomes       *ci.Report

	r         *command.Run
	form      *command.Output
	conflicts ManagerCounts
	advice    adviser
	messages  spool.Text
	shorts    spool.Text
	reports   encode.Reports
	objects   *command.Objects
	// inFull is the number of conflicts that may still be written in full.
	inFull int
	// shortOutcomes is the number of objects whose conflicts are checked for immutable fields.
	shortOutcomes int
	status        int
	// err is the first error that keeps a result from being written.
	err error
}

// NewTeller returns a Teller for a command with the flag -o.
func NewTeller(r *command.Run, form *command.Output) *Teller {
	t := &Teller{r: r, form: form, Summary: NewSummary(), conflicts: ManagerCounts{}, inFull: maxInFull, shortOutcomes: maxInFull, objects: command.NewObjects(form)}
	if ci.Is(form.Form) {
		t.Findings, t.outcomes = &ci.Report{}, &ci.Report{Command: r.Name}
	}
	return t
}

// Told is a rendered outcome, as far as it does not depend on earlier outcomes.
type Told struct {
	Outcome *prediction.Outcome
	// messages stand before and behind those about conflicts.
	messages [2]bytes.Buffer
	report   []byte
	object   []byte
	err      error
}

// Tell renders an outcome. It is safe for concurrent use.
func (t *Teller) Tell(o *prediction.Outcome) *Told {
	if t.form.Reports() {
		return t.TellAs(o, Of(o))
	}
	return t.TellAs(o, nil)
}

// TellAs renders an outcome, with the report that the command has of it.
func (t *Teller) TellAs(o *prediction.Outcome, report any) *Told {
	told := &Told{Outcome: o}
	t.writeTrace(&told.messages[0], o)
	told.writeMessages(!t.r.ShortMessages())
	object, _ := o.Final()
	switch {
	case t.form.Reports():
		told.report, told.err = encode.Line(report)
	case t.Findings != nil, t.form.Form == command.FormText:
	case o.Status() == command.StatusDone:
		told.object, told.err = t.objects.Encode(t.r.Masks.Reveal(object))
	}
	return told
}

// writeMessages writes the warnings and errors of an outcome, and with immutable the immutable
// fields in full.
func (told *Told) writeMessages(immutable bool) {
	o := told.Outcome
	before := &told.messages[0]
	for _, w := range o.Warnings {
		path := w.Path
		if path != "" {
			path += ": "
		}
		fmt.Fprintln(before, words.Visible(fmt.Sprintf("%s: warning: %s%s", w.At, path, w.Message)))
	}
	for _, e := range o.Errors {
		fmt.Fprintln(before, words.Visible(e.Error()))
	}
	for i := range o.Immutable {
		if immutable {
			writeImmutable(&told.messages[1], o, &o.Immutable[i])
		}
	}
}

// Add adds a rendered outcome behind the earlier ones.
func (t *Teller) Add(told *Told) {
	o := told.Outcome
	t.Summary.add(o, t.conflicts)
	t.advice.add(o)
	for _, note := range o.Notes {
		t.r.Notef("%s", note)
	}
	t.messages.Write(told.messages[0].Bytes())
	t.writeConflicts(o)
	t.messages.Write(told.messages[1].Bytes())
	t.status = max(t.status, o.Status())
	if t.outcomes != nil {
		addFindings(t.outcomes, o)
	}
	switch {
	case told.err != nil:
		t.err = cmp.Or(t.err, told.err)
	case told.report != nil:
		t.reports.Add(told.report)
	case told.object != nil && t.status == command.StatusDone:
		t.objects.Add(told.object)
	}
}

// writeConflicts writes the conflicts of an outcome: in full, or a line for each on a terminal.
func (t *Teller) writeConflicts(o *prediction.Outcome) {
	switch {
	case !t.r.ShortMessages():
		t.inFull = writeConflicts(o, &t.messages, t.inFull)
	case t.ConflictsShown:
	default:
		s := &Short{W: &t.shorts, Colour: t.r.Env.ErrColour, Width: t.r.Env.ErrWidth}
		shortConflicts(s, o, t.shortOutcomes > 0)
		t.shortOutcomes--
		t.ShortenedValues(s.Cut)
	}
}

// ShortenedValues notes whether values were shortened for a terminal.
func (t *Teller) ShortenedValues(cut bool) { t.advice.cut = t.advice.cut || cut }

// Status returns the highest exit status of the outcomes.
func (t *Teller) Status() int { return t.status }

// Errors writes a summary and errors, for a command without outcomes of objects.
func Errors(r *command.Run, errs manifest.Errors, s *Summary) {
	t := NewTeller(r, &command.Output{Form: command.FormText})
	t.Add(t.Tell(&prediction.Outcome{Errors: errs}))
	s.Write(r)
	r.WriteMessages(&t.messages)
}

// Say writes the summary and the messages, and sets the exit status.
func (t *Teller) Say() {
	t.Summary.ConflictsByOwner = t.conflicts.List()
	t.Summary.advice = t.advice.lines(choosing[t.r.Name], t.r.ShortMessages())
	t.Summary.Write(t.r)
	t.r.WriteMessages(&t.messages)
	t.r.WritePainted(&t.shorts)
	t.r.Status = max(t.r.Status, t.status)
}

// choosing are the commands with flags that choose the way out of conflicts.
var choosing = map[string]bool{"apply": true, "diff": true}

// End ends a command: it writes messages, and the reports, findings or objects that -o asks for.
// If one object has no result, no object is written.
func (t *Teller) End() error {
	t.Say()
	return t.Results()
}

// Results writes the results.
func (t *Teller) Results() error {
	switch {
	case t.err != nil:
		return t.err
	case t.form.Reports():
		t.r.Later(func(w io.Writer) error { return t.reports.Write(w, t.Summary, t.form.Form == command.FormNDJSON) })
	case t.outcomes != nil:
		t.outcomes.Append(t.Findings)
		return t.outcomes.Write(&t.r.Out, t.form.Form)
	case t.form.Form != command.FormText && t.status == command.StatusDone:
		t.r.Later(t.objects.Write)
	}
	return nil
}
