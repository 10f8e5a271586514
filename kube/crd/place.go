// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"
	"strconv"
	"strings"
)

// place is where in a document something is: a chain up to the root, which is
// nil. Its text is made only when something has to be said about it.
type place struct {
	up    *place
	field string
	index int // of a list item, if item is set
	item  bool
	// version is the name of the version that begins here, if one does.
	version string
	// stands is where in the version it belongs, if that is elsewhere.
	stands string
}

func (p *place) at(fields ...string) *place {
	for _, f := range fields {
		p = &place{up: p, field: f}
	}
	return p
}

func (p *place) nth(i int) *place { return &place{up: p, index: i, item: true} }

func (p *place) chain() []*place {
	var chain []*place
	for ; p != nil; p = p.up {
		chain = append(chain, p)
	}
	slices.Reverse(chain)
	return chain
}

// steps are the names of fields and indexes of items that lead to p.
func (p *place) steps() []any {
	var steps []any
	for _, p := range p.chain() {
		if p.item {
			steps = append(steps, p.index)
		} else {
			steps = append(steps, p.field)
		}
	}
	return steps
}

// maxPath bounds the text of a path in a message, in bytes at either end.
const maxPath = 400

// String returns the path, empty for the root.
func (p *place) String() string { return text(p.chain()) }

// origin is the path in which the version stands by its name, since versions
// can change places.
func (p *place) origin() string {
	chain := p.chain()
	for i, p := range chain {
		if p.version != "" {
			return p.version + "\x00" + p.stands + text(chain[i+1:])
		}
	}
	return text(chain)
}

func text(chain []*place) string {
	var b strings.Builder
	for _, p := range chain {
		switch {
		case p.item:
			b.WriteString("[" + strconv.Itoa(p.index) + "]")
		case isWord(p.field):
			b.WriteString("." + p.field)
		default:
			b.WriteString("[" + strconv.Quote(p.field) + "]")
		}
	}
	return shorten(b.String(), maxPath)
}

// isWord reports whether a field name can stand in a path without quotes.
func isWord(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '$') {
			return false
		}
	}
	return s != ""
}

// shorten cuts the middle out of what is longer than most at either end.
func shorten(s string, most int) string {
	if len(s) <= 2*most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}
