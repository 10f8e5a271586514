// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// versions is one object in the versions that were asked for.
type versions struct {
	converter Converter
	object    *typed.TypedValue
	// last is the version that was asked for last, and what it is. Most objects
	// have one version only; others, if there are any, are in known.
	last struct {
		version fieldpath.APIVersion
		conversion
		asked bool
	}
	known map[fieldpath.APIVersion]conversion
}

type conversion struct {
	object *typed.TypedValue
	err    error
	// missing says that the version is not there any more.
	missing bool
}

func (s *Updater) versions(object *typed.TypedValue) *versions {
	return &versions{converter: s.Converter, object: object}
}

// at converts the object, once for each version. The result holds until the next
// call.
func (v *versions) at(version fieldpath.APIVersion) *conversion {
	if !v.last.asked || v.last.version != version {
		v.convert(version)
	}
	return &v.last.conversion
}

func (v *versions) convert(version fieldpath.APIVersion) {
	if v.last.asked {
		if v.known == nil {
			v.known = map[fieldpath.APIVersion]conversion{}
		}
		v.known[v.last.version] = v.last.conversion
	}
	c, ok := v.known[version]
	if !ok {
		c.object, c.err = v.converter.Convert(v.object, version)
		c.missing = v.converter.IsMissingVersionError(c.err)
	}
	v.last.version, v.last.conversion, v.last.asked = version, c, true
}

// reconciled returns the managers with their sets reconciled with the schemas
// of today. Managers of versions that are not there any more are left out. The
// result is a new map.
func (s *Updater) reconciled(live *versions, managers fieldpath.ManagedFields) (fieldpath.ManagedFields, error) {
	out := copied(managers)
	for manager, owned := range managers {
		today, changed, err := reconciledSet(live, owned)
		switch {
		case err != nil:
			return nil, firstFault(managers, func(_ string, owned fieldpath.VersionedSet) error {
				_, _, err := reconciledSet(live, owned)
				return err
			})
		case today == nil:
			delete(out, manager)
		case changed:
			out[manager] = today
		}
	}
	return out, nil
}

// firstFault returns the error of the first manager, by name, that has one. Managers
// are walked in Go's map order where nothing is wrong; the same input is to fail with
// the same error.
func firstFault(managers fieldpath.ManagedFields, fault func(manager string, owned fieldpath.VersionedSet) error) error {
	for _, manager := range slices.Sorted(maps.Keys(managers)) {
		if err := fault(manager, managers[manager]); err != nil {
			return err
		}
	}
	return nil
}

// copied returns a copy of managers that is not nil.
func copied(managers fieldpath.ManagedFields) fieldpath.ManagedFields {
	if managers == nil {
		return fieldpath.ManagedFields{}
	}
	return maps.Clone(managers)
}

// reconciledSet returns what a manager owns, reconciled with the schema of today, and
// whether that changes it; nil if its version is not there any more.
func reconciledSet(live *versions, owned fieldpath.VersionedSet) (today fieldpath.VersionedSet, changed bool, err error) {
	c := live.at(owned.APIVersion())
	if c.missing {
		return nil, false, nil
	}
	if c.err != nil {
		return nil, false, c.err
	}
	if needsNoReconciling(owned, c.object) {
		return owned, false, nil
	}
	set, err := typed.ReconcileFieldSetWithSchema(owned.Set(), c.object)
	if err != nil {
		return nil, false, err
	}
	if set == nil {
		return owned, false, nil
	}
	return fieldpath.NewVersionedSet(set, owned.APIVersion(), owned.Applied()), true, nil
}

// versionsFrom returns the versions of owned, sorted, with first in front if it
// is one of them.
func versionsFrom(first fieldpath.APIVersion, owned map[fieldpath.APIVersion]*fieldpath.Set) []fieldpath.APIVersion {
	all := slices.Sorted(maps.Keys(owned))
	if i := slices.Index(all, first); i > 0 {
		all = slices.Insert(slices.Delete(all, i, i+1), 0, first)
	}
	return all
}
