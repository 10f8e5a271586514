// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// cborTag is what self-described CBOR begins with: the head of tag 55799. Kubernetes
// writes it before each object.
const cborTag = "\xd9\xd9\xf7"

// isCBOR says whether a file is CBOR.
func isCBOR(data []byte) bool { return bytes.HasPrefix(data, []byte(cborTag)) }

// cborMode decodes as API servers do: byte strings are texts, those that say so the
// base64 of what they hold; integers are int64, and what JSON cannot say is refused.
var cborMode = sync.OnceValue(func() cbor.DecMode {
	var refused []func(*cbor.SimpleValueRegistry) error
	for v := range 256 {
		if known := v >= 20 && v <= 22; !known && (v < 24 || v > 31) { // false, true, null; reserved
			refused = append(refused, cbor.WithRejectedSimpleValue(cbor.SimpleValue(v)))
		}
	}
	simple, err := cbor.NewSimpleValueRegistryFromDefaults(refused...)
	if err != nil {
		panic(err) // the values are those that may be refused
	}
	mode, err := cbor.DecOptions{
		DupMapKey:                cbor.DupMapKeyEnforcedAPF,
		TimeTag:                  cbor.DecTagOptional,
		TimeTagToAny:             cbor.TimeTagToRFC3339Nano,
		MaxNestedLevels:          maxDepth,
		MaxArrayElements:         math.MaxInt32,
		MaxMapPairs:              2 * maxValues,
		IntDec:                   cbor.IntDecConvertSignedOrFail,
		MapKeyByteString:         cbor.MapKeyByteStringForbidden,
		DefaultMapType:           reflect.TypeFor[map[string]any](),
		DefaultByteStringType:    reflect.TypeFor[string](),
		ByteStringToString:       cbor.ByteStringToStringAllowedWithExpectedLaterEncoding,
		ByteStringExpectedFormat: cbor.ByteStringExpectedBase64,
		UnrecognizedTagToAny:     cbor.UnrecognizedTagContentToAny,
		NaN:                      cbor.NaNDecodeForbidden,
		Inf:                      cbor.InfDecodeForbidden,
		BignumTag:                cbor.BignumTagForbidden,
		SimpleValues:             simple,
		BinaryUnmarshaler:        cbor.BinaryUnmarshalerNone,
	}.DecMode()
	if err != nil {
		panic(err) // the options do not depend on input
	}
	return mode
})

// decodeCBOR returns the values of a file of CBOR, one behind the other, each with its tag.
// What is wrong is found by a walk over the bytes, which knows where it is; the values are
// made by the library, and what it refuses is refused, whatever the walk says.
func (d *document) decodeCBOR() ([]root, Errors) {
	var roots []root
	for at := 0; at < len(d.data); {
		if !isCBOR(d.data[at:]) {
			return nil, Errors{{File: d.file, Message: fmt.Sprintf("byte %d: want the end of the file, or the tag d9d9f7 of the next object, got %02x", at, d.data[at])}}
		}
		w := cborWalk{data: d.data, at: at + len(cborTag)}
		if _, err := w.value(1, false); err != nil {
			return nil, Errors{{File: d.file, Path: err.path, Message: fmt.Sprintf("byte %d: %s", err.at, err.message)}}
		}
		var v any
		if err := cborMode().Unmarshal(d.data[at:w.at], &v); err != nil {
			return nil, Errors{{File: d.file, Message: fmt.Sprintf("byte %d: not CBOR as Kubernetes reads it: %s", at, said(err))}}
		}
		roots, at = append(roots, root{d, len(roots), v}), w.at
	}
	return roots, nil
}

// said is what the library says of a value, without the value, which may be secret.
func said(err error) string {
	if text := err.Error(); !strings.Contains(text, "time.Time") {
		return strings.TrimPrefix(text, "cbor: ")
	}
	return "a value is tagged as a time and is none"
}

// cborError is what is wrong at a byte.
type cborError struct {
	at            int
	path, message string
	// noPath says that the path is too long to be of use.
	noPath bool
}

// below is the error of what is below a step.
func (e *cborError) below(step string) *cborError {
	if !e.noPath {
		e.path = step + e.path
	}
	return e
}

// cborWalk goes over the bytes of a value.
type cborWalk struct {
	data []byte
	at   int
}

// The major types of CBOR.
const (
	cborUnsigned = iota
	cborNegative
	cborBytes
	cborText
	cborList
	cborMap
	cborTagged
	cborOther
)

// The kinds of values as messages name them, by major type.
var cborKinds = [...]string{"a number", "a number", "a byte string", "a string", "a list", "a mapping", "a tag", "a number, a boolean or null"}

// The rest of the head of a value: what has no length ends with a break.
const (
	cborEndless = 31
	cborBreak   = 0xff
)

// head reads the head of a value: its major type, the rest of its first byte, and the
// number that says how long it is, or is the value.
func (w *cborWalk) head() (major, info int, n uint64, err *cborError) {
	start := w.at
	if start >= len(w.data) {
		return 0, 0, 0, &cborError{at: start, message: "not CBOR: it ends too early"}
	}
	first := w.data[start]
	w.at++
	major, info = int(first>>5), int(first&0x1f)
	switch {
	case info < 24:
		return major, info, uint64(info), nil
	case info == cborEndless && major >= cborBytes && major != cborTagged:
		return major, info, 0, nil
	case info > 27:
		return 0, 0, 0, &cborError{at: start, message: fmt.Sprintf("not CBOR: no value begins with %02x", first)}
	}
	size := 1 << (info - 24)
	if len(w.data)-w.at < size {
		return 0, 0, 0, &cborError{at: len(w.data), message: "not CBOR: it ends too early"}
	}
	for _, b := range w.data[w.at : w.at+size] {
		n = n<<8 | uint64(b)
	}
	w.at += size
	return major, info, n, nil
}

// ends says whether a value without a length ends here.
func (w *cborWalk) ends() bool {
	if w.at < len(w.data) && w.data[w.at] == cborBreak {
		w.at++
		return true
	}
	return false
}

// value walks over the value that comes next and returns its text, if it is one; base64
// says that byte strings hold what is to be encoded, and may be no texts.
func (w *cborWalk) value(depth int, base64 bool) (text string, err *cborError) {
	start := w.at
	wrong := func(format string, args ...any) (string, *cborError) {
		return "", &cborError{at: start, message: fmt.Sprintf(format, args...)}
	}
	if depth > maxDepth {
		return "", &cborError{at: start, noPath: true, message: tooDeep}
	}
	major, info, n, err := w.head()
	if err != nil {
		return "", err
	}
	switch major {
	case cborUnsigned, cborNegative:
		if n > math.MaxInt64 {
			return wrong("number out of range")
		}
	case cborBytes, cborText:
		return w.text(start, major, info, n, base64)
	case cborList:
		for i := 0; info == cborEndless && !w.ends() || info != cborEndless && uint64(i) < n; i++ {
			if _, err := w.value(depth+1, base64); err != nil {
				return "", err.below(fmt.Sprintf("[%d]", i))
			}
		}
	case cborMap:
		return "", w.mapping(depth, info, n, base64)
	case cborTagged:
		switch n {
		case 2, 3:
			return wrong("number out of range")
		case 21, 22, 23:
			base64 = true
		}
		return w.value(depth+1, base64)
	case cborOther:
		return "", other(start, info, n)
	}
	return "", nil
}

// text walks over a string, or the parts of one.
func (w *cborWalk) text(start, major, info int, n uint64, base64 bool) (string, *cborError) {
	if info != cborEndless {
		if n > uint64(len(w.data)-w.at) {
			return "", &cborError{at: len(w.data), message: "not CBOR: it ends too early"}
		}
		text := w.data[w.at : w.at+int(n)]
		w.at += int(n)
		if !(major == cborBytes && base64) && !utf8.Valid(text) {
			return "", &cborError{at: start, message: "want a string of UTF-8, got other bytes"}
		}
		return string(text), nil
	}
	var all strings.Builder
	for !w.ends() {
		at := w.at
		part, partInfo, n, err := w.head()
		if err != nil {
			return "", err
		}
		if part != major || partInfo == cborEndless {
			return "", &cborError{at: at, message: fmt.Sprintf("not CBOR: want a part of %s, got %s", cborKinds[major], cborKinds[part])}
		}
		text, err := w.text(at, major, partInfo, n, true)
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	if !base64 && !utf8.ValidString(all.String()) {
		return "", &cborError{at: start, message: "want a string of UTF-8, got other bytes"}
	}
	return all.String(), nil
}

// mapping walks over the fields of a mapping.
func (w *cborWalk) mapping(depth, info int, n uint64, base64 bool) *cborError {
	first := map[string]int{}
	for i := uint64(0); info == cborEndless && !w.ends() || info != cborEndless && i < n; i++ {
		at := w.at
		if err := w.wantKey(); err != nil {
			return err
		}
		name, err := w.value(depth+1, false)
		if err != nil {
			return err
		}
		if before, twice := first[name]; twice {
			return &cborError{at: at, path: "." + name, message: fmt.Sprintf("key given twice, first at byte %d", before)}
		}
		first[name] = at
		if _, err := w.value(depth+1, base64); err != nil {
			return err.below("." + name)
		}
	}
	return nil
}

// wantKey refuses what is no string, whatever tags it has; it stays where it is.
func (w *cborWalk) wantKey() *cborError {
	ahead := *w
	for {
		at := ahead.at
		major, _, _, err := ahead.head()
		switch {
		case err != nil:
			return err
		case major == cborBytes, major == cborText:
			return nil
		case major != cborTagged:
			return &cborError{at: at, message: "want a string as key, got " + cborKinds[major]}
		}
	}
}

// other says what is wrong with a float or a simple value.
func other(start, info int, n uint64) *cborError {
	infinite := false
	switch info {
	case 20, 21, 22:
		return nil
	case 25:
		infinite = n>>10&0x1f == 0x1f
	case 26:
		infinite = n>>23&0xff == 0xff
	case 27:
		infinite = n>>52&0x7ff == 0x7ff
	case cborEndless:
		return &cborError{at: start, message: "not CBOR: nothing is open that could end here"}
	default:
		return &cborError{at: start, message: fmt.Sprintf("want true, false, null or a number, got the simple value %d, which JSON does not have", n)}
	}
	if infinite {
		return &cborError{at: start, message: "NaN and infinity are no JSON numbers"}
	}
	return nil
}
