// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import "strings"

// condition is a boolean expression of CEL. The zero condition always holds.
type condition struct {
	text string
	// binding is the operator that it is made of.
	binding binding
}

type binding int

const (
	tight binding = iota // a call, a macro, a negation
	comparison
	conjunction
	disjunction
)

func (c condition) always() bool { return c.text == "" }

// within is the text of a condition as an operand of something that binds at
// least as tight as most.
func (c condition) within(most binding) string {
	if c.binding > most {
		return "(" + c.text + ")"
	}
	return c.text
}

// says is a condition that is one call.
func says(parts ...string) condition { return condition{strings.Join(parts, ""), tight} }

func compare(a, operator, b string) condition {
	return condition{a + " " + operator + " " + b, comparison}
}

// and holds where all conditions do.
func and(conditions ...condition) condition {
	return join(conditions, " && ", conjunction)
}

// or holds where one of the conditions does.
func or(conditions ...condition) condition {
	for _, c := range conditions {
		if c.always() {
			return condition{}
		}
	}
	return join(conditions, " || ", disjunction)
}

func join(conditions []condition, operator string, as binding) condition {
	var said []condition
	for _, c := range conditions {
		if !c.always() {
			said = append(said, c)
		}
	}
	if len(said) == 0 {
		return condition{}
	}
	if len(said) == 1 {
		return said[0]
	}
	parts := make([]string, len(said))
	for i, c := range said {
		parts[i] = c.within(as)
	}
	return condition{strings.Join(parts, operator), as}
}

// not is the contrary of a condition that does not always hold.
func not(c condition) condition { return condition{"!" + c.within(tight), tight} }

// where holds unless the first condition holds and the second does not.
func where(when, then condition) condition {
	if when.always() || then.always() {
		return then
	}
	return or(not(when), then)
}

// sameAnswer holds where both conditions have one answer.
func sameAnswer(a, b condition) condition {
	return compare(a.within(tight), "==", b.within(tight))
}
