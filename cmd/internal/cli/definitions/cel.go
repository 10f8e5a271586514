// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"bytes"
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
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// celOptions holds the flags of the command cel.
type celOptions struct {
	dialect          string
	anyOrder, policy bool
	strip, strict    bool
}

// CELReport is the report of the command cel about one CRD. Its JSON encoding is stable.
type CELReport struct {
	report.ObjectReport
	// Rules lists the generated rules.
	Rules []celRule `json:"rules"`
	// Inexact lists the schema positions at which a rule is stricter or weaker than its marker.
	Inexact []celDoubt `json:"inexact"`
	// Missing lists the markers for which no rule was generated.
	Missing []celMissing `json:"missing"`
	// Removed lists the rules of an earlier run that the output no longer has, because their markers
	// are gone.
	Removed []celRemoved `json:"removed"`
	// Policies lists the generated ValidatingAdmissionPolicies and their bindings. It is set
	// only with --policy.
	Policies []map[string]any `json:"policies,omitempty"`

	// uncovered lists the markers that neither rules nor policies enforce exactly.
	uncovered []celDoubt
	// marked is true if the CRD has markers, or rules that an earlier run generated from markers.
	marked bool
}

// celRule is an x-kubernetes-validations rule that was generated from a marker.
type celRule struct {
	// Path is the position of the rule in the schema.
	Path string `json:"path"`
	// Marked is the position of the marker in the schema. It is Path or below Path.
	Marked    string `json:"marked"`
	Marker    string `json:"marker"`
	FieldPath string `json:"fieldPath,omitempty"`
	Message   string `json:"message"`
	// Rule is the CEL expression.
	Rule string `json:"rule"`
}

// celDoubt is a schema position at which a rule is stricter or weaker than its marker.
type celDoubt struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Path is the position in the schema at which the rule is stricter or weaker than the marker.
	Path string `json:"path"`
	// Marked is the position of the marker in the schema. It is Path or a parent of Path.
	Marked string `json:"marked"`
	// Field is the path of the affected values in objects. [*] stands for any item of a list
	// or any key of a map.
	Field string `json:"field"`
	// Reason is a keyword that explains the difference. Later versions may add keywords.
	Reason string `json:"reason"`
	// Refuses is true if the rule rejects a change that the marker allows. It is false if the rule
	// allows a change that the marker forbids.
	Refuses bool   `json:"refuses"`
	Message string `json:"message"`
}

// celMissing is a marker for which no rule was generated, because the schema lacks bounds such as
// maxItems. It lists these bounds.
type celMissing struct {
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Path    string     `json:"path"`
	Marker  string     `json:"marker"`
	Message string     `json:"message"`
	Bounds  []celBound `json:"bounds"`
}

// celRemoved is a rule that an earlier run generated from a marker that the CRD no longer has.
type celRemoved struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Path is the position in the schema that had the marker. For a marker on list items or map values,
	// it is the position of the list or map.
	Path   string `json:"path"`
	Marker string `json:"marker"`
	// Field is the path of the values that the rule protected. [*] stands for any item of a list or any
	// key of a map.
	Field string `json:"field"`
	// Rule is the CEL expression.
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// celBound is a bound that the schema lacks.
type celBound struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Path string `json:"path"`
	// Keyword is maxItems, maxProperties or maxLength.
	Keyword string `json:"keyword"`
	// Most is the largest value that the bound can have. A larger bound would make the rule more
	// expensive than an API server allows.
	Most int64 `json:"most"`
}

// NewCEL returns the command cel.
func NewCEL(r *command.Run) *cobra.Command {
	var (
		form command.Output
		o    celOptions
	)
	c := &cobra.Command{
		Use:   "cel FILE...",
		Short: "Translate immutability markers of CRDs to CEL rules",
		Long: `Print CustomResourceDefinitions with x-kubernetes-validations rules that enforce their
immutability markers: x-kubernetes-immutable, x-kubernetes-immutable-keys,
x-kubernetes-addition-only, x-kubernetes-deletion-only and x-kubernetes-set-once.
API servers drop these markers, but enforce the rules. Each FILE is a file, a directory, or - for
standard input.

The output keeps comments, the order of keys, the markers and all other rules. If an earlier run
has generated rules, the command replaces these rules. It recognizes them by a comment at the end
of each rule. If the marker of such a rule is gone, the command removes the rule, and prints a
warning. So always run it on the CRD with all markers, and not on the output of --strip. If a CRD
has no markers at all, the command keeps its rules. Other objects in the files are printed unchanged.
If a CRD is JSON, the output is YAML.

CEL cannot express every marker exactly. If a rule differs from its marker, a warning on
standard error shows the fields and the reason. If a rule would be too expensive for an API
server, the command omits it. The warning then suggests bounds for the schema (maxItems,
maxProperties, maxLength) that would make the rule cheap enough.

A marker protects a field only while the object around the field exists. If this object is
optional, a client can remove it, and add it again with another value. For example, if spec is
optional, the update {"spec": null} removes all immutable fields in spec. The rules have the same
limit, so --strict does not report it, but the command prints a note. To prevent such updates,
make the object required (required: [spec]), or mark the object, too. A nullable object can be
set to null even if it is required or has a default, so also remove nullable.

With --policy, the command also prints ValidatingAdmissionPolicies and their bindings. A policy
enforces a marker that CEL rules in the CRD cannot express, or replaces a rule that would reject
allowed updates. If a policy cannot enforce the marker either, the command prints a warning. If the
files contain policies with the same names, from an earlier run, the new policies replace them.

By default, the rules work on Kubernetes 1.30 and later. With --dialect newest, the rules need
Kubernetes 1.36. These rules distinguish null from an absent field, and the schema needs fewer
bounds, such as maxItems, for them.

Exit status: 0 done, with or without warnings; 1 with --strict, if there are warnings; 3
invalid input, or a CRD that an API server would reject.`,
		Example: `  # Install rules in a cluster. Strip the markers, because kubectl rejects unknown fields.
  dovetail cel crd.yaml --strip | kubectl apply -f -

  # Add rules to all CRDs with markers in a directory.
  dovetail cel config/crd/bases > config/crd/crds.yaml

  # Enforce all markers, with admission policies.
  dovetail cel crd.yaml --policy --strip | kubectl apply -f -

  # List rules that differ from their markers.
  dovetail cel crd.yaml -o report`,
	}
	c.Flags().StringVar(&o.dialect, "dialect", "portable", "CEL features for the rules: portable (Kubernetes 1.30 and later) or newest (1.36 and later)")
	command.OneOf(c.Flags(), "dialect", "portable", "newest")
	prediction.RegisterAnyOrder(c.Flags(), &o.anyOrder)
	c.Flags().BoolVar(&o.strip, "strip", false, "print the CRD without its markers, for API servers and clients that reject unknown fields")
	c.Flags().BoolVar(&o.policy, "policy", false, "add ValidatingAdmissionPolicies for markers that rules cannot express")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit with status 1 if there are warnings, that is, if the result does not enforce every marker exactly, or if a rule was removed because its marker is gone; notes about optional objects are not warnings")
	form.Register(c.Flags(), command.FormYAML, command.FormReport, command.FormNDJSON)
	c = r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if o.dialect != "portable" && o.dialect != "newest" {
			return command.Usagef("--dialect: use portable or newest, not %q", o.dialect)
		}
		f := input.Files{Flag: "cel", Names: c.Flags().Args()}
		if len(f.Names) == 0 {
			return command.Usagef("no file: name the files with CRDs, or - for standard input")
		}
		if err := sources.NeedsRules("to translate a CRD"); err != nil {
			return err
		}
		return runCEL(r, f, o, &form)
	})
	c.Args = cobra.ArbitraryArgs
	return c
}

// runCEL adds rules to the CRDs in files, and prints the files or a report.
func runCEL(r *command.Run, f input.Files, o celOptions, form *command.Output) error {
	names, errs := f.All(r)
	var (
		reports    []*CELReport
		texts      []manifestText
		duplicates sources.Duplicates
	)
	for _, file := range names {
		data, shown, err := input.ReadFile(r, f.Flag, file.Name)
		if err == nil && file.Listed && input.IsKustomization(shown, data) {
			input.NoteKustomization(r, shown)
			continue
		}
		var text []byte
		if err == nil {
			text, err = manifest.Edit(shown, data, func(object *manifest.Object) ([]manifest.Change, error) {
				id := object.Identity()
				if id.Kind != "CustomResourceDefinition" {
					return nil, nil
				}
				if err := wantCRD(object); err != nil {
					return nil, manifest.Errors{err}
				}
				duplicates.Add(r, object, "a cluster keeps only the last one that you apply")
				one := &CELReport{ObjectReport: report.ReportObject(id), Rules: []celRule{}, Missing: []celMissing{}, Removed: []celRemoved{}}
				reports = append(reports, one)
				return translate(r, object, o, one)
			})
		}
		if more, ok := input.Errors(err); ok {
			errs = append(errs, more...)
		} else if err != nil {
			return err
		}
		texts = append(texts, manifestText{shown, text})
	}
	if len(errs) == 0 && len(reports) == 0 {
		errs = manifest.Errors{{File: words.ShortList(f.Names), Message: "there is no CustomResourceDefinition to translate"}}
	}
	if len(errs) > 0 {
		return reportCELErrors(r, errs, form)
	}
	if !slices.ContainsFunc(reports, func(c *CELReport) bool { return c.marked }) {
		r.Warnf("%s: no immutability markers, so there are no rules to generate", words.ShortList(f.Names))
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
	var out bytes.Buffer
	for _, t := range texts {
		text, err := withoutPolicies(t.shown, t.text, reports)
		if err != nil {
			return reportCELErrors(r, err, form)
		}
		if out.Len() > 0 && !bytes.HasPrefix(text, []byte("---")) {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	r.Out.Write(out.Bytes())
	for _, c := range reports {
		if err := writePolicies(r, c.Policies); err != nil {
			return err
		}
	}
	return nil
}

// manifestText is the text of a file, and the name of the file in messages.
type manifestText struct {
	shown string
	text  []byte
}

// warn prints a warning for each removed rule without a marker, for each marker without a rule, and for
// each difference between a rule and its marker. With policy, it skips the markers and differences that
// the generated policies cover. It reports whether it printed a warning.
func (c *CELReport) warn(r *command.Run, policy bool) bool {
	for _, x := range c.Removed {
		r.WarnObject(schemaText((&manifest.Error{File: x.File, Line: x.Line, Path: x.Path, Message: x.Message}).Error(), r.ShortMessages()))
	}
	if policy {
		warnDoubts(r, c.uncovered)
		return len(c.Removed)+len(c.uncovered) > 0
	}
	for _, m := range c.Missing {
		r.WarnObject(schemaText((&manifest.Error{File: m.File, Line: m.Line, Path: m.Path, Message: m.Message}).Error(), r.ShortMessages()))
	}
	warnDoubts(r, c.Inexact)
	return len(c.Removed)+len(c.Missing)+len(c.Inexact) > 0
}

// withoutPolicies returns the text of a file without policies and bindings that have the same names as
// those in the reports.
func withoutPolicies(shown string, text []byte, reports []*CELReport) ([]byte, error) {
	generated := map[manifest.Identity]bool{}
	for _, c := range reports {
		for _, p := range c.Policies {
			apiVersion, kind := document.TypeOf(p)
			generated[manifest.Identity{APIVersion: apiVersion, Kind: kind, Name: document.MetaString(p, "name")}] = true
		}
	}
	if len(generated) == 0 {
		return text, nil
	}
	return manifest.Edit(shown, text, func(o *manifest.Object) ([]manifest.Change, error) {
		if generated[o.Identity()] {
			return []manifest.Change{{Delete: true}}, nil
		}
		return nil, nil
	})
}

// writePolicies prints policies after the CRDs.
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

// warnDoubts prints the differences between rules and markers. It prints a single warning for all
// fields that differ from the same marker for the same reason. The warning names up to three
// fields.
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
		e := manifest.Error{File: d.File, Line: d.Line, Path: d.Marked, Message: fmt.Sprintf("the rule differs from the marker at %s%s: %s (%s)", strings.Join(names, ", "), more, d.Message, d.Reason)}
		r.WarnObject(schemaText(e.Error(), r.ShortMessages()))
	}
}
