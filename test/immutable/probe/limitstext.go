// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/test/builtin"
	"github.com/dovetail-ssa/dovetail/test/immutable/server"
)

// limitsText writes the table of a collection.
type limitsText struct {
	limits *Limits
	// types are the types that are reached, by name.
	types map[string]*typeText
	kinds map[*server.Kind]int
}

// typeText is a struct in the table.
type typeText struct {
	fields []fieldText
	// useful says that there are rules in the type or below it.
	useful bool
}

type fieldText struct {
	name, spelled string
	// below is the name of the struct in the field, "" if there is none.
	below string
	rules []string
}

func (t *limitsText) write() string {
	for _, k := range server.Kinds {
		if root := t.limits.roots[k]; root != nil {
			t.kinds[k] = len(t.kinds)
		}
	}
	for _, k := range server.Kinds {
		if root := t.limits.roots[k]; root != nil {
			t.reach(root)
		}
	}
	for again := true; again; {
		again = false
		for _, s := range t.types {
			if !s.useful && slices.ContainsFunc(s.fields, t.counts) {
				s.useful, again = true, true
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Values of built-in kinds that an API server refuses, as creations of objects have shown. Made
# by make.sh: do not edit. Each kind has its number, its type, and the format of its names. Below each
# type are fields, and below each field its rules. [] and {} before a rule mean items and values. A
# rule after @ holds for these kinds only.
release %s

`, server.Kubernetes())
	for _, k := range server.Kinds {
		if root := t.limits.roots[k]; root != nil {
			fmt.Fprintf(&b, "kind %d %s %s %s", t.kinds[k], k.APIVersion(), k.Kind, builtin.Definition(root.Type))
			if name := t.limits.names[k]; name != "" {
				b.WriteString(" name=" + name)
			}
			if t.limits.finalizers[k] {
				b.WriteString(" finalizers")
			}
			b.WriteByte('\n')
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.types)) {
		s := t.types[name]
		if !s.useful {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", name)
		for _, f := range s.fields {
			if !t.counts(f) {
				continue
			}
			fmt.Fprintf(&b, " %s %s\n", f.name, f.spelled)
			for _, r := range f.rules {
				fmt.Fprintf(&b, "  %s\n", r)
			}
		}
	}
	return b.String()
}

// counts reports whether a field has rules, or something below it has.
func (t *limitsText) counts(f fieldText) bool {
	return len(f.rules) > 0 || strings.HasSuffix(f.spelled, "quantity") || strings.HasSuffix(f.spelled, "bytes") ||
		f.below != "" && t.types[f.below] != nil && t.types[f.below].useful
}

// reach notes the structs at a place and below it.
func (t *limitsText) reach(p *Place) {
	if leafKind(p.Type) == noLeaf && p.Type.Kind() == reflect.Struct {
		name := builtin.Definition(p.Type)
		if t.types[name] == nil && len(p.Below) > 0 {
			s := &typeText{}
			t.types[name] = s
			for _, f := range p.Below {
				step := f.Path[len(f.Path)-1]
				if len(p.Path) == 0 && (step == "metadata" || step == "status") {
					continue
				}
				spelled, below := spell(f.Type)
				s.fields = append(s.fields, fieldText{step, spelled, below, t.rules(field{f.Owner, ""}, step)})
			}
		}
	}
	for _, f := range p.Below {
		if len(p.Path) > 0 || f.Path[0] != "metadata" && f.Path[0] != "status" {
			t.reach(f)
		}
	}
}

// spell returns a type as the table has it, and the name of the struct in it.
func spell(t reflect.Type) (spelled, below string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch leafKind(t) {
	case quantityLeaf:
		return "quantity", ""
	case bytesLeaf:
		return "bytes", ""
	case noLeaf:
	default:
		return "-", ""
	}
	switch t.Kind() {
	case reflect.Slice:
		spelled, below = spell(t.Elem())
		return "[]" + spelled, below
	case reflect.Map:
		spelled, below = spell(t.Elem())
		return "{}" + spelled, below
	case reflect.Struct:
		name := builtin.Definition(t)
		return name, name
	}
	return "-", ""
}

// rules returns the rules of a field, sorted.
func (t *limitsText) rules(in field, name string) (all []string) {
	for key, classes := range t.limits.fields {
		of, steps, _ := strings.Cut(key.name, " ")
		if key.owner != in.owner || of != name {
			continue
		}
		for _, f := range classes {
			for _, rule := range t.agreed(f) {
				if steps != "" {
					rule = steps + " " + rule
				}
				all = append(all, rule)
			}
		}
	}
	slices.Sort(all)
	return all
}

// agreed returns the rules of a class that no accepted object contradicts. If kinds differ,
// each rule says which kinds it holds for.
func (t *limitsText) agreed(f *finding) (rules []string) {
	f.joinChoices()
	by := map[string][]int{}
	for k, found := range f.rules {
		if len(found) == 1 && !f.accepts[k] {
			for rule := range found {
				by[rule] = append(by[rule], t.kinds[k])
			}
		}
	}
	if len(by) == 1 && len(f.accepts) == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(f.rules)), func(found map[string]bool) bool { return len(found) > 1 }) {
		for rule := range by {
			return []string{rule}
		}
	}
	for rule, kinds := range by {
		slices.Sort(kinds)
		var numbers []string
		for _, k := range kinds {
			numbers = append(numbers, strconv.Itoa(k))
		}
		rules = append(rules, "@"+strings.Join(numbers, ",")+" "+rule)
	}
	return rules
}

// joinChoices makes one rule of rules of one detail with different texts: which of the texts are
// allowed may depend on other fields.
func (f *finding) joinChoices() {
	for _, c := range choices {
		begin := "oneof " + strconv.Quote(c.detail)
		var allowed []string
		others := 0
		for _, rules := range f.rules {
			for rule := range rules {
				list, ok := strings.CutPrefix(rule, begin)
				if !ok {
					others++
				}
				allowed = append(allowed, strings.Fields(list)...)
			}
		}
		if others > 0 || len(allowed) == 0 {
			continue
		}
		rule := begin
		for _, v := range append(quotedAll(c.values), "full") {
			if slices.Contains(allowed, v) {
				rule += " " + v
			}
		}
		for k := range f.rules {
			f.rules[k] = map[string]bool{rule: true}
		}
	}
}

func quotedAll(texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, strconv.Quote(text))
	}
	return all
}
