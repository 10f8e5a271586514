// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"sync"

	"github.com/dovetail-ssa/dovetail/typed"
)

// PinKeys returns a TypeSource that finds the types of now, but with the
// defaults that the keys of their lists have in pinned, for each API version that
// pinned knows; the others are those of now.
//
// It is the other answer to a key's default that changes, beside Rekey of package
// ownership, whose comment has all the ways side by side: an
// API version whose objects and managed fields were written with one default goes
// on reading list items, in objects, configs and managed fields, as that default
// has them. A manifest that leaves the key out still names the item it always
// named, and only clients of later versions get the new default. This is what
// Kubernetes asks of APIs (a default does not change within a version), held up
// where a CRD does not.
//
// A key that is left out means one thing in a pinned version and another in the
// next. So a Converter must fill in the defaults of the version it converts from
// first, and the keys must be written in what is stored, by a Defaulter with the
// pinned types.
func PinKeys(now, pinned TypeSource) TypeSource {
	p := &pins{now: now, pinned: pinned, made: map[[2]string]pin{}}
	return p.find
}

type pins struct {
	now, pinned TypeSource
	mu          sync.Mutex
	made        map[[2]string]pin // by API version and kind
}

// pin is a type that was made, and what it was made of.
type pin struct{ now, old, made typed.ParseableType }

func (p *pins) find(apiVersion, kind string) (typed.ParseableType, error) {
	now, err := p.now(apiVersion, kind)
	if err != nil {
		return now, err
	}
	old, err := p.pinned(apiVersion, kind)
	if errors.Is(err, ErrUnknownType) {
		return now, nil
	}
	if err != nil {
		return typed.ParseableType{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := [2]string{apiVersion, kind}
	if m, ok := p.made[key]; ok && sameType(m.now, now) && sameType(m.old, old) {
		return m.made, nil
	}
	m := pin{now, old, now.PinKeys(old)}
	p.made[key] = m
	return m.made, nil
}

// sameType says whether two types are one of one schema.
func sameType(a, b typed.ParseableType) bool {
	return a.Schema == b.Schema && a.TypeRef.Equals(&b.TypeRef)
}
