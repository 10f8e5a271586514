// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func newMigrate(r *run) *cobra.Command {
	var (
		f    files
		s    sources
		old  sources
		mg   fieldmanager.Migration
		form output
	)
	c := &cobra.Command{
		Use:   "migrate -f LIVE [--from NAME --to NAME [--subresource NAME]] [--old-crd OLD --crd NEW]",
		Short: "Hand fields over: to another manager, to a new schema",
		Long: `Print live objects in which what the managers --from own, by Update or Apply, is
applied by --to: an object moves from client-side to server-side apply, or a tool
has another name now. The next apply by --to then removes what it leaves out.
Without this, fields that only the old entry owns stay for ever.

From kubectl-client-side-apply, --to also gets what the annotation
` + fieldmanager.LastAppliedAnnotation + ` set, as far as that
is still so and nobody owns it.

With --old-crd, the managed fields were written when those CustomResourceDefinitions
were in force, and are carried over to the ones of --crd: each owner keeps what it
owned where the default of a list key is another now, or a list or map was atomic and
is granular, or the other way around. See upgrade-check. Without this, what was owned
as one whole is nobody's: it stays when it is left out, and anybody can change it.

Nothing but managed fields changes. An entry in another API version whose fields
cannot be told in that of --to stays, with a warning.`,
		Example: `  # From kubectl apply to kubectl apply --server-side.
  kubectl get deployment web -o yaml --show-managed-fields |
    dovetail migrate -f - --from kubectl-client-side-apply --to kubectl > migrated.yaml
  kubectl replace -f migrated.yaml

  # Helm 3 wrote by Update what Helm 4 applies.
  dovetail migrate -f live.yaml --from helm --to helm

  # A list of the CRD was atomic, and has keys by now.
  kubectl get widgets -A -o yaml --show-managed-fields |
    dovetail migrate -f - --old-crd crds-1.4.yaml --crd crds-1.5.yaml > migrated.yaml

  # Several names become one.
  dovetail migrate -f live.yaml --from argocd --from argocd-application-controller --to argocd-controller`,
	}
	f.register(c.Flags(), "filename", "f", "file or directory with live objects, - for standard input (repeatable, required)")
	c.Flags().StringArrayVar(&mg.From, "from", nil, "`manager` that gives its fields away (repeatable)")
	c.Flags().StringVar(&mg.To, "to", "", "manager that will apply them")
	c.Flags().StringVar(&mg.Subresource, "subresource", "", "subresource of the entries, such as status")
	old.crds.register(c.Flags(), "old-crd", "", "file or directory with the CustomResourceDefinitions as they were when the objects were written (repeatable)")
	s.register(c.Flags(), "name of the type in the file given with --schema")
	s.registerUntyped(c.Flags())
	form.register(c.Flags(), formYAML, formJSON, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		carries := len(old.crds.names) > 0
		hands := !carries || len(mg.From) > 0 || mg.To != ""
		if hands && (len(mg.From) == 0 || slices.Contains(mg.From, "")) {
			return usagef("--from NAME is missing: who gives fields away?")
		}
		if hands && mg.To == "" {
			return usagef("--to NAME is missing: who is to apply them?")
		}
		if carries && len(s.crds.names) == 0 {
			return usagef("--old-crd needs --crd FILE: the CustomResourceDefinitions of today")
		}
		var was *types
		if carries {
			var err error
			if was, err = r.types(&old, true); err != nil {
				return r.refused(err, &form)
			}
		}
		var idle []*outcome
		outcomes, err := r.eachObject(f, &s, func(t *types, object *manifest.Object) *outcome {
			o := t.readLive(object)
			if carries {
				r.carry(was, t, o)
			}
			if hands {
				r.migrate(t, o, mg)
			}
			if o.lacks != nil {
				idle = append(idle, o)
			}
			return o
		})
		if err != nil {
			return err
		}
		r.noteIdle(idle, len(outcomes), mg)
		return r.finish(outcomes, &form)
	})
}

// refused ends a command whose input cannot be read: that is an outcome, not an
// error.
func (r *run) refused(err error, form *output) error {
	if errs, ok := inputErrors(err); ok {
		return r.finish([]*outcome{{errors: errs}}, form)
	}
	return err
}

// note says on standard error what was done to an object.
func (r *run) note(o *outcome, format string, args ...any) {
	fmt.Fprintln(r.env.Stderr, oneLine(fmt.Sprintf("note: %v: ", o.object.Identity())+fmt.Sprintf(format, args...)))
}

// carry carries the managed fields of one object over from the types that were.
func (r *run) carry(was, now *types, o *outcome) {
	if len(o.errors) > 0 {
		return
	}
	id := o.object.Identity()
	if _, err := was.find(id.APIVersion, id.Kind); err != nil {
		o.errors = manifest.Errors{o.object.Errorf("", "%v", err)}
		return
	}
	out, err := fieldmanager.Rekeying{Old: was.find, New: now.find, Converter: now.convert}.Rekey(o.content)
	if err != nil {
		o.explain(err)
		return
	}
	o.content, o.changed = out.Object, out.Changed
	for _, w := range out.Warnings {
		o.warn(w.Path, w.Message)
	}
	for _, m := range out.Moves {
		to := ""
		if !m.Old.Equals(m.New) {
			to = fmt.Sprintf(" is %v now", m.New)
		}
		r.note(o, "%s: %v%s: %s: %s", describeOwner(m.Owner, nil), m.Old, to, m.Reason, m.Why)
	}
	if !out.Changed {
		r.note(o, "nothing to carry over")
	}
}

// migrate hands the fields of one object over.
func (r *run) migrate(t *types, o *outcome, mg fieldmanager.Migration) {
	if len(o.errors) > 0 {
		return
	}
	out, err := t.fieldManager(nil).Migrate(o.content, mg)
	if err != nil {
		o.explain(err)
		return
	}
	o.content, o.changed = out.Object, o.changed || out.Changed
	for _, w := range out.Warnings {
		o.warn(w.Path, w.Message)
	}
	note := func(format string, args ...any) { r.note(o, format, args...) }
	for _, h := range out.Handovers {
		note("%s gives %s to %s", describeOwner(h.From, nil), count(h.Fields.Size(), "path"), describeOwner(out.To, nil))
	}
	if out.Recalled != nil {
		note("%s gets %s that client-side apply had set and nobody owns", describeOwner(out.To, nil), count(out.Recalled.Size(), "path"))
		for path := range out.Recalled.All() {
			note("  %s", path)
		}
	}
	if !out.Changed && len(out.Warnings) == 0 {
		o.lacks = &lacks{}
		for _, e := range out.Managed.Entries() {
			o.lacks.managers = append(o.lacks.managers, e.Manager)
		}
	}
}

// noteIdle says in which of all objects there was nothing to hand over, and why if
// that is in none.
func (r *run) noteIdle(idle []*outcome, all int, mg fieldmanager.Migration) {
	switch {
	case len(idle) == 0:
		return
	case len(idle) < all:
		fmt.Fprintf(r.env.Stderr, "note: nothing to hand over in %d of %d objects\n", len(idle), all)
		return
	}
	where := fmt.Sprintf("all %d objects", all)
	if all == 1 {
		where = fmt.Sprint(idle[0].object.Identity())
	}
	var names []string
	for _, o := range idle {
		names = append(names, o.lacks.managers...)
	}
	for _, from := range mg.From {
		why := noManager(from, slices.Clone(names))
		if slices.Contains(names, from) {
			why = flow(from) + " has none by Update" + ofSubresource(mg.Subresource)
		}
		fmt.Fprintln(r.env.Stderr, oneLine(fmt.Sprintf("note: %s: nothing to hand over: %s", where, why)))
	}
}

func ofSubresource(name string) string {
	if name == "" {
		return ""
	}
	return " of subresource " + flow(name)
}
