// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// number is a number of unstructured data: an int or a float. Any other kind
// than those two says that it is none.
type number struct {
	i    int64
	f    float64
	kind kind
}

// numberOf returns the number that v is. uint64 is none, since it may not fit.
func numberOf(v any) number {
	switch v := v.(type) {
	case int64:
		return number{i: v, kind: intKind}
	case float64:
		return number{f: v, kind: floatKind}
	case int:
		return number{i: int64(v), kind: intKind}
	case int32:
		return number{i: int64(v), kind: intKind}
	case float32:
		return number{f: float64(v), kind: floatKind}
	case int8:
		return number{i: int64(v), kind: intKind}
	case int16:
		return number{i: int64(v), kind: intKind}
	case uint:
		return number{i: int64(v), kind: intKind}
	case uint8:
		return number{i: int64(v), kind: intKind}
	case uint16:
		return number{i: int64(v), kind: intKind}
	case uint32:
		return number{i: int64(v), kind: intKind}
	}
	return number{kind: undefinedKind}
}

func (n number) float() float64 {
	if n.kind == intKind {
		return float64(n.i)
	}
	return n.f
}

func (n number) equal(m number) bool {
	if n.kind == intKind && m.kind == intKind {
		return n.i == m.i
	}
	return n.float() == m.float()
}

func (n number) compare(m number) int {
	if n.kind == intKind && m.kind == intKind {
		return IntCompare(n.i, m.i)
	}
	return FloatCompare(n.float(), m.float())
}

// kindOfUnstructured returns what v is, once wrapped by NewValueInterface.
func kindOfUnstructured(v any) kind {
	switch v.(type) {
	case nil:
		return nullKind
	case string:
		return stringKind
	case bool:
		return boolKind
	case []any:
		return listKind
	case map[string]any, map[any]any:
		return mapKind
	}
	return numberOf(v).kind
}
