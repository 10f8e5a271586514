// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

func newImmutable(r *run) *cobra.Command {
	var (
		old, objects files
		s            sources
		anyOrder     bool
		form         output
	)
	c := &cobra.Command{
		Use:   "immutable --old OLD --new NEW",
		Short: "May this object become that one?",
		Long: `Check whether objects may take the place of others: whether they change what the
schema marks as immutable (x-kubernetes-immutable, x-kubernetes-immutable-keys,
x-kubernetes-addition-only, x-kubernetes-deletion-only, x-kubernetes-set-once), or what
rules of x-kubernetes-validations refuse that compare it with oldSelf. Objects are
matched by group, kind, namespace and name, and compared pruned and with their defaults. Every change that is not allowed is printed with its file, line,
path, old and new value, on standard error; with -o report on standard output.
Nothing is printed if all is allowed.

Only marks and rules count: what a server forbids in code, as it does for built-in types, is
not known here.

Exit status: 0 all is allowed; 3 bad input; 4 a change that is not allowed.`,
		Example: `  # May this custom resource be changed in place?
  dovetail immutable --old live.yaml --new database.yaml --crd crds.yaml

  # The changes that are not allowed, as JSON.
  dovetail immutable --old live.yaml --new database.yaml --crd crds.yaml -o report`,
	}
	old.register(c.Flags(), "old", "", "file or directory with the objects as they are, - for standard input (repeatable, required)")
	objects.register(c.Flags(), "new", "", "file or directory with the objects as they are to be, - for standard input (repeatable, required)")
	s.register(c.Flags(), "name of the type in the file given with --schema")
	s.registerConversion(c.Flags())
	registerAnyOrder(c.Flags(), &anyOrder)
	form.register(c.Flags(), formText, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		outcomes, err := r.transitions(old, objects, &s, anyOrder)
		if errs, ok := inputErrors(err); ok {
			outcomes, err = []*outcome{{errors: errs}}, nil
		}
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

func registerAnyOrder(flags *pflag.FlagSet, anyOrder *bool) {
	flags.BoolVar(anyOrder, "ignore-item-order", false, "let items of a list with keys change places within what is immutable")
}

// transitions checks each object against the one whose place it takes.
func (r *run) transitions(old, objects files, s *sources, anyOrder bool) ([]*outcome, error) {
	for _, f := range []files{old, objects} {
		if len(f.names) == 0 {
			return nil, usagef("%s FILE is missing", f.flag)
		}
	}
	types, err := r.types(s, true)
	if err != nil {
		return nil, err
	}
	was, errs, err := r.objects(old)
	if err != nil {
		return nil, err
	}
	is, more, err := r.objects(objects)
	if err != nil {
		return nil, err
	}
	if len(errs) > 0 {
		// With part of the old objects missing, every answer might be wrong.
		return []*outcome{{errors: append(errs, more...)}}, nil
	}
	pairs, _, unpaired := pairUp(is, was, types)
	errs = append(more, unpaired...)
	if len(pairs) == 0 && len(errs) == 0 {
		return nil, nothingIn(objects)
	}
	var outcomes []*outcome
	for p := range counted(r, pairs) {
		outcomes = append(outcomes, types.transition(p, anyOrder))
	}
	if len(errs) > 0 {
		outcomes = append(outcomes, &outcome{errors: errs})
	}
	return outcomes, nil
}

func (t *types) transition(p pair, anyOrder bool) *outcome {
	o := &outcome{pair: p}
	if p.live == nil {
		o.errors = manifest.Errors{p.object.Errorf("", "%v is not in --old: there is nothing that it could change", p.object.Identity())}
		return o
	}
	id := p.object.Identity()
	var err error
	if o.typ, err = t.typeOf(id.APIVersion, id.Kind); err != nil {
		o.errors = manifest.Errors{p.object.Errorf("", "%v", err)}
		return o
	}
	o.noteReading()
	t.clearNamespace(o)
	if err := t.convertLive(o); err != nil {
		o.errors = manifest.Errors{err}
		return o
	}
	_, err = o.typ.FromUnstructured(withoutManagedFields(o.before), typed.AllowDuplicates)
	o.errors = findings(p.live, o.typ, butSetsOfObjects(err))
	_, err = o.typ.FromUnstructured(withoutManagedFields(o.sent()), typed.AllowDuplicates)
	o.errors = append(o.errors, findings(p.object, o.typ, butSetsOfObjects(err))...)
	if len(o.errors) > 0 {
		return o
	}
	if !o.typ.HasTransitions() && !t.hasTransitionRules(id) {
		o.warn("", "its schema marks nothing as immutable")
	}
	var opts []typed.TransitionOptions
	if anyOrder {
		opts = append(opts, typed.IgnoreItemOrder)
	}
	o.explain(fieldmanager.CheckUpdate(o.typ, o.before, o.sent(), opts...))
	fixed, err := t.forbidden(o, o.sent())
	if err != nil {
		o.errors = append(o.errors, p.object.Errorf("", "rules of x-kubernetes-validations cannot be asked: %v", err))
	}
	o.immutable = append(o.immutable, fixed...)
	return o
}

// writeImmutable says everything about a change that is not allowed.
func writeImmutable(w io.Writer, o *outcome, f *fieldmanager.ImmutableField) {
	path := f.Path.String()
	say := func(format string, args ...any) {
		fmt.Fprintln(w, visible(fmt.Sprintf(format, args...)))
	}
	say("%v: %s: %v: %s", o.object.Position(path), f.Message, o.object.Identity(), path)
	if f.Old != nil {
		say("  live   %s", flow(f.Old.Unstructured()))
	} else {
		say("  live   (not set)")
	}
	if f.New != nil {
		say("  new    %s", flow(f.New.Unstructured()))
	} else {
		say("  new    (not set)")
	}
	if f.Hint != "" {
		say("  note   %s", f.Hint)
	}
	if f.Type == typed.TransitionForbidden {
		say("  to go on  keep the items that there are, or delete the object and create it anew")
	} else {
		say("  to go on  leave it as it is, or delete the object and create it anew")
	}
}
