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

// at converts the object, once for each version.
func (v *versions) at(version fieldpath.APIVersion) conversion {
	if v.last.asked && v.last.version == version {
		return v.last.conversion
	}
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
	return c
}

// reconciled returns the managers with their sets carried over to the schemas
// of today. Managers of versions that are not there any more are left out. The
// result is a new map.
func (s *Updater) reconciled(live *versions, managers fieldpath.ManagedFields) (fieldpath.ManagedFields, error) {
	out := maps.Clone(managers)
	if out == nil {
		out = fieldpath.ManagedFields{}
	}
	for manager, owned := range managers {
		c := live.at(owned.APIVersion())
		if c.missing {
			delete(out, manager)
			continue
		}
		if c.err != nil {
			return nil, c.err
		}
		if settled(owned, c.object) {
			continue
		}
		set, err := typed.ReconcileFieldSetWithSchema(owned.Set(), c.object)
		if err != nil {
			return nil, err
		}
		if set != nil {
			out[manager] = fieldpath.NewVersionedSet(set, owned.APIVersion(), owned.Applied())
		}
	}
	return out, nil
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
