// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/internal/quantity"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// RespellQuantities returns object with the quantities (schema.QuantityType) spelled as in
// live. If a quantity equals the quantity at the same path in live, it gets the text from
// live: for example, 1000m becomes 1.
//
// Both objects have the type t. Items of lists with keys are paired by their keys, and items
// of atomic lists by index. Items of sets stay as they are, because their text is their
// identity. Quantities are compared without rounding. Neither object is modified. The result shares
// unchanged maps and lists with object.
func RespellQuantities(t typed.ParseableType, live, object map[string]any) map[string]any {
	if live == nil || object == nil {
		return object
	}
	lr := liveReplacer{decide: keepLiveSpelling}
	spelled, _ := lr.replaceWithLive(place.Place{Schema: t.Schema, Ref: t.TypeRef, Typed: true, Plain: live}, object, 0)
	return spelled.(map[string]any)
}

// keepLiveSpelling is a function for liveReplacer.decide. It keeps the live text of a quantity if the
// value in the request is an equal quantity with a different text.
func keepLiveSpelling(live place.Place, v any) decision {
	if live.Typed && live.Ref.NamedType != nil && *live.Ref.NamedType == schema.QuantityType {
		if quantity.Equal(live.Plain, v) && !document.Equal(live.Plain, v) {
			return useLive
		}
		return keepRequested
	}
	switch v.(type) {
	case map[string]any, []any:
		if live.Typed {
			return descend
		}
	}
	return keepRequested
}

// differsInSpelling reports whether v differs from the value at p only because equal quantities are
// written differently, such as 1000m and 1.
func differsInSpelling(p place.Place, v any) bool {
	lr := liveReplacer{decide: keepLiveSpelling}
	spelled, changed := lr.replaceWithLive(p, v, 0)
	return changed && document.Equal(spelled, p.Plain)
}
