// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/writing"
)

// New returns the command apply.
func New(r *command.Run) *cobra.Command {
	var (
		q     prediction.Requests
		write writing.Flags
		form  command.Output
	)
	c := &cobra.Command{
		Use:   "apply -f CONFIG --field-manager NAME [--live LIVE|--context NAME] [--write]",
		Short: "Show the object that a server-side apply would store",
		Long: `Print the object that the API server would store after a server-side apply of CONFIG. This is
the merged object, with its defaults and metadata.managedFields.

The defaults of a custom resource come from its CRD. The defaults of a built-in kind come from
the Kubernetes release that you select with --kubernetes-version. With -o report, the output
names the source of each default.

For each object in CONFIG, the command looks for the live object with the same group, kind,
namespace and name. If there is none, the object is new.

CONFIG and the live object may have different API versions, such as v1beta1 and v1. The command
then converts the live object. For a CRD without a conversion webhook, only the apiVersion
changes, as on a server. The command can also convert many built-in kinds. For all other kinds,
use --conversion.

If any object conflicts or is invalid, apply prints no object, and writes the reasons to
standard error. With -o report, the reasons are part of the result.

For each conflict, the command shows both values and the owner. It also shows three ways to
resolve conflicts:

  force  overwrite the value and take ownership
  yield  leave the field out of your config; the other manager keeps it
  share  apply the live value; you and the other manager own it

With -o report, the output shows, for each way to resolve the conflicts, the config to apply and
the resulting object.

To resolve conflicts, use the flags --force-conflicts, --yield and --share. Without a path, a
flag resolves all conflicts. With =PATH, it resolves only the conflicts at or below PATH. Copy
PATH from the conflict message, or use "." for the whole object. If several flags match a
conflict, the flag with the longest path wins.

Conflicts that no flag resolves still fail. If there is no conflict at PATH, apply prints a
warning. If the type has no field at PATH, apply fails. None of these flags can change an
immutable field.

With --policies, apply also evaluates admission policies, at the same stages as a server. Mutating
policies run after the merge and the defaults, and validating policies run at the end. Several
policies of a stage run in the order of their names. If a policy rejects the object, apply prints
the message of the server. The report lists the checks that only a server can make.

With --normalize-unions, apply removes fields that a union no longer selects. A union is a set of
fields of which at most one may be set, and its discriminator is the field that selects this one.
For example, the discriminator strategy.type of a Deployment can select rollingUpdate. If CONFIG
changes the type to Recreate, apply removes rollingUpdate. If another manager owns a field to
remove, the apply conflicts. Released API servers keep such fields, and may reject the object.

With --write, apply changes the cluster that the live objects come from, and prints no
object. If any object conflicts or is invalid, apply writes nothing. Otherwise, it proceeds as
follows:

  1. It sends a dry run to the cluster, and compares the results with the
     predicted objects. It does not write objects that differ.
  2. It asks for confirmation.
  3. It saves the old objects to a file for "dovetail undo". The file
     contains the values of Secrets, so only you can read it.
  4. It sends one server-side apply for each changed object. The server
     rejects the request if the object has changed since apply read it.

With --trace, apply also writes to standard error how each stage of the prediction, such as the
merge, changes the object. Use this output to find the stage that sets a value.

Exit status: 0 done; 2 conflict; 3 invalid input, or an object that a server would reject; 4 a
change of an immutable field.`,
		Example: `  # Merge service.yaml into the live object.
  dovetail apply -f service.yaml --live live.yaml --field-manager web

  # Force all conflicts.
  dovetail apply -f service.yaml --live live.yaml --field-manager web --force-conflicts

  # Apply to a cluster.
  dovetail apply -f configmap.yaml --context shop --field-manager web --write

  # Force one field, and yield another one to its owner.
  dovetail apply -f service.yaml --live live.yaml --field-manager web \
      '--force-conflicts=.spec.ports[port=80,protocol="TCP"].name' --yield=.spec.type

  # Force conflicts below metadata, and yield all others.
  dovetail apply -f service.yaml --live live.yaml --field-manager web \
      --force-conflicts=.metadata --yield

  # Print a config with the live values of all conflicting fields. The output keeps your comments.
  dovetail apply -f service.yaml --live live.yaml --field-manager web -o report |
    jq -r '.objects[].outcomes.share.yaml' > shared.yaml

  # Apply status, as a controller does.
  dovetail apply -f status.yaml --live live.yaml --field-manager controller --subresource status

  # Apply a custom resource with its CRD.
  dovetail apply -f database.yaml --crd crds.yaml --field-manager web

  # Treat zero values in the config, such as "" and 0, as absent.
  dovetail apply -f service.yaml --live live.yaml --field-manager other --zero-is-absent

  # A chart sets a variable twice: use the last value.
  helm template web | dovetail apply -f - --field-manager web --duplicates=last

  # Declare the unions of a CRD.
  cat > unions.yaml <<END
  com.example.v1.Database:
    spec.storage:
      x-kubernetes-unions:
      - discriminator: type
        fields-to-discriminateBy: {disk: Disk, bucket: Bucket}
  END
  dovetail apply -f database.yaml --crd crds.yaml --markers unions.yaml --normalize-unions --field-manager web

  # Evaluate admission policies.
  dovetail apply -f service.yaml --live live.yaml --field-manager web --policies policies.yaml

  # Show which stage of the prediction changes which field.
  dovetail apply -f service.yaml --live live.yaml --field-manager web --trace

  # Print a JSON report for a script.
  kubectl get service web -o yaml --show-managed-fields |
    dovetail apply -f service.yaml --live - --field-manager web -o report`,
	}
	q.RegisterApply(c.Flags())
	write.Register(c.Flags(), "the changed objects")
	r.RegisterExplain(c.Flags())
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
		t := report.NewOutcomeWriter(r, &form)
		render := func(o *prediction.Outcome) *report.Rendered {
			o.WarnIfForceFails()
			return t.Render(o)
		}
		if err := prediction.MakeRequests(r, &q, false, render, t.Add); err != nil {
			return err
		}
		return t.End()
	})
}

// applyAll writes the changed objects to the cluster, after a dry run. If any object has an
// error, a conflict or a forbidden change, applyAll writes nothing.
func applyAll(r *command.Run, q *prediction.Requests, write *writing.Flags) error {
	t := report.NewOutcomeWriter(r, &command.Output{Form: command.FormText}) // the command prints no objects
	type made struct {
		*report.Rendered
		item *writing.Item
	}
	var items []*writing.Item
	err := prediction.MakeRequests(r, q, false, func(o *prediction.Outcome) made {
		o.WarnIfForceFails()
		item := writing.Applied(o, &r.Masks)
		return made{t.Render(o), item}
	}, func(m made) {
		t.Add(m.Rendered)
		if m.item != nil {
			items = append(items, m.item)
		}
	})
	if err != nil {
		return err
	}
	t.WriteMessages()
	r.WriteClosing()
	if t.Status() != command.StatusDone {
		fmt.Fprintln(r.Env.Stderr, "nothing was written")
		return nil
	}
	return write.Write(r, q.Sources.Cluster.Opened(), "Apply changes to", items)
}
