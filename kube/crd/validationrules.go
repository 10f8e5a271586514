// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"slices"
	"strings"
)

// validations checks the form of x-kubernetes-validations.
func (c *checker) validations(n *node) {
	for _, x := range n.rules {
		message := strings.TrimSpace(x.message)
		switch {
		case strings.TrimSpace(x.rule) == "":
			c.add(Validations, x.at.at("rule"), "want a rule, found none")
		case x.message != "" && message == "":
			c.add(Validations, x.at.at("message"), "want a message, or none at all, found blanks")
		case hasLineBreak(message):
			c.add(Validations, x.at.at("message"), "want a message of one line, found several")
		case hasLineBreak(strings.TrimSpace(x.rule)) && message == "":
			c.add(Validations, x.at, "want a message, since the rule has several lines")
		}
		if x.messageExpression != "" && strings.TrimSpace(x.messageExpression) == "" {
			c.add(Validations, x.at.at("messageExpression"), "want an expression, or none at all, found blanks")
		}
		if x.hasReason && !slices.Contains(reasons, x.reason) {
			c.add(Validations, x.at.at("reason"), "want one of %s, found %q", strings.Join(reasons, ", "), shorten(x.reason, maxValue))
		}
		switch {
		case x.field == "":
		case strings.TrimSpace(x.field) == "":
			c.add(Validations, x.at.at("fieldPath"), "want a path, or none at all, found blanks")
		case hasLineBreak(x.field):
			c.add(Validations, x.at.at("fieldPath"), "want a path of one line, found several")
		}
	}
}

// reasons are those of x-kubernetes-validations.
var reasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

func hasLineBreak(s string) bool { return strings.ContainsAny(s, "\n\r") }
