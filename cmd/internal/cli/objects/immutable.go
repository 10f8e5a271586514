// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

// NewImmutable returns the command immutable.
func NewImmutable(r *command.Run) *cobra.Command {
	var (
		old, objects input.Files
		s            sources.Flags
		anyOrder     bool
		form         command.Output
	)
	c := &cobra.Command{
		Use:   "immutable --old OLD --new NEW",
		Short: "Check whether an update changes immutable fields",
		Long: `Check whether an API server allows an update that changes an object from OLD to NEW. For each
forbidden change, the command prints the file, the line, the path, and the old and new value. The
output goes to standard error or, with -o report, to standard output.

The command pairs old and new objects by group, kind, namespace and name. It compares them after
pruning and defaulting, as a server does.

For custom resources, the command evaluates the CEL rules that compare the object with its old
version. These are the x-kubernetes-validations rules that use oldSelf.

For built-in kinds, the command checks the changes that the Go code of the Kubernetes release
forbids. For example, the release forbids changes of the selectors of workloads, of most of the
spec of a StatefulSet or a Pod, of the sources of volumes, of role references, and of ConfigMaps
and Secrets with immutable: true.

The command does not check the rules of admission plugins, webhooks and subresources. It also does
not check metadata. For example, a server rejects a new finalizer on an object that is being
deleted. To check metadata, use "dovetail update".

A schema can mark fields as immutable (x-kubernetes-immutable, x-kubernetes-immutable-keys,
x-kubernetes-addition-only, x-kubernetes-deletion-only, x-kubernetes-set-once). These markers
are a proposal (KEP-1101), and released API servers ignore them. With --immutability-markers,
a change that the markers forbid is an error. Without this flag, it is a warning.

Exit status: 0 all changes are allowed; 3 invalid input; 4 a forbidden change.`,
		Example: `  # Check whether a change of a custom resource is allowed.
  dovetail immutable --old live.yaml --new database.yaml --crd crds.yaml

  # Also check the markers of its CRD, such as x-kubernetes-immutable.
  dovetail immutable --old live.yaml --new database.yaml --crd crds.yaml --immutability-markers

  # Print the forbidden changes as JSON.
  dovetail immutable --old live.yaml --new database.yaml --crd crds.yaml -o report`,
	}
	old.Register(c.Flags(), "old", "", "objects before the change: a file, a directory, or - for standard input (repeatable, required)")
	objects.Register(c.Flags(), "new", "", "objects after the change: a file, a directory, or - for standard input (repeatable, required)")
	s.Register(c.Flags(), "name of the type in the file given with --schema")
	s.RegisterConversion(c.Flags())
	s.Proposals.RegisterDeclarative(c.Flags())
	s.Proposals.RegisterMarkers(c.Flags())
	prediction.RegisterAnyOrder(c.Flags(), &anyOrder)
	form.RegisterFindings(c.Flags())
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		t := report.NewOutcomeWriter(r, &form)
		if err := transitions(r, old, objects, &s, anyOrder, t); err != nil {
			return report.Refused(r, err, &form)
		}
		return t.End()
	})
}

// transitions checks, for each new object, whether it may replace the old object.
func transitions(r *command.Run, old, objects input.Files, s *sources.Flags, anyOrder bool, writer *report.OutcomeWriter) error {
	for _, f := range []input.Files{old, objects} {
		if len(f.Names) == 0 {
			return command.Usagef("%s is missing: name the file with the objects", f.Flag)
		}
	}
	types, err := sources.Read(r, s, true)
	if err != nil {
		return err
	}
	oldRefs, errs, closeFiles, err := prediction.Index(r, old, types)
	defer closeFiles()
	if err != nil {
		return err
	}
	newRefs, more, closeFiles, err := prediction.Index(r, objects, types)
	defer closeFiles()
	if err != nil {
		return err
	}
	if len(errs) > 0 {
		// Report only the errors. A missing old object could make all other results wrong.
		writer.Add(writer.Render(&prediction.Outcome{Errors: append(errs, more...)}))
		return nil
	}
	pairs, unpaired := prediction.PairUp(newRefs, oldRefs, types, func(string) {})
	errs = append(more, unpaired...)
	if len(pairs) == 0 && len(errs) == 0 {
		input.NoteNoObjects(r, objects)
		return nil
	}
	prediction.EachPair(r, pairs, func(refs prediction.Refs) *report.Rendered {
		p, err := refs.Read()
		if err != nil {
			return writer.Render(&prediction.Outcome{Errors: manifest.Errors{err}})
		}
		return writer.Render(transition(types, p, anyOrder))
	}, writer.Add)
	if len(errs) > 0 {
		writer.Add(writer.Render(&prediction.Outcome{Errors: errs}))
	}
	return nil
}

func transition(t *sources.Types, p prediction.Pair, anyOrder bool) *prediction.Outcome {
	o := &prediction.Outcome{Pair: p}
	if p.Live == nil {
		o.Errors = manifest.Errors{p.Object.Errorf("", "there is no old object for %v: add it to the files of --old", p.Object.Identity())}
		return o
	}
	if !o.FindType(t) {
		return o
	}
	prediction.ClearNamespace(t, o)
	if err := prediction.ConvertLive(t, o); err != nil {
		o.Errors = manifest.Errors{err}
		return o
	}
	_, err := o.Type.FromUnstructured(unstructured.WithoutManagedFields(o.Before), typed.AllowDuplicates)
	o.Errors = input.Findings(p.Live, o.Type, input.WithoutSetsOfObjects(err))
	_, err = o.Type.FromUnstructured(unstructured.WithoutManagedFields(o.Sent()), typed.AllowDuplicates)
	o.Errors = append(o.Errors, input.Findings(p.Object, o.Type, input.WithoutSetsOfObjects(err))...)
	if len(o.Errors) > 0 {
		return o
	}
	id := p.Object.Identity()
	release := t.Immutability()
	knows := release != nil && release.Knows(id.APIVersion, id.Kind)
	if !o.Type.HasTransitions() && !t.HasTransitionRules(id) && !knows {
		o.Warn("", "the schema of this object has no immutable fields")
	}
	prediction.ExplainMarkers(t, o, o.Sent(), typed.TransitionOptions{IgnoreItemOrder: anyOrder})
	fixed, err := prediction.Forbidden(t, o, o.Sent())
	var invalid manifest.Errors
	switch {
	case errors.As(err, &invalid):
		o.Errors = append(o.Errors, invalid...)
		report.Note(o, "x-kubernetes-validations rules cannot be evaluated, because the object is invalid")
	case err != nil:
		o.Errors = append(o.Errors, p.Object.Errorf("", "x-kubernetes-validations rules cannot be evaluated: %v", err))
	}
	o.Immutable = append(o.Immutable, fixed...)
	o.Immutable = append(o.Immutable, prediction.ForbiddenBuiltin(t, o, o.Sent())...)
	return o
}
