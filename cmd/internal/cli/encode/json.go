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

// Reports are those of objects in the making: one, or a list of them if there are several.
type Reports struct {
	// List says that it is a list, though there is one.
	List bool
	// first is the first report, which gets the summary; lines are the others.
	first []byte
	lines spool.Text
	n     int
}

// Line is v in one line.
func Line(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}

// Add adds a report, which is a line.
func (r *Reports) Add(line []byte) {
	if r.n++; r.n == 1 {
		r.first = line
		return
	}
	r.lines.Write(line)
}

// Write writes the reports, the first with a summary, and forgets them; with lines, each in a
// line of its own.
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

// writeList writes values of JSON, each of which is a line.
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
		return eachLine(lines, func(_ int, line []byte) error { return indented(w, "", "", line) },
			func() error { _, err := io.WriteString(w, "\n"); return err })
	}
	return eachLine(lines, func(i int, line []byte) error {
		before := ",\n  "
		if i == 0 {
			before = "[\n  "
		}
		return indented(w, before, "  ", line)
	}, func() error { _, err := io.WriteString(w, "\n]\n"); return err })
}

// indented writes a line of JSON with indents behind those that there are.
func indented(w io.Writer, before, prefix string, line []byte) error {
	out := bytes.NewBufferString(before)
	if err := json.Indent(out, bytes.TrimSuffix(line, []byte("\n")), prefix, "  "); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// eachLine does something with each line, and then something else.
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

// Objects are results in the making: documents of YAML, or values of JSON, a List if there
// are several.
type Objects struct {
	// List says that it is a List, though there is one object or none.
	List bool
	text spool.Text
	n    int
}

// AddDocument adds a document of YAML.
func (o *Objects) AddDocument(text []byte, separated bool) {
	if o.n > 0 && separated {
		o.text.WriteString("---\n")
	}
	o.n++
	o.text.Write(text)
}

// AddLine adds a value of JSON, which is a line.
func (o *Objects) AddLine(line []byte) {
	o.n++
	o.text.Write(line)
}

// WriteDocuments writes the documents, and forgets them.
func (o *Objects) WriteDocuments(w io.Writer) error { return o.text.Flush(w) }

// WriteJSON writes the values, and forgets them.
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
		return indented(w, before, "    ", line)
	}, func() error {
		end := "]"
		if o.n > 0 {
			end = "\n  ]"
		}
		_, err := io.WriteString(w, end+",\n  \"kind\": \"List\"\n}\n")
		return err
	})
}
