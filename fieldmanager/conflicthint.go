// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/clientside"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// hint explains a conflict to the user, with facts that the API server's message lacks. For
// example, client-side apply may once have applied the same value. The argument live is the live
// object in the version of the owner, and the argument at is the place of the field in live. If the
// config clears the field by selecting another union member, reason explains why. The hint then
// begins with reason.
func (h *conflictHinter) hint(finders place.Finders, live *typed.TypedValue, at place.Place, c *Conflict, reason string) string {
	var hints []string
	if reason != "" {
		hints = append(hints, reason)
	}
	if c.HasLive && c.HasYours && differsInSpelling(at, c.Yours) {
		hints = append(hints, "both values are the same quantity, written differently")
	}
	if c.SameManager {
		hints = append(hints, fmt.Sprintf(
			"%s already owns this field through an earlier Update (create, PUT or patch), and its Update and Apply count as two owners: migrate the fields from Update to Apply, or force once", c.Manager))
	}
	if c.Manager == BeforeFirstApply && c.Operation == managedfields.OperationUpdate {
		hints = append(hints, "the object had no managed fields before its first apply, so it is unknown which manager set the value")
	}
	if c.LiveIsDefault {
		hints = append(hints, fmt.Sprintf("the live value %s is the default of the schema", oneLineYAML(value.NewValueInterface(c.Live))))
	}
	if text := explainDuplicate(finders, live, c); text != "" {
		hints = append(hints, text)
	} else if text := h.explainDifference(finders, c); text != "" {
		hints = append(hints, text)
	}
	return strings.Join(hints, "; ")
}

// conflictHinter writes the hints of conflicts. It has the objects that the hints are based on.
type conflictHinter struct {
	// applied is the object that client-side apply last applied, or nil if it is unknown. The
	// stored object can differ, because a webhook or a default may have changed it.
	applied *typed.TypedValue
	// defaulted is the live object with the config merged in, and then with defaults. In this
	// object, each field of the config has the value that a forced apply would store. defaulted is
	// nil if there is no Defaulter, or if the object cannot be computed.
	defaulted *typed.TypedValue
}

// newConflictHinter returns a conflictHinter. It reads the object that client-side apply last applied,
// and computes the defaulted object. The function merged returns the live object with the config
// merged in. It is called only if there is a Defaulter.
func (r *request) newConflictHinter(merged func() *typed.TypedValue) (h conflictHinter) {
	if text := clientside.Text(r.live); text != "" {
		if config, err := clientside.Decode([]byte(text)); err == nil {
			if version, _ := document.TypeOf(config); version == r.apiVersion {
				h.applied = place.TypedOf(r.liveType, config)
			}
		}
	}
	if r.m.options.Defaulter != nil {
		if tv := merged(); tv != nil {
			if object, err := r.defaultedObject(tv); err == nil {
				h.defaulted = place.TypedOf(r.liveType, object)
			}
		}
	}
	return h
}

// explainDuplicate returns a hint if the conflict is over a list item that the live object contains
// several times, or over a path in such an item. A config can contain the item only once.
// Therefore, each apply of the item changes the list, which causes a conflict even if all values
// are equal. If there is no such item, explainDuplicate returns "".
func explainDuplicate(finders place.Finders, live *typed.TypedValue, c *Conflict) string {
	item, items := finders.Duplicate(live, c.Path)
	if item == nil {
		return ""
	}
	name := "this item"
	if len(item) < len(c.Path) {
		name = "the item " + item.String()
	}
	return fmt.Sprintf("the live list has %s %d times: remove the duplicate first", name, len(items))
}

// explainDifference explains why the live value differs from the value in the config, although the
// owner may have applied the same value. It returns a hint in three cases, and otherwise "":
//
//   - Client-side apply owns the field and applied the same value as the config, but a later
//     request changed the value.
//   - The server would add defaults to the value in the config, and the result is the live value.
//   - The server would replace the value in the config with the live value.
func (h *conflictHinter) explainDifference(finders place.Finders, c *Conflict) string {
	if h.applied != nil && c.Manager == clientside.Manager && c.HasYours {
		if v, ok := finders.Value(h.applied, c.Path); ok && document.Equal(v, c.Yours) {
			return fmt.Sprintf("%s applied the same value as you; a later request changed it", c.Manager)
		}
	}
	if h.defaulted == nil || !c.HasLive || !c.HasYours {
		return ""
	}
	if v, ok := finders.Value(h.defaulted, c.Path); !ok || !document.Equal(v, c.Live) {
		return ""
	}
	if lacksOnlyFields(c.Yours, c.Live) {
		return "the server adds defaults to your value only after the merge, and the result is the live value: to avoid the conflict, write these defaults in your config"
	}
	return fmt.Sprintf("the server replaces your value with the live value, so %s may have applied the same value as you", c.Manager)
}

// lacksOnlyFields reports whether v equals whole, except that maps in v may lack fields. For
// example, {port: 80} lacks only one field of {port: 80, protocol: TCP}.
func lacksOnlyFields(v, whole any) bool {
	switch v := v.(type) {
	case map[string]any:
		whole, ok := whole.(map[string]any)
		if !ok {
			return false
		}
		for name, field := range v {
			if other, ok := whole[name]; !ok || !lacksOnlyFields(field, other) {
				return false
			}
		}
		return true
	case []any:
		whole, ok := whole.([]any)
		return ok && slices.EqualFunc(v, whole, lacksOnlyFields)
	}
	return document.Equal(v, whole)
}
