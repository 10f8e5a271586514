// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/ci"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/encode"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
)

// Output is the value of the flag -o.
type Output struct {
	Form    string
	allowed []string
	// List is set if the command can print several objects. JSON output is then always a List,
	// even for one object.
	List bool
}

// These are the values of -o.
const (
	FormYAML   = "yaml"
	FormKYAML  = "kyaml"
	FormJSON   = "json"
	FormReport = "report"
	FormNDJSON = "ndjson"
	FormText   = "text"
)

// Register adds the flag -o. The values in allowed are the output formats of the command. The first
// of these values is the default.
func (o *Output) Register(flags *pflag.FlagSet, allowed ...string) {
	o.allowed = allowed
	flags.StringVarP(&o.Form, "output", "o", allowed[0], "output format: "+strings.Join(allowed, ", "))
	OneOf(flags, "output", allowed...)
}

// RegisterFindings adds the flag -o for a command that reports findings. Its values are text,
// report, ndjson, and the formats for CI systems.
func (o *Output) RegisterFindings(flags *pflag.FlagSet) {
	o.Register(flags, slices.Concat([]string{FormText, FormReport, FormNDJSON}, ci.Forms)...)
}

// Check returns an error if the command does not support the value of -o.
func (o *Output) Check() error {
	for _, a := range o.allowed {
		if o.Form == a {
			return nil
		}
	}
	hint := ""
	if o.Form == FormJSON && slices.Contains(o.allowed, FormReport) {
		hint = " (for JSON, use report)"
	}
	return Usagef("-o %s: unsupported format; use %s%s", o.Form, strings.Join(o.allowed, ", "), hint)
}

// Reports reports whether -o selects a report, that is, "report" or "ndjson".
func (o *Output) Reports() bool { return o.Form == FormReport || o.Form == FormNDJSON }

// Objects collects the objects of a result. It writes them as YAML or KYAML documents, or as a
// single JSON value. In JSON, several objects become a List.
type Objects struct {
	form *Output
	all  encode.Objects
}

// NewObjects returns an empty collection that writes objects in the format that form selects.
func NewObjects(form *Output) *Objects { return &Objects{form: form} }

// Encode encodes an object, so that Add can add it. It is safe for concurrent use.
func (o *Objects) Encode(object map[string]any) ([]byte, error) {
	if o.form.Form == FormJSON {
		return encode.Line(object)
	}
	var out bytes.Buffer
	if o.form.Form == FormKYAML {
		if err := encode.KYAML(&out, object); err != nil {
			metadata, _ := object["metadata"].(map[string]any)
			return nil, fmt.Errorf("%s %s: %w", unstructured.Text(object, "kind"), unstructured.Text(metadata, "name"), err)
		}
		return out.Bytes(), nil
	}
	err := encode.YAML(&out, object)
	return out.Bytes(), err
}

// Add adds an encoded object.
func (o *Objects) Add(text []byte) {
	if o.form.Form == FormJSON {
		o.all.AddLine(text)
		return
	}
	o.all.AddDocument(text, o.form.Form != FormKYAML)
}

// Write writes the objects.
func (o *Objects) Write(w io.Writer) error {
	if o.form.Form == FormJSON {
		o.all.List = o.form.List
		return o.all.WriteJSON(w)
	}
	return o.all.WriteDocuments(w)
}

// OneOf declares the possible values of a flag, for shell completion.
func OneOf(flags *pflag.FlagSet, name string, values ...string) {
	if f := flags.Lookup(name); f != nil {
		f.Annotations = map[string][]string{ValuesAnnotation: values}
	}
}

// ValuesAnnotation is the annotation of a flag that lists its possible values.
const ValuesAnnotation = "dovetail_values"

// Clock returns a clock. text is the value of --time. If text is a time, the clock always
// returns this time. If text is empty, the clock returns the current time.
func Clock(text string) (func() time.Time, error) {
	if text == "" {
		return time.Now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, Usagef("--time %s: write the time as RFC 3339, such as 2026-03-01T10:00:00Z", text)
	}
	return func() time.Time { return at }, nil
}
