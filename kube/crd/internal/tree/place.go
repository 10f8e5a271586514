// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a position in a document. It contains only the last step of the path, and a link to the
// place one level up, like a linked list. The root is a nil Place. The path is written as text only
// when a message needs it.
type Place struct {
	Up    *Place
	Field string
	index int // the index of a list item, if Item is true
	Item  bool
	// version is the name of a CRD version if this place is the entry of that version. It is "" for
	// all other places.
	version string
	// pathInVersion is the path within the version, for a v1beta1 field that applies to all
	// versions. It is empty for other fields.
	pathInVersion string
}

// At returns the place of a field of p. With several names, it returns the place of a nested field.
// For example, At("a", "b") is the place of the field b in the field a.
func (p *Place) At(fields ...string) *Place {
	for _, f := range fields {
		p = &Place{Up: p, Field: f}
	}
	return p
}

// Nth returns the place of item i in the list at p.
func (p *Place) Nth(i int) *Place { return &Place{Up: p, index: i, Item: true} }

// Chain returns the places from the first step below the root down to p itself.
func (p *Place) Chain() []*Place {
	var chain []*Place
	for ; p != nil; p = p.Up {
		chain = append(chain, p)
	}
	slices.Reverse(chain)
	return chain
}

// Steps returns the path from the root to p. In this path, a string is a field name and an int is a
// list index.
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

// maxPath limits the length of a path in a message. A longer path is shortened to its first and
// last maxPath bytes.
const maxPath = 400

// String returns the path of p, which is empty for the root.
func (p *Place) String() string { return PathText(p.Chain()) }

// Origin identifies a place by the name of the CRD version and the path within that version. The
// result therefore does not depend on the order of the versions. For a place outside of all versions,
// Origin returns the whole path.
func (p *Place) Origin() string {
	chain := p.Chain()
	for i, p := range chain {
		if p.version != "" {
			return p.version + "\x00" + p.pathInVersion + PathText(chain[i+1:])
		}
	}
	return PathText(chain)
}

// PathText returns a chain of places as text, for example .spec.versions[0]["a.b"].
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

// IsWord reports whether a field name can be written in a path without quotes.
func IsWord(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '$') {
			return false
		}
	}
	return s != ""
}

// Shorten returns s with an ellipsis in the middle if s is long. It keeps at most the
// given number of bytes at the start and at the end of s. If s is valid UTF-8, so is
// the result.
func Shorten(s string, most int) string {
	if len(s) <= 2*most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}
