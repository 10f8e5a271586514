// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/data"
	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// Identity identifies an object by its type, namespace and name.
type Identity struct {
	APIVersion, Kind, Namespace, Name string
}

// String returns the identity as "apiVersion kind namespace/name". An object without a name is
// "apiVersion kind in namespace NAMESPACE", or "apiVersion kind" if it has no namespace either.
func (id Identity) String() string {
	s := id.APIVersion + " " + id.Kind
	switch {
	case id.Namespace != "" && id.Name != "":
		return s + " " + id.Namespace + "/" + id.Name
	case id.Namespace != "":
		return s + " in namespace " + id.Namespace
	case id.Name != "":
		return s + " " + id.Name
	}
	return s
}

// Object is one object in a file.
type Object struct {
	// Content is the object as plain data: map[string]any, []any, string, bool, int64,
	// float64, nil. If you want to find positions later, you may only add fields at the top
	// level. For other changes, copy Content first.
	Content map[string]any

	identity Identity
	root     root
	// steps is the path from the root to the object, if the object is an item of a List. A
	// string is a field name, and an int is a list index.
	steps []any
}

// Identity returns the identity of the object.
func (o *Object) Identity() Identity { return o.identity }

// Start returns the position where the object begins.
func (o *Object) Start() Position { return o.Position("") }

// Errorf returns an error about the value at path. If path is empty, the error is about the
// whole object and has no column.
func (o *Object) Errorf(path, format string, args ...any) *Error {
	p := o.Position(path)
	if path == "" {
		p.Column = 0
	}
	return &Error{File: p.File, Line: p.Line, Column: p.Column, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Warnings returns warnings about keys whose text changes when the file is decoded. YAML 1.1 reads keys
// such as y and on as booleans, so these keys become true or false. YAML reads 1.10 as a number, so
// this key becomes 1.1.
func (o *Object) Warnings() []*Error {
	if !o.root.doc.otherKeys {
		return nil
	}
	var found []*Error
	var walk func(v any, path string)
	walk = func(v any, path string) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				at := path + "." + name
				if w := o.keyWarning(at, name); w != nil {
					found = append(found, w)
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

// keyWarning returns a warning if the file spells the key at path differently from name, because
// the key is a boolean or a number. Otherwise, it returns nil.
func (o *Object) keyWarning(path, name string) *Error {
	isBool := name == "true" || name == "false"
	if !isBool && strings.IndexAny(name, "-.0123456789") != 0 {
		return nil
	}
	text, plain, ok := o.KeyText(path)
	switch {
	case !ok || !plain || text == name:
		return nil
	case isBool:
		return o.Errorf(path, "this key becomes %s%s", name, flow.BooleanHint(text))
	}
	return o.Errorf(path, "this key becomes %s: YAML reads it as a number; write it in quotes: %q", name, text)
}

// objects returns the object in r. If this object is a List, objects returns the items.
func (r root) objects() ([]*Object, Errors) {
	if r.value == nil {
		return nil, nil // an empty document
	}
	o := &Object{root: r}
	content, ok := r.value.(map[string]any)
	if !ok {
		return nil, Errors{o.Errorf("", "want an object, got %s%s", kindAndValue(r.value), listHint(r.value))}
	}
	o.Content = content
	return o.flatten()
}

// flatten returns the items of the object if it is a List, otherwise the object itself.
func (o *Object) flatten() ([]*Object, Errors) {
	kind, _ := o.Content["kind"].(string)
	items, isList := o.Content["items"].([]any)
	if kind == "List" && o.Content["apiVersion"] == "v1" {
		if v := o.Content["items"]; v != nil && !isList {
			return nil, Errors{o.Errorf(".items", "want a list, got %s", kindAndValue(v))}
		}
		isList = true
	}
	if o.isEmptyList() {
		return nil, nil
	}
	if !isList || !strings.HasSuffix(kind, "List") {
		if err := o.identify(); err != nil {
			return nil, Errors{err}
		}
		if err := o.checkSize(); err != nil {
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

// isEmptyList reports whether the object is a list, such as a ServiceList, and its field items is null.
// Go programs write null for the items of an empty list. A custom resource can also have a kind that
// ends with List and a field called items. Therefore isEmptyList is false for an object with a name or
// a generateName.
func (o *Object) isEmptyList() bool {
	kind, _ := o.Content["kind"].(string)
	items, there := o.Content["items"]
	metadata, _ := o.Content["metadata"].(map[string]any)
	return strings.HasSuffix(kind, "List") && there && items == nil && metadata["name"] == nil && metadata["generateName"] == nil
}

// item returns the objects in one item of a List. The argument v is the item. The receiver o is an
// object with the position of this item. apiVersion and kind come from the List.
func (o *Object) item(v, apiVersion any, kind string) ([]*Object, Errors) {
	content, ok := v.(map[string]any)
	if !ok {
		return nil, Errors{o.Errorf("", "want an object as an item of a List, got %s", kindAndValue(v))}
	}
	o.Content = typedItem(content, apiVersion, strings.TrimSuffix(kind, "List"))
	return o.flatten()
}

// maxValues limits the number of values in an object: fields and items at all levels,
// including managed fields. API servers accept at most 3 MiB per request, which is enough
// for some 100,000 values.
const maxValues = 1 << 20

// checkSize returns an error if the object has more than maxValues values. The line in
// the error is the line of the document, because finding the line of a List item would
// take too much memory.
func (o *Object) checkSize() *Error {
	n := data.CountUpTo(o.Content, math.MaxInt)
	if n <= maxValues {
		return nil
	}
	return &Error{File: o.root.doc.file, Line: o.root.doc.line, Message: fmt.Sprintf(
		"%v has %d values (fields and items, including managed fields), want at most %d: API servers cannot store such an object; split it into several objects, or remove data", o.identity, n, maxValues)}
}

// typedItem returns an item of a List with its apiVersion and kind. An item may lack both, as in a
// ServiceList. It then gets the given apiVersion and kind.
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

// identify reads the identity of the object.
func (o *Object) identify() *Error {
	if err := o.readText(o.Content, "", "apiVersion", true, &o.identity.APIVersion); err != nil {
		return err
	}
	if err := o.readText(o.Content, "", "kind", true, &o.identity.Kind); err != nil {
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
	if err := o.readText(metadata, ".metadata", "name", false, &o.identity.Name); err != nil {
		return err
	}
	return o.readText(metadata, ".metadata", "namespace", false, &o.identity.Namespace)
}

func (o *Object) readText(m map[string]any, path, field string, required bool, to *string) *Error {
	v, ok := m[field]
	if !ok || v == nil || v == "" {
		if required {
			return o.Errorf(path, "has no %s%s", field, cmp.Or(o.spellingHint(m, path, field), o.valuesHint()))
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

// spellingHint returns a hint if m lacks a field but has one whose name differs only in
// upper and lower case.
func (o *Object) spellingHint(m map[string]any, path, field string) string {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name != field && strings.EqualFold(name, field) {
			if line := o.Position(path + "." + name).Line; line > 0 {
				return fmt.Sprintf("; rename the field %s on line %d", name, line)
			}
			return fmt.Sprintf("; rename the field %s", name)
		}
	}
	return ""
}

// valuesHint returns a hint if the object has neither an apiVersion nor a kind, and its file has the
// name of a file with values for a Helm chart, such as values.yaml or values-production.yaml.
func (o *Object) valuesHint() string {
	base := filepath.Base(o.Start().File)
	if !strings.HasPrefix(base, "values") || o.Content["apiVersion"] != nil || o.Content["kind"] != nil {
		return ""
	}
	return "; if the file contains values for a Helm chart, it is not a manifest: render the chart with \"helm template\""
}

// listHint returns a hint about writing several objects, if v is a list of objects.
func listHint(v any) string {
	list, _ := v.([]any)
	for _, item := range list {
		if m, ok := item.(map[string]any); ok && m["kind"] != nil {
			return "; write the objects as documents with --- between them, or as items of a v1 List"
		}
	}
	return ""
}
