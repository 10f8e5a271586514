// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
)

func newExtract(r *run) *cobra.Command {
	var (
		f    files
		s    sources
		w    whose
		form output
	)
	c := &cobra.Command{
		Use:   "extract -f LIVE --field-manager NAME [--subresource NAME] [--operation Apply|Update]",
		Short: "What one manager owns, as a config that can be applied again",
		Long: `Print what a manager owns in live objects as a config: apiVersion, kind, name,
namespace and its fields. Applying it again by the same manager changes nothing; after
a migration from updates, the first time gives up the lists and maps that these own
beside what is in them, which an apply does not own.

Without --operation it is what the manager owns by server-side apply. With
--operation Update it is what it wrote by create, replace or patch; applying that
changes no field, but whoever applies it becomes an owner.

What the manager owns and the object does not have is not in the config: a warning
names it, since applying the config gives it up.`,
		Example: `  # The manifest that a lost repository would have.
  kubectl get deployment web -o yaml --show-managed-fields |
    dovetail extract -f - --field-manager argocd-controller

  # What an operator wrote to status.
  dovetail extract -f live.yaml --field-manager operator --operation Update --subresource status`,
	}
	f.register(c.Flags(), "filename", "f", "file or directory with live objects, - for standard input (repeatable, required)")
	c.Flags().StringVar(&w.manager, "field-manager", "", "whose fields (required)")
	c.Flags().StringVar(&w.subresource, "subresource", "", "subresource through which it wrote, such as status")
	c.Flags().StringVar(&w.operation, "operation", string(fieldmanager.OperationApply), "how it came to own them: Apply or Update")
	oneOf(c.Flags(), "operation", string(fieldmanager.OperationApply), string(fieldmanager.OperationUpdate))
	s.register(c.Flags(), "name of the type in the file given with --schema")
	s.registerUntyped(c.Flags())
	form.register(c.Flags(), formYAML, formJSON)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if err := w.check(); err != nil {
			return err
		}
		outcomes, err := r.eachObject(f, &s, func(t *types, object *manifest.Object) *outcome {
			return t.extract(object, &w)
		})
		if err != nil {
			return err
		}
		form.list = len(outcomes) > 1
		return r.finish(r.withOwner(f, w.manager, outcomes), &form)
	})
}

// whose are the flags that name an entry of managed fields.
type whose struct {
	manager, subresource, operation string
}

func (w *whose) check() error {
	if w.manager == "" {
		return usagef("--field-manager NAME is missing: whose fields?")
	}
	for _, known := range []fieldmanager.Operation{fieldmanager.OperationApply, fieldmanager.OperationUpdate} {
		if strings.EqualFold(w.operation, string(known)) {
			w.operation = string(known)
			return nil
		}
	}
	return usagef("--operation %s: want Apply or Update", w.operation)
}

// extract takes what an entry owns out of one object.
func (t *types) extract(object *manifest.Object, w *whose) *outcome {
	b := t.blame(object)
	if b.Blame == nil {
		return b.outcome
	}
	b.extract(t, w)
	return b.outcome
}

func (b *blamed) extract(t *types, w *whose) {
	at, lacks := b.find(w)
	if lacks != nil {
		b.lacks = lacks
		return
	}
	var err error
	if b.errors = b.invalid(); len(b.errors) > 0 {
		return
	}
	if b.content, err = t.fieldManager(nil).ExtractOwner(b.object.Content, b.Entries[at].Owner); err != nil {
		b.errors = manifest.Errors{b.object.Errorf("", "%v", err)}
		return
	}
	for _, l := range b.Lost {
		if l.Entry == at && b.Entries[at].APIVersion == b.object.Identity().APIVersion {
			b.warn(l.Path.String(), fmt.Sprintf("%s owns it, but the object does not have it: applying the config gives it up", flow(w.manager)))
		}
	}
	b.warnUntold(at)
	apiVersion, kind := text(b.content, "apiVersion"), text(b.content, "kind")
	typ := b.typ
	if apiVersion != b.object.Identity().APIVersion {
		if typ, err = t.typeOf(apiVersion, kind); err != nil {
			return // an entry of another version is as it is
		}
	}
	if _, err := typ.FromUnstructured(b.content); err != nil {
		for _, e := range findings(b.object, typ, err) {
			b.warn(e.Path, "applying the config will be refused: "+e.Message)
		}
	}
}

// invalid is what keeps the object from being read by its type. Fields that the type
// does not know, since the server is newer, do not.
func (b *blamed) invalid() manifest.Errors {
	_, err := b.typ.FromUnstructured(withoutManagedFields(b.object.Content), typed.AllowDuplicates)
	_, left := splitUnknown(err)
	return findings(b.object, b.typ, left)
}

// warnUntold names the maps that an entry may own as wholes, which only a type
// could tell: they are in the config as empty ones.
func (b *blamed) warnUntold(at int) {
	if b.typ.Schema != typed.DeducedParseableType.Schema {
		return
	}
	for path, p := range b.All() {
		if p.Whole && len(p.Children) > 0 && !isList(p.Value) && p.Standing == fieldmanager.Owned && slices.Contains(p.Owners, at) {
			b.warn(path.String(), "is {} in the config: without a type nobody can tell whether what is in it is owned with it; give the type with --crd, --openapi or --schema")
		}
	}
}

// find returns the entry that the flags name: of several Updates the one in the
// version of the object, or else the last.
func (b *blamed) find(w *whose) (int, *lacks) {
	found := -1
	var names, others []string
	for i, e := range b.Entries {
		names = append(names, e.Manager)
		if e.Manager != w.manager {
			continue
		}
		if string(e.Operation) != w.operation || e.Subresource != w.subresource {
			others = append(others, describeOwner(e.Owner, e.Time))
			continue
		}
		if found < 0 || b.Entries[found].APIVersion != b.object.Identity().APIVersion {
			found = i
		}
	}
	switch {
	case found >= 0:
		return found, nil
	case len(others) > 0:
		through := w.operation
		if w.subresource != "" {
			through += " of subresource " + flow(w.subresource)
		}
		return 0, &lacks{names, fmt.Sprintf("%s owns nothing by %s; there is %s: see --operation and --subresource", flow(w.manager), through, strings.Join(slices.Compact(others), ", "))}
	}
	return 0, &lacks{managers: names}
}
