// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/rules"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// NewLint returns the command lint.
func NewLint(r *command.Run) *cobra.Command {
	var (
		l   lintRun
		fix bool
	)
	c := &cobra.Command{
		Use:   "lint FILE... [--fix]",
		Short: "Find mistakes in CRDs and OpenAPI documents",
		Long: `Check CustomResourceDefinitions for three kinds of mistakes:

  error    The API server rejects the CRD, or fails requests because of it:
           schemas that are not structural, invalid defaults, rules that do
           not compile or cost too much.
  warning  The CRD works differently than its author probably expects:
           immutability markers inside sets, list keys with a zero default,
           defaults that are null or never used, sets whose description
           mentions an order, lists of conditions whose key is not "type",
           unknown keywords.
  hint     The CRD could be better: lists without a list type, defaults inside
           an optional object that has no default itself, immutability
           markers that no CEL rule enforces and that servers ignore.

By default, lint reports errors and warnings, and exits with status 1 if there are any. To
select other findings, use --min-severity and --rules.

Lint prints one line for each finding, with the file, the line number, the path and the rule. This
page explains each rule with an example and the fix:

  https://github.com/dovetail-ssa/dovetail/blob/main/docs/findings.md

Lint also checks CRDs of apiextensions.k8s.io/v1beta1, and reports each difference from v1. It
ignores other objects.

To suppress findings of a line, add an "ignore" comment at the end of the line, or on a line of
its own before it. An "ignore-file" comment suppresses findings in the whole file:

  # dovetail-lint: ignore=ordered-set,missing-list-type
  # dovetail-lint: ignore-file=missing-list-type

For generated files, use a baseline instead of comments. With --write-baseline, lint writes
the current findings to the --baseline file. Later runs with --baseline ignore these findings.
Lint identifies a finding by CRD, path and rule.

If a CRD has certain errors, lint cannot check its defaults or CEL rules. If such an error prevents
the check of a selected rule, lint always reports the error, even if comments, a baseline or
--rules would hide it.

Lint also checks list keys and defaults in OpenAPI documents, v2 or v3. The paths in these
findings begin with the name of the definition. If documents refer to each other, pass all of
them in one call.

With --fix, lint takes a single FILE. It prints the repaired file on standard output, and the
findings on standard error. Repaired findings begin with "fixed". Lint also repairs and prints
findings that --rules, --min-severity, comments or a baseline would hide. It makes three
kinds of repairs:

  1. A list key "protocol" gets the default TCP, unless other keywords of the
     schema could reject this default.
  2. If the default of an object lacks a required field, and this field has a
     default of its own, the field becomes optional.
  3. A default of the wrong type gets the type of its field, such as 1 instead
     of "1".

The repaired CRD accepts and stores the same objects as before, except that it sets the default
of "protocol".

Lint normally changes only the lines of the repairs. It formats the whole document again if a repair
is in a mapping in braces, such as {type: string}, replaces a value of several lines, or affects only
some uses of an anchor. The new document keeps the comments, but has no blank lines or aliases. If the
document is JSON, the new document is YAML.

Exit status: 0 no findings; 1 findings, repaired or not; 3 invalid input.`,
		Example: `  # Check the CRDs in a directory.
  dovetail lint config/crd/bases

  # Check the CRDs of a chart.
  helm template db | dovetail lint -

  # In CI: accept all current findings, and fail only for new ones.
  dovetail lint config/crd/bases --baseline lint.json --write-baseline
  dovetail lint config/crd/bases --baseline lint.json

  # Repair a CRD that the API server rejects for its list key "protocol".
  dovetail lint crd.yaml --fix > fixed.yaml

  # Check the OpenAPI document of a server.
  kubectl get --raw /openapi/v3/apis/example.com/v1 | dovetail lint -

  # Check that CEL rules enforce all immutability markers.
  dovetail lint crds.yaml --rules immutability-unenforced

  # Find lists without a list type.
  dovetail lint crds.yaml --rules missing-list-type

  # Print JSON.
  dovetail lint crds.yaml -o report`,
	}
	c.Flags().BoolVar(&fix, "fix", false, "print the CRDs of a single FILE with repairs: add the default TCP to list keys named protocol, convert defaults to the type of their field, and make a required field optional if it has a default that the default of the object around it omits")
	l.choice.register(c.Flags(), rules.Lint())
	l.baseline.register(c.Flags())
	l.form.RegisterFindings(c.Flags())
	c = r.Command(c, func() error {
		if err := l.form.Check(); err != nil {
			return err
		}
		if err := l.choice.parse(c.Flags().Changed("min-severity")); err != nil {
			return err
		}
		f := input.Files{Flag: "lint", Names: c.Flags().Args()}
		if len(f.Names) == 0 {
			return command.Usagef("no file: name the files to check, or - for standard input")
		}
		err := l.baseline.read(r)
		switch {
		case err != nil:
		case fix:
			return l.fix(r, f)
		default:
			err = l.lint(r, f)
		}
		if more, ok := input.Errors(err); ok {
			l.errors = append(l.errors, more...)
		} else if err != nil {
			return err
		}
		return l.finish(r)
	})
	c.Args = cobra.ArbitraryArgs
	return c
}

// lintRun holds the settings and the results of one run of lint.
type lintRun struct {
	choice   ruleChoice
	baseline baseline
	form     command.Output

	found []finding
	// checked holds one report for each checked CRD and OpenAPI document. reports adds the
	// findings to these reports.
	checked []LintReport
	hidden  report.Hidden
	errors  manifest.Errors // errors about reading files
}

// lint checks the files of f.
func (l *lintRun) lint(r *command.Run, f input.Files) error {
	var docs []openapi.Document
	var duplicates sources.Duplicates
	seen := false
	names, errs := f.All(r)
	l.errors = errs
	for _, file := range names {
		data, shown, err := input.ReadFile(r, f.Flag, file.Name)
		if bad, ok := input.Errors(err); ok {
			l.errors = append(l.errors, bad...)
			continue
		} else if err != nil {
			return err
		}
		if openapi.IsDocument(data) {
			docs = append(docs, openapi.Document{Name: shown, Data: data})
			continue
		}
		if file.Listed && input.IsKustomization(shown, data) {
			input.NoteKustomization(r, shown)
			continue
		}
		objects, err := manifest.Read(shown, data)
		if bad, ok := input.Errors(err); ok {
			l.errors = append(l.errors, bad...)
		} else if err != nil {
			return err
		}
		sources.WarnOfMisspelledKinds(r, shown, data)
		var found []finding
		for o := range command.Counted(r, objects) {
			if o.Identity().Kind != "CustomResourceDefinition" {
				continue
			}
			seen = true
			if err := wantCRD(o); err != nil {
				l.errors = append(l.errors, err)
				continue
			}
			if err := sources.NeedsRules("to lint a CRD"); err != nil {
				return err
			}
			duplicates.Add(r, o, "a cluster keeps only the last one that you apply")
			inCRD := l.checkCRD(o)
			l.noteUncheckedRules(r, o, inCRD)
			found = append(found, inCRD...)
		}
		l.add(r, shown, data, found)
	}
	if len(docs) > 0 {
		found, err := lintOpenAPI(r, docs)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			ofDocument := slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.File != doc.Name })
			l.add(r, doc.Name, doc.Data, l.check(LintReport{File: doc.Name}, ofDocument))
		}
		return nil
	}
	if !seen && len(l.errors) == 0 {
		l.errors = manifest.Errors{{File: words.ShortList(f.Names), Message: "there is no CustomResourceDefinition and no OpenAPI document to check"}}
	}
	return nil
}

// checkCRD returns the findings in a CRD.
func (l *lintRun) checkCRD(o *manifest.Object) []finding {
	return l.check(LintReport{ObjectReport: report.ReportObject(o.Identity()), File: o.Start().File}, lintCRD(o))
}

// noteUncheckedRules adds a note if the CEL rules of a CRD were not checked. A single error in a schema
// prevents the check of all rules in the schema.
func (l *lintRun) noteUncheckedRules(r *command.Run, o *manifest.Object, found []finding) {
	rule, _ := rules.Lookup("validations") // not crd.Validations, because a slim build has no package crd
	if !l.choice.includes(rule.ID, rule.Severity) {
		return
	}
	for _, f := range found {
		for _, u := range f.prevents {
			if slices.Contains(u.rules, rule.ID) {
				r.Notef("%s: the CEL rules of %s were not checked, because its schema has other errors; correct these first", o.Start().File, o.Identity().Name)
				return
			}
		}
	}
}

// check appends definition to the checked definitions. It stores the index of definition in
// each finding, and returns the findings.
func (l *lintRun) check(definition LintReport, found []finding) []finding {
	for i := range found {
		found[i].checked = len(l.checked)
	}
	definition.Findings = []finding{}
	l.checked = append(l.checked, definition)
	return found
}

// add adds the findings in a file, except for findings that comments in the file ignore.
func (l *lintRun) add(r *command.Run, name string, data []byte, found []finding) {
	comments, errs := readIgnores(name, data)
	l.errors = append(l.errors, errs...)
	rest, ignored := comments.apply(found, l.mustReport)
	for _, e := range comments.unusedErrors() {
		r.Warnf("%v", e)
	}
	l.hidden.Ignored += ignored
	l.found = append(l.found, rest...)
}

// mustReport reports whether a finding cannot be hidden by a comment, the baseline or the choice of
// rules. It returns true if the problem prevented lint from checking a chosen rule. If such a
// finding were hidden, lint could report success for a CRD that an API server rejects. mustReport
// also adds to the message of the finding what lint could not check.
func (l *lintRun) mustReport(f *finding) bool {
	parts, what := 0, ""
	for _, u := range f.prevents {
		chosen := u.rules == nil
		for _, id := range u.rules {
			rule, _ := rules.Lookup(id)
			chosen = chosen || l.choice.includes(id, rule.Severity)
		}
		if !chosen {
			continue
		}
		if u.path == "" {
			parts, what = 1, "the whole CRD"
			break
		}
		if parts++; parts == 1 {
			what = u.path
		}
	}
	switch parts {
	case 0:
		return false
	case 1:
	default:
		what += " and " + words.Count(parts-1, "other place")
	}
	if because := "; because of this error, lint could not check " + what; !strings.HasSuffix(f.Message, because) {
		f.Message += because
	}
	return true
}

// wantCRD returns an error if a CustomResourceDefinition uses an unsupported API version.
func wantCRD(o *manifest.Object) *manifest.Error {
	switch v := o.Identity().APIVersion; v {
	case "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1":
		return nil
	default:
		return o.Errorf(".apiVersion", "use apiextensions.k8s.io/v1, not %s", v)
	}
}

// finish prints the findings to report and sets the exit status.
func (l *lintRun) finish(r *command.Run) error {
	found, s, err := l.filterAndCount(r)
	if err != nil {
		return err
	}
	if len(l.errors) > 0 {
		r.Status = command.StatusInvalid
	}
	if l.form.Reports() {
		s.Hidden = &l.hidden
		return report.WriteReports(r, &l.form, s, l.reports(found))
	}
	if ci.Is(l.form.Form) {
		all := &ci.Report{Command: r.Name}
		for _, c := range l.checked {
			if c.Name != "" {
				all.Look(ci.Subject{Name: c.Name, File: c.File})
			}
		}
		all.AddErrors(ci.Subject{}, l.errors)
		for _, f := range found {
			subject := ci.Subject{Name: f.File}
			if f.about != "" {
				subject = ci.Subject{Name: f.about, File: f.File}
			}
			all.Add(ci.Finding{Rule: ci.Of(f.Rule, f.Severity), At: manifest.Position{File: f.File, Line: f.Line}, Subject: subject, Path: f.Path, Message: f.Message})
		}
		return all.Write(&r.Out, l.form.Form)
	}
	for _, f := range found {
		fmt.Fprintln(&r.Out, schemaText(f.String(), r.ShortResult()))
	}
	return nil
}

// reports returns one report for each checked definition, with the given findings.
func (l *lintRun) reports(found []finding) []LintReport {
	all := slices.Clone(l.checked)
	for _, f := range found {
		c := &all[f.checked]
		c.Findings = append(c.Findings, f)
	}
	return all
}

// filterAndCount returns the findings to report, and a summary. It prints the errors, prints the
// number of hidden findings, and sets the exit status. With --write-baseline, if there are no
// errors, it only writes the baseline.
func (l *lintRun) filterAndCount(r *command.Run) ([]finding, *report.Summary, error) {
	found, others := l.choice.split(l.found, l.mustReport)
	l.hidden.Choice = others.total()
	if l.baseline.write {
		if len(l.errors) == 0 {
			return nil, l.summary(nil), l.baseline.save(r, found)
		}
		s := l.summary(found)
		report.Errors(r, l.errors, s)
		return found, s, nil
	}
	l.baseline.markFound(l.found)
	found, l.hidden.Baseline = l.baseline.apply(found, l.mustReport)
	if len(found) > 0 {
		r.Status = command.StatusDifference
	}
	s := l.summary(found)
	report.Errors(r, l.errors, s)
	l.writeHidden(r, others)
	return found, s, nil
}

// summary counts the checked definitions and the findings.
func (l *lintRun) summary(found []finding) *report.Summary {
	s := report.NewSummary()
	s.Objects = len(l.checked)
	with := map[int]bool{}
	for _, f := range found {
		s.AddFinding(f.Rule, f.Severity)
		with[f.checked] = true
	}
	s.Found = len(with)
	return s
}

// writeHidden prints how many findings are not shown, and why.
func (l *lintRun) writeHidden(r *command.Run, others notChosen) {
	write := func(text string) { fmt.Fprintln(r.Env.Stderr, text) }
	others.write(r, &l.choice)
	if l.hidden.Ignored > 0 {
		write("not shown: " + words.Count(l.hidden.Ignored, "finding") + " that comments ignore")
	}
	if l.hidden.Baseline > 0 {
		write("not shown: " + words.Count(l.hidden.Baseline, "finding") + " in the baseline " + l.baseline.name)
	}
	if n := l.baseline.countObsolete(); n > 0 {
		write(words.Count(n, "finding") + " in the baseline " + l.baseline.name + " no longer exist; --write-baseline removes them")
	}
}

// fix repairs the CRDs of a file and prints the result.
func (l *lintRun) fix(r *command.Run, f input.Files) error {
	switch {
	case len(f.Names) != 1:
		return command.Usagef("--fix needs one FILE, got %d", len(f.Names))
	case l.form.Form != command.FormText:
		return command.Usagef("--fix always prints CRDs: leave out -o %s", l.form.Form)
	case l.baseline.write:
		return command.Usagef("--fix cannot be combined with --write-baseline: leave one of them out")
	}
	data, shown, err := input.ReadFile(r, f.Flag, f.Names[0])
	if err == nil && openapi.IsDocument(data) {
		return command.Usagef("--fix repairs only CRDs, but %s is an OpenAPI document", shown)
	}
	var (
		text  []byte
		found []finding
		seen  bool
	)
	if err == nil {
		text, err = manifest.Edit(shown, data, func(o *manifest.Object) ([]manifest.Change, error) {
			id := o.Identity()
			if id.Kind != "CustomResourceDefinition" {
				return nil, nil
			}
			seen = true
			if err := wantCRD(o); err != nil {
				return nil, manifest.Errors{err}
			}
			if err := sources.NeedsRules("to lint a CRD"); err != nil {
				return nil, err
			}
			all := l.checkCRD(o)
			found = append(found, all...)
			return repairs(all), nil
		})
	}
	if err == nil && !seen {
		err = &manifest.Error{File: shown, Message: "there is no CustomResourceDefinition in this file"}
	}
	if errs, ok := input.Errors(err); ok {
		l.errors = errs
		report.Errors(r, errs, l.summary(nil))
		r.Status = command.StatusInvalid
		return nil
	}
	if err != nil {
		return err
	}
	l.add(r, shown, data, found)
	if len(l.errors) > 0 { // errors in ignore comments
		report.Errors(r, l.errors, l.summary(nil))
		r.Status = command.StatusInvalid
		return nil
	}
	counted, _, err := l.filterAndCount(r)
	printed := map[string]bool{}
	for _, f := range counted {
		printed[f.String()] = true
	}
	for _, f := range found {
		if f.change != nil && !printed[f.String()] {
			counted = append(counted, f) // hidden, but repaired
		}
	}
	for _, f := range counted {
		prefix := ""
		if f.change != nil {
			prefix = "fixed "
		}
		fmt.Fprintln(r.Env.Stderr, prefix+schemaText(f.String(), r.ShortMessages()))
	}
	r.Out.Write(text)
	return err
}

// repairs returns the changes that repair the findings. It returns a change only once, even if
// several findings need it.
func repairs(all []finding) (list []manifest.Change) {
	done := map[string]bool{}
	for _, f := range all {
		if f.change == nil {
			continue
		}
		if key := fmt.Sprint(f.change.Steps, f.Fix); !done[key] {
			done[key] = true
			list = append(list, *f.change)
		}
	}
	return list
}

// lintOpenAPI returns the findings in OpenAPI documents.
func lintOpenAPI(r *command.Run, docs []openapi.Document) ([]finding, error) {
	catalog := openapi.New(openapi.Options{})
	if err := catalog.AddOpenAPIs(docs...); err != nil {
		return nil, input.WithPositions(err, docs...)
	}
	for _, w := range catalog.Warnings() {
		r.Warnf("%v", input.DocumentError(w))
	}
	lines := lineFinder{docs: docs, objects: map[string]*manifest.Object{}}
	var all []finding
	for _, f := range catalog.Lint() {
		all = append(all, withSeverity(finding{File: f.Document, Line: lines.find(f), Path: f.Type + f.Path, Rule: string(f.Rule), Message: f.Message, about: f.Type, origin: f.Path}, true))
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return all, nil
}

// lineFinder finds the lines of findings in OpenAPI documents. It parses a document only when
// a finding in it needs a line.
type lineFinder struct {
	docs    []openapi.Document
	objects map[string]*manifest.Object
}

// find returns the line of a finding. If the document has no line for the path of the finding,
// find returns the line of the nearest parent. It returns 0 if the lines are unknown.
func (l *lineFinder) find(f openapi.Finding) int {
	o, known := l.objects[f.Document]
	if !known {
		for _, d := range l.docs {
			if d.Name != f.Document {
				continue
			}
			// The catalog has already parsed this document without an error. If parsing still
			// fails, the findings in the document have no lines.
			if found, err := manifest.ReadMappings(d.Name, d.Data); err == nil && len(found) == 1 {
				o = found[0]
			}
		}
		l.objects[f.Document] = o
	}
	if o == nil {
		return 0
	}
	steps := []any{"definitions", f.Type}
	if _, v3 := o.Content["openapi"]; v3 {
		steps = []any{"components", "schemas", f.Type}
	}
	return o.At(append(steps, schemaSteps(f.Path)...)...).Line
}

// schemaSteps converts the path of a field in a type to the path of its schema in the JSON
// schema of the type.
func schemaSteps(path string) (steps []any) {
	for path != "" {
		switch rest, field := strings.CutPrefix(path, "."); {
		case field:
			end := strings.IndexAny(rest, ".[{")
			if end < 0 {
				end = len(rest)
			}
			steps, path = append(steps, "properties", rest[:end]), rest[end:]
		case strings.HasPrefix(path, "[]"):
			steps, path = append(steps, "items"), path[2:]
		case strings.HasPrefix(path, "{}"):
			steps, path = append(steps, "additionalProperties"), path[2:]
		default:
			return steps // a field name contains brackets
		}
	}
	return steps
}
