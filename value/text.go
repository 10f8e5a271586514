package value

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// ToString returns a value for people to read: [1,"a",true] for a list, a=1b=2
// for a map (without separators, sorted by key), {{undefined}} for what is no
// value.
func ToString(v Value) string {
	return string(appendText(nil, v))
}

func appendText(b []byte, v Value) []byte {
	if v.IsNull() {
		return append(b, "null"...)
	}
	switch kindOf(v) {
	case floatKind:
		return fmt.Append(b, v.AsFloat())
	case intKind:
		return strconv.AppendInt(b, v.AsInt(), 10)
	case stringKind:
		return strconv.AppendQuote(b, v.AsString())
	case boolKind:
		return strconv.AppendBool(b, v.AsBool())
	case listKind:
		list := v.AsList()
		b = append(b, '[')
		for i := range list.Length() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, list.At(i))
		}
		return append(b, ']')
	case mapKind:
		type entry struct{ key, text string }
		var entries []entry
		v.AsMap().Iterate(func(key string, v Value) bool {
			entries = append(entries, entry{key, ToString(v)})
			return true
		})
		slices.SortStableFunc(entries, func(a, b entry) int {
			return cmp.Compare(a.key, b.key)
		})
		for _, e := range entries {
			b = append(append(append(b, e.key...), '='), e.text...)
		}
		return b
	}
	return append(b, "{{undefined}}"...)
}
