// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package engine walks data against a compiled schema. It is the only code
// that does; every operation of package typed is one file here.
//
// Data is what decoders of JSON and YAML make: map[string]any, []any, strings,
// numbers, booleans and nil; map[any]any is accepted where it stands. Go
// structs are lowered to that form once, before they come here, so that every
// operation walks one shape without interfaces.
//
// What the operations share stands in three files: kind.go says how a value is
// read where the schema allows several kinds, identity.go says which item of
// an associative list a value is (the only place where the defaults of keys
// apply), and number.go pairs the items of two lists. Start from [Validate] for
// a walk over one value and from [Compare] for a walk over two.
//
// Operations allocate for results only and never change what they are given.
// They are safe for concurrent use on data that nobody writes.
package engine
