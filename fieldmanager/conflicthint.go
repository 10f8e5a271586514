// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// hint tells what the API server's message leaves out of a conflict over the field at a place.
// cleared says why the config excludes the field, empty if it does not.
func (a askedFor) hint(find place.Finders, at place.Place, c *Conflict, cleared string) string {
	var hints []string
	if cleared != "" {
		hints = append(hints, cleared)
	}
	if c.HasLive && c.HasYours && respelled(at, c.Yours) {
		hints = append(hints, "both are the same quantity in different spellings")
	}
	if c.SameManager {
		hints = append(hints, fmt.Sprintf(
			"owned by %s through Update (create, PUT or patch), you use Apply: hand its fields over from Update to Apply, or force once", c.Manager))
	}
	if c.Manager == beforeFirstApply && c.Operation == managedfields.OperationUpdate {
		hints = append(hints, "the object had no managed fields before; nobody is known to have written it")
	}
	if c.LiveIsDefault {
		hints = append(hints, fmt.Sprintf("value %s is only the schema default", inYAML(value.NewValueInterface(c.Live))))
	}
	if changed := a.changedSince(find, c); changed != "" {
		hints = append(hints, changed)
	}
	return strings.Join(hints, "; ")
}

// askedFor are values that somebody asked for and that a webhook or the like may have
// changed before they were stored.
type askedFor struct {
	// applied is what client-side apply last asked for, nil if not known.
	applied *typed.TypedValue
	// defaulted is what the Defaulter makes of the config, applied by force; nil without
	// a Defaulter.
	defaulted *typed.TypedValue
}

// askedFor is worked out only where there is a conflict to explain.
func (r *request) askedFor(merged func() *typed.TypedValue) (a askedFor) {
	if text := clientside.Text(r.live); text != "" {
		if config, err := clientside.Decode([]byte(text)); err == nil {
			if version, _ := document.TypeOf(config); version == r.apiVersion {
				a.applied = place.TypedOf(r.liveType, config)
			}
		}
	}
	if r.m.o.Defaulter != nil {
		if tv := merged(); tv != nil {
			if object, err := r.mergedObject(tv); err == nil {
				a.defaulted = place.TypedOf(r.liveType, object)
			}
		}
	}
	return a
}

// changedSince tells that the owner asked for what the config asks for, or that asking
// for it is of no use.
func (a askedFor) changedSince(find place.Finders, c *Conflict) string {
	if v, ok := find.Value(a.applied, c.Path); ok && c.Manager == clientside.Manager && c.HasYours && document.Equal(v, c.Yours) {
		return fmt.Sprintf("%s asked for the same value; it was changed since", c.Manager)
	}
	if v, ok := find.Value(a.defaulted, c.Path); ok && c.HasLive && c.HasYours && document.Equal(v, c.Live) {
		return fmt.Sprintf("the server makes the live value of yours; %s may have asked for the same value as you", c.Manager)
	}
	return ""
}
