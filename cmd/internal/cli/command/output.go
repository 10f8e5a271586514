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

// Output is the flag -o.
type Output struct {
	Form    string
	allowed []string
	// List says that there may be several objects, so that JSON is a List though one
	// is left.
	List bool
}

// The forms of output.
const (
	FormYAML   = "yaml"
	FormKYAML  = "kyaml"
	FormJSON   = "json"
	FormReport = "report"
	FormNDJSON = "ndjson"
	FormText   = "text"
)

// Register adds the flag; the first of the allowed forms is the default.
func (o *Output) Register(flags *pflag.FlagSet, allowed ...string) {
	o.allowed = allowed
	flags.StringVarP(&o.Form, "output", "o", allowed[0], "output form: "+strings.Join(allowed, ", "))
	OneOf(flags, "output", allowed...)
}

// RegisterFindings adds the flag for a command that finds something: text, the report, other
// forms of it, and the forms of CI.
func (o *Output) RegisterFindings(flags *pflag.FlagSet, others ...string) {
	o.Register(flags, slices.Concat([]string{FormText, FormReport}, others, ci.Forms)...)
}

// Check refuses a form that the command does not have.
func (o *Output) Check() error {
	for _, a := range o.allowed {
		if o.Form == a {
			return nil
		}
	}
	hint := ""
	if o.Form == FormJSON && slices.Contains(o.allowed, FormReport) {
		hint = "; report is JSON"
	}
	return Usagef("-o %s: want %s%s", o.Form, strings.Join(o.allowed, ", "), hint)
}

// Reports says whether there are reports.
func (o *Output) Reports() bool { return o.Form == FormReport || o.Form == FormNDJSON }

// Objects are results in the making: YAML or KYAML documents, or one JSON value, a List if
// there are several.
type Objects struct {
	form *Output
	all  encode.Objects
}

// NewObjects are none, to be written in a form.
func NewObjects(form *Output) *Objects { return &Objects{form: form} }

// Encode is an object as Add takes it. It may be called by several goroutines.
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

// Add adds an object.
func (o *Objects) Add(text []byte) {
	if o.form.Form == FormJSON {
		o.all.AddLine(text)
		return
	}
	o.all.AddDocument(text, o.form.Form != FormKYAML)
}

// Write writes the objects, and forgets them.
func (o *Objects) Write(w io.Writer) error {
	if o.form.Form == FormJSON {
		o.all.List = o.form.List
		return o.all.WriteJSON(w)
	}
	return o.all.WriteDocuments(w)
}

// OneOf says that a flag, which is registered, takes one of these values.
func OneOf(flags *pflag.FlagSet, name string, values ...string) {
	if f := flags.Lookup(name); f != nil {
		f.Annotations = map[string][]string{ValuesAnnotation: values}
	}
}

// ValuesAnnotation holds the values that a flag takes, if these are few.
const ValuesAnnotation = "dovetail_values"

// Clock returns what tells the time that --time gives, or the time.
func Clock(text string) (func() time.Time, error) {
	if text == "" {
		return time.Now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, Usagef("--time %s: want RFC 3339, such as 2026-03-01T10:00:00Z", text)
	}
	return func() time.Time { return at }, nil
}
