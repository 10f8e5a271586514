// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"
	"strconv"
	"strings"
)

// builder writes one rule, with bounds that the schema may not have.
type builder struct {
	*translator
	want   *want
	bounds bounds

	variables map[string]int
	hardness  map[*node]bool
	// lacks are the lists whose bounds are not such that the rule can be written.
	lacks []*node
	// loops is how many macros what is being written is within. steep says that
	// there are macros within macros: what a rule costs grows faster then than
	// what it is about.
	loops int
	steep bool
	// size is about how long the rule is, in bytes.
	size int
	// apart is set where values that can hold null are compared by their parts.
	apart bool
	found []Doubt
}

// bounds are upper bounds of schemas beside those that they state: of items,
// properties or characters, whatever is in the values.
type bounds map[*node]int64

// of returns the bound of a schema, whichever is the lower one.
func (b bounds) of(n *node) (most int64, ok bool) {
	most, ok = n.raw[n.boundedBy()].(int64)
	if other, given := b[n]; given && (!ok || other < most) {
		return other, true
	}
	return max(most, 0), ok
}

// boundedBy is the keyword that bounds how large a value is, "" if there is
// none.
func (n *node) boundedBy() string {
	switch {
	case n.kind == "array":
		return "maxItems"
	case n.kind == "object" && n.additional != nil:
		return "maxProperties"
	case n.kind == "string" && !slices.Contains([]string{"date", "date-time", "duration"}, n.text("format")):
		if enum, ok := n.raw["enum"].([]any); ok && len(enum) > 0 {
			return ""
		}
		return "maxLength"
	}
	return ""
}

func (n *node) text(keyword string) string {
	s, _ := n.raw[keyword].(string)
	return s
}

// variable returns a name for the variable of a macro.
func (b *builder) variable(name string) string { return variable(b.variables, name) }

func variable(used map[string]int, name string) string {
	used[name]++
	if i := used[name]; i > 1 {
		return name + strconv.Itoa(i)
	}
	return name
}

const (
	// maxIndexes is how many indexes a rule lists.
	maxIndexes = 1000
	// maxSquare is for how many items a rule compares all with all. The API
	// server takes more, and then fails every update of a list that has them.
	maxSquare = 500
)

// indexes is the list of all indexes of a list.
func (b *builder) indexes(n *node) string {
	most, ok := b.bounds.of(n)
	if !ok || most > maxIndexes {
		b.lacks = append(b.lacks, n)
		return "[0]"
	}
	return indexes(most)
}

func indexes(most int64) string {
	all := make([]string, most)
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// loop is what f writes, within one macro more.
func (b *builder) loop(f func() condition) condition {
	b.loops++
	b.steep = b.steep || b.loops > 1
	c := f()
	b.loops--
	return c
}

// square says that the rule compares all items of a list with all.
func (b *builder) square(n *node) {
	b.steep = true
	if most, ok := b.bounds.of(n); !ok || most > maxSquare {
		b.lacks = append(b.lacks, n)
	}
}

// maxRule is how long a rule can be: CEL takes no more.
const maxRule = 100_000

// write writes the rule with its signature, "" if there is nothing that CEL
// could say. The rule is not whole if it would be longer than CEL takes.
func (t *translator) write(w *want, more bounds) (rule string, b *builder) {
	b = &builder{translator: t, want: w, bounds: more, variables: map[string]int{}, hardness: map[*node]bool{}}
	if c := w.build(b); !c.always() {
		rule = c.text + signature + w.marker
	}
	return rule, b
}

func (b *builder) tooLong(rule string) bool { return b.size > maxRule || len(rule) > maxRule }
