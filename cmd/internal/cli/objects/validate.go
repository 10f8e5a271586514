// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package objects

import (
	"fmt"
	"slices"

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
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/value"
)

// NewValidate returns the command validate.
func NewValidate(r *command.Run) *cobra.Command {
	var (
		f    input.Files
		s    sources.Flags
		form command.Output
		dups prediction.Duplicates
		owns bool
	)
	c := &cobra.Command{
		Use:   "validate -f OBJECT",
		Short: "Check objects against their schemas and server rules",
		Long: `Check objects against their types. The command finds unknown fields, values of the wrong type,
and duplicate list items. Each error shows the file, the line and the path. The command
prints errors to standard error or, with -o report, to standard output. If it finds no error, one
line on standard error says so.

For a custom resource, pass its CRD with --crd. The command then also checks required fields,
bounds, formats and x-kubernetes-validations rules. It also reports nulls that a server would
reject in an apply with status 422.

For a type from --openapi or --schema, the command checks only field names, types and duplicate
items. It does not check required fields, integers, bounds and formats. To check these, pass a CRD
with --crd.

For built-in kinds and metadata, the command also checks simple rules of the server: required
fields, supported values, formats, ranges and selectors.

The labels of a Namespace can select a Pod security level. If the Namespace is in the files or in
the cluster, the command also checks its Pods and workloads against this level.

If a list has duplicate items, the error shows the positions and values of both items. With
--duplicates=first or --duplicates=last, you get a warning instead of the error. The warning shows
the item that an apply with this flag would remove.

An API server stops at the first kind of error: wrong types, then invalid values, then
x-kubernetes-validations rules (CEL). The command checks as much as possible in one run. If an
error prevents other checks of the object, a warning names the rules that were not checked.

If the files contain the same object twice, the command prints a warning. "diff" and "apply" reject
such files.

With --owned-defaults, the command warns about default values, zero values and nulls. Tools
often write such values although nobody chose them. The manager that applies the object then
owns these fields.

For built-in kinds, --owned-defaults knows only the defaults in OpenAPI documents. It does not warn
about defaults that Go code of the server sets, such as replicas: 1. To list all defaults of a kind,
use "dovetail schema --show-defaults --origins".

Exit status: 0 no errors found; 3 an invalid object, or invalid input.`,
		Example: `  # Check the output of a chart.
  helm template web | dovetail validate -f -

  # Show all duplicate items in a chart, and which of them an apply would keep.
  helm template web | dovetail validate -f -
  helm template web | dovetail validate -f - --duplicates=last

  # Check custom resources with their CRD. Without the CRD, even with --openapi,
  # required fields, integers, bounds and formats are not checked.
  dovetail validate -f databases.yaml --crd crds.yaml

  # Find fields of a chart that have no effect.
  helm template web | dovetail validate -f - --owned-defaults

  # Print the errors as JSON.
  dovetail validate -f service.yaml -o report`,
	}
	f.Register(c.Flags(), "filename", "f", "objects: a file, a directory, or - for standard input (repeatable, required)")
	s.Register(c.Flags(), "name of the type in the file given with --schema")
	s.RegisterUntyped(c.Flags())
	s.Proposals.RegisterDeclarative(c.Flags())
	s.RegisterNative(c.Flags())
	s.Cluster.Register(c.Flags())
	dups.Register(c.Flags(), prediction.DuplicatesError)
	c.Flags().BoolVar(&owns, "owned-defaults", false, "warn about values that have no effect: defaults, zero values and nulls")
	form.RegisterFindings(c.Flags())
	return r.Command(c, func() error {
		if err := form.Check(); err != nil {
			return err
		}
		if err := dups.Check(); err != nil {
			return err
		}
		writer := report.NewOutcomeWriter(r, &form)
		var repeats prediction.Repeats
		err := prediction.EachObjectAmong(r, f, &s, func(t *sources.Types, others prediction.Others, object *manifest.Object) validated {
			address := prediction.AddressOf(t, input.RefTo(object))
			o := prediction.Validate(t, object, &dups, &r.Masks, others)
			if owns && len(o.Errors) == 0 {
				noteOwnedDefaults(o)
			}
			noteUncheckedValues(r, t, o)
			return validated{writer.Render(o), address}
		}, func(o *prediction.Outcome) validated { return validated{rendered: writer.Render(o)} }, func(v validated) {
			if o := v.rendered.Outcome; o.Object != nil {
				start := o.Object.Start()
				if message := repeats.Add(v.address, o.Object.Identity(), func() manifest.Position { return start }); message != "" {
					o.Warn("", message)
					v.rendered = writer.Render(o)
				}
			}
			writer.Add(v.rendered)
		})
		if err != nil {
			return err
		}
		return writer.End()
	})
}

// noteUncheckedValues checks whether dovetail has a CRD or the server's rules for the kind of an
// object. If it has neither, noteUncheckedValues records that the values of the object were not
// checked, and adds a note.
func noteUncheckedValues(r *command.Run, t *sources.Types, o *prediction.Outcome) {
	id := o.Object.Identity()
	if o.Type.Schema == nil || t.Builtin(id.APIVersion, id.Kind) || t.Custom(id) {
		return // an object without a type has an error; for a built-in type, see Types.Native
	}
	if t.UncheckedValues(id) {
		r.NoteOnce("%s", "for kinds without a CRD, required fields, integers, bounds and formats were not checked: to check them, pass the CRD with --crd")
	}
	r.CheckedSimply()
}

// validated is an object with its rendered outcome. If there are only errors in the input, it has no
// object.
type validated struct {
	rendered *report.Rendered
	address  prediction.Address
}

// noteOwnedDefaults warns about values in a config that are probably unnecessary: defaults, zero
// values and nulls. The manager that applies the config owns them, so they can cause conflicts.
// noteOwnedDefaults skips metadata, and the keys of list items, which are required.
func noteOwnedDefaults(o *prediction.Outcome) {
	w := &writtenSearch{DefaultSearch: fields.DefaultSearch{Schema: o.Type.Schema}}
	atom, ok := o.Type.Schema.Resolve(o.Type.TypeRef)
	if !ok || atom.Map == nil {
		return
	}
	plain := unstructured.Shallow(o.Object.Content)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(plain, name)
	}
	w.fields(atom.Map, plain, nil, nil)
	for _, f := range w.found {
		o.Warn(f.path, f.message)
	}
}

// writtenSearch finds unnecessary values in a config.
type writtenSearch struct {
	fields.DefaultSearch
	found []struct{ path, message string }
}

func (w *writtenSearch) note(path fieldpath.Path, format string, args ...any) {
	w.found = append(w.found, struct{ path, message string }{path.String(), fmt.Sprintf(format, args...)})
}

// fields checks the fields of a granular map. If the map is an item of an associative list, the
// argument keys contains the names of its key fields, which the method skips.
func (w *writtenSearch) fields(m *schema.Map, config map[string]any, keys []string, path fieldpath.Path) {
	for _, name := range unstructured.SortedKeys(config) {
		if slices.Contains(keys, name) {
			continue
		}
		below := append(path[:len(path):len(path)], fieldpath.FieldNameElement(name))
		if f, declared := m.FindField(name); declared {
			w.field(f.Type, w.Nearest(f.Default, f.Type), config[name], below)
		} else if !document.IsZero(config[name]) { // undeclared fields, such as labels, may be zero values
			w.field(m.ElementType, nil, config[name], below)
		}
	}
}

func (w *writtenSearch) field(ref schema.TypeRef, def, v any, path fieldpath.Path) {
	atom, _ := w.Schema.Resolve(ref)
	if v == nil && ref.Nullable {
		return
	}
	switch {
	case def != nil && value.Equals(value.NewValueInterface(def), value.NewValueInterface(v)):
		w.note(path, "the field is set to its default %s, so you will own it; leave it out to get the same value without an owner", words.Flow(v))
		return
	case v == nil:
		w.note(path, "the value is null, and you will own the field; leave the field out unless you need null")
		return
	case document.IsZero(v):
		w.note(path, "the value is %s, and you will own the field; leave the field out unless you need this value", words.Flow(v))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map != nil && !atom.Map.ElementRelationship.IsAtomic() {
			w.fields(atom.Map, v, nil, path)
		}
	case []any:
		if atom.List != nil && atom.List.ElementRelationship.IsAssociative() {
			w.items(atom.List, v, path)
		}
	}
}

func (w *writtenSearch) items(l *schema.List, items []any, path fieldpath.Path) {
	atom, ok := w.Schema.Resolve(l.ElementType)
	if !ok || atom.Map == nil || atom.Map.ElementRelationship.IsAtomic() {
		return
	}
	list := fields.ListType(w.Schema, l)
	for _, item := range items {
		m, isMap := item.(map[string]any)
		if e, named := fields.Identity(list, item); isMap && named {
			w.fields(atom.Map, m, l.Keys, append(path[:len(path):len(path)], e))
		}
	}
}
