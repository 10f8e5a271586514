// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/fields"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/input"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/report"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/place"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// NewDefault returns the command default.
func NewDefault(r *command.Run) *cobra.Command {
	var (
		f     input.Files
		s     sources.Flags
		form  command.Output
		zero  bool
		clock string
		dups  prediction.Duplicates
	)
	c := &cobra.Command{
		Use:   "default -f OBJECT",
		Short: "Fill in defaults as an API server does",
		Long: `Print objects with all defaults of their types. An API server sets the same defaults when it
decodes a create or an update. The command validates the resulting objects. With -o report,
"defaulted" lists the fields that got a default.

A null becomes the default of its field. If the field has no default and is not nullable, the
null is removed. In a map or list of a built-in kind, a null becomes the zero value that the
API server stores, such as "". Notes on standard error show what happens to each null.

The defaults of a custom resource come from its CRD. The defaults of a built-in kind, such as
the replicas of a Deployment, come from the Go code of the Kubernetes release. With
-o report, the output names the source of each default: OpenAPI (the document), a constant in
Go code, or a rule in Go code, which computes the default from other fields.

With --native, a helper program decodes objects of built-in kinds with the Go code of the
Kubernetes release. The program then also changes values as a server does. For example, the
quantity 1000m becomes 1, and the stringData of a Secret moves to data.

OpenAPI documents of built-in types also declare zero values ("", 0 and {}) as defaults of required
fields and of Go structs. The command fills in these defaults only with --zero. Otherwise, you
would not see that a required field is missing.`,
		Example: `  # Print custom resources with their defaults, as the API server stores them.
  dovetail default -f databases.yaml --crd crds.yaml

  # List the fields that get a default.
  dovetail default -f databases.yaml --crd crds.yaml -o report

  # Show the defaults that Kubernetes 1.35 sets in a Deployment, with their sources.
  dovetail default -f deployment.yaml --kubernetes-version 1.35 -o report`,
	}
	f.Register(c.Flags(), "filename", "f", "objects: a file, a directory, or - for standard input (repeatable, required)")
	c.Flags().BoolVar(&zero, "zero", false, `also fill in the defaults "", 0, false, [] and {} of built-in types`)
	c.Flags().StringVar(&clock, "time", "", "time of the request in RFC 3339; a few defaults depend on this time (default now)")
	s.Register(c.Flags(), "name of the type in the file given with --schema")
	s.RegisterUntyped(c.Flags())
	s.Proposals.RegisterDeclarative(c.Flags())
	s.RegisterNativeDefaults(c.Flags())
	dups.Register(c.Flags(), prediction.DuplicatesKeep, prediction.DuplicatesError)
	form.Register(c.Flags(), command.FormYAML, command.FormKYAML, command.FormJSON, command.FormReport, command.FormNDJSON)
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if err := dups.Check(); err != nil {
			return err
		}
		now, err := command.Clock(clock)
		if err != nil {
			return err
		}
		writer := report.NewOutcomeWriter(r, &form)
		err = prediction.EachObject(r, f, &s, func(t *sources.Types, object *manifest.Object) *report.Rendered {
			o := fill(t, object, zero, &dups, now(), &r.Masks)
			if len(o.Errors) == 0 {
				noteNulls(o)
			}
			return writer.Render(o)
		}, writer.Render, writer.Add)
		if err != nil {
			return err
		}
		return writer.End()
	})
}

// fill fills in the defaults of one object and returns the outcome. The values of a Secret are
// masked in the object. The Go code of a release needs the real values, which fill gets from masks.
func fill(t *sources.Types, object *manifest.Object, zero bool, dups *prediction.Duplicates, now time.Time, masks *unstructured.Masks) *prediction.Outcome {
	o := &prediction.Outcome{Pair: prediction.Pair{Object: object}, Content: object.Content}
	if !o.FindType(t) {
		return o
	}
	prediction.ClearNamespace(t, o)
	if err := dups.Deduplicate(o); err != nil {
		o.Errors = input.Findings(object, o.Type, err)
		return o
	}
	sent := prediction.FillNulls(t, o, o.Sent())
	filled, origins, err := withDefaults(t, o, sent, zero, now)
	if err != nil {
		o.Errors = input.Findings(object, o.Type, err)
		return o
	}
	if _, err := o.CheckType(filled, dups); err != nil {
		o.Errors = input.Findings(object, o.Type, err)
		return o
	}
	if prediction.CheckFilled(t, o, filled); len(o.Errors) > 0 {
		return o
	}
	decoded, err := prediction.DecodeNative(t, o, filled, masks)
	if err != nil {
		o.Errors = manifest.Errors{object.Errorf("", "%v", err)}
		return o
	}
	if decoded != nil {
		if zero {
			if decoded, err = withDeclaredDefaults(o, decoded); err != nil {
				o.Errors = input.Findings(object, o.Type, err)
				return o
			}
		}
		origins = remainingDefaults(o, origins, decoded)
		filled = decoded
	}
	o.Content, o.Changed = filled, !reflect.DeepEqual(filled, object.Content)
	search := &fields.DefaultSearch{Schema: o.Type.Schema, Filled: true}
	search.Value(o.Type.TypeRef, sent, filled, false, nil)
	o.NoteDefaults(search.Found, origins)
	return o
}

// withDefaults returns a copy of the object to send, with the defaults that a server fills in at
// the time now. Some declared defaults of built-in types are zero values. They are filled in only
// if zero is true. The second result lists the defaults that come from Go code.
func withDefaults(t *sources.Types, o *prediction.Outcome, sent map[string]any, zero bool, now time.Time) (map[string]any, []fields.Defaulted, error) {
	if t.Custom(o.Object.Identity()) {
		// Report undeclared fields as errors, because filling in defaults would remove them.
		_, err := o.Type.FromUnstructured(sent, typed.AllowDuplicates)
		if unknown, _ := input.SplitUnknown(err); len(unknown) > 0 {
			return nil, nil, unknown
		}
		filled, _, err := prediction.Fill(t, o, sent, now)
		return filled, nil, err
	}
	filled, err := withDeclaredDefaults(o, sent)
	if err != nil {
		return nil, nil, err
	}
	if id := o.Object.Identity(); !zero && t.FromGo(id.APIVersion, id.Kind) {
		removeZeroes(sent, filled)
	}
	filled, found, err := prediction.Fill(t, o, filled, now)
	if err == nil && zero && len(found) > 0 {
		filled, err = withDeclaredDefaults(o, filled) // Go code may have added maps whose fields have declared defaults
	}
	return filled, found, err
}

// remainingDefaults returns the defaults that an object still contains after the Go code of the
// release has decoded it. Decoding removes some defaults: zero values that Go types omit.
func remainingDefaults(o *prediction.Outcome, filled []fields.Defaulted, object map[string]any) []fields.Defaulted {
	at := place.ObjectOf(o.Type, object)
	return slices.DeleteFunc(filled, func(d fields.Defaulted) bool {
		_, there := at.At(d.At)
		return !there
	})
}

// withDeclaredDefaults returns a copy of object with the defaults that its schema declares.
func withDeclaredDefaults(o *prediction.Outcome, object map[string]any) (map[string]any, error) {
	before := typed.AsTypedUnvalidated(value.NewValueInterface(object), o.Type.Schema, o.Type.TypeRef)
	after, err := before.Default()
	if err != nil {
		return nil, err
	}
	filled, _ := after.AsValue().Unstructured().(map[string]any) // an object is always a map
	return filled, nil
}

// removeZeroes undoes defaults that are zero values. The argument filled is a copy of original with
// defaults. In this copy, removeZeroes deletes each field that the original does not have, and that
// contains only zero values. It does not change maps that the copy shares with the original. It
// returns true if the caller can remove the whole value, because the original has no such value and
// the copy is a zero value or an empty map or list.
func removeZeroes(original, filled any) bool {
	switch a := filled.(type) {
	case map[string]any:
		b, had := original.(map[string]any)
		for name, v := range a {
			if removeZeroes(b[name], v) && b[name] == nil {
				delete(a, name)
			}
		}
		return !had && len(a) == 0
	case []any:
		b, had := original.([]any)
		for i := range min(len(a), len(b)) {
			removeZeroes(b[i], a[i])
		}
		return !had && len(a) == 0
	}
	return original == nil && document.IsZero(filled)
}

// noteNulls adds a note for each null in an object. The note explains whether the null was
// removed, replaced with a default, or kept.
func noteNulls(o *prediction.Outcome) {
	w := &nullSearch{DefaultSearch: fields.DefaultSearch{Schema: o.Type.Schema, Filled: true}}
	w.visit(o.Type.TypeRef, o.Object.Content, o.Content, nil)
	for i, line := range w.lines {
		if i == maxNulls {
			report.Note(o, "and %d more nulls", len(w.lines)-i)
			break
		}
		report.Note(o, "%s", line)
	}
}

// maxNulls limits the number of notes about nulls in one object.
const maxNulls = 100

// nullSearch walks an object and a copy of the object with defaults at the same time.
type nullSearch struct {
	fields.DefaultSearch
	lines []string
}

func (w *nullSearch) visit(ref schema.TypeRef, before, after any, path fieldpath.Path) {
	atom, ok := w.Schema.Resolve(ref)
	if !ok || len(path) > fields.MaxSearch {
		return
	}
	switch b := before.(type) {
	case map[string]any:
		a, _ := after.(map[string]any)
		if atom.Map == nil {
			return
		}
		for _, name := range unstructured.SortedKeys(b) {
			below, isZero := atom.Map.ElementType, atom.Map.ElementDefault == nil
			if f, declared := atom.Map.FindField(name); declared {
				below, isZero = f.Type, false
			}
			v, there := a[name]
			w.child(below, isZero, b[name], v, there, append(path[:len(path):len(path)], fieldpath.FieldNameElement(name)))
		}
	case []any:
		a, _ := after.([]any)
		list := fields.ListType(w.Schema, atom.List)
		for i, item := range b {
			if i >= len(a) || atom.List == nil {
				return
			}
			e := fieldpath.IndexElement(i)
			if named, known := fields.Identity(list, a[i]); known {
				e = named
			}
			w.child(atom.List.ElementType, atom.List.ElementDefault == nil, item, a[i], true, append(path[:len(path):len(path)], e))
		}
	}
}

// child visits a value in a map or list. The value can be null. If isZero is true, such a null is
// replaced by the zero value of its type instead of a default.
func (w *nullSearch) child(ref schema.TypeRef, isZero bool, before, after any, there bool, path fieldpath.Path) {
	if before != nil {
		w.visit(ref, before, after, path)
		return
	}
	note := "null is kept, because the field is nullable"
	switch {
	case !there:
		note = "null is removed, because the field is not nullable and has no default"
	case after != nil && isZero:
		note = "null is stored as " + words.Flow(after)
	case after != nil:
		note = "null is replaced by the default " + words.Flow(after)
	case !ref.Nullable:
		note = "null is kept, because there is no default"
	}
	w.lines = append(w.lines, fmt.Sprintf("%s: %s", path, note))
}
