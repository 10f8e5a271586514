// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"slices"
	"strings"
)

// KeyErrors is what is wrong with the keys of associative lists.
type KeyErrors []KeyError

// KeyError is one key of an associative list that cannot identify items.
type KeyError struct {
	// Type is the named type that has the list, and Path the way from there.
	Type, Path string
	// Key is the key.
	Key string
	// Problem says what is wrong, and how to mend it.
	Problem string
}

// Error returns where and what.
func (e KeyError) Error() string {
	return fmt.Sprintf("type %q, %s: key %q %s", e.Type, e.Path, e.Key, e.Problem)
}

// Error returns all errors on lines of their own.
func (es KeyErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// CheckKeys returns a KeyErrors if a key of an associative list of maps is not
// a field of its items, if it is nullable, or if its default is not a scalar:
// what such a key stands for when it is missing could not be told. It returns
// nil if all keys are fit. Lists whose items have no declared fields, and
// those whose type is missing, are passed over.
func (s *Schema) CheckKeys() error {
	var errs KeyErrors
	types := s.types()
	for i := range types {
		td := &types[i]
		c := keyChecker{schema: s, typeName: td.Name, errs: &errs}
		p := places{list: c.list, seen: map[any]bool{}}
		p.atom("", td.Atom)
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

type keyChecker struct {
	schema   *Schema
	typeName string
	errs     *KeyErrors
}

func (c *keyChecker) list(path string, l *List) {
	if l.ElementRelationship != Associative || len(l.Keys) == 0 {
		return
	}
	item, ok := c.schema.Resolve(l.ElementType)
	if !ok || item.Map == nil || len(item.Map.Fields) == 0 {
		return
	}
	for _, key := range l.Keys {
		problem := ""
		f, declared := item.Map.FindField(key)
		switch {
		case !declared:
			problem = "is not a field of the items; expected one of " + names(item.Map.Fields)
		case f.Type.Nullable:
			problem = "is nullable; a key must not be null, remove nullable"
		case !isScalar(f.Default):
			problem = fmt.Sprintf("has a default that is a %s; expected a scalar", kindOf(f.Default))
		}
		if problem != "" {
			*c.errs = append(*c.errs, KeyError{Type: c.typeName, Path: orRoot(path), Key: key, Problem: problem})
		}
	}
}

func orRoot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

func names(fields []StructField) string {
	all := make([]string, len(fields))
	for i := range fields {
		all[i] = fields[i].Name
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func isScalar(v any) bool {
	return kindOf(v) == ""
}

// kindOf returns what v is if it is no scalar.
func kindOf(v any) string {
	switch v.(type) {
	case []any:
		return "list"
	case map[string]any, map[any]any:
		return "map"
	}
	return ""
}
