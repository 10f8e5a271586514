// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// conversionCache converts one object to the versions of its managers. It converts the object only
// once for each version. The code in giveup.go mostly calls the Converter directly, because its
// objects change after each conversion.
type conversionCache struct {
	converter Converter
	object    *typed.TypedValue
	// latest is the result of the latest conversion. Most objects are converted to only one
	// version. If an object is converted to more versions, the map known has the earlier
	// results.
	latest struct {
		version fieldpath.APIVersion
		conversion
		valid bool // false until the first conversion
	}
	known map[fieldpath.APIVersion]conversion
}

// conversion is the result of a conversion: an object or an error.
type conversion struct {
	object *typed.TypedValue
	err    error
	// missing is true if the version no longer exists.
	missing bool
}

// newConversionCache returns an empty cache for conversions of object.
func (s *Updater) newConversionCache(object *typed.TypedValue) conversionCache {
	return conversionCache{converter: s.Converter, object: object}
}

// inVersion returns the object in the given version. The result is valid until the next call.
func (cache *conversionCache) inVersion(version fieldpath.APIVersion) *conversion {
	if !cache.latest.valid || cache.latest.version != version {
		cache.switchTo(version)
	}
	return &cache.latest.conversion
}

// switchTo sets latest to the result for the given version. It converts the object only if the result is
// not known yet.
func (cache *conversionCache) switchTo(version fieldpath.APIVersion) {
	if cache.latest.valid {
		if cache.known == nil {
			cache.known = map[fieldpath.APIVersion]conversion{}
		}
		cache.known[cache.latest.version] = cache.latest.conversion
	}
	c, ok := cache.known[version]
	if !ok {
		c.object, c.err = cache.converter.Convert(cache.object, version)
		c.missing = cache.converter.IsMissingVersionError(c.err)
	}
	cache.latest.version, cache.latest.conversion, cache.latest.valid = version, c, true
}

// reconcileManagers returns a new map of managers, in which all sets are converted to the current
// schemas. It omits managers whose version no longer exists. To convert a set, it needs the live
// object in the version of the set, which the cache provides.
func (s *Updater) reconcileManagers(live *conversionCache, managers fieldpath.ManagedFields) (fieldpath.ManagedFields, error) {
	out := cloneManagers(managers)
	for manager, owned := range managers {
		current, changed, err := reconcileSet(live, owned)
		switch {
		case err != nil:
			return nil, firstError(managers, err, func(_ string, owned fieldpath.VersionedSet) error {
				_, _, err := reconcileSet(live, owned)
				return err
			})
		case current == nil:
			delete(out, manager)
		case changed:
			out[manager] = current
		}
	}
	return out, nil
}

// firstError makes errors reproducible. Its callers iterate over managers in Go's random map order.
// If an error occurs, they call firstError, which checks all managers in the order of their names
// and returns the first error. If no check fails, for example because a Converter fails only
// sometimes, firstError returns err.
func firstError(managers fieldpath.ManagedFields, err error, check func(manager string, owned fieldpath.VersionedSet) error) error {
	for _, manager := range slices.Sorted(maps.Keys(managers)) {
		if first := check(manager, managers[manager]); first != nil {
			return first
		}
	}
	return err
}

// cloneManagers returns a copy of managers. The copy is never nil.
func cloneManagers(managers fieldpath.ManagedFields) fieldpath.ManagedFields {
	if managers == nil {
		return fieldpath.ManagedFields{}
	}
	return maps.Clone(managers)
}

// reconcileSet converts the set of a manager to the current schema. If the set needs no conversion,
// reconcileSet returns it unchanged, and changed is false. If the version of the set no longer
// exists, it returns nil.
func reconcileSet(live *conversionCache, owned fieldpath.VersionedSet) (current fieldpath.VersionedSet, changed bool, err error) {
	c := live.inVersion(owned.APIVersion())
	if c.missing {
		return nil, false, nil
	}
	if c.err != nil {
		return nil, false, c.err
	}
	if isReconciled(owned, c.object) {
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

// sortedVersions returns the keys of owned in ascending order. If owned has the version first, this
// version comes first.
func sortedVersions(first fieldpath.APIVersion, owned map[fieldpath.APIVersion]*fieldpath.Set) []fieldpath.APIVersion {
	all := slices.Sorted(maps.Keys(owned))
	if i := slices.Index(all, first); i > 0 {
		all = slices.Insert(slices.Delete(all, i, i+1), 0, first)
	}
	return all
}
