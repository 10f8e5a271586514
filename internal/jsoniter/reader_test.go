// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package jsoniter

import (
	"io"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/edition"
)

// TestSkipLongNumbers checks that Skip accepts numbers of any length, but rejects exponents
// that are out of range.
func TestSkipLongNumbers(t *testing.T) {
	digits, zeros := strings.Repeat("7", 400), strings.Repeat("0", 80)
	for text, ok := range map[string]bool{
		"[" + digits + "]": true, "[" + digits + ",1]": true, "{\"a\":" + digits + "}": true, "[" + digits + "\n]": true,
		"[-" + digits + "]": true, "[1." + digits + "]": true,
		"[1e5]": true, "[1E5]": true, "[1e999]": false, "[1e999,1]": false,
		"[-01]": true, "[-01e1]": true, "[-01e" + zeros + "1]": true, "[-01E" + zeros + "1]": true,
		"[-01e" + zeros + "99999999999999999999]": false, "[-01E" + zeros + "99999999999999999999]": false,
		"[-0" + digits + "e1]": true, "[-0" + digits + "e99999999999999999999]": false,
	} {
		r := NewReader(text)
		r.Skip()
		if err := r.End(); (err == nil) != ok {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestNumbersAcrossPieces checks numbers that start in one piece of a document and end in the
// next one.
func TestNumbersAcrossPieces(t *testing.T) {
	for text, want := range map[string]string{
		"[-5]":     "",
		"[-.5]":    "",
		"[-.]":     "readFloat64SlowPath: dot can not be last character",
		"[-.a]":    "readFloat64SlowPath: dot can not be last character",
		"[-.e1]":   "readFloat64SlowPath: missing digit after dot",
		"[-5.]":    "readFloat64SlowPath: dot can not be last character",
		"[-5.e1]":  "readFloat64SlowPath: missing digit after dot",
		"[--5]":    "readFloat64SlowPath: -- is not valid",
		"[-true]":  "readNumberAsString: invalid number",
		"[-5 true": "ReadArrayCB: expect ] in the end, but found t",
	} {
		src := ReadAll(io.MultiReader(strings.NewReader(text[:2]), strings.NewReader(text[2:])), new([]byte))
		r := NewSourceReader(&src)
		r.Any()
		got := ""
		if err := r.End(); err != nil {
			got, _, _ = strings.Cut(err.Error(), ", error found")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestEnd checks that data after a document is an error, except in the edition V4.
func TestEnd(t *testing.T) {
	defer edition.Set(edition.V6)
	for _, e := range []edition.Edition{edition.V6, edition.V4} {
		edition.Set(e)
		for text, ok := range map[string]bool{"{}": true, "{} \n": true, "{} {}": e == edition.V4, "{}}": e == edition.V4, "{": false, "}": false, "{ {}": false} {
			r := NewReader(text)
			r.Any()
			if err := r.End(); (err == nil) != ok {
				t.Errorf("%s, edition %d: got %v", text, e, err)
			}
		}
	}
}

// TestParseDocuments checks that Parse accepts white space before and after a document, but
// no other text.
func TestParseDocuments(t *testing.T) {
	for text, want := range map[string]bool{
		"{}": true, " {} ": true, "\t[1]\r\n ": true, `"a" `: true, "5 ": true, "5": true,
		"": false, " ": false, "{} {}": false, "{}}": false, "5,": false, "5 6": false, " 5 x ": false, "\u00a05": false,
	} {
		if _, ok := Parse(text, CheckOnly); ok != want {
			t.Errorf("%q: got %v", text, ok)
		}
	}
}
