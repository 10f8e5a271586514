// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// celOptions are the flags of cel.
type celOptions struct {
	dialect          string
	anyOrder, policy bool
	strip, strict    bool
}

// CELReport is the report of cel on one CRD. Its JSON form is stable.
type CELReport struct {
	report.ObjectReport
	// Rules are the generated rules.
	Rules []celRule `json:"rules"`
	// Inexact are the places where a rule and its marker differ.
	Inexact []celDoubt `json:"inexact"`
	// Missing are the markers without a rule.
	Missing []celMissing `json:"missing"`
	// Policies are the ValidatingAdmissionPolicies and their bindings, set with --policy.
	Policies []map[string]any `json:"policies,omitempty"`

	// uncovered are the markers that neither rules nor policies implement.
	uncovered []celDoubt
	// marked reports whether there are markers, or rules that were generated from markers.
	marked bool
}

// celRule is a rule of x-kubernetes-validations that was generated from a marker.
type celRule struct {
	// Path is the place of the rule in the schema.
	Path string `json:"path"`
	// Marked is the place of the marker, which may be below Path.
	Marked    string `json:"marked"`
	Marker    string `json:"marker"`
	FieldPath string `json:"fieldPath,omitempty"`
	Message   string `json:"message"`
	// Rule is the CEL expression.
	Rule string `json:"rule"`
}

// celDoubt is a place where a rule and its marker differ.
type celDoubt struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Path is the schema of the values for which they differ.
	Path string `json:"path"`
	// Marked is the place of the marker, which is Path or above it.
	Marked string `json:"marked"`
	// Field is the path in objects, with [*] for any item or key.
	Field string `json:"field"`
	// Reason is a word for the reason. Later versions may have more of them.
	Reason string `json:"reason"`
	// Refuses is true if the rule rejects a change that the marker allows. Otherwise the rule
	// allows a change that the marker forbids.
	Refuses bool   `json:"refuses"`
	Message string `json:"message"`
}

// celMissing is a marker without a rule, with the bounds that would make a rule possible.
type celMissing struct {
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Path    string     `json:"path"`
	Marker  string     `json:"marker"`
	Message string     `json:"message"`
	Bounds  []celBound `json:"bounds"`
}

// celBound is a bound that the schema lacks.
type celBound struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Path string `json:"path"`
	// Keyword is maxItems, maxProperties or maxLength.
	Keyword string `json:"keyword"`
	// Most is the largest value with which the rule is cheap enough.
	Most int64 `json:"most"`
}

// NewCEL returns the command cel.
func NewCEL(r *command.Run) *cobra.Command {
	var (
		form command.Output
		o    celOptions
	)
	c := &cobra.Command{
		Use:   "cel CRD",
		Short: "Translate immutability markers of a CRD to CEL rules",
		Long: `Print a CustomResourceDefinition with rules of x-kubernetes-validations that enforce its
markers: x-kubernetes-immutable, x-kubernetes-immutable-keys, x-kubernetes-addition-only,
x-kubernetes-deletion-only and x-kubernetes-set-once. API servers drop the markers and
enforce the rules. Comments, the order of keys, the markers and other rules stay. The command
replaces the rules of an earlier run, which have a comment at their end. It prints other
objects in the file unchanged.

CEL cannot express all markers exactly. If a rule differs from its marker, a warning on
standard error shows the place and the reason. If a rule is too expensive for an API server,
the command omits the rule. The warning then lists the missing bounds of the schema, with
values that are small enough: maxItems, maxProperties, maxLength.

With --policy, the command also prints ValidatingAdmissionPolicies and their bindings. The
policies enforce markers that rules cannot express. They also replace rules that would reject
allowed updates. If policies cannot enforce a marker either, a warning says so.

The rules work on Kubernetes 1.30 and later. With --dialect newest, they work on 1.36 and
later, need fewer limits such as maxItems in the schema, and distinguish null from an absent field.

Exit status: 0 done, with or without warnings; 1 with --strict, if there are warnings; 3
invalid input, or a CRD that an API server would reject.`,
		Example: `  # Install rules in a cluster. kubectl rejects unknown fields, so strip the markers.
  dovetail cel crd.yaml --strip | kubectl apply -f -

  # Add rules to a CRD that controller-gen writes.
  dovetail cel config/crd/bases/databases.yaml > config/crd/databases.yaml

  # Enforce all markers, with admission policies.
  dovetail cel crd.yaml --policy --strip | kubectl apply -f -

  # Which rules differ from their markers?
  dovetail cel crd.yaml -o report`,
	}
	c.Flags().StringVar(&o.dialect, "dialect", "portable", "CEL features that the rules use: portable (Kubernetes 1.30) or newest (1.36)")
	command.OneOf(c.Flags(), "dialect", "portable", "newest")
	prediction.RegisterAnyOrder(c.Flags(), &o.anyOrder)
	c.Flags().BoolVar(&o.strip, "strip", false, "print the CRD without its markers, for API servers and clients that reject unknown fields")
	c.Flags().BoolVar(&o.policy, "policy", false, "add ValidatingAdmissionPolicies for markers that rules cannot express")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit with 1 if the result differs from a marker")
	form.Register(c.Flags(), command.FormYAML, command.FormReport, command.FormNDJSON)
	c = r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if o.dialect != "portable" && o.dialect != "newest" {
			return command.Usagef("--dialect: want portable or newest, got %q", o.dialect)
		}
		args := c.Flags().Args()
		if len(args) != 1 {
			return command.Usagef("want one CRD, got %d", len(args))
		}
		if err := sources.NeedsRules("to translate a CRD"); err != nil {
			return err
		}
		return runCEL(r, args[0], o, &form)
	})
	c.Args = cobra.ArbitraryArgs
	return c
}

// runCEL translates the CRDs in a file.
func runCEL(r *command.Run, name string, o celOptions, form *command.Output) error {
	data, shown, err := input.ReadFile(r, "cel", name)
	if err != nil {
		return reportCELErrors(r, err, form)
	}
	var reports []*CELReport
	text, err := manifest.Edit(shown, data, func(object *manifest.Object) ([]manifest.Change, error) {
		id := object.Identity()
		if id.Kind != "CustomResourceDefinition" {
			return nil, nil
		}
		if err := wantCRD(object); err != nil {
			return nil, manifest.Errors{err}
		}
		one := &CELReport{ObjectReport: report.ReportObject(id), Rules: []celRule{}, Missing: []celMissing{}}
		reports = append(reports, one)
		return translate(r, object, o, one)
	})
	if err == nil && len(reports) == 0 {
		err = manifest.Errors{{File: shown, Message: "has no CustomResourceDefinition"}}
	}
	if err != nil {
		return reportCELErrors(r, err, form)
	}
	if !slices.ContainsFunc(reports, func(c *CELReport) bool { return c.marked }) {
		r.Warnf("%s has no markers of immutability, so there are no rules to generate", shown)
	}
	s := report.NewSummary()
	s.Objects = len(reports)
	for _, c := range reports {
		if c.warn(r, o.policy) {
			s.Found++
		}
	}
	if o.strict && s.Found > 0 {
		r.Status = command.StatusDifference
	}
	if form.Reports() {
		return report.WriteReports(r, form, s, reports)
	}
	r.Out.Write(text)
	for _, c := range reports {
		if err := writePolicies(r, c.Policies); err != nil {
			return err
		}
	}
	return nil
}

// warn prints a warning for each place where the result differs from a marker, and reports whether
// there are any.
func (c *CELReport) warn(r *command.Run, policy bool) bool {
	if policy {
		warnDoubts(r, c.uncovered)
		return len(c.uncovered) > 0
	}
	for _, m := range c.Missing {
		r.WarnObject(words.Visible((&manifest.Error{File: m.File, Line: m.Line, Path: m.Path, Message: m.Message}).Error()))
	}
	warnDoubts(r, c.Inexact)
	return len(c.Missing)+len(c.Inexact) > 0
}

// writePolicies writes policies after the CRDs.
func writePolicies(r *command.Run, policies []map[string]any) error {
	for _, p := range policies {
		r.Out.WriteString("---\n")
		if err := encode.YAML(&r.Out, p); err != nil {
			return err
		}
	}
	return nil
}

// reportCELErrors reports errors of the input.
func reportCELErrors(r *command.Run, err error, form *command.Output) error {
	errs, ok := input.Errors(err)
	if !ok {
		return err
	}
	s := report.NewSummary()
	report.Errors(r, errs, s)
	r.Status = command.StatusInvalid
	if !form.Reports() {
		return nil
	}
	return report.WriteReports(r, form, s, []CELReport{})
}

// warnDoubts prints a warning for each marker and reason, with up to three fields.
func warnDoubts(r *command.Run, all []celDoubt) {
	type key struct{ marked, reason string }
	fields := map[key][]string{}
	var order []celDoubt
	for _, d := range all {
		k := key{d.Marked, d.Reason}
		if fields[k] == nil {
			order = append(order, d)
		}
		fields[k] = append(fields[k], d.Field)
	}
	for _, d := range order {
		names := fields[key{d.Marked, d.Reason}]
		more := ""
		if len(names) > 3 {
			more = fmt.Sprintf(" and %d more", len(names)-3)
			names = names[:3]
		}
		e := manifest.Error{File: d.File, Line: d.Line, Path: d.Marked, Message: fmt.Sprintf("not exact at %s%s: %s (%s)", strings.Join(names, ", "), more, d.Message, d.Reason)}
		r.WarnObject(words.Visible(e.Error()))
	}
}
