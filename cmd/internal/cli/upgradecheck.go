// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

func newUpgradeCheck(r *run) *cobra.Command {
	var (
		u       upgradeCheck
		objects files
		form    output
	)
	c := &cobra.Command{
		Use:   "upgrade-check --old-crd OLD --new-crd NEW [-f OBJECTS]",
		Short: "What a new version of a CRD would break",
		Long: `Compare CustomResourceDefinitions with those that will replace them, and print what
changes who owns what: defaults of list-map keys, the keys themselves, lists and
maps that become atomic or granular, fields of another kind; marks of immutability,
and new defaults of what is immutable. What the API server would refuse is printed too, such as new defaults that are not valid.

With live objects, as "kubectl get -o yaml --show-managed-fields" prints them, print
what becomes of their managed fields too: entries that name another item than
before, items that two entries come to share, containers that change hands with
all who own them, fields and versions that are gone.

Exit status: 0 nothing; 1 something would break; 3 bad input.`,
		Example: `  # What does the new release of an operator change?
  dovetail upgrade-check --old-crd crds-1.4.yaml --new-crd crds-1.5.yaml

  # And what of the objects that are there?
  kubectl get databases -A -o yaml --show-managed-fields |
    dovetail upgrade-check --old-crd crds-1.4.yaml --new-crd crds-1.5.yaml -f -

  # The same as JSON.
  dovetail upgrade-check --old-crd old.yaml --new-crd new.yaml -f live.yaml -o report`,
	}
	u.old.crds.register(c.Flags(), "old-crd", "", "file or directory with the CustomResourceDefinitions as they are (repeatable, required)")
	u.now.crds.register(c.Flags(), "new-crd", "", "file or directory with the CustomResourceDefinitions as they will be (repeatable, required)")
	objects.register(c.Flags(), "filename", "f", "file or directory with live objects, - for standard input (repeatable)")
	form.register(c.Flags(), formText, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		for _, f := range []files{u.old.crds, u.now.crds} {
			if len(f.names) == 0 {
				return usagef("%s FILE is missing", f.flag)
			}
		}
		if err := needsRules("to judge a CRD"); err != nil {
			return err
		}
		err := r.upgradeCheck(&u, objects)
		if errs, ok := inputErrors(err); ok {
			u.errors, err = append(u.errors, errs...), nil
		}
		if err != nil {
			return err
		}
		return r.finishUpgrade(&u, &form)
	})
}

// upgradeCheck is two states of the same CRDs, and what differs.
type upgradeCheck struct {
	old, now sources
	types    struct{ old, now *types }

	changes []typeChange
	moves   []objectMove
	errors  manifest.Errors
}

// objectMove is one thing that becomes of the managed fields of an object, for
// all owners to whom it happens.
type objectMove struct {
	at     manifest.Position
	object manifest.Identity
	reason string
	path   string
	now    string // empty if the path stays
	why    string
	owners []fieldmanager.Owner
}

// versionGone is the reason of an objectMove for an entry whose version the new
// CRDs do not have.
const versionGone = "version-gone"

func (r *run) upgradeCheck(u *upgradeCheck, objects files) error {
	var err error
	if u.types.old, err = r.types(&u.old, true); err != nil {
		return err
	}
	if u.types.now, err = r.types(&u.now, true); err != nil {
		return err
	}
	u.changes = append(refusedUpdates(u.types.old, u.types.now), changedTypes(u.types.old, u.types.now)...)
	if len(objects.names) == 0 {
		return nil
	}
	found, errs, err := r.objects(objects)
	if err != nil {
		return err
	}
	u.errors = append(u.errors, errs...)
	if len(found) == 0 && len(errs) == 0 {
		err := nothingIn(objects)
		var empty *emptyList
		if errors.As(err, &empty) {
			r.noteEmpty(empty) // what is wrong with the definitions is wrong all the same
			return nil
		}
		return err
	}
	rekeying := fieldmanager.Rekeying{Old: u.types.old.find, New: u.types.now.find, Converter: u.types.now.convert}
	for o := range counted(r, found) {
		err := u.object(rekeying, o)
		var bad *fieldmanager.ManagedFieldsError
		if errors.As(err, &bad) {
			u.errors = append(u.errors, brokenEntry(o, bad))
		} else if err != nil {
			u.errors = append(u.errors, o.Errorf("", "%v", err))
		}
	}
	return nil
}

// object finds what becomes of the managed fields of one object.
func (u *upgradeCheck) object(rekeying fieldmanager.Rekeying, o *manifest.Object) error {
	id := o.Identity()
	if _, err := u.types.old.find(id.APIVersion, id.Kind); err != nil {
		return err
	}
	rekeyed, err := rekeying.Rekey(o.Content)
	if err != nil {
		return err
	}
	first := len(u.moves)
	add := func(m objectMove, owner fieldmanager.Owner) {
		same := slices.IndexFunc(u.moves[first:], func(n objectMove) bool {
			return n.reason == m.reason && n.path == m.path && n.now == m.now && n.why == m.why
		})
		if same < 0 {
			m.at, m.object = o.Position(m.path), id
			same = len(u.moves) - first
			u.moves = append(u.moves, m)
		}
		all := &u.moves[first+same].owners
		*all = append(*all, owner)
	}
	for _, m := range rekeyed.Moves {
		move := objectMove{reason: string(m.Reason), path: m.Old.String(), why: m.Why}
		if !m.Old.Equals(m.New) {
			move.now = m.New.String()
		}
		add(move, m.Owner)
	}
	for _, e := range rekeyed.Managed.Entries() {
		if _, err := u.types.old.find(e.APIVersion, id.Kind); err != nil {
			continue
		}
		if _, err := u.types.now.find(e.APIVersion, id.Kind); errors.Is(err, fieldmanager.ErrUnknownType) {
			add(objectMove{reason: versionGone, path: ".metadata.managedFields", why: e.APIVersion + " is not served any more: the entry is dropped by the next write"}, e.Owner)
		}
	}
	return nil
}
