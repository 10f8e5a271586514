// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gen

// StructuredModel returns a model for the Go type structs.Root.
func StructuredModel() *Model {
	str, num, boolean := scalarRef("string"), scalarRef("numeric"), scalarRef("boolean")
	set := func(e Ref) Ref { return Ref{Inline: &Atom{List: &List{Element: e, Rel: associative}}} }
	list := func(e Ref, keys ...string) Ref {
		return Ref{Inline: &Atom{List: &List{Element: e, Rel: associative, Keys: keys}}}
	}
	all := func(e Ref) Ref { return Ref{Inline: &Atom{List: &List{Element: e, Rel: atomic}}} }
	mapOf := func(e Ref, rel string) Ref { return Ref{Inline: &Atom{Map: &Map{Element: &e, Rel: rel}}} }
	named := func(n string) Ref { return Ref{Named: n} }
	of := func(name, rel string, fields ...Field) *Type {
		return &Type{Name: name, Atom: Atom{Map: &Map{Fields: fields, Rel: rel}}}
	}
	field := func(n string, r Ref) Field { return Field{Name: n, Type: r} }

	m := &Model{Types: []*Type{
		of("root", "",
			field("name", str), field("labels", mapOf(str, "")), field("marks", set(str)),
			field("spec", named("spec")), field("state", named("state")), field("ratio", num),
			field("level", num), field("hints", set(str)), field("owner", str)),
		of("spec", "",
			field("replicas", num), field("paused", boolean),
			field("ports", list(named("port"), "port", "protocol")),
			field("refs", list(named("ref"), "name")),
			field("args", all(str)),
			field("data", str), field("amount", str),
			field("limits", mapOf(str, separable)),
			field("free", named(untypedDeduced)),
			field("choice", named("choice")),
			field("nested", mapOf(named("ref"), "")),
			field("rules", all(named("rule"))),
			field("either", named(untypedDeduced)),
			field("raw", named(untypedDeduced)),
			field("groups", list(named("group"), "name"))),
		of("rule", "",
			field("key", str), field("values", all(str)), field("notes", mapOf(str, "")),
			field("number", num), field("bytes", str), field("any", named(untypedDeduced)),
			field("inner", all(named("rule")))),
		of("group", "",
			field("name", str), field("rules", all(named("rule"))),
			field("whole", Ref{Named: "rule", Rel: atomic}), field("named", mapOf(named("rule"), ""))),
		of("port", "",
			field("name", str), field("port", num),
			Field{Name: "protocol", Type: str, HasDefault: true, Default: "TCP"}),
		of("ref", "", field("name", str), field("size", num), field("opt", boolean)),
		of("choice", atomic, field("a", str),
			field("b", all(num))),
		of("state", "", field("phase", str), field("zero", num), field("conds", list(named("ref"), "name"))),
	}}
	m.Types = append(m.Types, untypedTypes()...)
	return m
}

func scalarRef(kind string) Ref { return Ref{Inline: &Atom{Scalar: kind}} }
