// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"sync"

	"github.com/dovetail-ssa/dovetail/typed"
)

// PinKeyDefaults returns a TypeSource that returns the types of the argument current, but gives
// list keys the defaults that they have in the argument pinned. A type that pinned does not have
// stays unchanged.
//
// Use PinKeyDefaults if the default of a list key has changed in an API version that already has
// stored objects and managed fields. In Kubernetes, defaults must not change within a version, but
// a CRD can break this rule. Pass the types before the change as the argument pinned. With these
// types, the old default continues to identify list items in objects, configs and managed fields: a
// manifest without the key still identifies the same item. Only clients of later versions get the
// new default. The alternative is ownership.Rekey. The documentation of package ownership compares
// the two.
//
// A missing key has different meanings in a pinned version and in later versions. So a Converter
// must first fill in the defaults of the version that it converts from. Stored objects must have
// the keys, so use a Defaulter with the pinned types.
func PinKeyDefaults(current, pinned TypeSource) TypeSource {
	p := &pinnedTypes{current: current, pinned: pinned, cache: map[[2]string]pinnedType{}}
	return p.find
}

// pinnedTypes builds and caches the types of PinKeyDefaults.
type pinnedTypes struct {
	current, pinned TypeSource
	mu              sync.Mutex
	cache           map[[2]string]pinnedType // by API version and kind
}

// pinnedType is a cached type: result is current.PinKeys(pinned).
type pinnedType struct{ current, pinned, result typed.ParseableType }

// find is the TypeSource that PinKeyDefaults returns. It builds a type again only if one of the two
// sources returns another type than before.
func (p *pinnedTypes) find(apiVersion, kind string) (typed.ParseableType, error) {
	current, err := p.current(apiVersion, kind)
	if err != nil {
		return current, err
	}
	pinned, err := p.pinned(apiVersion, kind)
	if errors.Is(err, ErrUnknownType) {
		return current, nil
	}
	if err != nil {
		return typed.ParseableType{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := [2]string{apiVersion, kind}
	if t, ok := p.cache[key]; ok && sameType(t.current, current) && sameType(t.pinned, pinned) {
		return t.result, nil
	}
	result := current.PinKeys(pinned)
	p.cache[key] = pinnedType{current, pinned, result}
	return result, nil
}

// sameType reports whether two types are the same type of the same schema.
func sameType(a, b typed.ParseableType) bool {
	return a.Schema == b.Schema && a.TypeRef.Equals(&b.TypeRef)
}
