// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package jsoniter is the JSON of values and field sets. structured-merge-diff reads and
// writes it by github.com/json-iterator/go, which takes a little more than JSON, and
// escapes more than it must; objects are stored that were let in by it, and programs
// look for its messages.
//
//	JSON without liberties  Parse, String, Number: quick, they say no to anything else
//	all other JSON          Reader: patient, with json-iterator's liberties and words
//	what is written         AppendQuoted, AppendEscaped, AppendFloat
//
// What is built upon these says no where the quick ones do, and leaves the whole text to a
// Reader then. They share no code with it, and tests compare the two.
//
//	what                       written by                       read by
//	a value                    value.ToJSON                     value.FromJSON: Parse, or else Reader
//	FieldsV1                   fieldpath Set.ToJSON             Set.FromJSON: decoder, or else replay over a Reader
//	the key of an element      fieldpath SerializePathElement   DeserializePathElement: content, or else replay
//	a path for people          fieldpath Path.String            ParsePath, which is no JSON
//
// For structured-merge-diff v7, encoding/json/v2 takes the place of Reader and replay
// (json7.go of value and fieldpath).
//
// FieldsV1 is a JSON object for each level of a set, whose keys are path elements
// (f:name, k:{"name":"a"}, v:"a", i:0) and ".". Managed fields in their stored form are
// maps that another decoder has made of it. internal/stored reads and writes those
// without going through their text, and leaves to the functions above each key that is
// not in the form in which it is nearly always written.
package jsoniter
