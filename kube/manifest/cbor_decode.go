// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build !js

package manifest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// cborMode decodes CBOR like an API server. A byte string becomes a string, or the base64
// text of its bytes if a tag requests base64. Integers become int64. Values that JSON cannot
// represent are rejected.
var cborMode = sync.OnceValue(func() cbor.DecMode {
	var rejected []func(*cbor.SimpleValueRegistry) error
	for v := range 256 {
		if known := v >= 20 && v <= 22; !known && (v < 24 || v > 31) { // 20 to 22 are false, true and null; 24 to 31 are reserved
			rejected = append(rejected, cbor.WithRejectedSimpleValue(cbor.SimpleValue(v)))
		}
	}
	simple, err := cbor.NewSimpleValueRegistryFromDefaults(rejected...)
	if err != nil {
		panic(err) // this cannot happen, because the library can reject each of these values
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
		panic(err) // cannot happen: the options are constant
	}
	return mode
})

// decodeCBOR returns the values of a CBOR file. The file is a sequence of values, each of which starts
// with cborTag. First, decodeCBOR walks through the bytes to find errors and their positions. Then the
// library decodes the values. The library also rejects errors that the walk does not detect.
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
			return nil, Errors{{File: d.file, Message: fmt.Sprintf("byte %d: Kubernetes cannot read this CBOR: %s", at, libraryMessage(err))}}
		}
		roots, at = append(roots, root{d, len(roots), v}), w.at
	}
	return roots, nil
}

// libraryMessage returns the message of an error from the CBOR library. It leaves out values of the
// file, because they may be secret.
func libraryMessage(err error) string {
	if text := err.Error(); !strings.Contains(text, "time.Time") {
		return strings.TrimPrefix(text, "cbor: ")
	}
	return "a value has the tag of a time, but is not a time"
}

// cborError is an error at a byte offset.
type cborError struct {
	at            int
	path, message string
	// noPath is true if the path would be too long to be useful.
	noPath bool
}

// prependStep puts a step in front of the error's path.
func (e *cborError) prependStep(step string) *cborError {
	if !e.noPath {
		e.path = step + e.path
	}
	return e
}

// cborWalk walks through the bytes of a value to find errors.
type cborWalk struct {
	data []byte
	at   int
}

// These are the major types of CBOR.
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

// cborKinds names the kinds of values for messages, by major type.
var cborKinds = [...]string{"a number", "a number", "a byte string", "a string", "a list", "a mapping", "a tag", "a number, a boolean or null"}

// A value of indefinite length starts with info 31 and ends with a break.
const (
	cborIndefinite = 31
	cborBreak      = 0xff
)

// head reads the head of a value. It returns the major type, the other bits of the first byte, and a
// number. Depending on the major type, the number is the value itself or its length.
func (w *cborWalk) head() (major, info int, n uint64, err *cborError) {
	start := w.at
	if start >= len(w.data) {
		return 0, 0, 0, &cborError{at: start, message: "not CBOR: the data ends too early"}
	}
	first := w.data[start]
	w.at++
	major, info = int(first>>5), int(first&0x1f)
	switch {
	case info < 24:
		return major, info, uint64(info), nil
	case info == cborIndefinite && major >= cborBytes && major != cborTagged:
		return major, info, 0, nil
	case info > 27:
		return 0, 0, 0, &cborError{at: start, message: fmt.Sprintf("not CBOR: no value begins with %02x", first)}
	}
	size := 1 << (info - 24)
	if len(w.data)-w.at < size {
		return 0, 0, 0, &cborError{at: len(w.data), message: "not CBOR: the data ends too early"}
	}
	for _, b := range w.data[w.at : w.at+size] {
		n = n<<8 | uint64(b)
	}
	w.at += size
	return major, info, n, nil
}

// atBreak reports whether the next byte is a break, which ends a value of indefinite length. If it is,
// atBreak skips the byte.
func (w *cborWalk) atBreak() bool {
	if w.at < len(w.data) && w.data[w.at] == cborBreak {
		w.at++
		return true
	}
	return false
}

// value walks through the next value. If the value is a string, it returns the text of the string.
// base64 is true inside a tag that requests base64. Byte strings then need not be UTF-8, because the
// library encodes them as base64.
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
		for i := 0; info == cborIndefinite && !w.atBreak() || info != cborIndefinite && uint64(i) < n; i++ {
			if _, err := w.value(depth+1, base64); err != nil {
				return "", err.prependStep(fmt.Sprintf("[%d]", i))
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
		return "", checkSimple(start, info, n)
	}
	return "", nil
}

// text walks through a text string or byte string. A string of indefinite length consists of
// several shorter strings.
func (w *cborWalk) text(start, major, info int, n uint64, base64 bool) (string, *cborError) {
	if info != cborIndefinite {
		if n > uint64(len(w.data)-w.at) {
			return "", &cborError{at: len(w.data), message: "not CBOR: the data ends too early"}
		}
		text := w.data[w.at : w.at+int(n)]
		w.at += int(n)
		if !(major == cborBytes && base64) && !utf8.Valid(text) {
			return "", &cborError{at: start, message: "want a UTF-8 string, got invalid bytes"}
		}
		return string(text), nil
	}
	var all strings.Builder
	for !w.atBreak() {
		at := w.at
		part, partInfo, n, err := w.head()
		if err != nil {
			return "", err
		}
		if part != major || partInfo == cborIndefinite {
			return "", &cborError{at: at, message: fmt.Sprintf("not CBOR: each part of %s must be %s of known length, got %s", cborKinds[major], cborKinds[major], cborKinds[part])}
		}
		text, err := w.text(at, major, partInfo, n, true)
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	if !base64 && !utf8.ValidString(all.String()) {
		return "", &cborError{at: start, message: "want a UTF-8 string, got invalid bytes"}
	}
	return all.String(), nil
}

// mapping walks through the fields of a mapping.
func (w *cborWalk) mapping(depth, info int, n uint64, base64 bool) *cborError {
	first := map[string]int{}
	for i := uint64(0); info == cborIndefinite && !w.atBreak() || info != cborIndefinite && i < n; i++ {
		at := w.at
		if err := w.checkKey(); err != nil {
			return err
		}
		name, err := w.value(depth+1, false)
		if err != nil {
			return err
		}
		if before, twice := first[name]; twice {
			return &cborError{at: at, path: "." + name, message: fmt.Sprintf("duplicate key, first used at byte %d", before)}
		}
		first[name] = at
		if _, err := w.value(depth+1, base64); err != nil {
			return err.prependStep("." + name)
		}
	}
	return nil
}

// checkKey rejects a key that is not a string. A string with tags is allowed. checkKey
// does not move the position.
func (w *cborWalk) checkKey() *cborError {
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
			return &cborError{at: at, message: "want a string as a key, got " + cborKinds[major]}
		}
	}
}

// checkSimple rejects floats and simple values for which JSON has no equivalent.
func checkSimple(start, info int, n uint64) *cborError {
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
	case cborIndefinite:
		return &cborError{at: start, message: "not CBOR: unexpected break"}
	default:
		return &cborError{at: start, message: fmt.Sprintf("want true, false, null or a number, got the simple value %d, which JSON does not have", n)}
	}
	if infinite {
		return &cborError{at: start, message: "NaN and infinity are not JSON numbers"}
	}
	return nil
}
