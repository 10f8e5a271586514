// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package rules lists the rules for CRDs and OpenAPI documents, and for upgrades of such
// documents. Each rule has an id, a severity and a one-sentence summary. Ids are stable.
// Packages kube/crd, kube/openapi and kube/crd/upgrade return the ids in their findings. To read
// the package, start with Lookup, Lint and Upgrade.
package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Severity is the severity of a finding.
type Severity int

const (
	// Hint: the schema works, but could be improved.
	Hint Severity = iota
	// Warning: the schema probably does not behave as its author expects, usually in merges.
	Warning
	// Error: an API server rejects the schema, or fails requests because of it.
	Error
)

var severities = [...]string{Hint: "hint", Warning: "warning", Error: "error"}

// String returns "error", "warning" or "hint".
func (s Severity) String() string { return severities[s] }

// MarshalText returns the same text as String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeverity returns the severity with the given name. Its error lists all names.
func ParseSeverity(name string) (Severity, error) {
	for s, text := range severities {
		if text == name {
			return Severity(s), nil
		}
	}
	return 0, fmt.Errorf("want error, warning or hint, got %q", name)
}

// Rule is a rule that findings refer to.
type Rule struct {
	ID       string
	Severity Severity
	// Summary describes, in one sentence, a violation of the rule.
	Summary string
}

// Lookup returns the rule with the given id. It returns false if there is no such rule.
func Lookup(id string) (Rule, bool) {
	r, ok := byID[id]
	return r, ok
}

// Lint returns the rules about a single CRD or document, errors first.
func Lint() []Rule { return slices.Clone(lint) }

// Upgrade returns the rules about replacing a CRD or document with another, errors first.
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
malformed                 A value has a type that its field cannot hold.
too-deep                  Schemas are nested more than 500 levels deep.
too-large                 The CRD has more than 100,000 schemas, or more than 500 findings.
name                      The name of the CRD is not plural.group.
names                     A name, the group or the scope is missing or not allowed.
versions                  A version occurs twice, or there is no storage version or more than one.
subresources              A path of the scale subresource is missing or wrong.
columns                   A printer column is incomplete.
selectable-fields         A selectable field is not in the schema, or has a type that field selectors do not support.
conversion                The conversion strategy is unknown, or its webhook is incomplete.
approval                  The group belongs to Kubernetes, and the required annotation api-approved.kubernetes.io is missing.
changed                   An update of the CRD changes a field that must not change.
stored-version-gone       An update of the CRD removes a version in which objects are stored.
no-schema                 A version has no schema.
type                      A schema has no type.
unsupported               A keyword is not allowed in CRDs.
items                     A list does not declare its items.
nested                    A schema below allOf, anyOf, oneOf or not has a keyword that does not validate values.
incomplete                A condition in allOf, anyOf, oneOf or not names a field that the schema does not declare.
metadata                  The schema of metadata restricts more than name and generateName.
root                      The schema at the root does not describe an object.
additional-properties     A schema has both properties and additionalProperties.
int-or-string             A schema has x-kubernetes-int-or-string and a keyword that contradicts it.
preserve-unknown-fields   The keyword x-kubernetes-preserve-unknown-fields has a value other than true.
embedded-resource         An embedded resource does not declare its fields.
pattern                   A pattern is not a valid regular expression.
list-type                 A list type is unknown.
map-type                  A map type is unknown.
set-items                 Items of a set are neither scalars nor atomic, or may be null.
list-map-keys             Keys of a list are missing, or name fields that cannot be keys.
key-without-default       A key of a list is not required and has no default.
immutability-value        An immutability marker has a value other than true.
immutability-place        A schema has an immutability marker that has no meaning there.
immutability-exclusive    Two immutability markers contradict each other.
immutability-key          A marker forbids adding or removing items of a list, but a key of the items may change.
immutability-version      A CRD of v1beta1 has an immutability marker.
validations               A validation rule does not compile, or uses a variable that is not available there.
cost                      A validation rule may cost too much.
default-forbidden         A schema has a default where none is allowed.
default-unknown-field     A default has a field that the schema does not declare.
default-value             A default is not a valid value.
default-duplicate         A default has a duplicate list item.
default-metadata          A default for an embedded resource is incomplete.
default-version           A CRD of v1beta1 has a default.
default-rule              A default breaks a rule of x-kubernetes-validations.
set-of-objects            A set has items that are not scalars: every server-side apply fails.
bound-format              A bound is outside the range of the number's format: servers reject every value.
empty-range               A lower bound is above the upper bound: servers reject every value.
required-unknown-field    A required field is not declared: servers drop it and reject every value.
old-version               The CRD uses apiextensions.k8s.io/v1beta1, which servers since 1.22 reject.

warning:
key-zero-default          A required key of a list has the default "" or 0: an item without the key silently gets this default.
unreachable-default       The default is never used.
null-default              The default is null, which servers drop.
immutability-idle         An immutability marker inside a set has no effect.
ordered-set               The description of a set mentions an order, but sets have none.
conditions-key            The key of a list of conditions is not type.
unknown-keyword           A keyword is unknown, and servers drop it.
enum-type                 The type of an enum value differs from the type of the field.
enum-format               An enum value is outside the range of the number's format.
key-default-differs       A key of a list has different defaults in two versions.
merge-type-differs        A list or map is merged differently in two versions.
type-differs              A field has different types in two versions.
boolean-name              YAML reads a name as a boolean.
column-path               A printer column is always empty, or servers cannot parse its path.

hint:
example-type              The type of an example differs from the type of the field.
immutability-unenforced   Released API servers ignore an immutability marker, and no CEL rule enforces it.
missing-list-type         A list has no list type, so it is atomic.
empty-object              An object declares no fields, so servers drop everything in it.
default-below-optional    A default applies only if an optional field around it is set.
`

const upgradeTable = `
error:
crd-gone                  A CRD is removed, and with it all its objects.
version-gone              A version is removed or no longer served.
field-gone                A field is removed: objects lose its value.
lost-in-storage           The new storage version lacks a field.
unknown-fields-dropped    The server kept undeclared fields, and drops them now.
type-changed              The type of a field changes.
field-required            A field becomes required without a default, or a required field loses its default.
null-refused              A field can no longer be null.
enum-narrowed             A field gets an enum, or an enum loses values.
bound-tightened           A bound is new or tighter.
pattern-added             A field gets a pattern or a format.
subresource-gone          A subresource is removed.
scale-path                A path of the scale subresource changes or is removed.
selectable-gone           Field selectors can no longer use a field.

warning:
pattern-changed           A pattern or a format changes.
rule-added                A rule of x-kubernetes-validations is new or changes, or a default may break it.
rule-removed              A rule of x-kubernetes-validations about updates is removed.
conditions-changed        A condition in allOf, anyOf, oneOf or not may reject more than before.
items-unique              Items of a list must now be unique.
field-declared            A field that accepted any value now has a declared type.
null-defaulted            A field can no longer be null, and its default replaces a stored null.
default-added             A field gets a default.
default-changed           A default changes.
default-gone              A default is removed.
status-apart              Status becomes a subresource: other requests no longer write it.
conversion-changed        The conversion between versions changes.
became-atomic             A field becomes atomic: it is replaced as a whole instead of merged.
became-granular           A field is no longer atomic: it is merged instead of replaced as a whole.
list-keys                 The keys of a list change.
key-default               The default of a list key changes.
immutability              The immutability rules of a field change.
immutable-default         The default of an immutable field changes.

hint:
new-field-default         A new field has a default: clients read it from objects that were stored before.
field-optional            A field is no longer required: the server accepts objects without it.
storage-version           The storage version changes.
short-name-gone           A short name, the singular name or a category is removed.
`
