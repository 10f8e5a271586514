// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Side says which of the two generators write a value.
type Side string

const (
	Ours   Side = "ours"   // only dovetail-gen writes the value
	Theirs Side = "theirs" // only controller-gen writes the value
	Both   Side = "both"   // both write a value, but different ones
)

// Difference is one difference between two CRDs.
type Difference struct {
	Project string
	// CRD is the name of the CRD's file. Version is the name of the API version, or empty if
	// the difference is not in a version.
	CRD, Version string
	// Path is the path in the schema. In the path, a dot precedes the name of a field, []
	// stands for the items of a list, and {} for the values of a map. Path is empty if the
	// difference is outside of schemas.
	Path string
	// Keyword is the schema keyword that differs, such as "default". For a difference outside
	// of schemas, it is the path in the CRD. A difference in "required" is about one field, and
	// Path is the path of this field.
	Keyword string
	Side    Side
	// Ours and Theirs are the values of dovetail-gen and controller-gen, as JSON.
	Ours, Theirs string
	// Facts lists all keywords of dovetail-gen's schema at Path.
	Facts []string
}

func (d *Difference) String() string {
	at := strings.TrimSuffix(d.CRD, ".yaml")
	if d.Version != "" {
		at += " " + d.Version
	}
	if d.Path != "" {
		at += " " + d.Path
	}
	values := ""
	if d.Ours != "" {
		values += " ours " + short(d.Ours)
	}
	if d.Theirs != "" {
		values += " theirs " + short(d.Theirs)
	}
	return fmt.Sprintf("%s: %s: %s (%s)%s", d.Project, at, d.Keyword, d.Side, values)
}

func short(text string) string {
	if len(text) > 300 {
		return text[:300] + "…"
	}
	return text
}

// Compared has the differences, and the numbers of CRDs and schemas that were compared.
type Compared struct {
	CRDs, Nodes int
	Differences []*Difference
}

// Compare compares the CRDs of both generators. It uses dovetail-gen's CRDs without the
// defaults that follow from Go types.
func Compare(o *Output) (*Compared, error) {
	c := &Compared{}
	for _, name := range slices.Sorted(maps.Keys(union(o.Ours, o.Theirs))) {
		w := &walk{c: c, at: Difference{Project: o.Project.Name, CRD: name}}
		ours, theirs := o.Ours[name], o.Theirs[name]
		switch {
		case theirs == nil:
			w.value("", "definition", true, nil, nil)
			continue
		case ours == nil:
			// dovetail-gen does not write a CRD that the API server would reject. Record the
			// server's errors for controller-gen's CRD, because they are the reason.
			said, _ := refusals(o, name)
			w.value("", "definition", nil, strings.Join(said, "; "), nil)
			continue
		}
		c.CRDs++
		a, err := decode(ours)
		if err != nil {
			return nil, fmt.Errorf("%s, ours: %w", name, err)
		}
		b, err := decode(theirs)
		if err != nil {
			return nil, fmt.Errorf("%s, theirs: %w", name, err)
		}
		w.definition(a.(map[string]any), b.(map[string]any))
	}
	return c, nil
}

// present returns true if a field exists, and nil if it is missing.
func present(exists bool) any {
	if exists {
		return true
	}
	return nil
}

// decode reads YAML. It decodes numbers as json.Number. Equal numbers get the same spelling.
func decode(text []byte) (any, error) {
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return spelled(v), nil
}

func spelled(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			if r.IsInt() {
				return json.Number(r.RatString())
			}
			f, _ := r.Float64()
			return f
		}
	case map[string]any:
		for k := range v {
			v[k] = spelled(v[k])
		}
	case []any:
		for i := range v {
			v[i] = spelled(v[i])
		}
	}
	return v
}

func union[V any](a, b map[string]V) map[string]bool {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return all
}

// walk is the state of a comparison of two CRDs.
type walk struct {
	c  *Compared
	at Difference
}

func (w *walk) value(path, keyword string, ours, theirs any, facts []string) {
	d := w.at
	d.Path, d.Keyword, d.Side, d.Facts = path, keyword, Both, facts
	if ours == nil {
		d.Side = Theirs
	} else {
		d.Ours = text(ours)
	}
	if theirs == nil {
		d.Side = Ours
	} else {
		d.Theirs = text(theirs)
	}
	w.c.Differences = append(w.c.Differences, &d)
}

func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error() // no JSON value has this text, so the values differ
	}
	return strings.TrimSpace(b.String())
}

// definition compares two CRDs. It compares versions of the same name, and all fields outside
// of versions.
func (w *walk) definition(ours, theirs map[string]any) {
	a, b := versions(ours), versions(theirs)
	w.otherParts("", ours, theirs)
	for _, name := range slices.Sorted(maps.Keys(union(a, b))) {
		w.at.Version = name
		if a[name] == nil || b[name] == nil {
			w.value("", "version", present(a[name] != nil), present(b[name] != nil), nil)
			continue
		}
		x, y := schemaOf(a[name]), schemaOf(b[name])
		w.otherParts("", a[name], b[name])
		w.schema("", x, y)
	}
	w.at.Version = ""
}

// versions removes the versions from a CRD and returns them by name.
func versions(definition map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	spec, _ := definition["spec"].(map[string]any)
	list, _ := spec["versions"].([]any)
	delete(spec, "versions")
	for _, v := range list {
		m, _ := v.(map[string]any)
		name, _ := m["name"].(string)
		out[name] = m
	}
	return out
}

// schemaOf removes the schema from a version and returns it.
func schemaOf(version map[string]any) map[string]any {
	s, _ := version["schema"].(map[string]any)
	root, _ := s["openAPIV3Schema"].(map[string]any)
	delete(version, "schema")
	return root
}

// otherParts compares the fields of two CRDs or versions that are outside of schemas. The first
// argument is the path of these fields.
func (w *walk) otherParts(at string, ours, theirs any) {
	a, isMap := ours.(map[string]any)
	b, both := theirs.(map[string]any)
	if isMap && both {
		for _, k := range slices.Sorted(maps.Keys(union(a, b))) {
			w.otherParts(strings.TrimPrefix(at+"."+k, "."), a[k], b[k])
		}
		return
	}
	if text(ours) != text(theirs) {
		w.value("", at, ours, theirs, nil)
	}
}

// schema compares two schemas and all schemas in them.
func (w *walk) schema(path string, ours, theirs map[string]any) {
	w.c.Nodes++
	facts := slices.Sorted(maps.Keys(ours))
	for _, k := range slices.Sorted(maps.Keys(union(ours, theirs))) {
		a, b := ours[k], theirs[k]
		x, isMap := a.(map[string]any)
		y, both := b.(map[string]any)
		switch {
		case k == "properties":
			for _, name := range slices.Sorted(maps.Keys(union(x, y))) {
				below := path + "." + name
				if x[name] == nil || y[name] == nil {
					w.value(below, "field", x[name], y[name], nil)
					continue
				}
				p, _ := x[name].(map[string]any)
				q, _ := y[name].(map[string]any)
				w.schema(below, p, q)
			}
		case k == "items" && isMap && both:
			w.schema(path+"[]", x, y)
		case k == "additionalProperties" && isMap && both:
			w.schema(path+"{}", x, y)
		case k == "required":
			w.required(path, ours, theirs)
		case text(a) != text(b):
			w.value(path, k, a, b, facts)
		}
	}
}

// required compares the lists of required fields, in any order.
func (w *walk) required(path string, ours, theirs map[string]any) {
	properties, _ := ours["properties"].(map[string]any)
	a, b := names(ours["required"]), names(theirs["required"])
	for _, name := range slices.Sorted(maps.Keys(union(a, b))) {
		if a[name] && b[name] {
			continue
		}
		field, _ := properties[name].(map[string]any)
		w.value(path+"."+name, "required", present(a[name]), present(b[name]), slices.Sorted(maps.Keys(field)))
	}
}

func names(list any) map[string]bool {
	out := map[string]bool{}
	all, _ := list.([]any)
	for _, v := range all {
		out[fmt.Sprint(v)] = true
	}
	return out
}
