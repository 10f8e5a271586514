// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package command

import (
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
	FormText   = "text"
)

// Register adds the flag; the first of the allowed forms is the default.
func (o *Output) Register(flags *pflag.FlagSet, allowed ...string) {
	o.allowed = allowed
	flags.StringVarP(&o.Form, "output", "o", allowed[0], "form of the result: "+strings.Join(allowed, ", "))
	OneOf(flags, "output", allowed...)
}

// RegisterFindings adds the flag for a command that finds something: text, the report, and
// the forms of CI.
func (o *Output) RegisterFindings(flags *pflag.FlagSet) {
	o.Register(flags, append([]string{FormText, FormReport}, ci.Forms...)...)
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

// Write writes objects: YAML or KYAML documents, or one JSON value, a List if there
// are several.
func (o *Output) Write(w io.Writer, objects []map[string]any) error {
	if o.Form == FormJSON {
		if len(objects) == 1 && !o.List {
			return encode.JSON(w, objects[0])
		}
		return encode.JSON(w, map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	}
	for i, object := range objects {
		if o.Form == FormKYAML {
			if err := encode.KYAML(w, object); err != nil {
				metadata, _ := object["metadata"].(map[string]any)
				return fmt.Errorf("%s %s: %w", unstructured.Text(object, "kind"), unstructured.Text(metadata, "name"), err)
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		if err := encode.YAML(w, object); err != nil {
			return err
		}
	}
	return nil
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
