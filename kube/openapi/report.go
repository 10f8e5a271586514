// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/schema"
)

// keyFinding is a list key that items may lack. Items without the key can get an unexpected
// identity.
type keyFinding struct {
	// Type is the name of the definition that contains the list.
	Type string
	// Path is the path of the list within the definition, such as .ports.
	Path string
	// Key is the name of the key.
	Key string
	// Default is the default of the key, or nil.
	Default any
}

// keyReport is the result of unsatisfiedKeys. Its lists are sorted by type, path and key.
type keyReport struct {
	// undefaulted lists keys that are not required and have no default. A list item without such a
	// key cannot be identified.
	undefaulted []keyFinding
	// zeroDefaults lists keys that are required and have a zero default. If a client omits
	// such a key, the item silently gets the key "" or 0.
	zeroDefaults []keyFinding
}

// unsatisfiedKeys returns the list keys that an item can lack, for all lists in the catalog. It has to decode
// all types, which takes time.
func (c *Catalog) unsatisfiedKeys() keyReport {
	var r keyReport
	for _, name := range c.Types() {
		d, ok := c.find(name)
		if !ok || d.alias != "" {
			continue
		}
		eachList(d.typ.Atom, "", func(l *schema.List, path string) {
			c.reportKeys(&r, name, path, l)
		})
	}
	sortKeys(r.undefaulted)
	sortKeys(r.zeroDefaults)
	return r
}

func sortKeys(list []keyFinding) {
	slices.SortFunc(list, func(a, b keyFinding) int {
		return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.Path, b.Path), strings.Compare(a.Key, b.Key))
	})
}

// eachList calls f for each list within an atom, with the path to it.
func eachList(a schema.Atom, path string, f func(l *schema.List, path string)) {
	below := func(tr *schema.TypeRef, path string) {
		if tr.NamedType == nil {
			eachList(tr.Inlined, path, f)
		}
	}
	if a.List != nil {
		f(a.List, path)
		below(&a.List.ElementType, path+"[]")
	}
	if a.Map != nil {
		for i := range a.Map.Fields {
			below(&a.Map.Fields[i].Type, path+"."+a.Map.Fields[i].Name)
		}
		below(&a.Map.ElementType, path+"{}")
	}
}

func (c *Catalog) reportKeys(r *keyReport, name, path string, l *schema.List) {
	item := c.item(l.ElementType, nil)
	if item == nil {
		return
	}
	for _, key := range l.Keys {
		f, _ := item.FindField(key)
		f.Default = c.defaultOf(f.Default, f.Type)
		found := keyFinding{Type: name, Path: path, Key: key, Default: f.Default}
		switch required := slices.Contains(item.Required, key); {
		case !required && f.Default == nil:
			r.undefaulted = append(r.undefaulted, found)
		case required && isZero(f.Default):
			r.zeroDefaults = append(r.zeroDefaults, found)
		}
	}
}

// defaultOf returns the effective default of a field, item or value: its own default if
// there is one, otherwise the default of the definition that ref refers to.
func (c *Catalog) defaultOf(own any, ref schema.TypeRef) any {
	if own == nil && ref.NamedType != nil {
		td, _ := c.resolve(*ref.NamedType)
		return td.Default
	}
	return own
}

func isZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	}
	return false
}
