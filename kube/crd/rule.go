// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "github.com/dovetail-ssa/dovetail/kube/openapi"

// Rule is the id of the rule that a finding is about. Ids are stable, texts of findings
// are not. The rules that openapi.Catalog.Lint also reports are constants of package
// openapi: KeyUnsatisfied, ZeroKey, DefaultValue, Unreachable, BelowOptional,
// SetOfObjects and NoListType.
type Rule = openapi.Rule

// Rules about a whole document. The comment of each rule has a small example that breaks it.
const (
	// Malformed: type: 5. The value has a type that the field does not allow.
	Malformed Rule = "malformed"
	// TooDeep: schemas nested more than 500 levels deep.
	TooDeep Rule = "too-deep"
	// TooLarge: more than 100,000 schemas in a CRD.
	TooLarge Rule = "too-large"
)

// Rules about a CRD, except for its schemas.
const (
	// Name: metadata.name: x in a CRD for things.example.com.
	Name Rule = "name"
	// Names: an invalid name, group or scope. Examples are spec.names without plural, a
	// kind with a space, a group without a dot, and the scope Global.
	Names Rule = "names"
	// Versions: two versions with the same name; no storage version, or two.
	Versions Rule = "versions"
	// Subresources: a scale without specReplicasPath.
	Subresources Rule = "subresources"
	// Columns: a printer column without jsonPath.
	Columns Rule = "columns"
	// Selectable: a selectable field that the schema does not have.
	Selectable Rule = "selectable-fields"
	// Conversion: strategy: Magic.
	Conversion Rule = "conversion"
	// Approval: a group of kubernetes.io without the annotation about its approval.
	Approval Rule = "approval"
	// Changed: an update that changes the group, or that removes a version in which objects
	// are stored.
	Changed Rule = "changed"
	// NoSchema: a version without a schema.
	NoSchema Rule = "no-schema"
)

// Rules about schemas. Most of them define a structural schema, see
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
const (
	// TypeRule: {properties: {a: {}}}. The field a has no type.
	TypeRule Rule = "type"
	// Unsupported: $ref, definitions, patternProperties, dependencies,
	// uniqueItems, a list of schemas as items.
	Unsupported Rule = "unsupported"
	// Items: {type: array} without items.
	Items Rule = "items"
	// Nested: anyOf: [{type: string}]. Schemas in allOf, anyOf, oneOf and not must only
	// validate values.
	Nested Rule = "nested"
	// Incomplete: anyOf: [{required: [a], properties: {a: {}}}] in a schema that does not
	// declare a.
	Incomplete Rule = "incomplete"
	// Metadata: {properties: {metadata: {type: object, properties: {labels: …}}}}
	// at the root.
	Metadata Rule = "metadata"
	// Root: type string or nullable at the root, or allOf at the root together with a status
	// subresource.
	Root Rule = "root"
	// Additional: properties together with additionalProperties.
	Additional Rule = "additional-properties"
	// IntOrString: a schema with both x-kubernetes-int-or-string and
	// x-kubernetes-preserve-unknown-fields.
	IntOrString Rule = "int-or-string"
	// Preserve: x-kubernetes-preserve-unknown-fields: false.
	Preserve Rule = "preserve-unknown-fields"
	// Embedded: x-kubernetes-embedded-resource without properties.
	Embedded Rule = "embedded-resource"
	// Pattern: pattern: '('.
	Pattern Rule = "pattern"
	// ListType: x-kubernetes-list-type: bag.
	ListType Rule = "list-type"
	// MapType: x-kubernetes-map-type: bag.
	MapType Rule = "map-type"
	// SetItems: a set whose items are nullable, or are objects that are not atomic.
	SetItems Rule = "set-items"
	// ListMapKeys: x-kubernetes-list-type: map without keys, or with a key that is an
	// object, nullable or not a property.
	ListMapKeys Rule = "list-map-keys"
	// MarkerValue: x-kubernetes-immutable: false.
	MarkerValue Rule = "immutability-value"
	// MarkerPlace: x-kubernetes-immutable at the root, in metadata or below allOf;
	// x-kubernetes-immutable-keys on a string, a set or an atomic map.
	MarkerPlace Rule = "immutability-place"
	// MarkersExclusive: x-kubernetes-immutable and x-kubernetes-immutable-keys on the same
	// schema.
	MarkersExclusive Rule = "immutability-exclusive"
	// MarkerKey: a list of type map with x-kubernetes-immutable-keys whose key is not marked
	// x-kubernetes-immutable.
	MarkerKey Rule = "immutability-key"
	// MarkerVersion: x-kubernetes-immutable in a CRD of
	// apiextensions.k8s.io/v1beta1.
	MarkerVersion Rule = "immutability-version"
	// Validations: x-kubernetes-validations: [{}], a rule that does not compile, or oldSelf
	// in a list without keys.
	Validations Rule = "validations"
	// Cost: a rule that iterates over a list of strings without limits.
	Cost Rule = "cost"
)

// Rules about defaults.
const (
	// DefaultForbidden: a default for kind or in metadata at the root.
	DefaultForbidden Rule = "default-forbidden"
	// DefaultUnknown: {type: object, default: {a: 1}}. The API server would prune a.
	DefaultUnknown Rule = "default-unknown-field"
	// DefaultDuplicate: the default [a, a] of a set.
	DefaultDuplicate Rule = "default-duplicate"
	// DefaultMetadata: a default that is an embedded resource without a kind.
	DefaultMetadata Rule = "default-metadata"
	// DefaultVersion: a default in a new CRD of apiextensions.k8s.io/v1beta1.
	DefaultVersion Rule = "default-version"
	// DefaultRule: the default 5 with the rule self > 5.
	DefaultRule Rule = "default-rule"
)

// Rules that only Lint reports. The API server accepts a CRD that breaks them.
const (
	// MarkerIdle: x-kubernetes-immutable on the items of a set, or below them. A changed
	// item is another item.
	MarkerIdle Rule = "immutability-idle"
	// OrderedSet: a set with a description that mentions an order.
	OrderedSet Rule = "ordered-set"
	// ConditionsKey: a list of type map called conditions whose items have a type that is
	// not a key.
	ConditionsKey Rule = "conditions-key"
	// NullDefault: {type: string, default: null}. The API server drops it.
	NullDefault Rule = "null-default"
	// OldVersion: apiVersion: apiextensions.k8s.io/v1beta1, and every field that v1 writes
	// in another way.
	OldVersion Rule = "old-version"
	// BoundFormat: {type: integer, format: int32, maximum: 4294967295}. API servers since
	// 1.36 reject every value.
	BoundFormat Rule = "bound-format"
	// EnumFormat: {type: integer, format: int32, enum: [1, 4294967295]}. No object can have
	// the second value.
	EnumFormat Rule = "enum-format"
	// EnumType: {type: string, enum: [on, off]}, which YAML 1.1 reads as booleans. No object
	// can have these values.
	EnumType Rule = "enum-type"
	// ExampleType: {type: string, example: 5}.
	ExampleType Rule = "example-type"
	// MarkerUnenforced: x-kubernetes-immutable without a rule that uses oldSelf. Released API
	// servers ignore the marker.
	MarkerUnenforced Rule = "immutability-unenforced"
	// KeyDefaultDiffers: a key of a list with the default TCP in v1 and UDP in v2.
	KeyDefaultDiffers Rule = "key-default-differs"
	// BooleanName: a property called y without quotes, which YAML 1.1 reads as true.
	BooleanName Rule = "boolean-name"
	// EmptyObject: {type: object} and nothing else. The API server drops everything in it.
	EmptyObject Rule = "empty-object"
	// UnknownKeyword: tpye: string. The API server drops it, or rejects it with strict field
	// validation.
	UnknownKeyword Rule = "unknown-keyword"
)

// Rules about objects.
const (
	// ObjectKind: an object of another kind or apiVersion.
	ObjectKind Rule = "object-kind"
	// ObjectUnknown: a field that the schema does not have.
	ObjectUnknown Rule = "object-unknown-field"
	// ObjectMeta: metadata.name: "A B".
	ObjectMeta Rule = "object-metadata"
	// ObjectType: a string where the schema has a number.
	ObjectType Rule = "object-type"
	// ObjectRequired: a required field that is missing.
	ObjectRequired Rule = "object-required"
	// ObjectValue: a value that violates bounds, an enum or a format.
	ObjectValue Rule = "object-value"
	// ObjectDuplicate: [x, x] in a set.
	ObjectDuplicate Rule = "object-duplicate"
	// ObjectRule: an object that breaks a rule of x-kubernetes-validations.
	ObjectRule Rule = "object-rule"
	// ObjectUnchecked: rules of x-kubernetes-validations that were not run because of other
	// errors.
	ObjectUnchecked Rule = "object-unchecked"
)
