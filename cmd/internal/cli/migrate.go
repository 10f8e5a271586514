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
		mg   fieldmanager.Migration
		form output
	)
	c := &cobra.Command{
		Use:   "migrate -f LIVE --from NAME --to NAME [--subresource NAME]",
		Short: "Hand the fields of one manager over to another",
		Long: `Print live objects in which what the managers --from own, by Update or Apply, is
applied by --to: an object moves from client-side to server-side apply, or a tool
has another name now. The next apply by --to then removes what it leaves out.
Without this, fields that only the old entry owns stay for ever.

From kubectl-client-side-apply, --to also gets what the annotation
` + fieldmanager.LastAppliedAnnotation + ` set, as far as that
is still so and nobody owns it.

Nothing but managed fields changes. An entry in another API version whose fields
cannot be told in that of --to stays, with a warning.`,
		Example: `  # From kubectl apply to kubectl apply --server-side.
  kubectl get deployment web -o yaml --show-managed-fields |
    dovetail migrate -f - --from kubectl-client-side-apply --to kubectl > migrated.yaml
  kubectl replace -f migrated.yaml

  # Helm 3 wrote by Update what Helm 4 applies.
  dovetail migrate -f live.yaml --from helm --to helm

  # Several names become one.
  dovetail migrate -f live.yaml --from argocd --from argocd-application-controller --to argocd-controller`,
	}
	f.register(c.Flags(), "filename", "f", "file with live objects, - for standard input (repeatable, required)")
	c.Flags().StringArrayVar(&mg.From, "from", nil, "manager that gives its fields away (repeatable, required)")
	c.Flags().StringVar(&mg.To, "to", "", "manager that will apply them (required)")
	c.Flags().StringVar(&mg.Subresource, "subresource", "", "subresource of the entries, such as status")
	s.register(c.Flags(), "name of the type in the file given with --schema")
	s.registerUntyped(c.Flags())
	form.register(c.Flags(), formYAML, formJSON, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if len(mg.From) == 0 || slices.Contains(mg.From, "") {
			return usagef("--from NAME is missing: who gives fields away?")
		}
		if mg.To == "" {
			return usagef("--to NAME is missing: who is to apply them?")
		}
		outcomes, err := r.eachObject(f, &s, func(t *types, object *manifest.Object) *outcome {
			return r.migrate(t, object, mg)
		})
		if err != nil {
			return err
		}
		return r.finish(outcomes, &form)
	})
}

// migrate makes the migration of one object.
func (r *run) migrate(t *types, object *manifest.Object, mg fieldmanager.Migration) *outcome {
	o := t.readLive(object)
	if len(o.errors) > 0 {
		return o
	}
	out, err := t.fieldManager(nil).Migrate(object.Content, mg)
	if err != nil {
		o.explain(err)
		return o
	}
	o.content, o.changed = out.Object, out.Changed
	for _, w := range out.Warnings {
		o.warn(w.Path, w.Message)
	}
	note := func(format string, args ...any) {
		fmt.Fprintln(r.env.Stderr, oneLine(fmt.Sprintf("note: %v: ", object.Identity())+fmt.Sprintf(format, args...)))
	}
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
		var names []string
		for _, e := range out.Managed.Entries() {
			names = append(names, e.Manager)
		}
		for _, from := range mg.From {
			if slices.Contains(names, from) {
				note("nothing to hand over: %s has none by Update%s", flow(from), ofSubresource(mg.Subresource))
			} else {
				note("nothing to hand over: %s", noManager(from, slices.Clone(names)))
			}
		}
	}
	return o
}

func ofSubresource(name string) string {
	if name == "" {
		return ""
	}
	return " of subresource " + flow(name)
}
