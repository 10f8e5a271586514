// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package value reads and writes schemaless data: maps, lists, scalars and Go structs.
//
// Start from [Value]. [NewValueInterface] wraps decoded JSON or YAML,
// [NewValueReflect] wraps a pointer to a Go struct, [FromJSON] parses a
// document:
//
//	v, err := value.FromJSON([]byte(`{"replicas":3}`))
//	if err != nil { ... }
//	n, _ := v.AsMap().Get("replicas")
//	value.ToString(n) // 3
//
// [Equals] and [Compare] accept any two values, even of different implementations: an
// int equals a float that is the same number, and a struct equals the map that it
// serialises to. [EqualUnstructured] and [CompareUnstructured] do the same for plain Go
// data and do not allocate. [ToJSON] and [ToYAML] write a value, and Value.Unstructured
// returns it as plain Go data.
//
// A value can be anything that a JSON document can contain. Other Go data, such as a
// uint64, a channel or a typed slice, is an undefined value inside decoded data:
// every IsXXX method returns false. Inside a Go struct, such data causes a panic.
//
// Functions that read or write documents return an error for documents nested deeper
// than 10,000 levels. Allocators are part of an older API; they are accepted and ignored.
package value
