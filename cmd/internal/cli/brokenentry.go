// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// brokenEntry says what keeps the managed fields of a live object from being read, as near
// to it as can be told, and what leaves it out. The text of the error begins with its path.
func brokenEntry(live *manifest.Object, bad *fieldmanager.ManagedFieldsError) *manifest.Error {
	path, message := cutPath("." + bad.Error())
	at := live.At(documentSteps(path)...)
	message = trimColon(message)
	if bad.Index >= 0 {
		message += "; dovetail doctor --fix leaves the entry out"
	}
	return &manifest.Error{File: at.File, Line: at.Line, Column: at.Column, Path: path, Message: message}
}

// trimColon returns a message without a colon at its end, which upstream writes in front of
// what was found even if that is nothing.
func trimColon(message string) string { return strings.TrimSuffix(message, ":") }

// cutPath cuts the path from a text that begins with one: up to a colon that is not in
// quotes.
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
