// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"strconv"
)

// ToString formats a value as human-readable text. It writes a list as [1,"a",true], and an
// undefined value as {{undefined}}. It writes a map as a=1b=2, sorted by key and without
// separators.
func ToString(v Value) string {
	return string(appendText(nil, v))
}

func appendText(b []byte, v Value) []byte {
	switch kindOf(v) {
	case floatKind:
		return fmt.Append(b, v.AsFloat())
	case intKind:
		return strconv.AppendInt(b, v.AsInt(), 10)
	case stringKind:
		return strconv.AppendQuote(b, v.AsString())
	case boolKind:
		return strconv.AppendBool(b, v.AsBool())
	case nullKind:
		return append(b, "null"...)
	case undefinedKind:
		return append(b, "{{undefined}}"...)
	}
	if v.IsList() {
		list := v.AsList()
		b = append(b, '[')
		for i := range list.Length() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, list.At(i))
		}
		return append(b, ']')
	}
	v.AsMap().Zip(nil, LexicalKeyOrder, func(key string, v, _ Value) bool {
		b = appendText(append(append(b, key...), '='), v)
		return true
	})
	return b
}
