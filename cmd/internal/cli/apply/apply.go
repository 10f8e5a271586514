// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/server"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/writing"
)

// New makes the command apply.
func New(r *command.Run) *cobra.Command {
	var (
		q     server.Requests
		write writing.Flags
		form  command.Output
	)
	c := &cobra.Command{
		Use:   "apply -f CONFIG --field-manager NAME [--live LIVE|--write] [--subresource NAME] [--trace[=objects]] [--force-conflicts[=PATH,...]] [--yield[=PATH,...]]",
		Short: "What the API server would store for a server-side apply",
		Long: `Print what the API server would store for a server-side apply of CONFIG: the
merged object with its defaults and metadata.managedFields. Defaults of custom resources
are those of their definition, of built-in kinds what a release of Kubernetes fills in,
see --kubernetes-version; the report says which, and where each comes from.

Where the type has a union, as the strategy of a Deployment is one of, and its
discriminator (type) changes, members that it does not name (rollingUpdate) are
cleared if nobody or the manager alone owns them, with a warning; if others own them,
that is a conflict. An API server leaves them, and may then refuse the object.

Objects are matched to live objects by group, kind, namespace and name. A live object
in another version is converted by its name if its CRD says so, or with --conversion;
else it is asked for in the version of the object. One without a live object is created. If any object conflicts with another manager
or is invalid, nothing is printed but the reasons, on standard error. With
-o report the reasons are part of the result.

Of each conflict it says whose the field is, both values, and the ways out: to
force it, to drop it, or to match the live value, with the config that does it
and what becomes of the object. The report has all of that as data.

Policies are asked as a server asks them: mutating ones once the request is merged and
defaulted, validating ones about what is about to be stored. A refusal has the words of
a server, and exit status 3. The report says what else a server asks.

A PATH is what a conflict shows, or what that begins with: it stands for all
conflicts at it and below. Of several the longest counts. Conflicts without one
are refused as ever. A path that conflicts with nothing is a warning, so that a
command can be given again; one that the type does not have is an error.
What is immutable stays so, whatever is forced.

With --write, nothing is printed, and the objects that change are applied to the cluster
that the live objects are of: one server-side apply for each, for the state of it that
was read, and with force if --force-conflicts is given. If one of the objects conflicts
or is invalid, none is written. First the cluster is asked for a dry run of each, which
has to answer what was predicted; then you are asked. Before, a file is written from
which dovetail undo puts back what was. It holds the objects as they were, the values of
Secrets among them, and only its owner may read it.

With --trace, standard error shows what each stage of the prediction changed in an
object, from reading the live object to writing managed fields: use it to find out
where a value comes from.

Exit status: 0 done; 2 conflict; 3 bad input, or what a server refuses; 4 a change that
immutability forbids.`,
		Example: `  # Merge service.yaml into the object that was fetched from the cluster.
  dovetail apply -f service.yaml --live live.yaml --field-manager web

  # Take over the fields that conflict.
  dovetail apply -f service.yaml --live live.yaml --field-manager web --force-conflicts

  # Take over one field, and leave another to who owns it.
  dovetail apply -f service.yaml --live live.yaml --field-manager web \
    '--force-conflicts=.spec.ports[port=80,protocol="TCP"].name' --yield=.spec.type

  # Take over what conflicts below metadata, and give way everywhere else.
  dovetail apply -f service.yaml --live live.yaml --field-manager web \
    --force-conflicts=.metadata --yield

  # The config that shares what conflicts, comments and all.
  dovetail apply -f service.yaml --live live.yaml --field-manager web -o report |
    jq -r .outcomes.match.yaml > matched.yaml

  # What a controller says of status.
  dovetail apply -f status.yaml --live live.yaml --field-manager controller --subresource status

  # Custom resources, with their definition.
  dovetail apply -f database.yaml --crd crds.yaml --field-manager web

  # A second manager applies the same chart, with all its zeroes.
  dovetail apply -f service.yaml --live live.yaml --field-manager other --zero-is-absent

  # A chart that sets a variable twice and means the last one.
  helm template web | dovetail apply -f - --field-manager web --duplicates=last

  # A definition whose unions no document tells of.
  cat > unions.yaml <<END
  com.example.v1.Database:
    spec.storage:
      x-kubernetes-unions:
      - discriminator: type
        fields-to-discriminateBy: {disk: Disk, bucket: Bucket}
  END
  dovetail apply -f database.yaml --crd crds.yaml --markers unions.yaml --field-manager web

  # What admission policies make of it, and whether they let it pass.
  dovetail apply -f service.yaml --live live.yaml --field-manager web --policies policies.yaml

  # Which stage of the prediction changes which field?
  dovetail apply -f service.yaml --live live.yaml --field-manager web --trace

  # Apply it to a cluster.
  dovetail apply -f configmap.yaml --context shop --field-manager web --write

  # Everything a script needs to know, as JSON.
  kubectl get service web -o yaml --show-managed-fields |
    dovetail apply -f service.yaml --live - --field-manager web -o report`,
	}
	q.RegisterApply(c.Flags())
	write.Register(c.Flags(), "the objects that change")
	form.Register(c.Flags(), command.FormYAML, command.FormKYAML, command.FormJSON, command.FormReport, command.FormNDJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if write.Asked() {
			if err := q.CheckWrite(); err != nil {
				return err
			}
		}
		if err := write.Check(r, &q.Sources.Cluster); err != nil {
			return err
		}
		if write.Asked() {
			return applyAll(r, &q, &write)
		}
		q.Reports = form.Reports()
		t := report.NewTeller(r, &form)
		if err := server.MakeRequests(r, &q, false, t.Tell, t.Add); err != nil {
			return err
		}
		return t.End()
	})
}

// applyAll writes what changes to the cluster, all of it or nothing.
func applyAll(r *command.Run, q *server.Requests, write *writing.Flags) error {
	t := report.NewTeller(r, &command.Output{Form: command.FormText}) // no object is printed
	type made struct {
		*report.Told
		item *writing.Item
	}
	var items []*writing.Item
	err := server.MakeRequests(r, q, false, func(o *server.Outcome) made {
		item := writing.Applied(o, &r.Masks)
		return made{t.Tell(o), item}
	}, func(m made) {
		t.Add(m.Told)
		if m.item != nil {
			items = append(items, m.item)
		}
	})
	if err != nil {
		return err
	}
	if t.Say(); t.Status() != command.StatusDone {
		fmt.Fprintln(r.Env.Stderr, "nothing was written")
		return nil
	}
	return write.Write(r, q.Sources.Cluster.Opened(), "Apply changes to", items)
}
