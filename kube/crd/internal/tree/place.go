// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"
	"strconv"
	"strings"
)

// Place is where in a document something is: a chain up to the root, which is
// nil. Its text is made only when something has to be said about it.
type Place struct {
	Up    *Place
	Field string
	index int // of a list item, if item is set
	Item  bool
	// version is the name of the version that begins here, if one does.
	version string
	// stands is where in the version it belongs, if that is elsewhere.
	stands string
}

func (p *Place) At(fields ...string) *Place {
	for _, f := range fields {
		p = &Place{Up: p, Field: f}
	}
	return p
}

func (p *Place) Nth(i int) *Place { return &Place{Up: p, index: i, Item: true} }

func (p *Place) Chain() []*Place {
	var chain []*Place
	for ; p != nil; p = p.Up {
		chain = append(chain, p)
	}
	slices.Reverse(chain)
	return chain
}

// Steps are the names of fields and indexes of items that lead to p.
func (p *Place) Steps() []any {
	var steps []any
	for _, p := range p.Chain() {
		if p.Item {
			steps = append(steps, p.index)
		} else {
			steps = append(steps, p.Field)
		}
	}
	return steps
}

// maxPath bounds the text of a path in a message, in bytes at either end.
const maxPath = 400

// String returns the path, empty for the root.
func (p *Place) String() string { return PathText(p.Chain()) }

// Origin is the path in which the version stands by its name, since versions
// can change places.
func (p *Place) Origin() string {
	chain := p.Chain()
	for i, p := range chain {
		if p.version != "" {
			return p.version + "\x00" + p.stands + PathText(chain[i+1:])
		}
	}
	return PathText(chain)
}

func PathText(chain []*Place) string {
	var b strings.Builder
	for _, p := range chain {
		switch {
		case p.Item:
			b.WriteString("[" + strconv.Itoa(p.index) + "]")
		case IsWord(p.Field):
			b.WriteString("." + p.Field)
		default:
			b.WriteString("[" + strconv.Quote(p.Field) + "]")
		}
	}
	return Shorten(b.String(), maxPath)
}

// IsWord reports whether a field name can stand in a path without quotes.
func IsWord(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '$') {
			return false
		}
	}
	return s != ""
}

// Shorten cuts the middle out of what is longer than most at either end.
func Shorten(s string, most int) string {
	if len(s) <= 2*most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}
