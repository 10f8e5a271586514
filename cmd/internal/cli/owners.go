package cli

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func newOwners(r *run) *cobra.Command {
	var (
		q    ownersQuery
		form output
	)
	c := &cobra.Command{
		Use:   "owners -f LIVE [--field-manager NAME]",
		Short: "Blame: every line of an object with its managers",
		Long: `Print live objects as YAML, each line with all who own it, how they came to, and
how long ago they last wrote. The objects need their managed fields, which
"kubectl get" hides without --show-managed-fields.

What stands behind # is a comment, so that the result is still the object:

  web apply 3d              web owns the line by server-side apply, and wrote last
                            three days ago; behind a comma follow others
  kubelet update status 5m  by create, replace or patch, here of the subresource
  ... (whole)               the list or map is owned as a whole
  | ...                     the line is part of such a list or map
  item ...                  who owns the item that begins here, if it is not
                            those who own the field in the same line
  nobody, nobody (default)  no manager owns it; it has its default
  -                         nobody can own it: it names the object or is the server's

Lines without a comment hold others. Which lists and maps are owned as wholes, and
which keys of an item are defaults, the type of the object says.`,
		Example: `  # Who set this?
  kubectl get deployment web -o yaml --show-managed-fields | dovetail owners -f -

  # What does one manager own, and with whom?
  dovetail owners -f live.yaml --field-manager argocd-controller

  # Paths that have more than one owner.
  dovetail owners -f live.yaml -o json | jq '.places[] | select(.owners | length > 1) | .path'`,
	}
	q.files.register(c.Flags(), "filename", "f", "file with live objects, - for standard input (repeatable, required)")
	c.Flags().StringVar(&q.manager, "field-manager", "", "show only what this manager owns")
	c.Flags().StringVar(&q.clock, "time", "", "time to count ages from, RFC 3339 (default now)")
	q.sources.register(c.Flags(), "name of the type in the file given with --schema")
	q.sources.registerUntyped(c.Flags())
	form.register(c.Flags(), formYAML, formJSON)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		return r.owners(&q, &form)
	})
}

// ownersQuery are the flags of owners.
type ownersQuery struct {
	files   files
	sources sources
	manager string
	clock   string
}

func (r *run) owners(q *ownersQuery, form *output) error {
	now, err := clock(q.clock)
	if err != nil {
		return err
	}
	var found []blamed
	outcomes, err := r.eachObject(q.files, &q.sources, func(t *types, object *manifest.Object) *outcome {
		b := t.blame(object)
		if q.manager != "" && b.Blame != nil {
			b.only(q.manager)
		}
		found = append(found, b)
		return b.outcome
	})
	if err != nil {
		return err
	}
	r.messages(outcomes)
	if r.status = worst(outcomes); r.status != StatusDone {
		return nil
	}
	if form.form == formJSON {
		return r.ownersReports(found)
	}
	for i, b := range found {
		if i > 0 {
			r.out.WriteString("---\n")
		}
		newBlameText(&r.out, r.env.Colour, now(), b).write()
	}
	return nil
}
