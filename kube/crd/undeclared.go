// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"

	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
)

// requiredFields reports fields that n, or a schema below n, requires but does not declare. The API
// server drops such a field, and then rejects every object because the field is missing. v is n itself,
// or a schema in an allOf that restricts the same value.
func (l linter) requiredFields(v, n *tree.Node, root bool) {
	if n.Kind == "object" && !keepsUndeclared(n) {
		for i, name := range v.Required {
			if n.Properties[name] == nil && !isMetaField(n, root, name) {
				l.add(RequiredUnknown, v.At.At("required").Nth(i), "the schema does not declare the field %s, so the API server drops it, and then rejects every value because the field is missing; declare the field, or remove it from required", tree.Shorten(name, tree.MaxValue))
			}
		}
	}
	for _, branch := range v.AllOf {
		l.requiredFields(branch, n, root)
	}
	for _, name := range v.Names() {
		if p := n.Properties[name]; p != nil && !isMetaField(n, root, name) {
			l.requiredFields(v.Properties[name], p, false)
		}
	}
	if v.Items != nil && n.Items != nil {
		l.requiredFields(v.Items, n.Items, false)
	}
	if v.Additional != nil && n.Additional != nil {
		l.requiredFields(v.Additional, n.Additional, false)
	}
}

// keepsUndeclared reports whether the API server keeps fields of n that are not in its properties.
func keepsUndeclared(n *tree.Node) bool { return n.Preserve || n.AdditionalSet }

// isMetaField reports whether n is the schema of a resource, and the argument name is apiVersion, kind
// or metadata. The API server itself declares these fields. root is true for the schema at the root.
func isMetaField(n *tree.Node, root bool, name string) bool {
	return (root || n.Embedded) && tree.IsMeta(name)
}

// columnPaths reports printer columns whose path never leads to a value, and paths that API servers
// cannot parse.
func (l linter) columnPaths(v *Version) {
	columns, _ := v.doc.Raw["additionalPrinterColumns"].([]any)
	for i, item := range columns {
		column, _ := item.(map[string]any)
		name := v.columnPath()
		text, _ := column[name].(string)
		if !strings.HasPrefix(text, ".") {
			continue // Validate reports this error
		}
		at := v.doc.Part("additionalPrinterColumns").Nth(i).At(name)
		path, err := jsonpath.Parse("", "{"+text+"}")
		if err != nil {
			l.add(ColumnPath, at, "API servers cannot parse this path, so they show neither this column nor the columns after it: %s; correct the path", tree.Shorten(err.Error(), 4*tree.MaxValue))
			continue
		}
		if v.definition.doc.Preserves() || v.doc.Schema == nil {
			continue
		}
		if action, ok := path.Root.Nodes[0].(*jsonpath.ListNode); ok {
			w := columnWalk{linter: l, at: at}
			typ, _ := column["type"].(string)
			if n, path, ok := w.list(action, v.doc.Schema, true, ""); ok && !fitsColumn(n, typ) {
				l.add(ColumnPath, v.doc.Part("additionalPrinterColumns").Nth(i).At("type"),
					"%s has the type %s, so a column of type %s is always empty; write type: %s", path, n.Kind, typ, columnType(n.Kind))
			}
		}
	}
}

// fitsColumn reports whether API servers can show a value with the schema n in a printer column of the
// given type. They show all values in a column of type string.
func fitsColumn(n *tree.Node, column string) bool {
	switch {
	case n.Kind == "" || n.IntString || column == "string" || !slices.Contains(columnTypes, column):
		return true
	case column == "date":
		return n.Kind == "string"
	case column == "integer" || column == "number":
		return n.Kind == "integer" || n.Kind == "number"
	}
	return n.Kind == column
}

// columnType returns the type of a printer column that shows values of the given type.
func columnType(kind string) string {
	if slices.Contains(columnTypes, kind) {
		return kind
	}
	return "string"
}

// columnPath returns the name of the field that has the path of a printer column.
func (v *Version) columnPath() string {
	if v.definition.doc.Beta {
		return "JSONPath"
	}
	return "jsonPath"
}

// columnWalk follows the path of a printer column through the schema.
type columnWalk struct {
	linter
	at *tree.Place
}

// list follows the steps of a path. n is the schema of the value at the path prefix, and root is true
// if this value is the whole object. It returns the schema and the path of the last value. It returns false if
// it has reported the path, or if the schema does not restrict the last value.
func (w columnWalk) list(steps *jsonpath.ListNode, n *tree.Node, root bool, prefix string) (last *tree.Node, path string, ok bool) {
	for _, step := range steps.Nodes {
		ok = false
		switch s := step.(type) {
		case *jsonpath.FieldNode:
			if s.Value == "" {
				ok = true
				continue
			}
			prefix += "." + s.Value
			n, ok = w.field(n, root, s.Value, prefix)
			root = false
		case *jsonpath.ArrayNode:
			n, ok = w.items(n, prefix)
			prefix += "[]"
		case *jsonpath.FilterNode:
			if n, ok = w.items(n, prefix); ok {
				prefix += "[]"
				w.list(s.Left, n, false, prefix)
				w.list(s.Right, n, false, prefix)
			}
		}
		if !ok {
			return nil, "", false
		}
	}
	return n, prefix, ok
}

// field returns the schema of a field of n. It returns false if it has reported the field, or if the
// schema does not restrict the values of the field.
func (w columnWalk) field(n *tree.Node, root bool, name, path string) (*tree.Node, bool) {
	switch {
	case root && name == "metadata":
		return metadataNode(), true
	case isMetaField(n, root, name):
		return nil, false
	case n.Properties[name] != nil:
		return n.Properties[name], true
	case n.Additional != nil:
		return n.Additional, true
	case keepsUndeclared(n) || n.Kind == "":
	case n.Kind == "array":
		w.add(ColumnPath, w.at, "%s is inside the items of a list, so this column is always empty; select an item, for example with [0] before .%s", path, name)
	case n.At == nil:
		w.add(ColumnPath, w.at, "the metadata of objects has no field %s, so this column is always empty; correct the path", path)
	case n.Kind == "object":
		w.add(ColumnPath, w.at, "the schema does not declare %s, so this column is always empty; correct the path, or declare the field", path)
	default:
		w.add(ColumnPath, w.at, "%s is inside a value of type %s, so this column is always empty; correct the path", path, n.Kind)
	}
	return nil, false
}

// items returns the schema of the items of n. It returns false if it has reported that n has no items,
// or if the schema does not restrict the items.
func (w columnWalk) items(n *tree.Node, path string) (*tree.Node, bool) {
	if n.Kind == "array" || n.Kind == "" {
		return n.Items, n.Items != nil
	}
	w.add(ColumnPath, w.at, "%s has the type %s, but the path selects items of a list, so this column is always empty; correct the path", path, n.Kind)
	return nil, false
}

// metadataNode returns a schema for the metadata of objects, without a place. It accepts everything
// inside the fields of the metadata.
func metadataNode() *tree.Node {
	n := &tree.Node{Kind: "object", Properties: map[string]*tree.Node{}}
	t := reflect.TypeFor[metav1.ObjectMeta]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		n.Properties[name] = &tree.Node{Preserve: true}
	}
	return n
}
