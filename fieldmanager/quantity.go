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

// RespellQuantities returns object with its quantities (schema.QuantityType) spelled as in live, where they are
// equal: 1000m becomes 1 if that is what live has there. Both are of type t. Items
// of lists with keys are paired by these, those of atomic lists by their index; items
// of sets stay as they are, since their spelling is who they are. Numbers are
// compared exactly. Neither object is modified; what does not change is shared.
func RespellQuantities(t typed.ParseableType, live, object map[string]any) map[string]any {
	if live == nil || object == nil {
		return object
	}
	a := adopter{judge: respell}
	spelled, _ := a.adopt(place.Place{Schema: t.Schema, Ref: t.TypeRef, Typed: true, Plain: live}, object, 0)
	return spelled.(map[string]any)
}

func respell(live place.Place, v any) verdict {
	if live.Typed && live.Ref.NamedType != nil && *live.Ref.NamedType == schema.QuantityType {
		if quantity.Equal(live.Plain, v) && !document.Equal(live.Plain, v) {
			return takeLive
		}
		return leave
	}
	switch v.(type) {
	case map[string]any, []any:
		if live.Typed {
			return lookBelow
		}
	}
	return leave
}

// respelled tells whether what is at a place, and is not equal, differs in nothing
// but the spelling of quantities.
func respelled(p place.Place, v any) bool {
	a := adopter{judge: respell}
	spelled, changed := a.adopt(p, v, 0)
	return changed && document.Equal(spelled, p.Plain)
}
