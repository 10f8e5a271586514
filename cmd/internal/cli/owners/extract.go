// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package owners

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

// NewExtract returns the command extract.
func NewExtract(r *command.Run) *cobra.Command {
	var (
		f    input.Files
		s    sources.Flags
		w    entryFlags
		form command.Output
	)
	c := &cobra.Command{
		Use:   "extract {-f LIVE [NAME...]|RESOURCE/NAME} --field-manager NAME",
		Short: "Print the fields of one manager as a config to apply",
		Long: `Print the fields that a manager owns in live objects, as a config that the manager can apply. The
config also contains the apiVersion, kind, name and namespace of each object.

If the same manager applies this config, nothing changes, with one exception. If "dovetail migrate"
has turned updates into applies, the manager may own the path of a list or map in addition to the
fields in it. The first apply then gives up the path, but keeps the fields.

By default, the config has the fields that the manager owns by server-side apply. With
--operation Update, it has the fields that the manager wrote by create, replace or patch. If a
manager applies these fields, no value changes, but the manager becomes an owner of the fields.

Sometimes, a manager owns a field that the object does not have. Extract leaves this field out of
the config, and prints a warning. When the manager applies the config, it gives up the field.`,
		Example: `  # Restore the manifest of a lost repository.
  kubectl get deployment web -o yaml --show-managed-fields |
    dovetail extract -f - --field-manager argocd-controller

  # Print the fields of status that an operator wrote.
  dovetail extract -f live.yaml --field-manager operator --operation Update --subresource status

  # Print KYAML.
  dovetail extract -f live.yaml --field-manager argocd-controller -o kyaml`,
	}
	f.Register(c.Flags(), "filename", "f", "live objects: a file, a directory, or - for standard input (repeatable)")
	c.Flags().StringVar(&w.manager, "field-manager", "", "manager that owns the fields (required)")
	c.Flags().StringVar(&w.subresource, "subresource", "", "extract only fields written through this subresource, such as status")
	c.Flags().StringVar(&w.operation, "operation", string(managedfields.OperationApply), "extract only fields that the manager owns by this operation: Apply or Update")
	command.OneOf(c.Flags(), "operation", string(managedfields.OperationApply), string(managedfields.OperationUpdate))
	s.Register(c.Flags(), "name of the type in the file given with --schema")
	s.RegisterUntyped(c.Flags())
	s.Cluster.RegisterSelection(c.Flags())
	form.Register(c.Flags(), command.FormYAML, command.FormKYAML, command.FormJSON)
	return s.Cluster.AcceptNames(r, r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if err := w.check(); err != nil {
			return err
		}
		writer := report.NewOutcomeWriter(r, &form)
		filter := &prediction.OwnerFilter[*report.Rendered]{Files: f, Manager: w.manager, Convert: writer.Render, Next: writer.Add}
		err := prediction.EachObject(r, f, &s, func(t *sources.Types, object *manifest.Object) *report.Rendered {
			return writer.Render(extract(t, object, &w))
		}, writer.Render, func(one *report.Rendered) { filter.Add(one.Outcome, one) })
		if err != nil {
			return err
		}
		filter.End(r)
		form.List = filter.Total > 1
		return writer.End()
	}))
}

// entryFlags holds the flags that select an entry of managed fields.
type entryFlags struct {
	manager, subresource, operation string
}

func (w *entryFlags) check() error {
	if w.manager == "" {
		return command.Usagef("--field-manager is missing: name the manager whose fields to print")
	}
	for _, known := range []managedfields.Operation{managedfields.OperationApply, managedfields.OperationUpdate} {
		if strings.EqualFold(w.operation, string(known)) {
			w.operation = string(known)
			return nil
		}
	}
	return command.Usagef("--operation %s: use Apply or Update", w.operation)
}

// extract returns a config that consists of the fields that one entry owns in an object.
func extract(t *sources.Types, object *manifest.Object, w *entryFlags) *prediction.Outcome {
	b := blame(t, object)
	if b.BlameResult == nil {
		return b.Outcome
	}
	b.extract(t, w)
	return b.Outcome
}

func (b *blamedObject) extract(t *sources.Types, w *entryFlags) {
	at, ownsNothing := b.find(w)
	if ownsNothing != nil {
		b.OwnsNothing = ownsNothing
		return
	}
	var err error
	if b.Errors = b.validationErrors(); len(b.Errors) > 0 {
		return
	}
	if b.Content, err = ownership.ExtractOwner(t.FieldManager(nil), b.Object.Content, b.Entries[at].Owner); err != nil {
		b.Errors = manifest.Errors{b.Object.Errorf("", "%v", err)}
		return
	}
	for _, l := range b.Lost {
		if l.Entry == at && b.Entries[at].APIVersion == b.Object.Identity().APIVersion {
			b.Warn(l.Path.String(), fmt.Sprintf("the manager %[1]s owns this field, but the object does not have it; if the manager applies this config, it no longer owns the field", words.Flow(w.manager)))
		}
	}
	b.warnUntyped(at)
	apiVersion, kind := unstructured.Text(b.Content, "apiVersion"), unstructured.Text(b.Content, "kind")
	typ := b.Type
	if apiVersion != b.Object.Identity().APIVersion {
		if typ, err = t.TypeOf(apiVersion, kind); err != nil {
			return // the config cannot be validated without its type
		}
	}
	if _, err := typ.FromUnstructured(b.Content); err != nil {
		for _, e := range input.Findings(b.Object, typ, err) {
			b.Warn(e.Path, "the server will reject an apply of this config: "+e.Message)
		}
	}
}

// validationErrors returns the errors in the object. It ignores undeclared fields, because the
// server may have a newer version of the type.
func (b *blamedObject) validationErrors() manifest.Errors {
	_, err := b.Type.FromUnstructured(unstructured.WithoutManagedFields(b.Object.Content), typed.AllowDuplicates)
	_, left := input.SplitUnknown(err)
	return input.Findings(b.Object, b.Type, left)
}

// warnUntyped warns about maps that are empty in the config, although the selected entry owns them.
// If the type of the object is unknown, it is also unknown whether an entry that owns a map also
// owns the fields in this map. The argument is the index of the entry.
func (b *blamedObject) warnUntyped(at int) {
	if b.Type.Schema != typed.DeducedParseableType.Schema {
		return
	}
	for path, p := range b.All() {
		if p.Whole && len(p.Children) > 0 && !isList(p.Value) && p.State == ownership.Owned && slices.Contains(p.Owners, at) {
			b.Warn(path.String(), "is {} in the config, because without a type it is unknown whether the manager also owns the fields in it: pass the type with --crd, --openapi or --schema")
		}
	}
}

// find returns the index of the managed fields entry that the flags select. If several entries
// match, it returns the first one that has the API version of the object. If none has this version,
// it returns the last match.
func (b *blamedObject) find(w *entryFlags) (int, *prediction.OwnsNothing) {
	found := -1
	var names, others, selections []string
	for i, e := range b.Entries {
		names = append(names, e.Manager)
		if e.Manager != w.manager {
			continue
		}
		if string(e.Operation) != w.operation || e.Subresource != w.subresource {
			others = append(others, words.Owner(e.Owner, e.Time))
			selection := "--operation " + string(e.Operation)
			if e.Subresource != "" {
				selection += " --subresource " + words.Flow(e.Subresource)
			}
			selections = append(selections, selection)
			continue
		}
		if found < 0 || b.Entries[found].APIVersion != b.Object.Identity().APIVersion {
			found = i
		}
	}
	switch {
	case found >= 0:
		return found, nil
	case len(others) > 0:
		through := w.operation
		if w.subresource != "" {
			through += " of subresource " + words.Flow(w.subresource)
		}
		which, entries := "select one of them", "its other entries are"
		if len(others) == 1 {
			which, entries = "select it", "its other entry is"
		}
		return 0, &prediction.OwnsNothing{Managers: names, Why: fmt.Sprintf("%s owns no fields through %s; %s %s: %s with %s", words.Flow(w.manager), through, entries, strings.Join(others, ", "), which, strings.Join(slices.Compact(selections), " or "))}
	}
	return 0, &prediction.OwnsNothing{Managers: names}
}
