// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

func newDefault(r *run) *cobra.Command {
	var (
		f    files
		s    sources
		form output
		zero bool
		dups duplicates
	)
	c := &cobra.Command{
		Use:   "default -f OBJECT",
		Short: "The objects with their defaults filled in",
		Long: `Print objects with all defaults of their types filled in, and without nulls that
are no values: a null takes the default, or goes if there is none, unless the field
is nullable. With -o report, "defaulted" lists the fields that came from a default.
What comes out is validated. Notes on standard error say what became of each null.

Of a custom resource this is what the API server makes of the object. Of a built-in
type it is less. The server sets most of their defaults, such as the replicas of a
Deployment, in Go code that no document tells of; give those you need with
--defaults. And most of the defaults that the documents do have are "", 0 or {}:
Go's way to publish that a field is required or a struct. Filling those in would
hide that a field is missing, so it takes --zero.`,
		Example: `  # What will be stored of these custom resources?
  dovetail default -f databases.yaml --crd crds.yaml

  # Which fields came from a default?
  dovetail default -f databases.yaml --crd crds.yaml -o report

  # A default that only the server's Go code knows.
  echo 'io.k8s.api.apps.v1.DeploymentSpec: {replicas: 1}' > more.yaml
  dovetail default -f deployment.yaml --defaults more.yaml`,
	}
	f.register(c.Flags(), "filename", "f", "file or directory with objects, - for standard input (repeatable, required)")
	c.Flags().BoolVar(&zero, "zero", false, `fill in the defaults "", 0, false, [] and {} of built-in types, too`)
	s.register(c.Flags(), "name of the type in the file given with --schema")
	s.registerUntyped(c.Flags())
	dups.register(c.Flags(), duplicatesKeep, duplicatesError)
	form.register(c.Flags(), formYAML, formJSON, formReport)
	return r.command(c, func() error {
		if err := form.check(); err != nil {
			return err
		}
		if err := dups.check(); err != nil {
			return err
		}
		outcomes, err := r.eachObject(f, &s, func(t *types, object *manifest.Object) *outcome {
			o := t.fill(object, zero, &dups)
			if len(o.errors) == 0 {
				r.noteNulls(o)
			}
			return o
		})
		if err != nil {
			return err
		}
		return r.finish(outcomes, &form)
	})
}

// fill fills the defaults of its type into one object.
func (t *types) fill(object *manifest.Object, zero bool, dups *duplicates) *outcome {
	o := &outcome{pair: pair{object: object}, content: object.Content}
	id := object.Identity()
	var err error
	if o.typ, err = t.typeOf(id.APIVersion, id.Kind); err != nil {
		o.errors = manifest.Errors{object.Errorf("", "%v", err)}
		return o
	}
	o.noteReading()
	t.clearNamespace(o)
	if err := dups.single(o); err != nil {
		o.errors = findings(object, o.typ, err)
		return o
	}
	sent := o.sent()
	filled, err := t.withDefaults(o, sent)
	if err != nil {
		o.errors = findings(object, o.typ, err)
		return o
	}
	if !zero && t.fromGo(id.APIVersion, id.Kind) {
		withoutZeroes(sent, filled)
	}
	if _, err := o.typ.FromUnstructured(filled, dups.options()...); err != nil {
		o.errors = findings(object, o.typ, err)
		return o
	}
	o.content, o.changed = filled, !reflect.DeepEqual(filled, object.Content)
	search := &defaultSearch{schema: o.typ.Schema, filled: true}
	search.value(o.typ.TypeRef, sent, filled, false, nil)
	for _, l := range search.found {
		o.defaulted = append(o.defaulted, l.path)
	}
	slices.SortStableFunc(o.defaulted, strings.Compare)
	return o
}

// withDefaults is what o sends with the defaults of its type, as a server has it if that
// is of a custom resource.
func (t *types) withDefaults(o *outcome, sent map[string]any) (map[string]any, error) {
	if t.custom(o.object.Identity()) {
		// The server would drop what the definition does not know.
		_, err := o.typ.FromUnstructured(sent, typed.AllowDuplicates)
		if unknown, _ := splitUnknown(err); len(unknown) > 0 {
			return nil, unknown
		}
		o.liveType = o.typ
		filled, _, err := t.filled(o, sent)
		return filled, err
	}
	before := typed.AsTypedUnvalidated(value.NewValueInterface(sent), o.typ.Schema, o.typ.TypeRef)
	after, err := before.Default()
	if err != nil {
		return nil, err
	}
	filled, _ := after.AsValue().Unstructured().(map[string]any) // what was an object stays one
	return filled, nil
}

// fromGo says whether the definition of a kind was generated from Go types.
func (t *types) fromGo(apiVersion, kind string) bool {
	if t.catalog == nil {
		return false
	}
	k, ok := t.catalog.Kind(apiVersion, kind)
	return ok && isFromGo(k.Type)
}

// goModules are the prefixes of definitions that Kubernetes generates.
var goModules = []string{
	"io.k8s.api.", "io.k8s.apimachinery.pkg.", "io.k8s.apiextensions-apiserver.pkg.", "io.k8s.kube-aggregator.pkg.",
}

// isFromGo says whether a definition was generated from a Go type, which publishes
// a zero default for whatever is no pointer: whether it is one of Kubernetes' own.
func isFromGo(definition string) bool {
	return slices.ContainsFunc(goModules, func(prefix string) bool { return strings.HasPrefix(definition, prefix) })
}

// withoutZeroes takes the fields out of after that are not in before and have
// zero values only. before became after by filling in defaults, so whatever has
// to change is after's own. It says whether there is nothing left of after that
// is not in before.
func withoutZeroes(before, after any) bool {
	switch a := after.(type) {
	case map[string]any:
		b, had := before.(map[string]any)
		for name, v := range a {
			if withoutZeroes(b[name], v) && b[name] == nil {
				delete(a, name)
			}
		}
		return !had && len(a) == 0
	case []any:
		b, had := before.([]any)
		for i := range min(len(a), len(b)) {
			withoutZeroes(b[i], a[i])
		}
		return !had && len(a) == 0
	}
	return before == nil && isZero(after)
}
