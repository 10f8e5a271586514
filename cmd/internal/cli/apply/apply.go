// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/server"
)

// New makes the command apply.
func New(r *command.Run) *cobra.Command {
	var (
		q    server.Requests
		form command.Output
	)
	c := &cobra.Command{
		Use:   "apply -f CONFIG --field-manager NAME [--live LIVE] [--subresource NAME] [--force-conflicts[=PATH,...]] [--yield[=PATH,...]]",
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

  # Everything a script needs to know, as JSON.
  kubectl get service web -o yaml --show-managed-fields |
    dovetail apply -f service.yaml --live - --field-manager web -o report`,
	}
	q.RegisterApply(c.Flags())
	form.Register(c.Flags(), command.FormYAML, command.FormKYAML, command.FormJSON, command.FormReport, command.FormNDJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		q.Reports = form.Reports()
		t := report.NewTeller(r, &form)
		if err := server.MakeRequests(r, &q, false, t.Tell, t.Add); err != nil {
			return err
		}
		return t.End()
	})
}
