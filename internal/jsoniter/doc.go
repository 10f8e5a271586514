// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Package jsoniter reads and writes the JSON of values and field sets in the same way as
// github.com/json-iterator/go, which structured-merge-diff uses. json-iterator accepts some
// invalid JSON, and escapes more characters than necessary. Stored objects contain such JSON,
// and programs depend on the error messages of json-iterator.
//
//	strict JSON       Parse, String, Number: fast; they reject all other input
//	any other JSON    Reader: slow, with the exceptions and messages of json-iterator
//	writing           AppendQuoted, AppendEscaped, AppendFloat
//
// Callers try the fast functions first. If these reject the text, a Reader reads the whole text
// again. The fast functions and Reader share no code, and tests compare their results. The
// callers are:
//
//	data                written by                       read by
//	value               value.ToJSON                     value.FromJSON: Parse, otherwise Reader
//	FieldsV1            fieldpath Set.ToJSON             Set.FromJSON: decoder, otherwise replay with a Reader
//	path element        fieldpath SerializePathElement   DeserializePathElement: content, otherwise replay
//	readable path       fieldpath Path.String            ParsePath (not JSON)
//
// For structured-merge-diff v7, encoding/json/v2 replaces Reader and replay (json7.go in value
// and fieldpath).
//
// FieldsV1 has a JSON object for each level of a set. The keys of the object are path elements
// (f:name, k:{"name":"a"}, v:"a", i:0) and ".". Callers of fieldmanager pass FieldsV1 as maps
// that are already decoded. Package internal/stored reads and writes these maps. It calls the
// functions above only for keys that are written in an unusual way.
package jsoniter
