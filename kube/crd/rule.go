// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "github.com/dovetail-ssa/dovetail/kube/openapi"

// Rule is the id of the rule that a finding is about. Ids are stable; the messages of
// findings are not. Rules that openapi.Catalog.Lint also reports are constants of package
// openapi: KeyUnsatisfied, ZeroKey, DefaultValue, Unreachable, BelowOptional, SetOfObjects
// and NoListType.
type Rule = openapi.Rule

// These rules are about a whole document. Each comment describes how a document
// breaks the rule.
const (
	// Malformed: a value has a type that its field does not allow, as in "type: 5".
	Malformed Rule = "malformed"
	// TooDeep: schemas are nested more than 500 levels deep.
	TooDeep Rule = "too-deep"
	// TooLarge: the CRD has more than 100,000 schemas.
	TooLarge Rule = "too-large"
)

// These rules are about the parts of a CRD that are not schemas.
const (
	// Name: the name is not PLURAL.GROUP, as in "metadata.name: x" in a CRD for
	// things.example.com.
	Name Rule = "name"
	// Names: a name, the group or the scope is invalid or missing. Examples are spec.names
	// without plural, a kind with a space, a group without a dot, and the scope Global.
	Names Rule = "names"
	// Versions: two versions have the same name, or there is not exactly one storage version.
	Versions Rule = "versions"
	// Subresources: a subresource is invalid, for example a scale without specReplicasPath.
	Subresources Rule = "subresources"
	// Columns: a printer column is invalid, for example without jsonPath.
	Columns Rule = "columns"
	// Selectable: a selectable field is invalid, for example because the schema does not
	// declare it.
	Selectable Rule = "selectable-fields"
	// Conversion: the conversion is invalid, as in "strategy: Magic".
	Conversion Rule = "conversion"
	// Approval: the group is below kubernetes.io or k8s.io, and the approval annotation is
	// missing.
	Approval Rule = "approval"
	// Changed: an update changes the group, a name or the scope.
	Changed Rule = "changed"
	// StoredVersionGone: an update removes a version in which objects are stored.
	StoredVersionGone Rule = "stored-version-gone"
	// NoSchema: a version has no schema.
	NoSchema Rule = "no-schema"
)

// These rules are about schemas. Most of them require schemas to be structural; see
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
const (
	// TypeRule: a schema has no type, or an unknown one, as in {properties: {a: {}}}.
	TypeRule Rule = "type"
	// Unsupported: a keyword is not allowed in CRDs, for example $ref, definitions,
	// patternProperties, dependencies, uniqueItems, or a list of schemas as items.
	Unsupported Rule = "unsupported"
	// Items: a list has no schema for its items, as in {type: array}.
	Items Rule = "items"
	// Nested: a schema in allOf, anyOf, oneOf or not does more than validate values, as in
	// anyOf: [{type: string}].
	Nested Rule = "nested"
	// Incomplete: a schema in allOf, anyOf, oneOf or not mentions a field that the enclosing schema
	// does not declare, as in anyOf: [{required: [a], properties: {a: {}}}] without a property a.
	Incomplete Rule = "incomplete"
	// Metadata: the schema of metadata at the root restricts fields other than name and
	// generateName, as in {properties: {metadata: {type: object, properties: {labels: …}}}}.
	Metadata Rule = "metadata"
	// Root: the schema at the root has a keyword that is not allowed there. Examples are
	// the type string, nullable, and allOf in a version with a status subresource.
	Root Rule = "root"
	// Additional: a schema has both properties and additionalProperties.
	Additional Rule = "additional-properties"
	// IntOrString: a schema has both x-kubernetes-int-or-string and
	// x-kubernetes-preserve-unknown-fields.
	IntOrString Rule = "int-or-string"
	// Preserve: x-kubernetes-preserve-unknown-fields is false.
	Preserve Rule = "preserve-unknown-fields"
	// Embedded: x-kubernetes-embedded-resource is true, but the schema has no properties.
	Embedded Rule = "embedded-resource"
	// Pattern: a pattern is not a valid regular expression, such as "(".
	Pattern Rule = "pattern"
	// ListType: x-kubernetes-list-type has an unknown value, such as "bag", or does not fit the
	// schema.
	ListType Rule = "list-type"
	// MapType: x-kubernetes-map-type has an unknown value, such as "bag", or does not fit the schema.
	MapType Rule = "map-type"
	// SetItems: the items of a set are nullable, or are objects that are not atomic.
	SetItems Rule = "set-items"
	// ListMapKeys: a list of type map has no keys, or one of its keys is invalid. A key must be a
	// property of the items, and must be neither nullable nor an object.
	ListMapKeys Rule = "list-map-keys"
	// MarkerValue: an immutability marker is not true, as in "x-kubernetes-immutable: false".
	MarkerValue Rule = "immutability-value"
	// MarkerPlace: an immutability marker is in a schema that must not have it. Examples are
	// x-kubernetes-immutable at the root, in metadata or below allOf, and
	// x-kubernetes-immutable-keys on a string, a set or an atomic map.
	MarkerPlace Rule = "immutability-place"
	// MarkersExclusive: a schema has two immutability markers, such as x-kubernetes-immutable
	// and x-kubernetes-immutable-keys.
	MarkersExclusive Rule = "immutability-exclusive"
	// MarkerKey: a list of type map has x-kubernetes-immutable-keys, but one of its keys is
	// not marked x-kubernetes-immutable.
	MarkerKey Rule = "immutability-key"
	// MarkerVersion: a CRD of apiextensions.k8s.io/v1beta1 has an immutability marker.
	MarkerVersion Rule = "immutability-version"
	// Validations: x-kubernetes-validations is invalid. Examples are [{}], a rule that does
	// not compile, and oldSelf in a list without keys.
	Validations Rule = "validations"
	// Cost: a CEL rule costs too much, for example because it iterates over an unlimited list
	// of strings.
	Cost Rule = "cost"
)

// These rules are about defaults.
const (
	// DefaultForbidden: kind, or a field in metadata at the root, has a default.
	DefaultForbidden Rule = "default-forbidden"
	// DefaultUnknown: the API server would prune a field of a default, as in {type: object,
	// default: {a: 1}}.
	DefaultUnknown Rule = "default-unknown-field"
	// DefaultDuplicate: a default repeats an item that must be unique, as in [a, a] for a set.
	DefaultDuplicate Rule = "default-duplicate"
	// DefaultMetadata: a default contains invalid metadata, for example an embedded resource
	// without a kind.
	DefaultMetadata Rule = "default-metadata"
	// DefaultVersion: a new CRD of apiextensions.k8s.io/v1beta1 has a default.
	DefaultVersion Rule = "default-version"
	// DefaultRule: a default breaks a CEL rule. For example, the default 5 breaks the rule
	// self > 5.
	DefaultRule Rule = "default-rule"
)

// Only Lint reports these rules. The API server accepts a CRD that breaks them.
const (
	// MarkerIdle: an immutability marker is on the items of a set or inside them. It has no
	// effect, because a changed item counts as a different item.
	MarkerIdle Rule = "immutability-idle"
	// OrderedSet: the description of a set mentions an order.
	OrderedSet Rule = "ordered-set"
	// ConditionsKey: a list of type map has the name "conditions", and its items have a field
	// "type" that is not a list key.
	ConditionsKey Rule = "conditions-key"
	// NullDefault: a default is null, as in {type: string, default: null}. The API server
	// drops it.
	NullDefault Rule = "null-default"
	// OldVersion: the CRD has the version apiextensions.k8s.io/v1beta1, or a field that v1
	// spells differently.
	OldVersion Rule = "old-version"
	// BoundFormat: a bound is outside the number format, as in {type: integer, format: int32,
	// maximum: 4294967295}. Since 1.36, API servers reject every value of such a field.
	BoundFormat Rule = "bound-format"
	// EmptyRange: a lower bound is above the upper bound, as in {type: integer, minimum: 10, maximum: 1}.
	// The API server rejects every value of such a field.
	EmptyRange Rule = "empty-range"
	// RequiredUnknown: a required field is not in the properties of the schema. The API server drops
	// the field, and then rejects every object because the field is missing.
	RequiredUnknown Rule = "required-unknown-field"
	// ColumnPath: the path of a printer column never leads to a value of the column's type, or API
	// servers cannot parse it.
	ColumnPath Rule = "column-path"
	// EnumFormat: an enum value is outside the number format, as in {type: integer, format:
	// int32, enum: [1, 4294967295]}. No object can have this value.
	EnumFormat Rule = "enum-format"
	// EnumType: the type of an enum value differs from the type of the field, as in {type: string,
	// enum: [on, off]}, because YAML 1.1 reads on and off as booleans. No object can have these
	// values.
	EnumType Rule = "enum-type"
	// ExampleType: the type of an example differs from the type of the field, as in {type:
	// string, example: 5}.
	ExampleType Rule = "example-type"
	// MarkerUnenforced: a field is marked x-kubernetes-immutable, but no CEL rule uses oldSelf.
	// Released API servers ignore the marker, so nothing enforces it. The finding is also reported for
	// an optional field if its CEL rules do not run when an update adds or removes the field.
	MarkerUnenforced Rule = "immutability-unenforced"
	// KeyDefaultDiffers: a list key has different defaults in two versions, such as TCP and
	// UDP.
	KeyDefaultDiffers Rule = "key-default-differs"
	// MergeTypeDiffers: a list or map has different merge rules in two served versions: the list is
	// atomic in one version and of type map in the other, or it has other keys.
	MergeTypeDiffers Rule = "merge-type-differs"
	// TypeDiffers: a field has different types in two served versions.
	TypeDiffers Rule = "type-differs"
	// BooleanName: a property name is a boolean in YAML 1.1, such as y without quotes, or a number
	// whose text changes, such as 1.10.
	BooleanName Rule = "boolean-name"
	// EmptyObject: a schema consists only of {type: object}. The API server drops
	// all fields of such an object.
	EmptyObject Rule = "empty-object"
	// UnknownKeyword: a keyword is unknown, as in "tpye: string". The API server drops it, or
	// rejects it with strict field validation.
	UnknownKeyword Rule = "unknown-keyword"
)

// These rules are about objects.
const (
	// ObjectKind: the kind or the apiVersion of the object is not the one that the CRD
	// defines.
	ObjectKind Rule = "object-kind"
	// ObjectUnknown: the schema does not declare a field of the object.
	ObjectUnknown Rule = "object-unknown-field"
	// ObjectMeta: the metadata is invalid, as in metadata.name: "A B".
	ObjectMeta Rule = "object-metadata"
	// ObjectType: a value has the wrong type, such as a string instead of a number.
	ObjectType Rule = "object-type"
	// ObjectRequired: a required field is missing.
	ObjectRequired Rule = "object-required"
	// ObjectValue: a value violates a bound, an enum or a format.
	ObjectValue Rule = "object-value"
	// ObjectDuplicate: a list repeats an item that must be unique, as in [x, x] for a set.
	ObjectDuplicate Rule = "object-duplicate"
	// ObjectRule: the object breaks a rule of x-kubernetes-validations.
	ObjectRule Rule = "object-rule"
	// ObjectUnchecked: rules of x-kubernetes-validations were not run, because the object has
	// other errors.
	ObjectUnchecked Rule = "object-unchecked"
)
