// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

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
	Findings []finding     `json:"findings"`
	Errors   []errorReport `json:"errors"`
}

func newLint(r *run) *cobra.Command {
	var (
		form output
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
	form.register(c.Flags(), formText, formReport)
	c = r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		f := files{flag: "lint", names: c.Flags().Args()}
		if len(f.names) == 0 {
			return usagef("FILE is missing")
		}
		if fix {
			return r.lintFix(f, &form)
		}
		found, errs, err := r.lint(f)
		if more, ok := inputErrors(err); ok {
			errs, err = append(errs, more...), nil
		}
		if err != nil {
			return err
		}
		return r.linted(found, errs, &form)
	})
	c.Args = cobra.ArbitraryArgs
	return c
}

// lint returns what is found in files, and what keeps them from being read.
func (r *run) lint(f files) (found []finding, errs manifest.Errors, err error) {
	var docs []openapi.Document
	looked := false
	names, errs := f.all()
	for _, file := range names {
		data, shown, err := r.read(f.flag, file.name)
		if bad, ok := inputErrors(err); ok {
			errs = append(errs, bad...)
			continue
		} else if err != nil {
			return nil, nil, err
		}
		if openapi.IsDocument(data) {
			docs = append(docs, openapi.Document{Name: shown, Data: data})
			continue
		}
		if file.listed && isKustomization(shown, data) {
			r.passOver(shown, "it is for kustomize")
			continue
		}
		objects, err := manifest.Read(shown, data)
		if bad, ok := inputErrors(err); ok {
			errs = append(errs, bad...)
		} else if err != nil {
			return nil, nil, err
		}
		for o := range counted(r, objects) {
			id := o.Identity()
			if id.Kind != "CustomResourceDefinition" {
				continue
			}
			looked = true
			if err := wantCRD(o); err != nil {
				errs = append(errs, err)
				continue
			}
			if err := needsRules("to lint a CRD"); err != nil {
				return nil, nil, err
			}
			found = append(found, lintCRD(o)...)
		}
	}
	if len(docs) > 0 {
		more, err := r.lintOpenAPI(docs)
		return append(found, more...), errs, err
	}
	if !looked && len(errs) == 0 {
		errs = manifest.Errors{{File: shortList(f.names), Message: "no CustomResourceDefinition there, and no OpenAPI document"}}
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
func (r *run) linted(found []finding, errs manifest.Errors, form *output) error {
	r.messages([]*outcome{{errors: errs}})
	switch {
	case len(errs) > 0:
		r.status = StatusInvalid
	case len(found) > 0:
		r.status = StatusDifference
	}
	if form.form == formReport {
		p := lintReport{Findings: append([]finding{}, found...), Errors: errorReports(errs)}
		return writeJSON(&r.out, p)
	}
	for _, f := range found {
		fmt.Fprintln(&r.out, visible(f.String()))
	}
	return nil
}
