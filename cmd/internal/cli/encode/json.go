// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
)

// JSON writes v as encoding/json does with an indent of two spaces, and without
// keeping all of it in memory: the encoder has it three times before it writes.
func JSON(w io.Writer, v any) error {
	j := &jsonWriter{w: w}
	j.scalars = json.NewEncoder(&j.scalar)
	j.scalars.SetEscapeHTML(false)
	j.value(reflect.ValueOf(v), "\n")
	j.text("\n")
	return j.err
}

// jsonWriter writes maps, lists and structs itself and leaves the rest to the encoder.
type jsonWriter struct {
	w       io.Writer
	scalar  bytes.Buffer
	scalars *json.Encoder
	err     error
}

func (j *jsonWriter) text(s string) {
	if j.err == nil {
		_, j.err = io.WriteString(j.w, s)
	}
}

// plain writes plain data; line is the end of a line with the indent of the next one.
func (j *jsonWriter) plain(v any, line string) {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			break
		}
		open, below := "{", line+"  "
		for _, name := range unstructured.SortedKeys(v) {
			j.name(&open, name, below)
			j.plain(v[name], below)
		}
		j.close(open, "{", "}", line)
		return
	case []any:
		if v == nil {
			break
		}
		open, below := "[", line+"  "
		for _, c := range v {
			j.next(&open, below)
			j.plain(c, below)
		}
		j.close(open, "[", "]", line)
		return
	case nil, string, bool, int64, float64:
		j.encode(v, line)
		return
	default:
		j.value(reflect.ValueOf(v), line)
		return
	}
	j.text("null")
}

// next begins a line for the next item, behind what opened the list or a comma.
func (j *jsonWriter) next(open *string, line string) {
	j.text(*open)
	j.text(line)
	*open = ","
}

func (j *jsonWriter) name(open *string, name, line string) {
	j.next(open, line)
	j.encode(name, line)
	j.text(": ")
}

// close ends what was opened by open, unless it has had a comma since: then it is not
// empty.
func (j *jsonWriter) close(now, open, end, line string) {
	if now == open {
		j.text(open + end)
	} else {
		j.text(line + end)
	}
}

// encode leaves a value to the encoder.
func (j *jsonWriter) encode(v any, line string) {
	if j.err != nil {
		return
	}
	j.scalar.Reset()
	if j.err = j.scalars.Encode(v); j.err != nil {
		return
	}
	text := bytes.TrimSuffix(j.scalar.Bytes(), []byte("\n"))
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		var indented bytes.Buffer
		if j.err = json.Indent(&indented, text, line[1:], "  "); j.err != nil {
			return
		}
		text = indented.Bytes()
	}
	_, j.err = j.w.Write(text)
}

var plainMap, plainList = reflect.TypeFor[map[string]any](), reflect.TypeFor[[]any]()

func (j *jsonWriter) value(v reflect.Value, line string) {
	if !v.IsValid() {
		j.text("null")
		return
	}
	t := v.Type()
	switch {
	case t == plainMap || t == plainList:
		j.plain(v.Interface(), line)
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		j.encode(v.Interface(), line)
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		j.value(v.Elem(), line)
	case t.Kind() == reflect.Struct:
		open := "{"
		j.fields(v, &open, line+"  ")
		j.close(open, "{", "}", line)
	case t.Kind() == reflect.Slice && !v.IsNil() && t.Elem().Kind() != reflect.Uint8:
		open, below := "[", line+"  "
		for i := range v.Len() {
			j.next(&open, below)
			j.value(v.Index(i), below)
		}
		j.close(open, "[", "]", line)
	default:
		j.encode(v.Interface(), line)
	}
}

// fields writes those of a struct; those of an embedded one are its own.
func (j *jsonWriter) fields(v reflect.Value, open *string, line string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, tagged := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			j.fields(v.Field(i), open, line)
		case !f.IsExported() || name == "-", tagged && slices.Contains(strings.Split(options, ","), "omitempty") && empty(v.Field(i)):
		default:
			if name == "" {
				name = f.Name
			}
			j.name(open, name, line)
			j.value(v.Field(i), line)
		}
	}
}

// empty says whether omitempty leaves v out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
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
