// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func newOwners(r *run) *cobra.Command {
	var (
		q    ownersQuery
		form output
	)
	c := &cobra.Command{
		Use:   "owners -f LIVE [--field-manager NAME] [--html FILE]",
		Short: "Blame: every line of an object with its managers",
		Long: `Print live objects as YAML, each line with all who own it, how they came to, and
how long ago they last wrote. The objects need their managed fields, which
"kubectl get" hides without --show-managed-fields.

What stands behind # is a comment, so that the result is still the object:

  web apply 3d              web owns the line by server-side apply, and wrote
                            three days ago; behind a comma follow others
  kubelet update status 5m  by create, replace or patch, here of the subresource
  ... (whole)               the list or map is owned as a whole
  | ...                     the line is part of such a list or map
  item ...                  who owns the item that begins here, if it is not
                            those who own the field in the same line
  nobody, nobody (default)  no manager owns it; it has its default
  -                         nobody can own it: it names the object or is the server's

Lines without a comment hold others. Which lists and maps are owned as wholes, and
which keys of an item are defaults, the type of the object says.

With --html, write a page instead: every manager is a lane beside the object, and
the lines of one can be shown. It needs no network, and no JavaScript but for
walking the lines with the arrow keys.`,
		Example: `  # Who set this?
  kubectl get deployment web -o yaml --show-managed-fields | dovetail owners -f -

  # What does one manager own, and with whom?
  dovetail owners -f live.yaml --field-manager argocd-controller

  # A page to look at, and to show around.
  dovetail owners -f live.yaml --html owners.html

  # The same with what a manifest would run into.
  dovetail owners -f live.yaml --html owners.html --config web.yaml --field-manager web

  # Paths that have more than one owner.
  dovetail owners -f live.yaml -o json | jq '.places[] | select(.owners | length > 1) | .path'`,
	}
	q.files.register(c.Flags(), "filename", "f", "file or directory with live objects, - for standard input (repeatable, required)")
	c.Flags().StringVar(&q.manager, "field-manager", "", "show only what this manager owns; with --config, who would apply it")
	c.Flags().StringVar(&q.clock, "time", "", "time to count ages from, RFC 3339 (default now)")
	c.Flags().StringVar(&q.html, "html", "", "write a page for a browser to this `file` instead, - for standard output")
	q.config.register(c.Flags(), "config", "", "file or directory with objects that --field-manager would apply: the page shows their conflicts (repeatable)")
	q.sources.register(c.Flags(), "name of the type in the file given with --schema")
	q.sources.registerUntyped(c.Flags())
	form.register(c.Flags(), formYAML, formJSON)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if q.html != "" && form.form == formJSON {
			return usagef("--html is a page: leave out -o %s", form.form)
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
	html    string
	config  files
}

func (q *ownersQuery) check() error {
	switch {
	case len(q.config.names) == 0:
		return nil
	case q.html == "":
		return usagef("--config is for --html FILE, which is missing; diff compares a config with live objects")
	case q.manager == "":
		return usagef("--config needs --field-manager NAME: who would apply it?")
	}
	return nil
}

func (r *run) owners(q *ownersQuery, form *output) error {
	if err := q.check(); err != nil {
		return err
	}
	now, err := clock(q.clock)
	if err != nil {
		return err
	}
	var (
		found []blamed
		maker *requester
	)
	outcomes, err := r.eachObject(q.files, &q.sources, func(t *types, object *manifest.Object) *outcome {
		maker = &requester{requests: &requests{manager: q.manager}, types: t, now: now}
		b := t.blame(object)
		if q.manager != "" && len(q.config.names) == 0 && b.Blame != nil {
			b.only(q.manager)
		}
		found = append(found, b)
		return b.outcome
	})
	if err != nil {
		return err
	}
	many := len(found) > 1
	outcomes = r.withOwner(q.files, q.manager, outcomes)
	found = slices.DeleteFunc(found, func(b blamed) bool { return b.lacks != nil })
	if maker != nil && len(q.config.names) > 0 && worst(outcomes) == StatusDone {
		if err := r.conflictsWith(q.config, maker, found); err != nil {
			return err
		}
	}
	r.messages(outcomes)
	if r.status = worst(outcomes); r.status != StatusDone {
		return nil
	}
	switch {
	case q.html != "":
		return r.ownersPage(q, found, now())
	case form.form == formJSON:
		return r.ownersReports(found, many)
	}
	for i, b := range found {
		if i > 0 {
			r.out.WriteString("---\n")
		}
		newBlameText(&r.out, r.env.Colour, now(), b).write()
	}
	return nil
}

// conflictsWith finds what configs contradict in the live objects.
func (r *run) conflictsWith(config files, maker *requester, found []blamed) error {
	objects, errs, err := r.objects(config)
	if bad, ok := inputErrors(err); ok {
		errs, err = bad, nil
	}
	if err != nil {
		return err
	}
	live := make([]*manifest.Object, len(found))
	for i := range found {
		live[i] = found[i].object
	}
	pairs, notes, pairErrs := pairUp(objects, live, maker.types)
	for _, n := range notes {
		fmt.Fprintf(r.env.Stderr, "note: %s\n", n)
	}
	errs = append(errs, pairErrs...)
	for p := range counted(r, pairs) {
		at := slices.Index(live, p.live)
		if at < 0 {
			continue
		}
		made := maker.make(p, false)
		errs = append(errs, made.errors...)
		found[at].against = &against{maker.manager, made.conflicts}
	}
	if len(found) > 0 {
		found[0].errors = append(found[0].errors, errs...)
	}
	return nil
}
