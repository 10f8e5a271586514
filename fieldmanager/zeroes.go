// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/stored"
	"github.com/dovetail-ssa/dovetail/typed"
)

// addAppliedZeroes returns live with some of the zero values in config (see Options.ZeroIsAbsent).
// It adds the value of a field under four conditions: config gives the field a zero value, live lacks
// the field, live has the map or item that contains the field, and a manager owns the field by an
// Apply in the version of the endpoint. That manager has probably applied a zero value that the
// server did not store.
func (r *request) addAppliedZeroes(live, config *typed.TypedValue, owners ownerSets) (*typed.TypedValue, error) {
	configFields, err := config.ToFieldSet()
	if err != nil {
		return nil, err
	}
	var applied []*fieldpath.Set
	for _, vs := range owners.sets {
		if vs.Applied() && vs.APIVersion() == fieldpath.APIVersion(r.apiVersion) {
			applied = append(applied, vs.Set())
		}
	}
	var missing []fieldpath.Path
	finders := place.Finders{}
	for path := range stored.Union(applied).Intersection(configFields).All() {
		if v, ok := finders.Value(config, path); !ok || !document.IsZero(v) {
			continue
		}
		_, hasContainer := finders.Value(live, path[:len(path)-1])
		if _, hasField := finders.Value(live, path); hasContainer && !hasField {
			missing = append(missing, path.Copy())
		}
	}
	if len(missing) == 0 {
		return live, nil
	}
	return live.Merge(config.ExtractItems(fieldpath.NewSet(missing...), typed.WithAppendKeyFields()))
}
