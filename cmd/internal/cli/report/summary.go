// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// Summary is the summary of a whole run of a command. It counts objects, conflicts and findings.
// It is part of each report, and comes first in messages on standard error, except on a terminal.
// The format is a stable part of the command line.
type Summary struct {
	// Command is the name of the command.
	Command string `json:"command"`
	// ExitStatus is the exit status of the command.
	ExitStatus int `json:"exitStatus"`
	// KubernetesVersion is the release of the built-in types. It is empty if the command uses none.
	KubernetesVersion string `json:"kubernetesVersion"`
	// OldKubernetesVersion is the old release in the comparison of upgrade-check. Other
	// commands leave it out.
	OldKubernetesVersion string `json:"oldKubernetesVersion,omitempty"`
	// Notes lists the notes about the whole run.
	Notes []string `json:"notes"`
	// Warnings lists the warnings about the whole run.
	Warnings []string `json:"warnings"`
	// Errors lists the errors that belong to no object, such as errors about unreadable files.
	Errors []ErrorReport `json:"errors"`

	// Objects is the number of checked objects. lint counts CRDs and OpenAPI documents.
	// upgrade-check counts live objects.
	Objects int `json:"objects"`
	// Created is the number of objects that apply, update and diff would create, because they
	// have no live object.
	Created int `json:"created"`
	// Changed is the number of objects that would change or, for diff, that differ. It
	// includes created objects.
	Changed int `json:"changed"`
	// Unchanged is the number of objects that do not change and have no errors, conflicts or
	// findings.
	Unchanged int `json:"unchanged"`
	// Conflicting is the number of objects with conflicts.
	Conflicting int `json:"conflicting"`
	// Refused is the number of objects that a server would reject because of an immutable field or
	// a policy.
	Refused int `json:"refused"`
	// Invalid is the number of objects with errors that are not counted in Refused.
	Invalid int `json:"invalid"`
	// Warned is the number of objects with warnings.
	Warned int `json:"warned"`
	// Found is the number of objects with findings.
	Found int `json:"found"`
	// Unread is the number of errors that belong to no object.
	Unread int `json:"unread"`
	// ConflictsByOwner counts the conflicts with each owner, largest count first.
	ConflictsByOwner []ManagerCount `json:"conflictsByOwner"`
	// FindingsByRule counts the findings of each rule, most severe rule first.
	FindingsByRule []RuleCount `json:"findingsByRule"`
	// FieldsByManager counts the fields of each manager, largest count first. Only the command
	// owners sets it.
	FieldsByManager []ManagerCount `json:"fieldsByManager,omitempty"`

	// Hidden counts the findings that are not shown. Only lint sets it.
	Hidden *Hidden `json:"hidden,omitempty"`

	// only is the name of the object, if there is exactly one. This field and the next ones are not
	// part of reports.
	only string
	// advice is the advice about problems.
	advice []string
	// inConflict is the number of objects in Changed that have conflicts.
	inConflict int
}

// Hidden counts the findings that are not shown, by reason.
type Hidden struct {
	// Choice is the number of findings that --rules and --min-severity leave out.
	Choice int `json:"choice"`
	// Ignored is the number of findings that are not reported because of a comment in the file.
	Ignored int `json:"ignored"`
	// Baseline is the number of findings in the baseline.
	Baseline int `json:"baseline"`
}

// ManagerCount is the number of fields that a manager owns in all objects, or the number of
// conflicts with this manager.
type ManagerCount struct {
	Manager   string                  `json:"manager"`
	Operation managedfields.Operation `json:"operation"`
	// Objects is the number of objects that have such fields or conflicts.
	Objects int `json:"objects"`
	Count   int `json:"count"`
}

// RuleCount counts the findings of a rule.
type RuleCount struct {
	Rule     string         `json:"rule"`
	Severity rules.Severity `json:"severity"`
	Count    int            `json:"count"`
}

// NewSummary returns an empty summary.
func NewSummary() *Summary {
	return &Summary{Errors: []ErrorReport{}, ConflictsByOwner: []ManagerCount{}, FindingsByRule: []RuleCount{}}
}

// SetChanged replaces the numbers of created, changed and unchanged objects. Created objects also
// count as changed. The argument inConflict is the number of changed objects that have conflicts.
// Only diff calls SetChanged. For other commands, an object with a conflict does not count as
// changed.
func (s *Summary) SetChanged(created, changed, inConflict, unchanged int) {
	s.Created, s.Changed, s.inConflict, s.Unchanged = created, changed, inConflict, unchanged
}

// add counts the outcome of an object. It also adds its conflicts to the counts in conflicts.
func (s *Summary) add(o *prediction.Outcome, conflicts ManagerCounts) {
	if o.Object == nil {
		s.addErrors(o.Errors)
		return
	}
	s.Objects++
	if s.only = ""; s.Objects == 1 {
		s.only = ShortName(o.Object.Identity())
	}
	switch _, changed := o.Final(); {
	case changed:
		s.Changed++
		if o.Maker != nil && o.Live == nil {
			s.Created++
		}
	case o.Status() == command.StatusDone:
		s.Unchanged++
	}
	switch {
	case o.Denied:
		s.Refused++
	case len(o.Errors) > 0:
		s.Invalid++
	case len(o.Immutable) > 0:
		s.Refused++
	}
	if len(o.Conflicts) > 0 {
		s.Conflicting++
	}
	if len(o.Warnings) > 0 {
		s.Warned++
	}
	with := map[managedfields.Owner]int{}
	for i := range o.Conflicts {
		with[o.Conflicts[i].Owner]++
	}
	conflicts.Add(with)
}

// addErrors adds errors that belong to no object.
func (s *Summary) addErrors(errs manifest.Errors) {
	s.Errors = append(s.Errors, ErrorReports(errs)...)
	s.Unread = len(s.Errors)
}

// ManagerCounts counts fields or conflicts by manager and operation. It ignores API versions
// and subresources.
type ManagerCounts map[ManagerCount]struct{ objects, count int }

// Add adds the counts of one object.
func (m ManagerCounts) Add(counts map[managedfields.Owner]int) {
	here := map[ManagerCount]int{}
	for o, n := range counts {
		here[ManagerCount{Manager: o.Manager, Operation: o.Operation}] += n
	}
	for manager, n := range here {
		sum := m[manager]
		sum.objects++
		sum.count += n
		m[manager] = sum
	}
}

// List returns the counts, largest count first.
func (m ManagerCounts) List() []ManagerCount {
	all := make([]ManagerCount, 0, len(m))
	for manager, sum := range m {
		manager.Objects, manager.Count = sum.objects, sum.count
		all = append(all, manager)
	}
	slices.SortFunc(all, func(a, b ManagerCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Manager, b.Manager), cmp.Compare(a.Operation, b.Operation))
	})
	return all
}

// AddFinding counts a finding.
func (s *Summary) AddFinding(rule string, severity rules.Severity) {
	for i := range s.FindingsByRule {
		if f := &s.FindingsByRule[i]; f.Rule == rule && f.Severity == severity {
			f.Count++
			return
		}
	}
	s.FindingsByRule = append(s.FindingsByRule, RuleCount{rule, severity, 1})
}

// noProblemText holds, for each command, the text that the summary shows after the number of
// objects if there is nothing else to report.
var noProblemText = map[string]string{
	"diff": "no difference", "validate": "all valid", "immutable": "none refused", "owners": "", "extract": "",
	"lint": "nothing found", "doctor": "nothing found", "upgrade-check": "nothing found",
}

// Write writes all notes, and the summary for users. On a terminal, the summary is at the end of
// the output. If the output is not a terminal, the summary comes first. In this case, the summary
// of a single object is written only if validate or doctor finds no problem, or if the object has
// findings or more conflicts than are described in full.
func (s *Summary) Write(r *command.Run) {
	defer r.WriteNotes()
	slices.SortFunc(s.FindingsByRule, func(a, b RuleCount) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Count, a.Count), strings.Compare(a.Rule, b.Rule))
	})
	conflicts, findings := 0, 0
	var severities [3]int
	for _, c := range s.ConflictsByOwner {
		conflicts += c.Count
	}
	for _, f := range s.FindingsByRule {
		findings += f.Count
		severities[f.Severity] += f.Count
	}
	if r.Env.ErrTerminal {
		s.close(r, conflicts, severities)
		return
	}
	many := s.Objects > 1 || conflicts > maxInFull || findings > maxInFull
	valid := (r.Name == "validate" || r.Name == "doctor") && s.Unchanged == 1 && s.Warned == 0
	if !many && !valid && findings == 0 {
		return
	}
	say := func(text string) { fmt.Fprintln(r.Env.Stderr, words.OneLine(text)) }
	s.head(r, conflicts, severities, say)
	if !many {
		return
	}
	lines(len(s.ConflictsByOwner), say, func(i int) string {
		c := s.ConflictsByOwner[i]
		return fmt.Sprintf("%s with %s (%s)", words.Count(c.Count, "conflict"), c.Manager, c.Operation)
	})
	if conflicts > maxInFull {
		say("  -o report shows every conflict with all ways to resolve it")
	}
	s.list(r, func(line string) { say("  " + line) })
}

// head writes the first line of the summary, which counts the objects.
func (s *Summary) head(r *command.Run, conflicts int, severities [3]int, print func(string)) {
	var parts []string
	part := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	part(s.Created, "%d new", s.Created)
	part(s.Changed-s.Created, "%d changed", s.Changed-s.Created)
	part(conflicts, "%s%s", words.Count(conflicts, "conflict"), inObjects(s.Conflicting, s.Objects))
	part(s.Refused, "%d refused", s.Refused)
	part(s.Invalid, "%d invalid", s.Invalid)
	part(s.Warned, "%d with warnings", s.Warned)
	part(s.Unread, "%s", s.otherErrors())
	if text := Severities(severities); text != "" {
		parts = append(parts, text)
	}
	if s.Objects > 1 {
		part(s.Found, "%d with findings", s.Found)
	}
	if r.Name == "upgrade-check" && s.Objects > 0 && s.Found == 0 && len(s.FindingsByRule) > 0 {
		whom := "the objects"
		if s.Objects == 1 {
			whom = "the object"
		}
		parts = append(parts, "none about "+whom) // all findings are about types
	}
	none, known := noProblemText[r.Name]
	if !known {
		none = "none changed"
	}
	if r.Name == "validate" && r.SimpleRules() {
		none = "no errors found"
	}
	if s.Objects == 1 {
		none = strings.TrimPrefix(none, "all ")
	}
	switch head := words.Count(s.Objects, "object"); {
	case len(parts) == 0 && none == "":
		print(head)
	case s.Objects == 0:
		print(strings.Join(parts, ", "))
	default:
		print(head + ": " + cmp.Or(strings.Join(parts, ", "), none))
	}
}

// otherErrors counts the errors that belong to no object.
func (s *Summary) otherErrors() string {
	if s.Objects == 0 {
		return words.Count(s.Unread, "error")
	}
	return words.Count(s.Unread, "other error")
}

// list writes the number of findings of each rule, and the number of fields of each manager.
func (s *Summary) list(r *command.Run, print func(string)) {
	plain := func(text string) { print(strings.TrimPrefix(text, "  ")) }
	lines(len(s.FindingsByRule), plain, func(i int) string {
		f := s.FindingsByRule[i]
		return fmt.Sprintf("%d %s (%v)", f.Count, f.Rule, f.Severity)
	})
	if r.Env.ErrTerminal && s.Objects == 1 {
		return // the result lists the managers
	}
	lines(len(s.FieldsByManager), plain, func(i int) string {
		m := s.FieldsByManager[i]
		return fmt.Sprintf("%s in %s, owned by %s (%s)", words.Count(m.Count, "field"), words.Count(m.Objects, "object"), m.Manager, m.Operation)
	})
}

// lines writes n lines. If n is too large, it writes only the first lines, and the number of
// the omitted lines.
func lines(n int, print func(string), line func(i int) string) {
	for i := range n {
		if i == maxInFull && n > maxInFull+1 {
			print(fmt.Sprintf("  and %d more", n-i))
			return
		}
		print("  " + line(i))
	}
}

// inObjects returns text such as " in 2 objects". It returns "" if there is only one object in all.
func inObjects(n, all int) string {
	if all == 1 {
		return ""
	}
	return " in " + words.Count(n, "object")
}

// Severities describes counts of findings as text, such as "1 error, 2 warnings". n is indexed
// by severity.
func Severities(n [3]int) string {
	var parts []string
	for s := rules.Error; s >= rules.Hint; s-- {
		if n[s] > 0 {
			parts = append(parts, words.Count(n[s], s.String()))
		}
	}
	return strings.Join(parts, ", ")
}
