// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// WithPositions adds lines and columns to an error about OpenAPI documents or CRDs. The error comes
// from a catalog that has read docs. This error contains only paths, so WithPositions parses docs
// again. The resulting errors of each file are in the order of the file.
func WithPositions(err error, docs ...openapi.Document) error {
	errs, ok := Errors(err)
	if !ok {
		return err
	}
	read := map[string][]*manifest.Object{}
	for _, e := range errs {
		if e.Line > 0 || e.Path == "" {
			continue
		}
		for _, d := range docs {
			if d.Name != e.File {
				continue
			}
			if _, done := read[d.Name]; !done {
				read[d.Name], _ = manifest.ReadMappings(d.Name, d.Data) // the catalog has already parsed it without an error
			}
			if at, ok := positionIn(read[d.Name], e.Path); ok {
				e.Line, e.Column = at.Line, at.Column
				e.Path = withinDocument(e.Path, len(read[d.Name]))
			}
		}
	}
	return SortByPosition(errs)
}

// SortByPosition sorts errs by file, line and column, and returns it. Errors without a file, such as
// the number of errors that were dropped, come last.
func SortByPosition(errs manifest.Errors) manifest.Errors {
	slices.SortStableFunc(errs, func(a, b *manifest.Error) int {
		if (a.File == "") != (b.File == "") {
			return strings.Compare(b.File, a.File)
		}
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return errs
}

// positionIn returns the position of a path in a file with documents. The path comes from an error
// of a catalog. If the file has several documents, the path starts with the index of a document,
// as in [1].spec.
func positionIn(docs []*manifest.Object, path string) (manifest.Position, bool) {
	steps := documentSteps(path)
	doc := 0
	if len(steps) > 0 && len(docs) > 1 {
		if i, ok := steps[0].(int); ok {
			doc, steps = i, steps[1:]
		}
	}
	if doc >= len(docs) {
		return manifest.Position{}, false
	}
	return docs[doc].At(steps...), true
}

// withinDocument removes the index of a document from the start of a path, such as [1] in [1].spec.
// Messages do not need this index, because they contain the line. The argument n is the number of
// documents in the file. A path starts with an index only if the file has at least two documents.
func withinDocument(path string, n int) string {
	index, within, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
	if _, err := strconv.Atoi(index); n < 2 || err != nil {
		return path
	}
	return within
}

// documentSteps splits the path in an error of a catalog into field names and indexes. An example
// of such a path is .spec.versions[0].schema["a.b"].
func documentSteps(path string) (steps []any) {
	for path != "" {
		rest, bracket := strings.CutPrefix(path, "[")
		if !bracket {
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			steps, path = append(steps, path[:end]), path[end:]
			continue
		}
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			name, _ := strconv.Unquote(quoted) // the name is always quoted
			steps, path = append(steps, name), strings.TrimPrefix(rest[len(quoted):], "]")
			continue
		}
		digits, after, _ := strings.Cut(rest, "]")
		i, err := strconv.Atoi(digits)
		if err != nil {
			return steps // the path was shortened
		}
		steps, path = append(steps, i), after
	}
	return steps
}

// BrokenEntry converts an error about invalid managed fields in a live object. The new error has a
// position and a hint. The text of the argument bad must start with the path of the field.
func BrokenEntry(live *manifest.Object, bad *managedfields.EntryError) *manifest.Error {
	path, message := cutPath("." + bad.Error())
	at := live.At(documentSteps(path)...)
	message = words.TrimColon(message)
	if bad.Index >= 0 {
		message += "; dovetail doctor --fix repairs the managed fields"
	}
	return &manifest.Error{File: at.File, Line: at.Line, Column: at.Column, Path: path, Message: message}
}

// cutPath splits the text of an error into path and message. The first ": " outside quotes
// separates them.
func cutPath(text string) (path, message string) {
	for i := 0; i < len(text); i++ {
		if quoted, err := strconv.QuotedPrefix(text[i:]); err == nil {
			i += len(quoted) - 1
			continue
		}
		if message, ok := strings.CutPrefix(text[i:], ": "); ok {
			return text[:i], message
		}
	}
	return "", text
}
