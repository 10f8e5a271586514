// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package owners

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/server"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// New makes the command owners.
func New(r *command.Run) *cobra.Command {
	var (
		q    ownersQuery
		form command.Output
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
the lines of one can be shown. The page of several objects opens with totals by manager,
kind and namespace, and an index. It needs no network, and no JavaScript but for
searching the index and walking the lines with the arrow keys.`,
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
	q.files.Register(c.Flags(), "filename", "f", "file or directory with live objects, - for standard input (repeatable, required)")
	c.Flags().StringVar(&q.manager, "field-manager", "", "show only what this manager owns; with --config, who would apply it")
	c.Flags().StringVar(&q.clock, "time", "", "time to count ages from, RFC 3339 (default now)")
	c.Flags().StringVar(&q.html, "html", "", "write a page for a browser to this `file` instead, - for standard output")
	q.config.Register(c.Flags(), "config", "", "file or directory with objects that --field-manager would apply: the page shows their conflicts (repeatable)")
	q.sources.Register(c.Flags(), "name of the type in the file given with --schema")
	q.sources.RegisterUntyped(c.Flags())
	form.Register(c.Flags(), command.FormYAML, command.FormJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if q.html != "" && form.Form == command.FormJSON {
			return command.Usagef("--html is a page: leave out -o %s", form.Form)
		}
		return runOwners(r, &q, &form)
	})
}

// ownersQuery are the flags of owners.
type ownersQuery struct {
	files   input.Files
	sources sources.Flags
	manager string
	clock   string
	html    string
	config  input.Files
}

func (q *ownersQuery) check() error {
	switch {
	case len(q.config.Names) == 0:
		return nil
	case q.html == "":
		return command.Usagef("--config is for --html FILE, which is missing; diff compares a config with live objects")
	case q.manager == "":
		return command.Usagef("--config needs --field-manager NAME: who would apply it?")
	}
	return nil
}

func runOwners(r *command.Run, q *ownersQuery, form *command.Output) error {
	if err := q.check(); err != nil {
		return err
	}
	now, err := command.Clock(q.clock)
	if err != nil {
		return err
	}
	var (
		found []blamed
		maker *server.Requester
	)
	outcomes, err := server.EachObject(r, q.files, &q.sources, func(t *sources.Types, object *manifest.Object) *server.Outcome {
		maker = &server.Requester{Requests: &server.Requests{Manager: q.manager}, Types: t, Now: now}
		b := blame(t, object)
		if q.manager != "" && len(q.config.Names) == 0 && b.Blamed != nil {
			b.only(q.manager)
		}
		found = append(found, b)
		return b.Outcome
	})
	if err != nil {
		return err
	}
	many := len(found) > 1
	outcomes = server.OnlyOwned(r, q.files, q.manager, outcomes)
	found = slices.DeleteFunc(found, func(b blamed) bool { return b.Lacks != nil })
	if maker != nil && len(q.config.Names) > 0 && report.Worst(outcomes) == command.StatusDone {
		if err := conflictsWith(r, q.config, maker, found); err != nil {
			return err
		}
	}
	s := report.Summarise(outcomes)
	managers := report.ManagerCounts{}
	for i := range found {
		managers.Add(found[i].fields())
	}
	s.FieldsByManager = managers.List()
	report.Messages(r, outcomes, s)
	if r.Status = report.Worst(outcomes); r.Status != command.StatusDone {
		return nil
	}
	switch {
	case q.html != "":
		return writeOwnersPage(r, q, found, now())
	case form.Form == command.FormJSON:
		return writeOwnersReports(r, found, many, s)
	}
	for i, b := range found {
		if i > 0 {
			r.Out.WriteString("---\n")
		}
		newBlameText(&r.Out, r.Env.Colour, now(), b).write()
	}
	return nil
}

// conflictsWith finds what configs contradict in the live objects.
func conflictsWith(r *command.Run, config input.Files, maker *server.Requester, found []blamed) error {
	objects, errs, err := input.ReadObjects(r, config)
	if bad, ok := input.Errors(err); ok {
		errs, err = bad, nil
	}
	if err != nil {
		return err
	}
	live := make([]*manifest.Object, len(found))
	for i := range found {
		live[i] = found[i].Object
	}
	pairs, notes, pairErrs := server.PairUp(objects, live, maker.Types)
	for _, n := range notes {
		r.Notef("%s", n)
	}
	errs = append(errs, pairErrs...)
	for p := range command.Counted(r, pairs) {
		at := slices.Index(live, p.Live)
		if at < 0 {
			continue
		}
		made := maker.Make(p, false)
		errs = append(errs, made.Errors...)
		found[at].against = &against{maker.Manager, made.Conflicts}
	}
	if len(found) > 0 {
		found[0].Errors = append(found[0].Errors, errs...)
	}
	return nil
}
