// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func newValidate(r *run) *cobra.Command {
	var (
		f    files
		s    sources
		form output
		dups duplicates
		owns bool
	)
	c := &cobra.Command{
		Use:   "validate -f OBJECT [--owned-defaults]",
		Short: "Schema errors, with file, line and path",
		Long: `Check objects against their types: fields that do not exist, values of the wrong
type, list items with the same identity; of custom resources whose definition is
given also what it says of values: required fields, bounds, formats, rules of
x-kubernetes-validations. Every error is printed with its file,
line and path, on standard error; with -o report on standard output. Nothing is
printed if nothing is wrong.

Of items with the same identity each is told, in all objects, with both places and
both values. With --duplicates=first or last, warnings tell which of them an apply
with this flag drops.

With --owned-defaults, fields that have their default, zero values and nulls are
warnings: tools write them that nobody meant, and whoever applies the object owns them.`,
		Example: `  # Check the output of a chart.
  helm template web | dovetail validate -f -

  # All that a chart sets twice, in all its objects; and what would be left.
  helm template web | dovetail validate -f -
  helm template web | dovetail validate -f - --duplicates=last

  # Custom resources, with their definition.
  dovetail validate -f databases.yaml --crd crds.yaml

  # What does the chart send that nobody wrote?
  helm template web | dovetail validate -f - --owned-defaults

  # The errors as JSON.
  dovetail validate -f service.yaml -o report`,
	}
	f.register(c.Flags(), "filename", "f", "file or directory with objects, - for standard input (repeatable, required)")
	s.register(c.Flags(), "name of the type in the file given with --schema")
	s.registerUntyped(c.Flags())
	dups.register(c.Flags(), duplicatesError)
	c.Flags().BoolVar(&owns, "owned-defaults", false, "warn of fields that would be the same, or not set, if they were left out")
	form.register(c.Flags(), formText, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if err := dups.check(); err != nil {
			return err
		}
		outcomes, err := r.eachObject(f, &s, func(t *types, object *manifest.Object) *outcome {
			o := t.validate(object, &dups)
			if owns && len(o.errors) == 0 {
				o.noteOwnedDefaults()
			}
			return o
		})
		if err != nil {
			return err
		}
		r.messages(outcomes)
		r.status = worst(outcomes)
		if form.form == formReport {
			return r.reports(outcomes)
		}
		return nil
	})
}

// eachObject returns what do makes of each object in files. What is wrong with
// the input is an outcome, not an error.
func (r *run) eachObject(f files, s *sources, do func(*types, *manifest.Object) *outcome) ([]*outcome, error) {
	outcomes, err := r.doEach(f, s, do)
	if errs, ok := inputErrors(err); ok {
		return []*outcome{{errors: errs}}, nil
	}
	return outcomes, err
}

func (r *run) doEach(f files, s *sources, do func(*types, *manifest.Object) *outcome) ([]*outcome, error) {
	if len(f.names) == 0 {
		return nil, usagef("-f FILE is missing")
	}
	types, err := r.types(s, true)
	if err != nil {
		return nil, err
	}
	objects, errs, err := r.objects(f)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 && len(errs) == 0 {
		return nil, nothingIn(f)
	}
	types.noteDefinitions(objects)
	var outcomes []*outcome
	for object := range counted(r, objects) {
		outcomes = append(outcomes, do(types, object))
	}
	if len(errs) > 0 {
		outcomes = append(outcomes, &outcome{errors: errs})
	}
	return outcomes, nil
}

// validate checks one object by itself.
func (t *types) validate(object *manifest.Object, dups *duplicates) *outcome {
	o := &outcome{pair: pair{object: object}, content: object.Content}
	id := object.Identity()
	found, err := t.typeOf(id.APIVersion, id.Kind)
	if err != nil {
		o.errors = manifest.Errors{object.Errorf("", "%v", err)}
		return o
	}
	o.typ = found
	o.noteReading()
	t.clearNamespace(o)
	if err := dups.single(o); err != nil {
		o.errors = findings(object, found, err)
		return o
	}
	config, err := found.FromUnstructured(o.sent(), dups.options()...)
	o.errors = findings(object, found, err)
	if t.values(o); len(o.errors) > 0 {
		return o
	}
	o.noteKeys(config)
	for _, f := range (*operand.Value)(config.Empty()).Diagnose((*operand.Value)(config)) {
		o.warn(f.Path, f.Message)
	}
	return o
}
