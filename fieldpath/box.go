package fieldpath

import "unsafe"

// boxed is how Go lays out an interface value of a type that is no pointer:
// the type and where the data is. Everything here that depends on it is in this
// file, and TestBoxed fails if it ever changes.
type boxed struct {
	kind unsafe.Pointer
	data unsafe.Pointer
}

var (
	stringSample any = ""
	floatSample  any = 0.0
	stringKind       = (*boxed)(unsafe.Pointer(&stringSample)).kind
	floatKind        = (*boxed)(unsafe.Pointer(&floatSample)).kind
)

// boxString returns *p as an interface value that refers to p instead of a copy
// of its own. *p must not be written to afterwards.
func boxString(p *string) (v any) {
	*(*boxed)(unsafe.Pointer(&v)) = boxed{stringKind, unsafe.Pointer(p)}
	return v
}

// boxFloat is boxString for a number.
func boxFloat(p *float64) (v any) {
	*(*boxed)(unsafe.Pointer(&v)) = boxed{floatKind, unsafe.Pointer(p)}
	return v
}

// textOf returns b as a string without copying. b must not be written to
// afterwards.
func textOf(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
