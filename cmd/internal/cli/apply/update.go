// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
)

// NewUpdate returns the command update.
func NewUpdate(r *command.Run) *cobra.Command {
	var (
		q    prediction.Requests
		form command.Output
	)
	c := &cobra.Command{
		Use:   "update -f OBJECT --field-manager NAME [--live LIVE]",
		Short: "Show the object that a create, replace or patch would store",
		Long: `Print the object that the API server would store if a client replaced the live object with OBJECT.
OBJECT is the complete new object. If there is no live object, the command predicts a create.

The manager becomes the owner of the fields that it changes. The command records these fields in
metadata.managedFields, in an entry with the operation Update.

If OBJECT has managed fields, they replace the managed fields of the live object, as in a
cluster. An empty list removes all managed fields.

With --trace, update also writes to standard error how each stage of the prediction changes the
object. Use this output to find the stage that sets a value.

Exit status: 0 done; 3 invalid input, or an object that a server would reject; 4 a change of an
immutable field.`,
		Example: `  # Show who owns which field after kubectl replace.
  dovetail update -f deployment.yaml --live live.yaml --field-manager kubectl-replace

  # Write status, as a controller does.
  dovetail update -f deployment.yaml --live live.yaml --field-manager controller --subresource status

  # Show which stage of the prediction changes which field.
  dovetail update -f deployment.yaml --live live.yaml --field-manager kubectl-edit --trace

  # Create an object.
  dovetail update -f configmap.yaml --field-manager kubectl-create`,
	}
	q.Register(c.Flags(), "new objects")
	q.Duplicates.Register(c.Flags(), prediction.DuplicatesKeep, prediction.DuplicatesError)
	r.RegisterExplain(c.Flags())
	form.Register(c.Flags(), command.FormYAML, command.FormKYAML, command.FormJSON, command.FormReport, command.FormNDJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		t := report.NewOutcomeWriter(r, &form)
		if err := prediction.MakeRequests(r, &q, true, t.Render, t.Add); err != nil {
			return err
		}
		return t.End()
	})
}
