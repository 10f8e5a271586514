// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/spool"
)

// JSON writes v as JSON with an indent of two spaces. It does not escape <, > and &.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// maxIndented is the maximum number of reports that are indented for people. A longer list has one
// line for each report, which halves its size.
const maxIndented = 100

// Reports collects reports as JSON. One report is written by itself, several as a list.
type Reports struct {
	// List writes a list even if there is only one report.
	List bool
	// first is the first report, to which Write adds the summary. lines are the others.
	first []byte
	lines spool.Text
	n     int
}

// Line returns v as JSON in one line, with the line break.
func Line(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}

// Add adds a report, a result of Line.
func (r *Reports) Add(line []byte) {
	if r.n++; r.n == 1 {
		r.first = line
		return
	}
	r.lines.Write(line)
}

// Write writes the reports and discards them. If summary is not nil, the first report gets it as a
// field. With lines, each report is written in one line, and not as a list.
func (r *Reports) Write(w io.Writer, summary any, lines bool) error {
	defer r.lines.Reset()
	if r.n > 0 && summary != nil {
		text, err := Line(summary)
		if err != nil {
			return err
		}
		r.first = slices.Concat([]byte(`{"summary":`), bytes.TrimSuffix(text, []byte("\n")), []byte(","), r.first[1:])
	}
	all := bufio.NewReader(io.MultiReader(bytes.NewReader(r.first), r.lines.Reader()))
	if lines {
		_, err := io.Copy(w, all)
		return err
	}
	return writeList(w, all, r.n, r.List)
}

// writeList writes n JSON values, each of which is a line: as a list if there are several or list is
// set.
func writeList(w io.Writer, lines *bufio.Reader, n int, list bool) error {
	switch {
	case n == 0:
		_, err := io.WriteString(w, "[]\n")
		return err
	case n > maxIndented:
		return eachLine(lines, func(i int, line []byte) error {
			before := ","
			if i == 0 {
				before = "["
			}
			_, err := io.WriteString(w, before+string(line))
			return err
		}, func() error { _, err := io.WriteString(w, "]\n"); return err })
	case n == 1 && !list:
		return eachLine(lines, func(_ int, line []byte) error { return writeIndented(w, "", "", line) },
			func() error { _, err := io.WriteString(w, "\n"); return err })
	}
	return eachLine(lines, func(i int, line []byte) error {
		before := ",\n  "
		if i == 0 {
			before = "[\n  "
		}
		return writeIndented(w, before, "  ", line)
	}, func() error { _, err := io.WriteString(w, "\n]\n"); return err })
}

// writeIndented writes before, and then a line of JSON with line breaks and indents. prefix starts
// each line after the first.
func writeIndented(w io.Writer, before, prefix string, line []byte) error {
	out := bytes.NewBufferString(before)
	if err := json.Indent(out, bytes.TrimSuffix(line, []byte("\n")), prefix, "  "); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// eachLine calls do with each line and its index, and end after the last one.
func eachLine(lines *bufio.Reader, do func(i int, line []byte) error, end func() error) error {
	for i := 0; ; i++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return end()
		}
		if err == nil {
			err = do(i, line)
		}
		if err != nil {
			return err
		}
	}
}

// Objects collects objects as YAML documents or as JSON values. Several JSON values are written as a
// Kubernetes List.
type Objects struct {
	// List writes a List even if there is only one object or none.
	List bool
	text spool.Text
	n    int
}

// AddDocument adds a YAML document. With separated, it writes --- before every document but the first.
func (o *Objects) AddDocument(text []byte, separated bool) {
	if o.n > 0 && separated {
		o.text.WriteString("---\n")
	}
	o.n++
	o.text.Write(text)
}

// AddLine adds a JSON value, a result of Line.
func (o *Objects) AddLine(line []byte) {
	o.n++
	o.text.Write(line)
}

// WriteDocuments writes the documents and discards them.
func (o *Objects) WriteDocuments(w io.Writer) error { return o.text.Flush(w) }

// WriteJSON writes the values and discards them.
func (o *Objects) WriteJSON(w io.Writer) error {
	defer o.text.Reset()
	lines := bufio.NewReader(o.text.Reader())
	if o.n == 1 && !o.List {
		return writeList(w, lines, 1, false)
	}
	if _, err := io.WriteString(w, "{\n  \"apiVersion\": \"v1\",\n  \"items\": ["); err != nil {
		return err
	}
	return eachLine(lines, func(i int, line []byte) error {
		before := ",\n    "
		if i == 0 {
			before = "\n    "
		}
		return writeIndented(w, before, "    ", line)
	}, func() error {
		end := "]"
		if o.n > 0 {
			end = "\n  ]"
		}
		_, err := io.WriteString(w, end+",\n  \"kind\": \"List\"\n}\n")
		return err
	})
}
