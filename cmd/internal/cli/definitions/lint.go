// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package definitions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/server"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// finding is something that lint found in a file.
type finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	// Fix is what --fix does about it, empty if nothing.
	Fix    string `json:"fix"`
	change *manifest.Change
}

// String returns one line, the rule last.
func (f finding) String() string {
	e := manifest.Error{File: f.File, Line: f.Line, Path: f.Path, Message: f.Message}
	if f.Fix != "" {
		e.Message += "; --fix " + f.Fix
	}
	return fmt.Sprintf("%s (%s)", e.Error(), f.Rule)
}

// lintReport is what lint -o report prints. Its form is part of the command
// line's contract.
type lintReport struct {
	Findings []finding            `json:"findings"`
	Errors   []report.ErrorReport `json:"errors"`
}

// NewLint makes the command lint.
func NewLint(r *command.Run) *cobra.Command {
	var (
		form command.Output
		fix  bool
	)
	c := &cobra.Command{
		Use:   "lint FILE... [--fix]",
		Short: "What is wrong with CRDs and OpenAPI documents, or works otherwise than it seems to",
		Long: `Check CustomResourceDefinitions: what the API server would refuse (schemas that are
not structural, defaults that are not valid, rules that do not compile or cost too
much), markers of immutability that are where they can mean nothing (in metadata, keys
of what has none, two that contradict each other), and what it takes and users stumble
over (keys of lists that a zero default fills, sets of objects, sets that are ordered by
their description, lists without list type, conditions without the key type, defaults
that are null or seldom taken). CRDs of apiextensions.k8s.io/v1beta1 are read, too, and
each thing that v1 writes otherwise is a finding.
Each finding is a line with file, line, path and rule. Objects of other kinds are
passed over.

OpenAPI documents, v2 or v3, are checked for keys and defaults too, and their paths
begin with the name of the definition. Several belong together, as the documents of
the groups of a server do.

With --fix, one FILE is printed with what can only be meant in one way mended, and the
findings go to standard error: a list key protocol gets the default TCP, unless the schema
judges what is there, and a field with a default is not required where a default around it
lacks it. Whatever the CRD accepted it still accepts, and stores as before but for the
protocol. Lines that need not change stay as they are.

Exit status: 0 nothing found; 1 something found, mended or not; 3 bad input.`,
		Example: `  dovetail lint config/crd/bases/*.yaml

  # A CRD that the API server refuses for its list key protocol.
  dovetail lint crd.yaml --fix > fixed.yaml

  # What a chart installs.
  helm template db | dovetail lint -

  # What a server publishes.
  kubectl get --raw /openapi/v3/apis/example.com/v1 | dovetail lint -

  # As JSON.
  dovetail lint crds.yaml -o report`,
	}
	c.Flags().BoolVar(&fix, "fix", false, "print the CRDs of one FILE with what can be mended mended")
	form.Register(c.Flags(), command.FormText, command.FormReport)
	c = r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		f := input.Files{Flag: "lint", Names: c.Flags().Args()}
		if len(f.Names) == 0 {
			return command.Usagef("FILE is missing")
		}
		if fix {
			return lintFix(r, f, &form)
		}
		found, errs, err := lint(r, f)
		if more, ok := input.Errors(err); ok {
			errs, err = append(errs, more...), nil
		}
		if err != nil {
			return err
		}
		return linted(r, found, errs, &form)
	})
	c.Args = cobra.ArbitraryArgs
	return c
}

// lint returns what is found in files, and what keeps them from being read.
func lint(r *command.Run, f input.Files) (found []finding, errs manifest.Errors, err error) {
	var docs []openapi.Document
	looked := false
	names, errs := f.All()
	for _, file := range names {
		data, shown, err := input.ReadFile(r, f.Flag, file.Name)
		if bad, ok := input.Errors(err); ok {
			errs = append(errs, bad...)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		if openapi.IsDocument(data) {
			docs = append(docs, openapi.Document{Name: shown, Data: data})
			continue
		}
		if file.Listed && input.IsKustomization(shown, data) {
			input.PassOver(r, shown, "it is for kustomize")
			continue
		}
		objects, err := manifest.Read(shown, data)
		if bad, ok := input.Errors(err); ok {
			errs = append(errs, bad...)
		} else if err != nil {
			return nil, nil, err
		}
		for o := range command.Counted(r, objects) {
			id := o.Identity()
			if id.Kind != "CustomResourceDefinition" {
				continue
			}
			looked = true
			if err := wantCRD(o); err != nil {
				errs = append(errs, err)
				continue
			}
			if err := sources.NeedsRules("to lint a CRD"); err != nil {
				return nil, nil, err
			}
			found = append(found, lintCRD(o)...)
		}
	}
	if len(docs) > 0 {
		more, err := lintOpenAPI(r, docs)
		return append(found, more...), errs, err
	}
	if !looked && len(errs) == 0 {
		errs = manifest.Errors{{File: words.ShortList(f.Names), Message: "no CustomResourceDefinition there, and no OpenAPI document"}}
	}
	return found, errs, nil
}

// wantCRD returns an error about a CustomResourceDefinition of another version than those
// that can be read.
func wantCRD(o *manifest.Object) *manifest.Error {
	switch v := o.Identity().APIVersion; v {
	case "apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1":
		return nil
	default:
		return o.Errorf(".apiVersion", "want apiextensions.k8s.io/v1, got %s", v)
	}
}

// linted writes findings and sets the exit status.
func linted(r *command.Run, found []finding, errs manifest.Errors, form *command.Output) error {
	report.Messages(r, []*server.Outcome{{Errors: errs}})
	switch {
	case len(errs) > 0:
		r.Status = command.StatusInvalid
	case len(found) > 0:
		r.Status = command.StatusDifference
	}
	if form.Form == command.FormReport {
		p := lintReport{Findings: append([]finding{}, found...), Errors: report.ErrorReports(errs)}
		return encode.JSON(&r.Out, p)
	}
	for _, f := range found {
		fmt.Fprintln(&r.Out, words.Visible(f.String()))
	}
	return nil
}

// lintFix prints the CRDs of a file with what lint can mend mended.
func lintFix(r *command.Run, f input.Files, form *command.Output) error {
	if len(f.Names) != 1 {
		return command.Usagef("--fix prints one FILE, got %d", len(f.Names))
	}
	if form.Form == command.FormReport {
		return command.Usagef("--fix prints CRDs; leave out -o %s", form.Form)
	}
	data, shown, err := input.ReadFile(r, f.Flag, f.Names[0])
	if err == nil && openapi.IsDocument(data) {
		return command.Usagef("--fix is for CRDs, and %s is an OpenAPI document", shown)
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
			all := lintCRD(o)
			found = append(found, all...)
			return mending(all), nil
		})
	}
	if err == nil && !seen {
		err = &manifest.Error{File: shown, Message: "no CustomResourceDefinition there"}
	}
	if errs, ok := input.Errors(err); ok {
		report.Messages(r, []*server.Outcome{{Errors: errs}})
		r.Status = command.StatusInvalid
		return nil
	}
	if err != nil {
		return err
	}
	if len(found) > 0 {
		r.Status = command.StatusDifference
	}
	for _, f := range found {
		fmt.Fprintln(r.Env.Stderr, words.Visible(f.String()))
	}
	r.Out.Write(text)
	return nil
}

// mending are the changes that mend findings, each once.
func mending(all []finding) (list []manifest.Change) {
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

// lintOpenAPI returns what is found in OpenAPI documents.
func lintOpenAPI(r *command.Run, docs []openapi.Document) ([]finding, error) {
	catalog := openapi.New()
	if err := catalog.AddOpenAPIs(docs...); err != nil {
		return nil, input.WithPositions(err, docs...)
	}
	for _, w := range catalog.Warnings() {
		r.Warnf("%v", input.OfDocument(w))
	}
	lines := lineFinder{docs: docs, objects: map[string]*manifest.Object{}}
	var all []finding
	for _, f := range catalog.Lint() {
		all = append(all, finding{File: f.Document, Line: lines.of(f), Path: f.Type + f.Path, Rule: string(f.Rule), Message: f.Message})
	}
	slices.SortStableFunc(all, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return all, nil
}

// lineFinder finds the lines of definitions in documents, each of which is read
// for that once, when one of its lines is wanted.
type lineFinder struct {
	docs    []openapi.Document
	objects map[string]*manifest.Object
}

// of returns the line of a finding, as near as it can be told; 0 if it cannot.
func (l *lineFinder) of(f openapi.Finding) int {
	o, known := l.objects[f.Document]
	if !known {
		for _, d := range l.docs {
			if d.Name != f.Document {
				continue
			}
			// The catalog has read it; what it found has no line then.
			if found, err := manifest.Mappings(d.Name, d.Data); err == nil && len(found) == 1 {
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

// schemaSteps returns the steps from a schema to the place of a path within its
// type.
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
			return steps // of a name that has brackets
		}
	}
	return steps
}
