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
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/server"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Teller tells what came of objects, one after the other. It holds none of them; but what is
// told stands behind a summary, and results are written once all have come about, so their
// texts are kept, in memory or in a file.
type Teller struct {
	// Summary counts what is added. Commands add to it what only they know.
	Summary *Summary
	// Findings are for CI systems, what a command found itself: they stand behind what is
	// told of all outcomes. nil if they are not asked for.
	Findings *ci.Report
	outcomes *ci.Report

	r         *command.Run
	form      *command.Output
	conflicts ManagerCounts
	messages  spool.Text
	reports   encode.Reports
	objects   *command.Objects
	// inFull is how many conflicts may be told in full.
	inFull int
	status int
	// err is the first of those that keep a result from being written.
	err error
}

// NewTeller returns one that has told nothing.
func NewTeller(r *command.Run, form *command.Output) *Teller {
	t := &Teller{r: r, form: form, Summary: NewSummary(), conflicts: ManagerCounts{}, inFull: maxInFull, objects: command.NewObjects(form)}
	if ci.Is(form.Form) {
		t.Findings, t.outcomes = &ci.Report{}, &ci.Report{Command: r.Name}
	}
	return t
}

// Told is what is to be told of an outcome, as far as it does not depend on those before it.
type Told struct {
	Outcome *server.Outcome
	// messages stand before and behind those about conflicts.
	messages [2]bytes.Buffer
	report   []byte
	object   []byte
	err      error
}

// Tell renders an outcome. It may be called by several goroutines.
func (t *Teller) Tell(o *server.Outcome) *Told {
	if t.form.Reports() {
		return t.TellAs(o, Of(o))
	}
	return t.TellAs(o, nil)
}

// TellAs renders an outcome, with the report that a command has of it.
func (t *Teller) TellAs(o *server.Outcome, report any) *Told {
	told := &Told{Outcome: o}
	t.writeTrace(&told.messages[0], o)
	told.writeMessages()
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

// writeMessages writes what is to be said of an outcome besides its result.
func (told *Told) writeMessages() {
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
		writeImmutable(&told.messages[1], o, &o.Immutable[i])
	}
}

// Add tells an outcome behind those before it.
func (t *Teller) Add(told *Told) {
	o := told.Outcome
	t.Summary.add(o, t.conflicts)
	for _, note := range o.Notes {
		t.r.Notef("%s", note)
	}
	t.messages.Write(told.messages[0].Bytes())
	t.inFull = writeConflicts(o, &t.messages, t.inFull)
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

// Status is the exit status that all outcomes make.
func (t *Teller) Status() int { return t.status }

// Errors writes a summary and errors, of a command that tells of no objects.
func Errors(r *command.Run, errs manifest.Errors, s *Summary) {
	t := NewTeller(r, &command.Output{Form: command.FormText})
	t.Add(t.Tell(&server.Outcome{Errors: errs}))
	s.Write(r)
	r.WriteMessages(&t.messages)
}

// Say writes the summary and the messages.
func (t *Teller) Say() {
	t.Summary.ConflictsByOwner = t.conflicts.List()
	t.Summary.Write(t.r)
	t.r.WriteMessages(&t.messages)
	t.r.Status = max(t.r.Status, t.status)
}

// End ends a command: with messages, and with reports, findings, or the objects that came of
// it. All objects are written or none: a part of a set is not what was asked for.
func (t *Teller) End() error {
	t.Say()
	return t.Results()
}

// Results writes the results, behind the messages.
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
