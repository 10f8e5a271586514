// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a position in a document, as a linked list of steps up to the root. The root
// is a nil Place. The text of the path is made only when a message needs it.
type Place struct {
	Up    *Place
	Field string
	index int // of a list item, if item is set
	Item  bool
	// version is the name of the version that begins at this place. It is empty if no version begins
	// here.
	version string
	// pathInVersion is the path that Origin uses instead of the path from the version to
	// this place. It is set for a field of v1beta1 that applies to all versions.
	pathInVersion string
}

// At returns the place of a field below p. Several fields are several steps.
func (p *Place) At(fields ...string) *Place {
	for _, f := range fields {
		p = &Place{Up: p, Field: f}
	}
	return p
}

// Nth returns the place of item i of the list at p.
func (p *Place) Nth(i int) *Place { return &Place{Up: p, index: i, Item: true} }

// Chain returns all places from the first step below the root down to p.
func (p *Place) Chain() []*Place {
	var chain []*Place
	for ; p != nil; p = p.Up {
		chain = append(chain, p)
	}
	slices.Reverse(chain)
	return chain
}

// Steps returns the path from the root to p: a string for a field, an int for an item.
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

// maxPath limits a path in a message: at most this many bytes at either end are kept.
const maxPath = 400

// String returns the path, empty for the root.
func (p *Place) String() string { return PathText(p.Chain()) }

// Origin returns a text for p that does not depend on the order of the versions: the name
// of the version and the path within the version. For a place outside of all versions, it
// returns the path.
func (p *Place) Origin() string {
	chain := p.Chain()
	for i, p := range chain {
		if p.version != "" {
			return p.version + "\x00" + p.pathInVersion + PathText(chain[i+1:])
		}
	}
	return PathText(chain)
}

// PathText returns the path of a chain of places, as in .spec.versions[0]["a.b"].
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

// IsWord reports whether a field name needs no quotes in a path.
func IsWord(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '$') {
			return false
		}
	}
	return s != ""
}

// Shorten returns s with at most most bytes at either end, and an ellipsis between them. If s
// is valid UTF-8, the result is valid UTF-8, too.
func Shorten(s string, most int) string {
	if len(s) <= 2*most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}
