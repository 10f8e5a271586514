package cli

import "github.com/spf13/cobra"

func newApply(r *run) *cobra.Command {
	var (
		q    requests
		form output
	)
	c := &cobra.Command{
		Use:   "apply -f CONFIG --field-manager NAME [--live LIVE] [--force-conflicts]",
		Short: "What the API server would store for a server-side apply",
		Long: `Print what the API server would store for a server-side apply of CONFIG: the
merged object with metadata.managedFields.

Objects are matched to live objects by apiVersion, kind, namespace and name; one
without a live object is created. If any object conflicts with another manager
or is invalid, nothing is printed but the reasons, on standard error. With
-o report the reasons are part of the result.`,
		Example: `  # Merge service.yaml into the object that was fetched from the cluster.
  dovetail apply -f service.yaml --live live.yaml --field-manager web

  # Take over the fields that conflict.
  dovetail apply -f service.yaml --live live.yaml --field-manager web --force-conflicts

  # Custom resources, with their definition.
  dovetail apply -f database.yaml --crd crds.yaml --field-manager web

  # A second manager applies the same chart, with all its zeroes.
  dovetail apply -f pod.yaml --live live.yaml --field-manager other --zero-is-absent

  # A chart that sets a variable twice and means the last one.
  helm template web | dovetail apply -f - --field-manager web --duplicates=last

  # Everything a script needs to know, as JSON.
  kubectl get service web -o yaml --show-managed-fields |
    dovetail apply -f service.yaml --live - --field-manager web -o report`,
	}
	q.register(c.Flags(), "objects to apply")
	q.duplicates.register(c.Flags(), duplicatesError)
	c.Flags().BoolVar(&q.force, "force-conflicts", false, "take over fields that other managers own")
	registerZeroes(c.Flags(), &q.zeroes)
	form.register(c.Flags(), formYAML, formJSON, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		outcomes, err := r.requests(&q, false)
		if err != nil {
			return err
		}
		return r.finish(outcomes, &form)
	})
}
