// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

// table contains the restrictions of one release. They are derived from the update strategies in
// the Go code of that release.
type table struct {
	version string
	kinds   map[[2]string]*kindRules
	// types maps each type name and field name to facts about the field.
	types map[string]map[string]facts
}

// kindRules contains the rules of a kind in one version.
type kindRules struct {
	apiVersion, kind string
	rules            []TransitionRule
}

// facts describes a field of a Go type. It contains only information that schemas lack.
type facts struct {
	// zeroIsValue is true if a zero value differs from an absent field.
	zeroIsValue bool
	// filledByServer is true if the server may set the field. additionDropped is true if the server
	// may drop the field when an update adds it. ignored is true if the server ignores the field,
	// because another field takes precedence.
	filledByServer, additionDropped, ignored bool
	// undeclared is true if the schema does not declare the field.
	undeclared bool
	// base64 is true if the value is base64 text.
	base64 bool
}

// readTable parses the table of a release. The first lines of the table describe its
// format.
func readTable(text string) *table {
	all := &table{kinds: map[[2]string]*kindRules{}, types: map[string]map[string]facts{}}
	k := &kindRules{}
	var fields map[string]facts
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		switch {
		case line[0] == '\t': // check this case first, because a field may have the name "kind" or "type"
			fields[words[0]] = readFacts(words[1:])
		case words[0] == "kind":
			k = &kindRules{apiVersion: words[1], kind: words[2]}
			all.kinds[[2]string{k.apiVersion, k.kind}] = k
		case words[0] == "type":
			fields = map[string]facts{}
			all.types[words[1]] = fields
		case words[0] == "release":
			all.version = words[1]
		default:
			var t schema.Transition
			if err := t.UnmarshalText([]byte(words[1])); err != nil {
				panic(err) // cannot happen: a test reads all tables
			}
			k.rules = append(k.rules, TransitionRule{words[0], t})
		}
	}
	return all
}

func readFacts(words []string) (f facts) {
	for _, w := range words {
		f.zeroIsValue = f.zeroIsValue || w == "kept"
		f.filledByServer = f.filledByServer || w == "filled"
		f.additionDropped = f.additionDropped || w == "dropped"
		f.ignored = f.ignored || w == "ignored"
		f.base64 = f.base64 || w == "bytes"
	}
	return f
}

// Type returns a copy of t that includes the transition rules of a kind. t must be the type of this
// built-in kind. ok is false if the kind has no rules.
func (r *Release) Type(t typed.ParseableType, apiVersion, kind string) (withRules typed.ParseableType, ok bool) {
	k := r.find(apiVersion, kind)
	if k == nil || len(k.rules) == 0 || t.Schema == nil {
		return t, false
	}
	key := typeKey{t.Schema, k}
	if made, ok := typesWithRules.Load(key); ok {
		made := made.(typed.ParseableType)
		return made, made.HasTransitions()
	}
	m := &marker{from: t.Schema, to: &schema.Schema{}}
	made := t
	made.TypeRef = m.mark(t.TypeRef, "", k.rules)
	m.to.Types = append(m.to.Types, t.Schema.Types...)
	made.Schema = m.to
	typesWithRules.Store(key, made)
	return made, made.HasTransitions() // false if the schema has no field with a rule
}

type typeKey struct {
	schema *schema.Schema
	kind   *kindRules
}

// typesWithRules caches the results of the method Type.
var typesWithRules sync.Map

// marker adds transition rules to a schema. It copies the types that contain a field with a rule,
// at any depth.
type marker struct {
	from, to *schema.Schema
}

// mark adds the rules to a type and to the types inside it. path is the path from the root of the
// object to the type. mark copies the types that change, and returns a reference to the copy.
func (m *marker) mark(ref schema.TypeRef, path string, rules []TransitionRule) schema.TypeRef {
	var below []TransitionRule
	for _, r := range rules {
		switch rest, ok := strings.CutPrefix(r.Path, path); {
		case !ok:
		case rest == "":
			ref.Transition = r.Transition
		case strings.IndexAny(rest, ".[{") == 0:
			below = append(below, r)
		}
	}
	if len(below) == 0 {
		return ref
	}
	atom, ok := m.from.Resolve(ref)
	if !ok {
		return ref
	}
	if atom.Map != nil {
		old := atom.Map
		fields := make([]schema.StructField, len(old.Fields))
		for i, f := range old.Fields {
			f.Type = m.mark(f.Type, path+"."+f.Name, below)
			fields[i] = f
		}
		atom.Map = &schema.Map{Fields: fields, Unions: old.Unions, ElementType: m.mark(old.ElementType, path+"{}", below),
			ElementRelationship: old.ElementRelationship, ElementDefault: old.ElementDefault, Required: old.Required, UnknownFields: old.UnknownFields}
	}
	if atom.List != nil {
		list := *atom.List
		list.ElementType = m.mark(list.ElementType, path+"[]", below)
		atom.List = &list
	}
	if ref.NamedType == nil {
		ref.Inlined = atom
		return ref
	}
	name := *ref.NamedType + " of " + path
	def := schema.TypeDef{Name: name, Atom: atom}
	for _, d := range m.from.Types {
		if d.Name == *ref.NamedType {
			def.Default, def.Transition = d.Default, d.Transition
		}
	}
	m.to.Types = append(m.to.Types, def)
	ref.NamedType = &name
	return ref
}
