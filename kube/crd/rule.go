// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import "github.com/dovetail-ssa/dovetail/kube/openapi"

// Rule is the id of a rule that a finding is about. Ids are stable, texts of findings are not.
// Rules that openapi.Catalog.Lint reports too are constants of package openapi: KeyUnsatisfied,
// ZeroKey, DefaultValue, Unreachable, BelowOptional, SetOfObjects and NoListType.
type Rule = openapi.Rule

// What is wrong with a document, each with the smallest input that provokes it.
const (
	// Malformed: type: 5. A value of a type that the field cannot hold.
	Malformed Rule = "malformed"
	// TooDeep: schemas nested in more than 500 levels.
	TooDeep Rule = "too-deep"
	// TooLarge: more than 100,000 schemas in a CRD.
	TooLarge Rule = "too-large"
)

// Rules about a CRD besides its schemas.
const (
	// Name: metadata.name x of a CRD for things.example.com.
	Name Rule = "name"
	// Names: spec.names without plural, a kind with a space, a group without
	// dot, a scope Global.
	Names Rule = "names"
	// Versions: two versions of one name, none or two for storage.
	Versions Rule = "versions"
	// Subresources: a scale without specReplicasPath.
	Subresources Rule = "subresources"
	// Columns: a printer column without jsonPath.
	Columns Rule = "columns"
	// Selectable: a selectable field that the schema does not have.
	Selectable Rule = "selectable-fields"
	// Conversion: strategy: Magic.
	Conversion Rule = "conversion"
	// Approval: a group of kubernetes.io without the annotation that says who
	// approved it.
	Approval Rule = "approval"
	// Changed: an update to another group, or one without a version that objects
	// are stored in.
	Changed Rule = "changed"
	// NoSchema: a version without schema.
	NoSchema Rule = "no-schema"
)

// Rules about schemas, most of which make up a structural schema, see
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
const (
	// TypeRule: {properties: {a: {}}}: a has no type.
	TypeRule Rule = "type"
	// Unsupported: $ref, definitions, patternProperties, dependencies,
	// uniqueItems, a list of schemas as items.
	Unsupported Rule = "unsupported"
	// Items: {type: array} without items.
	Items Rule = "items"
	// Nested: anyOf: [{type: string}]. Only value validation may stand below
	// allOf, anyOf, oneOf and not.
	Nested Rule = "nested"
	// Incomplete: anyOf: [{required: [a], properties: {a: {}}}] where the schema
	// around it does not have a.
	Incomplete Rule = "incomplete"
	// Metadata: {properties: {metadata: {type: object, properties: {labels: …}}}}
	// at the root.
	Metadata Rule = "metadata"
	// Root: type string at the root, nullable, allOf beside a status
	// subresource.
	Root Rule = "root"
	// Additional: properties beside additionalProperties.
	Additional Rule = "additional-properties"
	// IntOrString: x-kubernetes-int-or-string beside
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
	// SetItems: a set of objects that are not atomic, or of items that are
	// nullable.
	SetItems Rule = "set-items"
	// ListMapKeys: x-kubernetes-list-type map without keys, a key that is an
	// object, no property, or nullable.
	ListMapKeys Rule = "list-map-keys"
	// MarkerValue: x-kubernetes-immutable: false.
	MarkerValue Rule = "immutability-value"
	// MarkerPlace: x-kubernetes-immutable at the root, in metadata, below allOf;
	// x-kubernetes-immutable-keys on a string, a set, an atomic map.
	MarkerPlace Rule = "immutability-place"
	// MarkersExclusive: x-kubernetes-immutable and x-kubernetes-immutable-keys on
	// one schema.
	MarkersExclusive Rule = "immutability-exclusive"
	// MarkerKey: a list of type map with x-kubernetes-immutable-keys whose key is
	// not marked x-kubernetes-immutable.
	MarkerKey Rule = "immutability-key"
	// MarkerVersion: x-kubernetes-immutable in a CRD of
	// apiextensions.k8s.io/v1beta1.
	MarkerVersion Rule = "immutability-version"
	// Validations: x-kubernetes-validations: [{}], a rule that does not
	// compile, oldSelf in a list without keys.
	Validations Rule = "validations"
	// Cost: a rule over a list of strings without bounds.
	Cost Rule = "cost"
)

// Rules about defaults.
const (
	// DefaultForbidden: a default on the root's kind, or in its metadata.
	DefaultForbidden Rule = "default-forbidden"
	// DefaultUnknown: {type: object, default: {a: 1}}: a would be pruned.
	DefaultUnknown Rule = "default-unknown-field"
	// DefaultDuplicate: [a, a] as default of a set.
	DefaultDuplicate Rule = "default-duplicate"
	// DefaultMetadata: an embedded resource as default that has no kind.
	DefaultMetadata Rule = "default-metadata"
	// DefaultVersion: a default in a new CRD of apiextensions.k8s.io/v1beta1.
	DefaultVersion Rule = "default-version"
	// DefaultRule: 5 as default where a rule says self > 5.
	DefaultRule Rule = "default-rule"
)

// Rules of findings that are no errors. Only Lint reports them.
const (
	// MarkerIdle: x-kubernetes-immutable on the items of a set, or below: an item
	// that changes is another item.
	MarkerIdle Rule = "immutability-idle"
	// OrderedSet: a set whose description says that its items are ordered.
	OrderedSet Rule = "ordered-set"
	// ConditionsKey: a map list called conditions whose items have a type, which is
	// no key.
	ConditionsKey Rule = "conditions-key"
	// NullDefault: {type: string, default: null}. The API server drops it.
	NullDefault Rule = "null-default"
	// OldVersion: APIVersion: apiextensions.k8s.io/v1beta1, and what else v1 writes
	// otherwise.
	OldVersion Rule = "old-version"
	// BoundFormat: {type: integer, format: int32, maximum: 4294967295}. API servers since
	// 1.36 reject every value.
	BoundFormat Rule = "bound-format"
	// EnumFormat: {type: integer, format: int32, enum: [1, 4294967295]}. No object can have
	// the second value.
	EnumFormat Rule = "enum-format"
	// UnknownKeyword: tpye: string. The API server drops it, or refuses it if
	// asked to be strict.
	UnknownKeyword Rule = "unknown-keyword"
)

// What is wrong with an object.
const (
	// ObjectKind: an object of another kind or version.
	ObjectKind Rule = "object-kind"
	// ObjectUnknown: a field that the schema does not have.
	ObjectUnknown Rule = "object-unknown-field"
	// ObjectMeta: metadata.name: "A B".
	ObjectMeta Rule = "object-metadata"
	// ObjectType: a string where the schema has a number.
	ObjectType Rule = "object-type"
	// ObjectRequired: a required field that is missing.
	ObjectRequired Rule = "object-required"
	// ObjectValue: a value beyond its bounds, not of its enum, of another
	// format.
	ObjectValue Rule = "object-value"
	// ObjectDuplicate: [x, x] in a set.
	ObjectDuplicate Rule = "object-duplicate"
	// ObjectRule: an object that breaks a rule of x-kubernetes-validations.
	ObjectRule Rule = "object-rule"
	// ObjectUnchecked: rules that could not be looked at because of other
	// errors.
	ObjectUnchecked Rule = "object-unchecked"
)
