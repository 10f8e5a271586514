// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package rules lists what can be found wrong with CRDs and OpenAPI documents: the id of each
// rule, how much a finding of it weighs, and a sentence. Start from Find or All. The ids are
// those of kube/crd and kube/openapi, and are stable; docs/lint.md has an example of each.
package rules

import (
	"fmt"
	"strings"
)

// Severity says how much a finding weighs.
type Severity int

const (
	// Hint: it could be better.
	Hint Severity = iota
	// Warning: it does something else than it seems to, in merges above all.
	Warning
	// Error: an API server refuses it, or fails requests because of it.
	Error
)

var severities = [...]string{Hint: "hint", Warning: "warning", Error: "error"}

// String returns error, warning or hint.
func (s Severity) String() string { return severities[s] }

// MarshalText returns what String does.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeverity returns the severity of a name, or an error that lists all.
func ParseSeverity(name string) (Severity, error) {
	for s, text := range severities {
		if text == name {
			return Severity(s), nil
		}
	}
	return 0, fmt.Errorf("want error, warning or hint, got %q", name)
}

// Rule is one of the rules.
type Rule struct {
	ID       string
	Severity Severity
	// Summary says in a sentence what is found.
	Summary string
}

// Find returns the rule of an id.
func Find(id string) (Rule, bool) {
	r, ok := byID[id]
	return r, ok
}

// All returns the rules: errors, then warnings, then hints, each in the order of this file.
func All() []Rule { return append([]Rule(nil), all...) }

var all, byID = parse(table)

func parse(table string) (all []Rule, byID map[string]Rule) {
	byID = map[string]Rule{}
	severity := Hint
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		id, summary, rule := strings.Cut(line, "  ")
		if !rule {
			severity, _ = ParseSeverity(strings.TrimSuffix(line, ":"))
			continue
		}
		r := Rule{ID: id, Severity: severity, Summary: strings.TrimSpace(summary)}
		all, byID[id] = append(all, r), r
	}
	return all, byID
}

const table = `
error:
malformed                 A value is of a type that its field cannot hold.
too-deep                  Schemas are nested in more than 500 levels.
too-large                 There are more than 100,000 schemas, or 500 findings.
name                      The name is not plural.group.
names                     A name, the group or the scope is missing or not allowed.
versions                  Versions come twice, or not exactly one of them is stored.
subresources              A subresource lacks a path, or has a wrong one.
columns                   A printer column is not complete.
selectable-fields         A selectable field is not one that can be selected by.
conversion                The conversion is unknown or not complete.
approval                  The group is one of Kubernetes' own, without the annotation that it needs.
changed                   An update changes what cannot change.
no-schema                 A version has no schema.
type                      A schema has no type.
unsupported               A keyword is used that CRDs must not have.
items                     A list does not say what its items are.
nested                    More than value validation stands below allOf, anyOf, oneOf or not.
incomplete                Value validation names a field that the schema does not have.
metadata                  The schema says more of metadata than it may.
root                      The schema of the object is none of an object.
additional-properties     properties stand beside additionalProperties.
int-or-string             x-kubernetes-int-or-string stands beside what it contradicts.
preserve-unknown-fields   x-kubernetes-preserve-unknown-fields has another value than true.
embedded-resource         An embedded resource says nothing of its fields.
pattern                   A pattern is no regular expression.
list-type                 A list type is unknown.
map-type                  A map type is unknown.
set-items                 Items of a set are neither scalars nor atomic, or may be null.
list-map-keys             Keys of a list are missing, or cannot be keys.
key-without-default       A key of a list is neither required nor has a default.
immutability-value        A marker of immutability has a value that it cannot have.
immutability-place        A marker of immutability stands where it can mean nothing.
immutability-exclusive    Two markers of immutability contradict each other.
immutability-key          A list with fixed items has a key that may change.
immutability-version      A marker of immutability stands in a CRD of v1beta1.
validations               A rule does not compile, or looks at what it cannot.
cost                      A rule may cost too much.
default-forbidden         A default stands where none may be.
default-unknown-field     A default has a field that the schema does not have.
default-value             A default is not valid.
default-duplicate         A default has an item twice.
default-metadata          A default is an embedded resource that is not complete.
default-version           A default stands in a CRD of v1beta1.
default-rule              A default breaks a rule of x-kubernetes-validations.
set-of-objects            A set has items that are no scalars: each server-side apply fails.
old-version               It is of apiextensions.k8s.io/v1beta1, which servers since 1.22 do not take.

warning:
key-zero-default          A required key of a list has the default "" or 0: an item without it becomes that item.
unreachable-default       Nothing ever takes the default.
null-default              The default is null, which is none.
immutability-idle         A marker of immutability does nothing in a set.
ordered-set               A set has an order by its description.
conditions-key            Conditions have other keys than their type.
unknown-keyword           A keyword is none, and dropped.

hint:
missing-list-type         A list does not say its list type, and so is atomic.
default-below-optional    A default is taken only where an optional field around it is written.
`
