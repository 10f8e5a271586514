// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"encoding/json"
	"io"
)

// JSON writes v with an indent of two spaces, and <, > and & as they are.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// maxIndented is how many reports are written for people, too. A longer list has a line
// for each, which is less than half as large.
const maxIndented = 100

// Reports writes the reports: one, or a list of them if there are several.
func Reports[R any](w io.Writer, all []R) error {
	if len(all) == 1 {
		return JSON(w, all[0])
	}
	return List(w, all)
}

// List writes a list of reports, however many there are.
func List[R any](w io.Writer, all []R) error {
	if len(all) <= maxIndented {
		return JSON(w, all)
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	before := "["
	for i := range all {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		if err := lines.Encode(all[i]); err != nil {
			return err
		}
		before = ","
	}
	_, err := io.WriteString(w, "]\n")
	return err
}
