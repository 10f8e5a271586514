// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/writing"
	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/suggest"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
)

// New returns the command migrate.
func New(r *command.Run) *cobra.Command {
	var (
		f     input.Files
		s     sources.Flags
		old   sources.Flags
		mg    ownership.MigrateOptions
		write writing.Flags
		form  command.Output
	)
	c := &cobra.Command{
		Use:   "migrate {-f LIVE [NAME...]|RESOURCE/NAME} --from NAME --to NAME [--write]",
		Short: "Transfer fields to another manager, or fit them to a new schema",
		Long: `Transfer fields of live objects to another manager, and print the resulting objects. The manager
in --to gets all fields that the managers in --from own by Update or Apply. The new manager then
owns these fields by server-side apply.

Use migrate to move an object from client-side to server-side apply, or when a tool changes its
manager name. Without a migration, the old manager stays an owner of its fields, so no apply
removes them. After a migration, an apply by the new manager removes the fields that its config
leaves out.

If --from is kubectl-client-side-apply, the manager in --to also gets some fields without an owner.
These are the fields whose live value is still the value in the annotation
` + fieldmanager.LastAppliedAnnotation + `.

With --old-crd, migrate adapts managed fields to a new CRD. Pass the CRDs with which the managed
fields were written in --old-crd, and the new CRDs in --crd. Every owner then keeps its fields,
even if the default of a list key has changed, or a list or map has become granular or atomic.
Install the new CRD before you migrate the objects.

Without this migration, nobody owns the parts of a list or map that became granular. Every manager
can then change these parts, and an apply that leaves them out does not remove them. To find such
changes of a CRD, use "dovetail upgrade-check".

If none of the objects has a manager in --from, the name is probably misspelled, so migrate prints
no objects and exits with status 3. But if the manager in --to already applies one of the
objects, migrate only prints a note, because an earlier migration may have transferred all fields.

Migrate changes only managed fields. The printed YAML or JSON contains the real values of Secrets,
so that you can write the objects with kubectl replace. Reports and messages mask these values.

Each entry in the managed fields has an API version. If the entries of the old and the new manager
have different versions, and the object has different fields in these versions, migrate keeps the
old entry, and prints a warning.

With --write, migrate changes the managed fields in the cluster instead of printing objects.
It proceeds as follows:

  1. It sends a dry run to the cluster, and compares the results with the
     predicted objects. It does not write objects that differ.
  2. It asks for confirmation.
  3. It saves the old objects to a file for "dovetail undo".
  4. It sends one request for each object. If an object has changed since
     migrate read it, migrate reads it again and repeats the migration.`,
		Example: `  # Move from kubectl apply to kubectl apply --server-side.
  kubectl get deployment web -o yaml --show-managed-fields |
    dovetail migrate -f - --from kubectl-client-side-apply --to kubectl > migrated.yaml
  kubectl replace -f migrated.yaml

  # Preview how Helm 4 migrates a release that Helm 3 installed, when you
  # first run "helm upgrade --server-side=true".
  dovetail migrate -f live.yaml --from helm --to helm

  # Migrate all Deployments of a namespace in the cluster.
  dovetail migrate deployments -n shop --from kubectl-client-side-apply --to kubectl --context shop --write

  # Adapt managed fields to a new CRD, in which an atomic list has become a list with keys.
  kubectl get widgets -A -o yaml --show-managed-fields |
    dovetail migrate -f - --old-crd crds-1.4.yaml --crd crds-1.5.yaml > migrated.yaml

  # Merge several manager names into one.
  dovetail migrate -f live.yaml --from argocd --from argocd-application-controller --to argocd-controller`,
	}
	f.Register(c.Flags(), "filename", "f", "live objects: a file, a directory, or - for standard input (repeatable)")
	c.Flags().StringArrayVar(&mg.From, "from", nil, "`manager` that gives its fields away (repeatable)")
	c.Flags().StringVar(&mg.To, "to", "", "manager that gets the fields")
	c.Flags().StringVar(&mg.Subresource, "subresource", "", "transfer only fields written through this subresource, such as status")
	old.CRDs.Register(c.Flags(), "old-crd", "", "CustomResourceDefinitions with which the managed fields were written: a file or directory (repeatable)")
	s.Register(c.Flags(), "name of the type in the file given with --schema")
	s.RegisterUntyped(c.Flags())
	s.Cluster.RegisterSelection(c.Flags())
	write.Register(c.Flags(), "the migrated managed fields")
	form.Register(c.Flags(), command.FormYAML, command.FormKYAML, command.FormJSON, command.FormReport, command.FormNDJSON)
	return s.Cluster.AcceptNames(r, r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		rekeys := len(old.CRDs.Names) > 0
		handsOver := !rekeys || len(mg.From) > 0 || mg.To != ""
		if handsOver && (len(mg.From) == 0 || slices.Contains(mg.From, "")) {
			return command.Usagef("--from is missing: name the manager that gives its fields away")
		}
		if handsOver && mg.To == "" {
			return command.Usagef("--to is missing: name the manager that gets the fields")
		}
		if rekeys && len(s.CRDs.Names) == 0 {
			return command.Usagef("--old-crd needs --crd with the current CustomResourceDefinitions")
		}
		var oldTypes *sources.Types
		if rekeys {
			var err error
			if oldTypes, err = sources.Read(r, &old, true); err != nil {
				return report.Refused(r, err, &form)
			}
		}
		if err := write.CheckSelected(r, f.Names, &s.Cluster); err != nil {
			return err
		}
		if write.Asked() {
			form.Form = command.FormText // print which objects were written, instead of the objects
		}
		migrateObject := func(t *sources.Types, object *manifest.Object) *prediction.Outcome {
			o := prediction.ReadLive(t, object)
			if rekeys {
				rekey(oldTypes, t, o)
			}
			if handsOver {
				transferFields(t, o, mg)
			}
			return o
		}
		writer := report.NewOutcomeWriter(r, &form)
		unchanged := &unchangedObjects{files: f}
		type result struct {
			*report.Rendered
			item *writing.Item
		}
		var items []*writing.Item
		// first holds the result of the first object until the second object arrives. If there is
		// only one object, an error that unchanged.end returns is added to this result.
		var first *result
		add := func(m result) {
			writer.Add(m.Rendered)
			if m.item != nil {
				items = append(items, m.item)
			}
		}
		err := prediction.EachObject(r, f, &s, func(t *sources.Types, object *manifest.Object) (m result) {
			o := migrateObject(t, object)
			if write.Asked() {
				m.item = writing.Managed(t, o, o.Content, o.Changed, func(live *manifest.Object) (*prediction.Outcome, map[string]any, bool) {
					o := migrateObject(t, live)
					return o, o.Content, o.Changed
				})
			}
			m.Rendered = writer.Render(o)
			return m
		}, func(o *prediction.Outcome) result { return result{Rendered: writer.Render(o)} }, func(m result) {
			if first != nil {
				add(*first)
				first = nil
			}
			if unchanged.add(m.Outcome); unchanged.all == 1 {
				first = &m
				return
			}
			add(m)
		})
		if err != nil {
			return err
		}
		misspelt := unchanged.end(r, mg)
		switch {
		case misspelt != nil && first != nil:
			first.Outcome.Errors = manifest.Errors{misspelt}
			writer.Add(writer.Render(first.Outcome))
		case misspelt != nil:
			writer.Add(writer.Render(&prediction.Outcome{Errors: manifest.Errors{misspelt}}))
		case first != nil:
			add(*first)
		}
		if misspelt != nil {
			return writer.End()
		}
		if write.Asked() {
			writer.WriteMessages()
			return write.Write(r, s.Cluster.Opened(), "Write the managed fields of", items)
		}
		return writer.End()
	}))
}

// rekey converts the managed fields of one object from the old types to the new types.
func rekey(oldTypes, newTypes *sources.Types, o *prediction.Outcome) {
	if len(o.Errors) > 0 {
		return
	}
	id := o.Object.Identity()
	if _, err := oldTypes.Find(id.APIVersion, id.Kind); err != nil {
		o.Errors = manifest.Errors{o.Object.Errorf("", "%v", err)}
		return
	}
	out, err := ownership.Rekey(o.Content, ownership.RekeyOptions{Old: oldTypes.Defined, New: newTypes.Defined, Converter: newTypes.Convert})
	if err != nil {
		o.Explain(err)
		return
	}
	o.Content, o.Changed = out.Object, out.Changed
	for _, w := range out.Warnings {
		o.Warn(w.Path, w.Message)
	}
	for _, m := range out.Moves {
		to := ""
		if !m.Old.Equals(m.New) {
			to = fmt.Sprintf(" is now %v", m.New)
		}
		report.Note(o, "%s: %v%s: %s: %s", words.Owner(m.Owner, nil), m.Old, to, m.Reason, m.Why)
	}
	if !out.Changed {
		report.Note(o, "the managed fields already fit the new schema")
	}
}

// transferFields transfers fields of one object to a different manager.
func transferFields(t *sources.Types, o *prediction.Outcome, mg ownership.MigrateOptions) {
	if len(o.Errors) > 0 {
		return
	}
	out, err := ownership.Migrate(t.FieldManager(nil), o.Content, mg)
	if err != nil {
		o.Explain(err)
		return
	}
	o.Content, o.Changed = out.Object, o.Changed || out.Changed
	for _, w := range out.Warnings {
		o.Warn(w.Path, w.Message)
	}
	note := func(format string, args ...any) { report.Note(o, format, args...) }
	for _, h := range out.Transfers {
		note("transferred %s from %s to %s", words.Count(h.Fields.Size(), "path"), words.Owner(h.From, nil), words.Owner(out.To, nil))
	}
	if out.Recalled != nil {
		note("%s becomes the owner of %s that client-side apply set and that no manager owned", words.Owner(out.To, nil), words.Count(out.Recalled.Size(), "path"))
		for path := range out.Recalled.All() {
			note("  %s", path)
		}
	}
	if !out.Changed && len(out.Warnings) == 0 {
		o.OwnsNothing = &prediction.OwnsNothing{}
		for _, e := range out.Managed.Entries() {
			o.OwnsNothing.Managers = append(o.OwnsNothing.Managers, e.Manager)
			if e.Manager == mg.To && e.Operation == managedfields.OperationApply {
				o.OwnsNothing.Applies = true
			}
		}
	}
}

// unchangedObjects counts the objects that have no fields to transfer.
type unchangedObjects struct {
	files          input.Files
	all, unchanged int
	// named holds the names of all managers of all objects.
	named map[string]bool
	// first is the first object without fields to transfer.
	first *manifest.Object
	// managers holds the names of all managers of objects without fields to transfer.
	managers map[string]bool
	// applies is set if the manager in --to applies an object without fields to transfer.
	applies bool
}

func (u *unchangedObjects) add(o *prediction.Outcome) {
	u.all++
	if o.Object != nil {
		u.noteManagers(o.Object)
	}
	if o.OwnsNothing == nil {
		return
	}
	if u.unchanged++; u.unchanged == 1 {
		u.first, u.managers = o.Object, map[string]bool{}
	}
	for _, name := range o.OwnsNothing.Managers {
		u.managers[name] = true
	}
	u.applies = u.applies || o.OwnsNothing.Applies
}

func (u *unchangedObjects) noteManagers(object *manifest.Object) {
	if u.named == nil {
		u.named = map[string]bool{}
	}
	entries, _ := document.Metadata(object.Content)["managedFields"].([]any)
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			if name, ok := entry["manager"].(string); ok {
				u.named[name] = true
			}
		}
	}
}

// end reports how many objects have no fields to transfer. If no object has such fields, end
// explains the reason for each manager in --from.
//
// If the names in --from are probably misspelled, because no object has a manager with such a name,
// end returns an error. But if the manager in --to already applies an object, an earlier run may
// have transferred all fields. In this case, end returns an error only if a name in --from is
// similar to the name of a manager.
func (u *unchangedObjects) end(r *command.Run, mg ownership.MigrateOptions) *manifest.Error {
	if u.unchanged < u.all {
		for _, from := range mg.From {
			if !u.named[from] {
				r.Warnf("--from %s: %s", words.Flow(from), prediction.NoManager(from, slices.Collect(maps.Keys(u.named))))
			}
		}
	}
	switch {
	case u.unchanged == 0:
		return nil
	case u.unchanged < u.all:
		r.Notef("nothing to transfer in %d of %d objects", u.unchanged, u.all)
		return nil
	}
	names := slices.Collect(maps.Keys(u.managers))
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == mg.To })
	misspelt := !u.applies
	var reasons []string
	for _, from := range mg.From {
		why := prediction.NoManager(from, names)
		if u.managers[from] {
			why = words.Flow(from) + " owns no fields through Update" + ofSubresource(mg.Subresource)
		} else if suggest.Nearest(from, others) != "" {
			misspelt = true
		}
		reasons = append(reasons, why)
	}
	if slices.ContainsFunc(mg.From, func(from string) bool { return u.managers[from] }) {
		misspelt = false
	}
	switch {
	case misspelt && u.all == 1:
		return u.first.Errorf(".metadata.managedFields", "nothing to transfer: %s", strings.Join(reasons, "; "))
	case misspelt:
		return &manifest.Error{File: u.files.Shown(), Message: fmt.Sprintf("nothing to transfer in any of %d objects: %s", u.all, strings.Join(reasons, "; "))}
	}
	where := fmt.Sprintf("all %d objects", u.all)
	if u.all == 1 {
		where = fmt.Sprint(u.first.Identity())
	}
	for _, why := range reasons {
		r.Notef("%s", words.OneLine(fmt.Sprintf("%s: nothing to transfer: %s", where, why)))
	}
	return nil
}

func ofSubresource(name string) string {
	if name == "" {
		return ""
	}
	return " of subresource " + words.Flow(name)
}
