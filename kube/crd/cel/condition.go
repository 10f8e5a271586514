// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import "strings"

// condition is a boolean expression in CEL. The zero condition is always true.
type condition struct {
	text string
	// binding is the precedence of the outermost operator.
	binding binding
}

type binding int

const (
	tight binding = iota // a call, a macro, a negation
	comparison
	conjunction
	disjunction
)

func (c condition) isTrue() bool { return c.text == "" }

// operand returns the text of a condition as an operand of an operator. It adds
// parentheses if the operators in the condition bind less tightly than the argument
// most.
func (c condition) operand(most binding) string {
	if c.binding > most {
		return "(" + c.text + ")"
	}
	return c.text
}

// call returns a condition that is a single call, made of parts.
func call(parts ...string) condition { return condition{strings.Join(parts, ""), tight} }

func compare(a, operator, b string) condition {
	return condition{a + " " + operator + " " + b, comparison}
}

// and returns the conjunction of conditions.
func and(conditions ...condition) condition {
	return join(conditions, " && ", conjunction)
}

// or returns the disjunction of conditions.
func or(conditions ...condition) condition {
	for _, c := range conditions {
		if c.isTrue() {
			return condition{}
		}
	}
	return join(conditions, " || ", disjunction)
}

func join(conditions []condition, operator string, as binding) condition {
	var nontrivial []condition
	for _, c := range conditions {
		if !c.isTrue() {
			nontrivial = append(nontrivial, c)
		}
	}
	if len(nontrivial) == 0 {
		return condition{}
	}
	if len(nontrivial) == 1 {
		return nontrivial[0]
	}
	parts := make([]string, len(nontrivial))
	for i, c := range nontrivial {
		parts[i] = c.operand(as)
	}
	return condition{strings.Join(parts, operator), as}
}

// not returns the negation of a condition that is not always true.
func not(c condition) condition { return condition{"!" + c.operand(tight), tight} }

// implies returns the condition that then is true whenever when is.
func implies(when, then condition) condition {
	if when.isTrue() || then.isTrue() {
		return then
	}
	return or(not(when), then)
}

// sameTruth returns the condition that a and b are both true or both false.
func sameTruth(a, b condition) condition {
	return compare(a.operand(tight), "==", b.operand(tight))
}
