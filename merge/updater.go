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
// An Updater asks once for each version of an object; the answers must not
// depend on when it asks. Converting an object to its own version must return
// it, or an equal one.
type Converter interface {
	Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error)
	// IsMissingVersionError returns whether an error of Convert means that the
	// version is not there any more; its managers are then dropped. It must
	// accept nil.
	IsMissingVersionError(error) bool
}

// UpdaterBuilder holds the options of an Updater.
type UpdaterBuilder struct {
	// Converter is asked even where all versions are one. Without one, Apply and
	// Update panic as soon as anybody owns anything, as in structured-merge-diff.
	Converter Converter

	// IgnoreFilter says, for each version, which fields are tracked at all. At
	// most one of IgnoreFilter and IgnoredFields may be set.
	IgnoreFilter map[fieldpath.APIVersion]fieldpath.Filter

	// IgnoredFields are, for each version, the fields that are not tracked.
	IgnoredFields map[fieldpath.APIVersion]*fieldpath.Set

	// ReturnInputOnNoop makes Apply return an object when nothing changes,
	// instead of nil.
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

// Updater merges objects and keeps track of their managers. It holds no state
// and is safe for concurrent use if its Converter is. Make one with an UpdaterBuilder:
// the zero value has no Converter, and panics.
type Updater struct {
	// Deprecated: set it through an UpdaterBuilder.
	Converter Converter

	// Deprecated: set it through an UpdaterBuilder.
	IgnoredFields map[fieldpath.APIVersion]*fieldpath.Set

	// Deprecated: set it through an UpdaterBuilder.
	IgnoreFilter map[fieldpath.APIVersion]fieldpath.Filter

	returnInputOnNoop bool
}

// checkFilters refuses two ways of ignoring fields at once. The text is the one
// that callers know.
func (s *Updater) checkFilters() error {
	if s.IgnoredFields != nil && s.IgnoreFilter != nil {
		return errors.New("IgnoreFilter and IgnoreFilter may not both be set")
	}
	return nil
}

// tracked returns what of a set of that version is tracked.
func (s *Updater) tracked(version fieldpath.APIVersion, set *fieldpath.Set) *fieldpath.Set {
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

// trackedChanges takes out of a comparison what is not tracked.
func (s *Updater) trackedChanges(version fieldpath.APIVersion, c *typed.Comparison) *typed.Comparison {
	if s.IgnoredFields != nil {
		return c.ExcludeFields(s.IgnoredFields[version])
	}
	return c.FilterFields(s.IgnoreFilter[version])
}
