// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ci

import "github.com/dovetail-ssa/dovetail/internal/rules"

// These rules classify findings about objects and requests.
var (
	Invalid   = rules.Rule{ID: "invalid", Severity: rules.Error, Summary: "Input cannot be read, or an object is not valid."}
	Conflict  = rules.Rule{ID: "conflict", Severity: rules.Error, Summary: "An apply changes a field that another manager owns."}
	Immutable = rules.Rule{ID: "immutable", Severity: rules.Error, Summary: "A change of an immutable field is not allowed."}
	Noted     = rules.Rule{ID: "noted", Severity: rules.Warning, Summary: "A request has an effect that is easy to miss."}
	Created   = rules.Rule{ID: "created", Severity: rules.Hint, Summary: "An object is new."}
	Changed   = rules.Rule{ID: "changed", Severity: rules.Hint, Summary: "A field changes."}
)

// Of returns the rule with the given ID, but with the given severity. If the ID is unknown, Of
// returns a new rule whose summary refers to the command's help.
func Of(id string, severity rules.Severity) rules.Rule {
	if r, ok := rules.Lookup(id); ok {
		r.Severity = severity
		return r
	}
	return rules.Rule{ID: id, Severity: severity, Summary: "The help of the command explains this kind of finding."}
}
