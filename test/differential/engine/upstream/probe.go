// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/differential/engine"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func (impl) Probe(id string, n int) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said = engine.Panics
		}
	}()
	switch id {
	case "depth":
		var data any = "leaf"
		for range 10000 + n%3 {
			data = map[string]any{"a": data}
		}
		pt := typed.DeducedParseableType
		tv := typed.AsTypedUnvalidated(value.NewValueInterface(data), pt.Schema, pt.TypeRef)
		var err error
		switch n / 3 % 4 {
		case 0:
			_, err = pt.FromUnstructured(data)
		case 1:
			_, err = tv.ToFieldSet()
		case 2:
			_, err = tv.Merge(tv)
		case 3:
			_, err = tv.Compare(tv)
		}
		return fmt.Sprint(10000+n%3, " levels, error ", err != nil)
	case "shared-nan":
		var data any = math.NaN()
		for i := range 1 + n%3 {
			if n>>i&1 == 0 {
				data = map[string]any{"a": data, "b": int64(i)}
			} else {
				data = []any{int64(i), data}
			}
		}
		return fmt.Sprint("nan equals ", value.Equals(value.NewValueInterface(data), value.NewValueInterface(data)))
	case "changed-data":
		return changedData(n)
	case "deep-embedding":
		in := structs.NewDeep(n)
		v, err := value.NewValueReflect(in)
		if err != nil {
			return "error"
		}
		read, err := json.Marshal(v.Unstructured())
		if err != nil {
			return "error"
		}
		return string(read)
	case "odd-structs":
		v, err := value.NewValueReflect(structs.NewHolder(n))
		if err != nil {
			return "error"
		}
		read, err := json.Marshal(v.Unstructured())
		if err != nil {
			return "error"
		}
		return string(read)
	case "nil-elements":
		return nilElement(n)
	case "matcher-members":
		return matcherMembers(n)
	case "stream-errors":
		var out bytes.Buffer
		s := fieldpath.NewSet(fieldpath.Path{fieldpath.PathElement{}})
		for i := range n % 20 {
			s.Insert(fieldpath.MakePathOrDie("a", fmt.Sprint(i)))
		}
		err := s.ToJSONStream(&out)
		return fmt.Sprintf("error %v, wrote %v", err != nil, out.Len() > 0)
	case "shared-leaves":
		return sharedLeaves(n)
	case "shared-subtrees":
		return sharedSubtrees(n)
	}
	return "no such probe"
}

// changedData creates a typed set and afterwards adds a duplicate to its data.
func changedData(n int) string {
	p, err := typed.NewParser(`types:
- name: a
  map: {fields: [{name: s, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}]}
`)
	if err != nil {
		return "no parser"
	}
	items := []any{}
	for i := range 2 + n%4 {
		items = append(items, fmt.Sprint("n", i))
	}
	changed, err := p.Type("a").FromUnstructured(map[string]any{"s": items})
	if err != nil {
		return "invalid"
	}
	other, err := p.Type("a").FromUnstructured(map[string]any{"s": []any{"r"}})
	if err != nil {
		return "invalid"
	}
	i := n / 4 % len(items)
	items[i] = items[(i+1)%len(items)]
	_, err = other.Merge(changed)
	return fmt.Sprintf("merge error %v, validation error %v", err != nil, changed.Validate() != nil)
}

// sharedLeaves reports whether the result of an apply shares atomic lists and empty maps with
// the live object or with the config.
func sharedLeaves(n int) string {
	object := func(c int, has bool) (*typed.TypedValue, []any, map[string]any) {
		list, empty := []any{}, map[string]any{}
		for i := range 1 + n%4 {
			list = append(list, fmt.Sprint("n", i))
		}
		all := map[string]any{"a": list, "b": map[string]any{"c": int64(c)}}
		if has {
			all["e"] = empty
		}
		v, err := typed.DeducedParseableType.FromUnstructured(all)
		if err != nil {
			panic(err)
		}
		return v, list, empty
	}
	live, lefts, left := object(n, n/4%3 != 0)
	config, rights, right := object(n+1, n/4%3 != 1)
	updater := impl{}.Updater(engine.Config{
		Convert:   func(t engine.Typed, _ string) (engine.Typed, error) { return t, nil },
		IsMissing: func(error) bool { return false },
	})
	applied, _, err := updater.Apply(typedValue{live}, typedValue{config}, "v1", impl{}.Managers(), "m", false)
	if err != nil {
		return "error"
	}
	data, _ := applied.Object()
	data.(map[string]any)["a"].([]any)[0] = "written"
	data.(map[string]any)["e"].(map[string]any)["new"] = "written"
	return fmt.Sprintf("live is written to: %v, %v, config: %v, %v", lefts[0] == "written", len(left) > 0, rights[0] == "written", len(right) > 0)
}

func nilElement(n int) string {
	var none value.Value
	name := "a"
	switch n % 3 {
	case 0:
		_, err := fieldpath.SerializePathElement(fieldpath.PathElement{Value: &none})
		return fmt.Sprint("element error ", err != nil)
	case 1:
		_, err := fieldpath.MakePath("a", (*value.FieldList)(nil))
		return fmt.Sprint("path error ", err != nil)
	}
	m := fieldpath.NewSetMatcher(false, &fieldpath.SetMemberMatcher{
		Path: fieldpath.PathElementMatcher{PathElement: fieldpath.PathElement{FieldName: &name}},
	})
	return fmt.Sprint("left ", fieldpath.NewSet(fieldpath.MakePathOrDie("a", "b")).FilterIncludeMatches(m).Size())
}

// matcherMembers creates a matcher from a slice of members. It reports whether the members are
// still in the same order afterwards, and lists them in their new order.
func matcherMembers(n int) string {
	names := strings.Split("abcdef", "")
	for i := range names {
		j := (n >> i) % (i + 1)
		names[i], names[j] = names[j], names[i]
	}
	names = names[:2+n%4]
	var members []*fieldpath.SetMemberMatcher
	for i := range names {
		members = append(members, &fieldpath.SetMemberMatcher{
			Path:  fieldpath.PathElementMatcher{PathElement: fieldpath.PathElement{FieldName: &names[i]}},
			Child: fieldpath.MatchAnySet(),
		})
	}
	fieldpath.NewSetMatcher(false, members...)
	after := []string{}
	for _, m := range members {
		after = append(after, *m.Path.FieldName)
	}
	return fmt.Sprint(slices.Equal(names, after), after)
}

// sharedSubtrees modifies the result of a set operation, and reports whether the operands of
// the operation are still the same.
func sharedSubtrees(n int) string {
	a, b := fieldpath.NewSet(), fieldpath.NewSet()
	for i := range 4 {
		if n>>i&1 == 0 {
			a.Insert(fieldpath.MakePathOrDie("a", fmt.Sprint(i)))
		}
		if n>>i&3 != 0 {
			b.Insert(fieldpath.MakePathOrDie("a", fmt.Sprint(i)))
		}
	}
	was := a.String() + "\n" + b.String()
	var out *fieldpath.Set
	op := []string{"union", "intersection", "leaves", "difference"}[n/16%4]
	switch op {
	case "union":
		out = a.Union(b)
	case "intersection":
		out = a.Intersection(b)
	case "leaves":
		out = a.Leaves()
	case "difference":
		out = a.Difference(b)
	}
	result := out.String()
	out.Insert(fieldpath.MakePathOrDie("a", "new"))
	return fmt.Sprintf("%s of\n%s\nis\n%s\nand then the same: %v", op, was, result, a.String()+"\n"+b.String() == was)
}
