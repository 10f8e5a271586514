// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dovetail-ssa/dovetail/gen/internal/markers"
)

// CRD is a CustomResourceDefinition.
type CRD struct {
	Group, Plural string
	Object        map[string]any
	// Recursive lists the recursive types in the schema. A CRD cannot express recursion, so the
	// schema describes only the first level of these types.
	Recursive []string
}

// File returns the file name that controller-gen would choose for the definition.
func (c *CRD) File() string { return c.Group + "_" + c.Plural + ".yaml" }

// YAML returns the definition as a YAML document.
func (c *CRD) YAML() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("---\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(withNumbers(c.Object)); err != nil {
		return nil, err
	}
	err := e.Close()
	return b.Bytes(), err
}

// withNumbers returns a copy of v in which each json.Number is converted to a uint64 if
// possible, otherwise to a float64, otherwise to a string.
func withNumbers(v any) any {
	switch x := v.(type) {
	case json.Number:
		if n, err := strconv.ParseUint(x.String(), 10, 64); err == nil {
			return n
		}
		f, err := x.Float64()
		if err != nil {
			return x.String() // larger than any float64
		}
		return f
	case map[string]any:
		out := map[string]any{}
		for k, c := range x {
			out[k] = withNumbers(c)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = withNumbers(x[i])
		}
		return out
	}
	return v
}

// CRDOptions configures CRDs.
type CRDOptions struct {
	// Implied adds defaults for fields that Go always sends: {} for structs, and the zero value
	// for scalars.
	Implied bool
	// BareMetadata omits the metadata fields of embedded objects from the schema. API servers
	// then prune the labels and annotations of embedded objects.
	BareMetadata bool
	// MaxDescription is the maximum number of characters of a description. Zero removes
	// descriptions. A negative number means no limit.
	MaxDescription int
}

// CRDs returns the definitions of the kinds in packages that have +groupName, sorted by group and
// name. A kind is a struct that embeds TypeMeta and ObjectMeta. If kinds in several packages have
// the same group and name, they are versions of one definition. If CRDs cannot generate some
// definitions, it returns all others, and an error that lists the kinds and the reasons.
func CRDs(src *markers.Source, packages []*markers.Package, o CRDOptions) ([]*CRD, error) {
	type groupKind struct{ group, kind string }
	versions := map[groupKind][]version{}
	for _, p := range packages {
		gv, _ := groupVersion(p)
		kinds, _ := crdKinds(p)
		for _, t := range kinds {
			named := t.Object.Type().(*types.Named)
			gk := groupKind{gv.Group, t.Object.Name()}
			versions[gk] = append(versions[gk], version{gv.Version, t, named})
		}
	}
	kinds := slices.SortedFunc(maps.Keys(versions), func(a, b groupKind) int {
		return strings.Compare(a.group+"/"+a.kind, b.group+"/"+b.kind)
	})
	var all []*CRD
	var wrong []error
	for _, gk := range kinds {
		list := versions[gk]
		slices.SortFunc(list, func(a, b version) int { return strings.Compare(a.name, b.name) })
		c, err := definition(src, gk.group, gk.kind, list, o)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *CRD) int { return strings.Compare(a.File(), b.File()) })
	return all, errors.Join(wrong...)
}

// crdKinds returns the types of a package that get a definition. If there are none, the result why
// explains which marker excludes the types, or what is missing. If the package does not have
// +groupName, both results are empty.
func crdKinds(p *markers.Package) (kinds []*markers.Type, why string) {
	gv, ok := groupVersion(p)
	switch {
	case !ok:
		return nil, ""
	case gv.Group == "":
		return nil, "its +groupName is empty"
	case markers.Has(p.Markers(), "kubebuilder:skip"):
		return nil, "its +kubebuilder:skip excludes all types"
	}
	var excluded []string
	for _, t := range p.Types() {
		named, ok := t.Object.Type().(*types.Named)
		if !ok || t.Object.IsAlias() || named.TypeParams().Len() > 0 || !isStruct(named) || !embeds(named, typeMeta) || !embeds(named, objectMeta) {
			continue
		}
		if marker := excludes(t); marker != "" {
			excluded = append(excluded, fmt.Sprintf("+%s excludes %s", marker, t.Object.Name()))
			continue
		}
		kinds = append(kinds, t)
	}
	switch {
	case len(kinds) > 0:
		return kinds, ""
	case len(excluded) > 0:
		return nil, strings.Join(excluded, ", ")
	}
	return nil, "no struct embeds both metav1.TypeMeta and metav1.ObjectMeta"
}

// excludes returns the marker that excludes the type t from CRDs, or "" if there is none.
func excludes(t *markers.Type) string {
	for _, name := range []string{"kubebuilder:skip", "kubebuilder:skipversion"} {
		if markers.Has(t.Markers, name) {
			return name
		}
	}
	if m, ok := markers.Find(t.Markers, "kubebuilder:object:root"); ok && m.Value == "false" {
		return "kubebuilder:object:root=false"
	}
	return ""
}

// WhyNoCRD returns the reason why CRDs generates no definition from a package with the marker
// +groupName. It returns "" if CRDs generates one, or if the package does not have the marker.
func WhyNoCRD(p *markers.Package) string {
	_, why := crdKinds(p)
	return why
}

// maxNodes limits the number of nested schemas in the schema of one custom resource. API
// servers accept far fewer.
const maxNodes = 500_000

// size returns the number of schemas in s, including s itself. It counts a shared schema once for
// each use. known caches the sizes of schemas.
func (s *Schema) size(known map[*Schema]float64) float64 {
	if s == nil {
		return 0
	}
	if n, ok := known[s]; ok {
		return n
	}
	n := 1 + s.Items.size(known) + s.Additional.size(known)
	for _, p := range s.Properties {
		n += p.size(known)
	}
	known[s] = n
	return n
}

// largestPart finds the innermost part of s that has more than maxNodes schemas, and returns its
// path and its size. At each level, it descends into the largest part.
func (s *Schema) largestPart(known map[*Schema]float64) (path string, size float64) {
	for size = s.size(known); ; {
		var inner *Schema
		step := ""
		choose := func(part *Schema, name string) {
			if n := part.size(known); n > maxNodes && (inner == nil || n > inner.size(known)) {
				inner, step = part, name
			}
		}
		for _, name := range sortedKeys(s.Properties) {
			choose(s.Properties[name], "."+name)
		}
		choose(s.Items, "[]")
		choose(s.Additional, ".*")
		if inner == nil {
			return path, size
		}
		s, path, size = inner, path+step, inner.size(known)
	}
}

// tooLarge returns an error if the schema of a kind exceeds maxNodes.
func (v *version) tooLarge(kind string, root *Schema) error {
	known := map[*Schema]float64{}
	size := root.size(known)
	if size <= maxNodes {
		return nil
	}
	inner := ""
	if path, part := root.largestPart(known); path != "" {
		inner = fmt.Sprintf(", %.0f of them in %s", part, path)
	}
	return fmt.Errorf("%s: the schema of %s has %.0f nested schemas%s, and the limit is %d: a CRD repeats the schema of a type for each use. Remove fields, or leave a field on this path out of the schema with +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields",
		v.in.Place(), kind, size, inner, maxNodes)
}

// version is the Go type of one version of a kind.
type version struct {
	name string
	in   *markers.Type
	typ  *types.Named
}

func definition(src *markers.Source, group, kind string, versions []version, o CRDOptions) (*CRD, error) {
	c := &CRD{Group: group, Plural: plural(kind)}
	names := map[string]any{"kind": kind, "listKind": kind + "List", "singular": strings.ToLower(kind)}
	scope := "Namespaced"
	annotations, labels := map[string]any{}, map[string]any{}
	var list []any
	stored := 0
	recursive := map[string]bool{}
	for _, v := range versions {
		b := newStructural(src, o)
		root := b.root(v.typ)
		if err := v.tooLarge(kind, root); err != nil {
			return nil, err
		}
		schema := root.Plain(nil)
		maps.Copy(recursive, b.recursive)
		out := map[string]any{"name": v.name, "served": true, "storage": len(versions) == 1, "schema": map[string]any{"openAPIV3Schema": schema}}
		for i := range v.in.Markers {
			m := &v.in.Markers[i]
			args, err := m.Decode()
			if err != nil {
				continue
			}
			a, _ := args.(map[string]any)
			switch m.Name {
			case "kubebuilder:storageversion":
				out["storage"] = true
			case "kubebuilder:unservedversion":
				out["served"] = false
			case "kubebuilder:deprecatedversion":
				out["deprecated"] = true
				if w, ok := a["warning"]; ok {
					out["deprecationWarning"] = w
				}
			case "kubebuilder:resource":
				scope = resource(c, names, a, scope)
			case "kubebuilder:subresource:status":
				subresource(out, "status", map[string]any{})
			case "kubebuilder:subresource:scale":
				subresource(out, "scale", renamed(a, map[string]string{"specpath": "specReplicasPath", "statuspath": "statusReplicasPath", "selectorpath": "labelSelectorPath"}))
			case "kubebuilder:printcolumn":
				column := renamed(a, map[string]string{"name": "name", "type": "type", "JSONPath": "jsonPath", "description": "description", "format": "format", "priority": "priority"})
				// Treat empty values like absent ones.
				maps.DeleteFunc(column, func(_ string, v any) bool { return v == "" || v == int64(0) })
				appendTo(out, "additionalPrinterColumns", column)
				subresources(out)
			case "kubebuilder:selectablefield":
				appendTo(out, "selectableFields", renamed(a, map[string]string{"JSONPath": "jsonPath"}))
			case "kubebuilder:metadata":
				pairs(annotations, a["annotations"])
				pairs(labels, a["labels"])
			}
		}
		if out["storage"] == true {
			stored++
		}
		list = append(list, out)
	}
	if stored != 1 {
		return nil, fmt.Errorf("%s: %s of group %s needs exactly one storage version, found %d in %d versions: put +kubebuilder:storageversion on exactly one version", versions[0].in.Place(), kind, group, stored, len(versions))
	}
	names["plural"] = c.Plural
	meta := map[string]any{"name": c.Plural + "." + group}
	if len(annotations) > 0 {
		meta["annotations"] = annotations
	}
	if len(labels) > 0 {
		meta["labels"] = labels
	}
	c.Recursive = sortedKeys(recursive)
	c.Object = map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   meta,
		"spec":       map[string]any{"group": group, "names": names, "scope": scope, "versions": list},
	}
	return c, nil
}

// embeddedMeta returns the schema for the metadata of embedded objects. The schema declares the
// fields that users can set. If noFields is true, it declares no fields.
func embeddedMeta(noFields bool) *Schema {
	if noFields {
		return &Schema{Type: "object"}
	}
	text := &Schema{Type: "string"}
	texts := &Schema{Type: "object", Additional: text}
	return &Schema{Type: "object", Properties: map[string]*Schema{
		"name": text, "namespace": text, "labels": texts, "annotations": texts,
		"finalizers": {Type: "array", Items: text},
	}}
}

func (b *structural) custom(t types.Type) *Schema {
	k, ok := b.src.Known(t)
	s := &Schema{Type: k.Type, Format: k.Format}
	switch {
	case !ok && isStruct(t):
		// This struct has its own JSON methods, so its JSON form is unknown. Describe its Go fields,
		// which these methods usually accept too.
		return b.object(t.Underlying().(*types.Struct), t)
	case !ok:
		s.set("x-kubernetes-preserve-unknown-fields", true)
	case k.IntOrString:
		s = intOrString()
		if k.Pattern != "" {
			s.bound("pattern", k.Pattern)
		}
	case k.Preserve:
		s.set("x-kubernetes-preserve-unknown-fields", true)
	}
	return s
}

func intOrString() *Schema {
	return &Schema{AnyOf: []*Schema{{Type: "integer"}, {Type: "string"}}, X: map[string]any{"x-kubernetes-int-or-string": true}}
}

func resource(c *CRD, names, a map[string]any, scope string) string {
	if v, ok := a["path"].(string); ok {
		c.Plural = v
	}
	if v, ok := a["singular"].(string); ok {
		names["singular"] = v
	}
	for arg, field := range map[string]string{"shortName": "shortNames", "categories": "categories"} {
		if v, ok := a[arg]; ok {
			names[field] = listed(v)
		}
	}
	if v, ok := a["scope"].(string); ok {
		return v
	}
	return scope
}

func listed(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

func renamed(a map[string]any, names map[string]string) map[string]any {
	out := map[string]any{}
	for from, to := range names {
		if v, ok := a[from]; ok {
			out[to] = v
		}
	}
	return out
}

func subresources(out map[string]any) map[string]any {
	m, ok := out["subresources"].(map[string]any)
	if !ok {
		m = map[string]any{}
		out["subresources"] = m
	}
	return m
}

func subresource(out map[string]any, name string, v map[string]any) { subresources(out)[name] = v }

func appendTo(out map[string]any, name string, v any) {
	old, _ := out[name].([]any)
	out[name] = append(old, v)
}

// pairs parses a list of strings such as "name=value", and adds the names and values to a map.
func pairs(into map[string]any, v any) {
	if v == nil {
		return
	}
	for _, p := range listed(v) {
		if name, value, ok := strings.Cut(fmt.Sprint(p), "="); ok {
			into[name] = value
		}
	}
}

// plural returns the English plural of a kind in lower case. It knows no irregular
// plurals: those need +kubebuilder:resource:path.
func plural(kind string) string {
	word := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "sh"), strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "x"), strings.HasSuffix(word, "z"):
		return word + "es"
	case strings.HasSuffix(word, "is"):
		return strings.TrimSuffix(word, "is") + "es"
	case strings.HasSuffix(word, "us"):
		return word + "es"
	case strings.HasSuffix(word, "s"):
		return word
	case strings.HasSuffix(word, "y") && len(word) > 1 && !strings.ContainsRune("aeiou", rune(word[len(word)-2])):
		return strings.TrimSuffix(word, "y") + "ies"
	}
	return word + "s"
}
