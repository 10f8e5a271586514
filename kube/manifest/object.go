// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Identity is what an object is known by.
type Identity struct {
	APIVersion, Kind, Namespace, Name string
}

// String returns apiVersion, kind and namespace/name.
func (id Identity) String() string {
	s := id.APIVersion + " " + id.Kind + " "
	if id.Namespace != "" {
		s += id.Namespace + "/"
	}
	return s + id.Name
}

// Object is one object in a file.
type Object struct {
	// Content is the object as plain data: map[string]any, []any, string,
	// bool, int64, float64, nil. Paths are looked up in it: change a copy, if you
	// want to ask for positions afterwards.
	Content map[string]any

	identity Identity
	root     root
	// steps lead from the root to the object if it is an item of a List: field
	// names and indexes.
	steps []any
}

// Identity returns what the object is known by.
func (o *Object) Identity() Identity { return o.identity }

// Start returns where the object begins.
func (o *Object) Start() Position { return o.Position("") }

// Errorf returns an error about a place in the object. One about the object as a
// whole, whose path is empty, has no column.
func (o *Object) Errorf(path, format string, args ...any) *Error {
	p := o.Position(path)
	if path == "" {
		p.Column = 0
	}
	return &Error{File: p.File, Line: p.Line, Column: p.Column, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Warnings returns what the file says otherwise than it seems to: keys that
// YAML 1.1 takes for booleans, such as y and on, and that become true or false.
func (o *Object) Warnings() []*Error {
	if !o.root.doc.boolKeys {
		return nil
	}
	var found []*Error
	var walk func(v any, path string)
	walk = func(v any, path string) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				at := path + "." + name
				if name == "true" || name == "false" {
					if text, plain, ok := o.KeyText(at); ok && plain && text != name {
						found = append(found, o.Errorf(at, "the key is %s here%s", name, flow.BooleanHint(text)))
					}
				}
				walk(v[name], at)
			}
		case []any:
			for i, c := range v {
				walk(c, path+fmt.Sprintf("[%d]", i))
			}
		}
	}
	walk(o.Content, "")
	return found
}

// objects returns the objects in a root: itself, or the items of a List.
func (r root) objects() ([]*Object, Errors) {
	o := &Object{root: r}
	content, ok := r.value.(map[string]any)
	if !ok {
		return nil, Errors{o.Errorf("", "want an object, got %s%s", kindAndValue(r.value), listHint(r.value))}
	}
	o.Content = content
	return o.flatten()
}

// flatten returns the items of a List, the objects themselves of others.
func (o *Object) flatten() ([]*Object, Errors) {
	kind, _ := o.Content["kind"].(string)
	items, isList := o.Content["items"].([]any)
	if kind == "List" && o.Content["apiVersion"] == "v1" {
		if v := o.Content["items"]; v != nil && !isList {
			return nil, Errors{o.Errorf(".items", "want a list, got %s", kindAndValue(v))}
		}
		isList = true
	}
	if !isList || !strings.HasSuffix(kind, "List") {
		if err := o.identify(); err != nil {
			return nil, Errors{err}
		}
		if err := o.tooLarge(); err != nil {
			return nil, Errors{err}
		}
		return []*Object{o}, nil
	}
	var (
		objects []*Object
		errs    Errors
	)
	for i, item := range items {
		child := &Object{root: o.root, steps: append(o.steps[:len(o.steps):len(o.steps)], "items", i)}
		found, err := child.item(item, o.Content["apiVersion"], kind)
		objects = append(objects, found...)
		errs = append(errs, err...)
	}
	return objects, errs
}

// item returns the objects in an item of a List, for which o stands.
func (o *Object) item(v, apiVersion any, kind string) ([]*Object, Errors) {
	content, ok := v.(map[string]any)
	if !ok {
		return nil, Errors{o.Errorf("", "want an object as item of a List, got %s", kindAndValue(v))}
	}
	o.Content = typedItem(content, apiVersion, strings.TrimSuffix(kind, "List"))
	return o.flatten()
}

// maxValues is how many values one object may have: fields and items at all levels, those
// of its managed fields among them. An API server takes no request above 3 MiB; an object
// of that size has some 100,000.
const maxValues = 1 << 20

// tooLarge says that the object is beyond maxValues. It stays with the line of the
// document: to find that of an item would take more memory than is worth it.
func (o *Object) tooLarge() *Error {
	n := data.CountUpTo(o.Content, math.MaxInt)
	if n <= maxValues {
		return nil
	}
	return &Error{File: o.root.doc.file, Line: o.root.doc.line, Message: fmt.Sprintf(
		"%v has %d values (fields and items, with its managed fields), want at most %d: no API server would store it; split it into several objects, or take out what does not belong to it", o.identity, n, maxValues)}
}

// typedItem returns an item of a List with its apiVersion and kind, which the
// items of a ServiceList leave to the List.
func typedItem(item map[string]any, apiVersion any, kind string) map[string]any {
	if kind == "" || item["kind"] != nil || item["apiVersion"] != nil {
		return item
	}
	out := make(map[string]any, len(item)+2)
	for k, v := range item {
		out[k] = v
	}
	out["apiVersion"], out["kind"] = apiVersion, kind
	return out
}

// identify reads the identity.
func (o *Object) identify() *Error {
	if err := o.text(o.Content, "", "apiVersion", true, &o.identity.APIVersion); err != nil {
		return err
	}
	if err := o.text(o.Content, "", "kind", true, &o.identity.Kind); err != nil {
		return err
	}
	m, ok := o.Content["metadata"]
	if !ok || m == nil {
		return nil
	}
	metadata, ok := m.(map[string]any)
	if !ok {
		return o.Errorf(".metadata", "want a mapping, got %s", kindOf(m))
	}
	if err := o.text(metadata, ".metadata", "name", false, &o.identity.Name); err != nil {
		return err
	}
	return o.text(metadata, ".metadata", "namespace", false, &o.identity.Namespace)
}

func (o *Object) text(in map[string]any, path, field string, required bool, to *string) *Error {
	v, ok := in[field]
	if !ok || v == nil || v == "" {
		if required {
			return o.Errorf(path, "has no %s%s", field, o.misspelt(in, path, field))
		}
		return nil
	}
	s, ok := v.(string)
	if !ok {
		path += "." + field
		if text, plain, ok := o.Scalar(path); ok && plain {
			if _, isBool := v.(bool); isBool {
				return o.Errorf(path, "want a string, got the boolean %t%s", v, flow.BooleanHint(text))
			}
			return o.Errorf(path, "want a string, got the number %s%s", text, flow.NumberHint(text))
		}
		return o.Errorf(path, "want a string, got %s", kindAndValue(v))
	}
	*to = s
	return nil
}

// misspelt says which field of in may have been meant for field, to be put behind
// that it is missing.
func (o *Object) misspelt(in map[string]any, path, field string) string {
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if name != field && strings.EqualFold(name, field) {
			if line := o.Position(path + "." + name).Line; line > 0 {
				return fmt.Sprintf("; did you mean it by %s on line %d?", name, line)
			}
			return fmt.Sprintf("; did you mean it by %s?", name)
		}
	}
	return ""
}

// listHint says how to write several objects, if v is a list of some.
func listHint(v any) string {
	list, _ := v.([]any)
	for _, item := range list {
		if m, ok := item.(map[string]any); ok && m["kind"] != nil {
			return ": write them as documents, with --- between them, or as items of a v1 List"
		}
	}
	return ""
}
