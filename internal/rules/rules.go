// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package rules lists what can be found wrong with CRDs and OpenAPI documents, and with what
// replaces them: the id of each rule, how much a finding of it weighs, and a sentence. Start
// from Lookup, Lint or Upgrade. The ids are those of kube/crd, kube/openapi and
// kube/crd/upgrade, and are stable.
package rules

import (
	"fmt"
	"slices"
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

// Lookup returns the rule of an id.
func Lookup(id string) (Rule, bool) {
	r, ok := byID[id]
	return r, ok
}

// Lint returns the rules about one state of a CRD or document, errors first.
func Lint() []Rule { return slices.Clone(lint) }

// Upgrade returns the rules about a state in place of another, errors first.
func Upgrade() []Rule { return slices.Clone(upgrade) }

var (
	lint    = parse(lintTable)
	upgrade = parse(upgradeTable)
	byID    = index(lint, upgrade)
)

func parse(table string) (all []Rule) {
	severity := Hint
	for line := range strings.Lines(strings.TrimSpace(table)) {
		id, summary, rule := strings.Cut(line, "  ")
		if rule {
			all = append(all, Rule{ID: id, Severity: severity, Summary: strings.TrimSpace(summary)})
		} else if name := strings.TrimSpace(line); name != "" {
			severity, _ = ParseSeverity(strings.TrimSuffix(name, ":"))
		}
	}
	return all
}

func index(tables ...[]Rule) map[string]Rule {
	m := map[string]Rule{}
	for _, r := range slices.Concat(tables...) {
		m[r.ID] = r
	}
	return m
}

const lintTable = `
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
bound-format              A bound is outside of the number format: servers reject every value.
old-version               It is of apiextensions.k8s.io/v1beta1, which servers since 1.22 do not take.

warning:
key-zero-default          A required key of a list has the default "" or 0: an item without it becomes that item.
unreachable-default       Nothing ever takes the default.
null-default              The default is null, which is none.
immutability-idle         A marker of immutability does nothing in a set.
ordered-set               A set has an order by its description.
conditions-key            Conditions have other keys than their type.
unknown-keyword           A keyword is none, and dropped.
enum-format               A value of an enum is outside of the number format.

hint:
missing-list-type         A list does not say its list type, and so is atomic.
default-below-optional    A default is taken only where an optional field around it is written.
`

const upgradeTable = `
error:
crd-gone                  A CRD is gone, and with it all objects.
version-gone              A version is not there, or not served, any more.
field-gone                A field is gone: what objects have there is dropped.
lost-in-storage           The version that is stored from now on lacks a field.
unknown-fields-dropped    Fields that the schema does not have are dropped from now on.
type-changed              A field has another type.
field-required            A field is required from now on, and has no default.
null-refused              A field cannot be null any more.
enum-narrowed             Values of an enum are gone, or a field has become one.
bound-tightened           A bound is tighter, or new.
pattern-added             A field has a pattern or a format from now on.
subresource-gone          A subresource is gone.
selectable-gone           Objects cannot be selected by a field any more.

warning:
pattern-changed           A pattern or a format is another one.
rule-added                A rule of x-kubernetes-validations is new, or another one.
conditions-changed        What allOf, anyOf, oneOf and not say is another thing.
items-unique              Items of a list may not be there twice from now on.
field-declared            A field is declared that could hold anything before.
default-added             A field has a default from now on.
default-changed           A default is another one.
default-gone              A default is gone.
status-apart              Status is a subresource from now on: other requests do not write it.
conversion-changed        Versions are converted in another way.
became-atomic             What was merged piece by piece is replaced as a whole.
became-granular           What was replaced as a whole is merged piece by piece.
list-keys                 The keys of a list are others.
key-default               The default of a key of a list is another one.
immutability              What may change is another thing.
immutable-default         The default of an immutable field is another one.

hint:
storage-version           Another version is stored.
short-name-gone           A short name is gone.
`
