// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

// SchemaSchemaYAML is the schema of schemas. It describes the YAML format of a Schema, and is
// valid against itself.
var SchemaSchemaYAML = `types:
- name: schema
  map:
    fields:
    - name: types
      type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: typeDef}}}
    - {name: declarativeDefaults, type: {scalar: boolean}}
    - {name: missingKeys, type: {scalar: string}}
    - {name: zeroKeysUnset, type: {scalar: boolean}}
- name: typeDef
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: scalar, type: {scalar: string}}
    - {name: list, type: {namedType: list}}
    - {name: map, type: {namedType: map}}
    - {name: untyped, type: {namedType: untyped}}
    - {name: default, type: {namedType: __untyped_atomic_}}
    - {name: transition, type: {scalar: string}}
- name: typeRef
  map:
    fields:
    - {name: namedType, type: {scalar: string}}
    - {name: scalar, type: {scalar: string}}
    - {name: list, type: {namedType: list}}
    - {name: map, type: {namedType: map}}
    - {name: untyped, type: {namedType: untyped}}
    - {name: elementRelationship, type: {scalar: string}}
    - {name: nullable, type: {scalar: boolean}}
    - {name: transition, type: {scalar: string}}
- name: scalar
  scalar: string
- name: list
  map:
    fields:
    - {name: elementType, type: {namedType: typeRef}}
    - {name: elementRelationship, type: {scalar: string}}
    - name: keys
      type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}
    - {name: elementDefault, type: {namedType: __untyped_atomic_}}
- name: map
  map:
    fields:
    - name: fields
      type: {list: {elementRelationship: associative, keys: [name], elementType: {namedType: structField}}}
    - name: unions
      type: {list: {elementRelationship: atomic, elementType: {namedType: union}}}
    - {name: elementType, type: {namedType: typeRef}}
    - {name: elementRelationship, type: {scalar: string}}
    - {name: elementDefault, type: {namedType: __untyped_atomic_}}
    - name: required
      type: {list: {elementRelationship: atomic, elementType: {scalar: string}}}
    - {name: unknownFields, type: {scalar: string}}
- name: structField
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: type, type: {namedType: typeRef}}
    - {name: default, type: {namedType: __untyped_atomic_}}
- name: union
  map:
    fields:
    - {name: discriminator, type: {scalar: string}}
    - {name: deduceInvalidDiscriminator, type: {scalar: boolean}}
    - name: fields
      type: {list: {elementRelationship: associative, keys: [fieldName], elementType: {namedType: unionField}}}
- name: unionField
  map:
    fields:
    - {name: fieldName, type: {scalar: string}}
    - {name: discriminatorValue, type: {scalar: string}}
- name: untyped
  map:
    fields:
    - {name: elementRelationship, type: {scalar: string}}
- name: __untyped_atomic_
  scalar: untyped
  list:
    elementRelationship: atomic
    elementType: {namedType: __untyped_atomic_}
  map:
    elementRelationship: atomic
    elementType: {namedType: __untyped_atomic_}
`
