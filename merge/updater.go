// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"errors"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/typed"
)

// Converter converts objects between the versions of their API.
//
// An Updater calls Convert in any order, and may use a result several times. So the results
// must not depend on the order or the number of calls. Converting an object to its own version
// must return the object or an equal object. Return the object itself: Apply is then faster.
//
// If Convert fails and IsMissingVersionError returns false for the error, Apply or Update returns the
// error, possibly wrapped. There is one exception. Apply may convert its result back to the version of
// the apply. If this conversion fails, Apply returns the error even if a version is missing. With
// declarative defaults, Apply also converts copies of the object back. For these copies, it ignores a
// missing version as usual.
//
// If all objects of a program have one version, Convert can always return the object. The
// example of the package documentation has such a Converter.
type Converter interface {
	Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error)
	// IsMissingVersionError reports whether an error means that the version no longer exists. If it
	// returns true for an error of Convert, the Updater removes the managers of that version. The
	// Updater also calls it with nil, and with errors that do not come from Convert.
	IsMissingVersionError(error) bool
}

// UpdaterBuilder holds the options of an Updater.
type UpdaterBuilder struct {
	// Converter converts objects between versions. It is called even if all managers
	// use one version. Without a Converter, Apply and Update panic if there are managers,
	// as in structured-merge-diff.
	Converter Converter

	// IgnoreFilter has a filter for each version. The filter keeps the fields whose owners are
	// tracked. Set IgnoreFilter or IgnoredFields, but not both.
	IgnoreFilter map[fieldpath.APIVersion]fieldpath.Filter

	// IgnoredFields has the fields whose owners are not tracked, for each version.
	IgnoredFields map[fieldpath.APIVersion]*fieldpath.Set

	// ReturnInputOnNoop changes the result of an Apply that does not change the object.
	// Instead of nil, Apply then returns a new object that equals the live object. The new
	// object can be plain data even if the live object is a Go struct.
	ReturnInputOnNoop bool
}

// BuildUpdater returns an Updater with the options of u.
func (u *UpdaterBuilder) BuildUpdater() *Updater {
	return &Updater{
		Converter:         u.Converter,
		IgnoreFilter:      u.IgnoreFilter,
		IgnoredFields:     u.IgnoredFields,
		returnInputOnNoop: u.ReturnInputOnNoop,
	}
}

// Updater merges objects and tracks which manager owns which field. It has no state, and is
// safe for concurrent use if its Converter is safe for concurrent use. Use an UpdaterBuilder
// to create an Updater: the zero value has no Converter, so it panics if there are managers.
type Updater struct {
	// Deprecated: set it with UpdaterBuilder.Converter.
	Converter Converter

	// Deprecated: set it with UpdaterBuilder.IgnoredFields.
	IgnoredFields map[fieldpath.APIVersion]*fieldpath.Set

	// Deprecated: set it with UpdaterBuilder.IgnoreFilter.
	IgnoreFilter map[fieldpath.APIVersion]fieldpath.Filter

	returnInputOnNoop bool
}

// checkFilters returns an error if both IgnoredFields and IgnoreFilter are set. The message
// is the same as in structured-merge-diff, which names IgnoreFilter twice by mistake.
func (s *Updater) checkFilters() error {
	if s.IgnoredFields != nil && s.IgnoreFilter != nil {
		return errors.New("IgnoreFilter and IgnoreFilter may not both be set")
	}
	return nil
}

// trackedFields returns set without the fields whose owners are not tracked. The argument set is in
// the given version.
func (s *Updater) trackedFields(version fieldpath.APIVersion, set *fieldpath.Set) *fieldpath.Set {
	if s.IgnoredFields != nil {
		if ignored := s.IgnoredFields[version]; ignored != nil {
			return fieldpath.NewExcludeSetFilter(ignored).Filter(set)
		}
		return set
	}
	if filter := s.IgnoreFilter[version]; filter != nil {
		return filter.Filter(set)
	}
	return set
}

// trackedChanges removes the fields whose owners are not tracked from c, and returns c.
func (s *Updater) trackedChanges(version fieldpath.APIVersion, c *typed.Comparison) *typed.Comparison {
	if s.IgnoredFields != nil {
		return c.ExcludeFields(s.IgnoredFields[version])
	}
	return c.FilterFields(s.IgnoreFilter[version])
}
