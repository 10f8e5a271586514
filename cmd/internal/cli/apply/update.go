// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/server"
)

// NewUpdate makes the command update.
func NewUpdate(r *command.Run) *cobra.Command {
	var (
		q    server.Requests
		form command.Output
	)
	c := &cobra.Command{
		Use:   "update -f OBJECT --field-manager NAME [--live LIVE] [--subresource NAME] [--trace[=objects]]",
		Short: "What the API server would store for a create, replace or patch",
		Long: `Print what the API server would store when OBJECT, the complete new object, takes
the place of the live one: with metadata.managedFields, in which the manager owns
what it changed, by the operation Update. Custom resources have their defaults. Without
a live object it is created.

Managed fields in OBJECT replace those of the live object, as they do in a
cluster; an empty list resets them.

With --trace, standard error shows what each stage of the prediction changed in an
object, from reading the live object to writing managed fields.

Exit status: 0 done; 3 bad input, or what a server refuses; 4 a change that immutability
forbids.`,
		Example: `  # Who owns what after kubectl replace.
  dovetail update -f deployment.yaml --live live.yaml --field-manager kubectl-replace

  # A controller writes status.
  dovetail update -f deployment.yaml --live live.yaml --field-manager controller --subresource status

  # Which stage of the prediction changes which field?
  dovetail update -f deployment.yaml --live live.yaml --field-manager kubectl-edit --trace

  # A new object.
  dovetail update -f configmap.yaml --field-manager kubectl-create`,
	}
	q.Register(c.Flags(), "new objects")
	q.Duplicates.Register(c.Flags(), server.DuplicatesKeep, server.DuplicatesError)
	form.Register(c.Flags(), command.FormYAML, command.FormKYAML, command.FormJSON, command.FormReport, command.FormNDJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		t := report.NewTeller(r, &form)
		if err := server.MakeRequests(r, &q, true, t.Tell, t.Add); err != nil {
			return err
		}
		return t.End()
	})
}
