// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package value reads and writes data without a schema: maps, lists, scalars and Go structs.
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
// [DecodeObject] decodes JSON to plain data, and keeps integers. Use it for untrusted JSON, and for
// the objects of package fieldmanager.
//
// [Equals] and [Compare] accept any two values, even of different implementations. An int equals
// a float that represents the same number, and a struct equals the map that it serialises to.
// [EqualUnstructured] and [CompareUnstructured] do the same for plain Go data and do not
// allocate. [ToJSON] and [ToYAML] write a value, and Value.Unstructured returns it as plain Go
// data.
//
// A value can be anything that a JSON document can contain. If you pass other Go data to
// NewValueInterface, such as a uint64, a channel or a typed slice, the value is undefined: every
// IsXXX method returns false. If a Go struct contains data that cannot be serialised, methods of
// the value panic (see [NewValueReflect]).
//
// Functions that read or write documents return an error for documents nested deeper than 10,000
// levels. Allocators are part of an older API, and are ignored.
package value
