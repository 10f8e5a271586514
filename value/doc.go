// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package value reads data (maps, lists, scalars, Go structs) without knowing
// a schema.
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
// [Equals] and [Compare] work on any two values, whatever they are made of:
// an int equals a float of the same magnitude, and a struct equals the map it
// serialises to. [EqualUnstructured] and [CompareUnstructured] do the same for
// plain Go data and allocate nothing. [ToJSON] and [ToYAML] write a value,
// Value.Unstructured returns it as plain Go data.
//
// A value is what a JSON document can hold. What it cannot hold is either
// undefined (a uint64, a channel or a typed slice inside decoded data: every
// IsXXX method answers false) or a panic (the same kinds inside a Go struct).
//
// The package refuses to know about schemas and field paths, and documents that
// are nested deeper than 10,000 levels: whatever reads or writes one returns an
// error. Allocators are remnants of an older API, accepted and ignored.
package value
