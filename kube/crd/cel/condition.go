// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cel

import "strings"

// condition is a boolean expression in CEL. The zero value is always true.
type condition struct {
	text string
	// binding is the precedence of the outermost operator in text.
	binding binding
}

type binding int

const (
	tight binding = iota // calls, macros and negations
	comparison
	conjunction
	disjunction
)

func (c condition) isTrue() bool { return c.text == "" }

// operand returns the text of the condition for use as an operand of another operator. It adds
// parentheses if the condition binds less tightly than that operator requires.
func (c condition) operand(most binding) string {
	if c.binding > most {
		return "(" + c.text + ")"
	}
	return c.text
}

// call returns a condition whose text is a single call. It concatenates the parts of the text.
func call(parts ...string) condition { return condition{strings.Join(parts, ""), tight} }

func compare(a, operator, b string) condition {
	return condition{a + " " + operator + " " + b, comparison}
}

// and returns a condition that is true if all conditions are true.
func and(conditions ...condition) condition {
	return join(conditions, " && ", conjunction)
}

// or returns a condition that is true if at least one of the conditions is true.
func or(conditions ...condition) condition {
	for _, c := range conditions {
		if c.isTrue() {
			return condition{}
		}
	}
	return join(conditions, " || ", disjunction)
}

func join(conditions []condition, operator string, kind binding) condition {
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
		parts[i] = c.operand(kind)
	}
	return condition{strings.Join(parts, operator), kind}
}

// not returns the negation of c. The condition c must not be the zero condition.
func not(c condition) condition { return condition{"!" + c.operand(tight), tight} }

// implies returns a condition that is false only if the first condition is true and the second one
// is false.
func implies(when, then condition) condition {
	if when.isTrue() || then.isTrue() {
		return then
	}
	return or(not(when), then)
}

// sameTruth returns the condition that two conditions are both true or both false.
func sameTruth(a, b condition) condition {
	return compare(a.operand(tight), "==", b.operand(tight))
}
