// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
)

// JSON writes v as JSON, indented by two spaces. It does not escape <, > and &.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// maxIndented is the maximum number of reports that are indented for readability. In a longer
// list, each report is on one line, which halves the size.
const maxIndented = 100

// Reports collects reports as JSON. It keeps them in memory or, if they are large, in a
// temporary file.
type Reports struct {
	lines spool.Text
	n     int
}

// Line returns v as JSON on one line, including the final line break.
func Line(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}

// Add adds a report. line must be a result of Line.
func (r *Reports) Add(line []byte) {
	r.n++
	r.lines.Write(line)
}

// Write writes all reports as one document, {"summary": …, "objects": […]}. It then discards
// the reports.
func (r *Reports) Write(w io.Writer, summary any) error {
	defer r.lines.Reset()
	text, err := Line(summary)
	if err != nil {
		return err
	}
	if err := writeIndented(w, "{\n  \"summary\": ", "  ", text); err != nil {
		return err
	}
	if _, err := io.WriteString(w, ",\n  \"objects\": ["); err != nil {
		return err
	}
	if err := writeItems(w, &r.lines, r.n <= maxIndented); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n}\n")
	return err
}

// WriteLines writes each report on one line, and then a last line {"summary": …}. It then
// discards the reports.
func (r *Reports) WriteLines(w io.Writer, summary any) error {
	last, err := Line(map[string]any{"summary": summary})
	if err != nil {
		return err
	}
	if err := r.lines.Flush(w); err != nil {
		return err
	}
	_, err = w.Write(last)
	return err
}

// writeItems writes each line of a text as an item of a JSON list, and then the closing bracket.
// The caller has already written the opening bracket. If indented is true, it indents the items as
// in a list that is a field of the outermost object.
func writeItems(w io.Writer, text *spool.Text, indented bool) error {
	lines := bufio.NewReader(text.Reader())
	for separator := "\n"; ; separator = ",\n" {
		line, err := lines.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			end := "]"
			if separator == ",\n" {
				end = "\n  ]"
			}
			_, err = io.WriteString(w, end)
			return err
		case err != nil:
		case indented:
			err = writeIndented(w, separator+"    ", "    ", line)
		default:
			_, err = io.WriteString(w, separator+string(bytes.TrimSuffix(line, []byte("\n"))))
		}
		if err != nil {
			return err
		}
	}
}

// writeIndented writes the text start and then a JSON value, with line breaks and indentation. The
// value is given on one line. Each further line of the output begins with prefix.
func writeIndented(w io.Writer, start, prefix string, line []byte) error {
	out := bytes.NewBufferString(start)
	if err := json.Indent(out, bytes.TrimSuffix(line, []byte("\n")), prefix, "  "); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Objects collects objects, either as YAML documents or as JSON values. It writes several JSON
// values as one Kubernetes List.
type Objects struct {
	// List makes WriteJSON write a List even if there is only one object.
	List bool
	text spool.Text
	n    int
}

// AddDocument adds a YAML document. If separated is true, a line "---" separates it from the
// previous document, if there is one.
func (o *Objects) AddDocument(text []byte, separated bool) {
	if o.n > 0 && separated {
		o.text.WriteString("---\n")
	}
	o.n++
	o.text.Write(text)
}

// AddLine adds a JSON value. line must be a result of Line.
func (o *Objects) AddLine(line []byte) {
	o.n++
	o.text.Write(line)
}

// WriteDocuments writes the YAML documents and discards them.
func (o *Objects) WriteDocuments(w io.Writer) error { return o.text.Flush(w) }

// WriteJSON writes the JSON values and discards them.
func (o *Objects) WriteJSON(w io.Writer) error {
	defer o.text.Reset()
	if o.n == 1 && !o.List {
		line, err := io.ReadAll(o.text.Reader())
		if err != nil {
			return err
		}
		if err := writeIndented(w, "", "", line); err != nil {
			return err
		}
		_, err = io.WriteString(w, "\n")
		return err
	}
	if _, err := io.WriteString(w, "{\n  \"apiVersion\": \"v1\",\n  \"items\": ["); err != nil {
		return err
	}
	if err := writeItems(w, &o.text, true); err != nil {
		return err
	}
	_, err := io.WriteString(w, ",\n  \"kind\": \"List\"\n}\n")
	return err
}
