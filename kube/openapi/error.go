// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DocumentError is an error or a warning about a document.
type DocumentError struct {
	// Document is the document's name, as the caller passed it.
	Document string
	// Line and Column are the position of a syntax error, starting at 1. For other errors they
	// are 0. Column may be 0 even if Line is known.
	Line, Column int
	// Path is the place in the document, such as
	// spec.versions[0].schema.openAPIV3Schema.properties.spec. It is empty if the error is
	// about the whole document.
	Path string
	// Message describes the problem, usually with the expected and the actual value.
	Message string
}

// Error returns the problem with its document, line, column and path.
func (e *DocumentError) Error() string {
	s := e.Document
	if e.Line > 0 {
		s += ":" + strconv.Itoa(e.Line)
		if e.Column > 0 {
			s += ":" + strconv.Itoa(e.Column)
		}
	}
	if e.Path != "" {
		s += ": " + e.Path
	}
	return s + ": " + e.Message
}

// findings collects errors and warnings while a document is read.
type findings struct {
	errs, warns []*DocumentError
	dropped     [2]int // how many errors and how many warnings exceeded maxFindings
}

// maxFindings limits the number of errors and, separately, the number of warnings.
// The limit keeps the report on a hostile document small.
const maxFindings = 100

func (f *findings) add(list *[]*DocumentError, doc string, at *place, format string, args ...any) {
	if len(*list) >= maxFindings {
		if list == &f.errs {
			f.dropped[0]++
		} else {
			f.dropped[1]++
		}
		return
	}
	*list = append(*list, &DocumentError{Document: doc, Path: at.String(), Message: fmt.Sprintf(format, args...)})
}

// err joins the errors, sorted by document and path. It returns nil if there are none.
func (f *findings) err() error {
	if len(f.errs) == 0 {
		return nil
	}
	sortFindings(f.errs)
	if len(f.errs) == 1 {
		return f.errs[0]
	}
	errs := make([]error, len(f.errs))
	for i, e := range f.errs {
		errs[i] = e
	}
	if n := f.dropped[0]; n > 0 {
		errs = append(errs, fmt.Errorf("and %d more findings", n))
	}
	return errors.Join(errs...)
}

// warnings returns the warnings. If there are more than maxFindings, the last warning
// states how many warnings were dropped.
func (f *findings) warnings() []*DocumentError {
	if n := f.dropped[1]; n > 0 {
		return append(f.warns, &DocumentError{Document: f.warns[0].Document, Message: fmt.Sprintf("and %d more findings", n)})
	}
	return f.warns
}

func sortFindings(list []*DocumentError) {
	slices.SortStableFunc(list, func(a, b *DocumentError) int {
		return cmp.Or(
			strings.Compare(a.Document, b.Document),
			cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Path, b.Path),
			strings.Compare(a.Message, b.Message),
		)
	})
}

// place is a position in a document. It contains a field or list item, and a link to the place one
// level up. The root is a nil place. The path is written as text only when a message needs it.
type place struct {
	up    *place
	field string
	index int // the index of a list item, if field is empty
}

func (p *place) at(field string) *place { return &place{up: p, field: field} }
func (p *place) item(i int) *place      { return &place{up: p, index: i} }

// String returns the path, or "" for the root.
func (p *place) String() string {
	var chain []*place
	for ; p != nil; p = p.up {
		chain = append(chain, p)
	}
	var b strings.Builder
	for _, p := range slices.Backward(chain) {
		switch {
		case p.field == "":
			fmt.Fprintf(&b, "[%d]", p.index)
		case !isWord(p.field):
			fmt.Fprintf(&b, "[%q]", p.field)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(p.field)
		}
	}
	return shorten(b.String())
}

// isWord reports whether a field name can be written in a path without quotes.
func isWord(s string) bool {
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '$') {
			return false
		}
	}
	return s != ""
}

// maxPath limits the length of a path in a message. If a path is longer than 2*maxPath bytes, the
// message shows only its first and its last maxPath bytes.
const maxPath = 400

func shorten(s string) string {
	if len(s) <= 2*maxPath {
		return s
	}
	return s[:maxPath] + "…" + s[len(s)-maxPath:]
}

// shape describes a JSON value for messages, for example as "a map" or "the number 5".
func shape(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("the string %q", shorten(v))
	case bool:
		return strconv.FormatBool(v)
	}
	return fmt.Sprintf("the number %v", v)
}
