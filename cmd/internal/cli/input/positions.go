// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package input

import (
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// WithPositions adds lines and columns to err. A catalog returned err when it read docs. The
// errors of a catalog contain only paths, so WithPositions parses docs again.
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
				read[d.Name], _ = manifest.ReadMappings(d.Name, d.Data) // the catalog has already read the document without a syntax error
			}
			if at, ok := positionIn(read[d.Name], e.Path); ok {
				e.Line, e.Column = at.Line, at.Column
				e.Path = withinDocument(e.Path, len(read[d.Name]))
			}
		}
	}
	return errs
}

// positionIn returns the position of path in the documents of a file. path comes from an error
// of a catalog. If the file has several documents, path begins with the index of a document.
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

// withinDocument removes the index of the document from a path. n is the number of documents
// in the file. If n is 1, the path has no such index. The index is not needed, because the
// line in the error already identifies the document.
func withinDocument(path string, n int) string {
	index, within, _ := strings.Cut(strings.TrimPrefix(path, "["), "]")
	if _, err := strconv.Atoi(index); n < 2 || err != nil {
		return path
	}
	return within
}

// documentSteps parses the path in a catalog's error, such as .spec.versions[0].schema["a.b"].
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

// BrokenEntry returns an error about invalid managed fields. It has the position in the live
// object, and a hint. The text of bad must begin with the path.
func BrokenEntry(live *manifest.Object, bad *managedfields.EntryError) *manifest.Error {
	path, message := cutPath("." + bad.Error())
	at := live.At(documentSteps(path)...)
	message = words.TrimColon(message)
	if bad.Index >= 0 {
		message += "; dovetail doctor --fix removes the entry"
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
