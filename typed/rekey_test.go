// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package typed_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

var (
	rekeyCases = flag.Int("rekey", 3000, "how many random cases TestRekeyLaws takes")
	rekeySeed  = flag.Int("rekey-seed", 0, "where TestRekeyLaws starts")
)

// keyed is a schema of lists inside lists. The reference implementation in this file
// reads schemas in this form.
type keyed struct {
	gate bool
	list keyedList
}

// keyedList is a list whose items have keys, a field name, and possibly another list.
type keyedList struct {
	keys     []string       // sorted
	defaults map[string]any // the default of each key that has one
	sub      *keyedList
	atomic   bool
}

func (l *keyedList) ref() schema.TypeRef {
	number, text := schema.Numeric, schema.String
	item := &schema.Map{Fields: []schema.StructField{{Name: "name", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}}}}
	for _, k := range []string{"a", "b", "c"} {
		f := schema.StructField{Name: k, Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &text}}}
		if k == "a" {
			f.Type.Inlined.Scalar = &number
		}
		if slices.Contains(l.keys, k) {
			f.Default = l.defaults[k]
		}
		item.Fields = append(item.Fields, f)
	}
	if l.sub != nil {
		item.Fields = append(item.Fields, schema.StructField{Name: "sub", Type: l.sub.ref()})
	}
	list := &schema.List{ElementRelationship: schema.Atomic, ElementType: schema.TypeRef{Inlined: schema.Atom{Map: item}}}
	if !l.atomic {
		list.ElementRelationship, list.Keys = schema.Associative, l.keys
	}
	return schema.TypeRef{Inlined: schema.Atom{List: list}}
}

func (k *keyed) parseable() typed.ParseableType {
	root := "root"
	return typed.ParseableType{TypeRef: schema.TypeRef{NamedType: &root}, Schema: &schema.Schema{
		DeclarativeDefaults: k.gate,
		Types: []schema.TypeDef{{Name: root, Atom: schema.Atom{Map: &schema.Map{
			Fields: []schema.StructField{{Name: "sub", Type: k.list.ref()}},
		}}}},
	}}
}

// nameOf is the reference implementation for the path element of an item. It uses the value
// of each key, or the default if the key is missing. A null counts as a value only without
// declarative defaults. nameOf returns false if the item has no path element.
func (l *keyedList) nameOf(gate bool, item map[string]any) (fieldpath.PathElement, bool) {
	var key value.FieldList
	for _, k := range l.keys {
		v, ok := item[k]
		if gate && v == nil {
			ok = false
		}
		if !ok {
			if v, ok = l.defaults[k]; !ok {
				continue
			}
		}
		key = append(key, value.Field{Name: k, Value: value.NewValueInterface(v)})
	}
	return fieldpath.PathElement{Key: &key}, len(key) > 0
}

// read returns the path element that pe means under the schema. With declarative defaults, a
// null key counts as a missing key, and a missing key gets its default.
func (l *keyedList) read(gate bool, pe fieldpath.PathElement) fieldpath.PathElement {
	if !gate {
		return pe
	}
	written := map[string]any{}
	for _, f := range *pe.Key {
		if !slices.Contains(l.keys, f.Name) {
			return pe // the element is for a list with other keys
		}
		written[f.Name] = f.Value.Unstructured()
	}
	if meant, ok := l.nameOf(true, written); ok {
		return meant
	}
	return pe
}

// read returns p with each element as the schema reads it.
func (k *keyed) read(p fieldpath.Path) fieldpath.Path {
	p = slices.Clone(p)
	l := &k.list
	for i := range p {
		if p[i].Key != nil {
			p[i] = l.read(k.gate, p[i])
			l = l.sub
		}
	}
	return p
}

// owned finds the items and fields of the list live that set owns, in a simple and slow way.
// It adds each item and field to out. The keys of out are positions, in which items are
// identified by index. The values of out are paths.
func (l *keyedList) owned(gate bool, set *fieldpath.Set, live []any, at string, path fieldpath.Path, out map[string]fieldpath.Path) {
	for i, v := range live {
		item := v.(map[string]any)
		pe, ok := l.nameOf(gate, item)
		if !ok {
			continue
		}
		where, here := fmt.Sprintf("%s/%d", at, i), append(slices.Clone(path), pe)
		set.Members.Iterate(func(m fieldpath.PathElement) {
			if l.read(gate, m).Equals(pe) {
				out[where] = here
			}
		})
		set.Children.Iterate(func(m fieldpath.PathElement) {
			if !l.read(gate, m).Equals(pe) {
				return
			}
			below, _ := set.Children.Get(m)
			for name := range item {
				f := fieldpath.PathElement{FieldName: &name}
				if below.Members.Has(f) {
					out[where+"."+name] = append(slices.Clone(here), f)
				}
				list, _ := item[name].([]any)
				sub, ok := below.Children.Get(f)
				if l.sub != nil && name == "sub" && l.sub.atomic && (ok || below.Members.Has(f)) {
					out[where+"."+name] = append(slices.Clone(here), f)
					whole(list, where+"."+name, append(slices.Clone(here), f), out)
				} else if ok && l.sub != nil && !l.sub.atomic {
					l.sub.owned(gate, sub, list, where+"."+name, append(slices.Clone(here), f), out)
				}
			}
		})
	}
}

// whole adds everything in an atomic list to out, always with the path of the list.
func whole(live []any, at string, path fieldpath.Path, out map[string]fieldpath.Path) {
	for i, v := range live {
		where := fmt.Sprintf("%s/%d", at, i)
		out[where] = path
		for name, v := range v.(map[string]any) {
			out[where+"."+name] = path
			if list, ok := v.([]any); ok {
				whole(list, where+"."+name, path, out)
			}
		}
	}
}

func (k *keyed) owned(set *fieldpath.Set, live map[string]any) map[string]fieldpath.Path {
	out := map[string]fieldpath.Path{}
	name := "sub"
	pe := fieldpath.PathElement{FieldName: &name}
	if sub, ok := set.Children.Get(pe); ok {
		k.list.owned(k.gate, sub, live[name].([]any), "", fieldpath.Path{pe}, out)
	}
	return out
}

// places returns the positions of all live items and fields with their paths.
func (k *keyed) places(live map[string]any) map[string]fieldpath.Path {
	return k.owned(k.everything(live), live)
}

// everything returns the set that owns all of live.
func (k *keyed) everything(live map[string]any) *fieldpath.Set {
	set := fieldpath.NewSet()
	name := "sub"
	k.list.everything(k.gate, live[name].([]any), fieldpath.Path{{FieldName: &name}}, set)
	return set
}

func (l *keyedList) everything(gate bool, live []any, path fieldpath.Path, set *fieldpath.Set) {
	for _, v := range live {
		item := v.(map[string]any)
		pe, ok := l.nameOf(gate, item)
		if !ok {
			continue
		}
		here := append(slices.Clone(path), pe)
		set.Insert(here)
		for name, v := range item {
			below := append(slices.Clone(here), fieldpath.PathElement{FieldName: &name})
			if list, ok := v.([]any); ok && l.sub != nil && !l.sub.atomic {
				l.sub.everything(gate, list, below, set)
			} else {
				set.Insert(below)
			}
		}
	}
}

type rekeyRand struct{ *rand.Rand }

func (r rekeyRand) pick(of ...any) any { return of[r.IntN(len(of))] }

func (r rekeyRand) keyValue(key string) any {
	if key == "a" {
		return r.pick(int64(0), int64(1), int64(2))
	}
	return r.pick("", "TCP", "UDP")
}

func (r rekeyRand) list(depth int) keyedList {
	l := keyedList{keys: [][]string{{"a"}, {"b"}, {"a", "b"}, {"a", "b"}, {"b", "c"}, {"a", "b", "c"}}[r.IntN(6)], defaults: map[string]any{}}
	r.redefault(&l)
	if depth > 0 && r.IntN(2) == 0 {
		sub := r.list(depth - 1)
		sub.atomic = r.IntN(4) == 0
		l.sub = &sub
	}
	return l
}

func (r rekeyRand) redefault(l *keyedList) {
	for _, k := range l.keys {
		switch r.IntN(4) {
		case 0, 1:
			l.defaults[k] = r.keyValue(k)
		case 2:
			delete(l.defaults, k)
		}
	}
}

// changed returns the list type with other defaults, and sometimes with other keys.
func (r rekeyRand) changed(l keyedList) keyedList {
	d := map[string]any{}
	for k, v := range l.defaults {
		d[k] = v
	}
	l.defaults = d
	r.redefault(&l)
	if r.IntN(8) == 0 {
		l.keys = [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}}[r.IntN(3)]
		for k := range d {
			if !slices.Contains(l.keys, k) {
				delete(d, k)
			}
		}
	}
	if l.sub != nil {
		sub := r.changed(*l.sub)
		if r.IntN(4) == 0 {
			sub.atomic = !sub.atomic
		}
		l.sub = &sub
	}
	return l
}

func (r rekeyRand) live(l *keyedList) []any {
	var out []any
	for range r.IntN(5) {
		item := map[string]any{}
		for _, k := range []string{"a", "b", "c"} {
			switch r.IntN(5) {
			case 0, 1, 2:
				item[k] = r.keyValue(k)
			case 3:
				item[k] = nil
			}
		}
		if r.IntN(2) == 0 {
			item["name"] = r.pick("x", "y")
		}
		if l.sub != nil && r.IntN(3) > 0 {
			item["sub"] = r.live(l.sub)
		}
		out = append(out, item)
	}
	return out
}

// set returns a set with some of the live paths, and some other paths. If canonical is true,
// the paths have the form in which the engine writes them.
func (r rekeyRand) set(k *keyed, live map[string]any, canonical bool) *fieldpath.Set {
	set := fieldpath.NewSet()
	k.everything(live).Iterate(func(p fieldpath.Path) {
		if r.IntN(3) > 0 {
			set.Insert(p.Copy())
		}
	})
	other := map[string]any{"sub": r.live(&k.list)}
	strange := keyed{gate: k.gate, list: k.list}
	if !canonical {
		strange.list = r.changed(k.list)
		strange.list.keys = k.list.keys
	}
	strange.everything(other).Iterate(func(p fieldpath.Path) {
		if r.IntN(3) == 0 {
			set.Insert(p.Copy())
		}
	})
	return set
}

func isPrefix(p, of fieldpath.Path) bool { return len(p) <= len(of) && p.Equals(of[:len(p)]) }

// TestRekeyLaws checks that no owner gains or loses a live item without a move that reports
// it. All moves must be true. A path without a move must keep the same bytes.
func TestRekeyLaws(t *testing.T) {
	for i := range *rekeyCases {
		seed := i + *rekeySeed
		r := rekeyRand{rand.New(rand.NewPCG(uint64(seed), 11))}
		old := keyed{gate: r.IntN(3) > 0, list: r.list(2)}
		now := keyed{gate: old.gate, list: r.changed(old.list)}
		if r.IntN(4) == 0 {
			now.gate = !old.gate
		}
		live := map[string]any{"sub": r.live(&old.list)}
		set := r.set(&old, live, false)
		if why := rekeyLaws(&old, &now, live, set); why != "" {
			t.Fatalf("seed %d: %s\nold %s\nnow %s\nlive %s\nset %s", seed, why, describeKeyed(&old), describeKeyed(&now), asJSONText(live), set)
		}
		set = r.set(&old, live, true)
		if why := rekeyBack(&old, live, set); why != "" {
			t.Fatalf("seed %d: %s\nschema %s\nlive %s\nset %s", seed, why, describeKeyed(&old), asJSONText(live), set)
		}
	}
}

func rekeyLaws(old, now *keyed, live map[string]any, set *fieldpath.Set) string {
	text := asJSONText(live)
	bytes, err := set.ToJSON()
	if err != nil {
		return err.Error()
	}
	from, to := old.parseable(), now.parseable()
	out, moves, err := from.Rekeyer(to, live).Rekey(set)
	if err != nil {
		return err.Error()
	}
	if again, _ := set.ToJSON(); string(again) != string(bytes) || asJSONText(live) != text {
		return "an argument was modified"
	}
	said := fmt.Sprintf("became %s\nmoves %+v", out, moves)
	same := 0
	for _, m := range moves {
		if !hasPlace(set, m.Old) {
			return fmt.Sprintf("there was no %s; %s", m.Old, said)
		}
		if !hasPlace(out, m.New) {
			return fmt.Sprintf("there is no %s; %s", m.New, said)
		}
		if m.Why == "" {
			return fmt.Sprintf("%s: no reason is given; %s", m.Old, said)
		}
		if m.Old.Equals(m.New) && m.Reason != typed.MoveSplit && m.Reason != typed.MoveMerged &&
			m.Reason != typed.MoveBecameAtomic && m.Reason != typed.MoveBecameGranular {
			same++
		}
	}
	if len(moves) == same && out != set {
		return "nothing moved, but the set is another; " + said
	}
	before, after := old.owned(set, live), now.owned(out, live)
	oldPlaces, newPlaces := old.places(live), now.places(live)
	maps.Copy(oldPlaces, before) // this adds containers whose items have paths of their own
	maps.Copy(newPlaces, after)
	for where := range allOf(oldPlaces, newPlaces) {
		_, had := before[where]
		_, has := after[where]
		if had == has {
			continue
		}
		told := slices.ContainsFunc(moves, func(m typed.Move) bool {
			switch {
			case had && m.Reason != typed.MoveUnnamed && m.Reason != typed.MoveBecameGranular:
				return false
			case has && m.Reason != typed.MoveShared && m.Reason != typed.MoveMerged && m.Reason != typed.MoveSplit &&
				m.Reason != typed.MoveBecameAtomic && m.Reason != typed.MoveBecameGranular:
				return false
			}
			return isPrefix(old.read(m.Old), oldPlaces[where]) || isPrefix(m.New, newPlaces[where])
		})
		if !told {
			return fmt.Sprintf("%s (%s, now %s) was owned: %v, is owned: %v, and no move says so; %s",
				where, oldPlaces[where], newPlaces[where], had, has, said)
		}
	}
	again, more, err := to.Rekeyer(to, live).Rekey(out)
	if err != nil || again != out || len(more) != 0 {
		return fmt.Sprintf("carried to the same schema, it becomes %s, %v, %+v; %s", again, err, more, said)
	}
	return ""
}

// rekeyBack converts a set to other schemas and back. If the set lost paths that must stay,
// rekeyBack returns a message.
func rekeyBack(k *keyed, live map[string]any, set *fieldpath.Set) string {
	on, off := (&keyed{gate: true, list: k.list}).parseable(), (&keyed{gate: false, list: k.list}).parseable()
	if !k.gate {
		var err error
		if set, _, err = off.Rekeyer(on, live).Rekey(set); err != nil {
			return err.Error()
		}
	}
	without, moves, err := on.Rekeyer(off, live).Rekey(set)
	if err != nil {
		return err.Error()
	}
	back, _, err := off.Rekeyer(on, live).Rekey(without)
	if err != nil {
		return err.Error()
	}
	a, _ := set.ToJSON()
	if b, _ := back.ToJSON(); string(a) != string(b) {
		return fmt.Sprintf("on, off and on again it is\n%s\nafter %s\nmoves %+v", b, without, moves)
	}
	return ""
}

func hasPlace(set *fieldpath.Set, p fieldpath.Path) bool {
	for i, pe := range p {
		below, ok := set.Children.Get(pe)
		if i == len(p)-1 {
			return ok || set.Members.Has(pe)
		}
		if !ok {
			return false
		}
		set = below
	}
	return false
}

func allOf(maps ...map[string]fieldpath.Path) map[string]bool {
	out := map[string]bool{}
	for _, m := range maps {
		for k := range m {
			out[k] = true
		}
	}
	return out
}

func describeKeyed(k *keyed) string {
	var b strings.Builder
	fmt.Fprintf(&b, "gate %v", k.gate)
	for l := &k.list; l != nil; l = l.sub {
		fmt.Fprintf(&b, ", atomic %v keys %v defaults %v", l.atomic, l.keys, l.defaults)
	}
	return b.String()
}

func asJSONText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// FuzzRekey converts any set between two schemas, for any live object. The schemas differ in
// everything that affects identities. The conversion must not panic or modify its arguments.
// The reported moves must be correct, and converting the result again must change nothing.
func FuzzRekey(f *testing.F) {
	for _, set := range []string{
		`{}`, `{"f:sub":{}}`, `{"f:sub":{"k:{\"a\":1}":{".":{},"f:a":{},"f:sub":{"k:{\"b\":null}":{}}}}}`,
		`{"f:sub":{"k:{\"a\":1,\"b\":\"TCP\"}":{".":{}},"k:{\"a\":1.0}":{},"k:{\"b\":\"TCP\",\"z\":[1]}":{},"v:1":{},"i:0":{},"k:{}":{}}}`,
		`{"f:sub":{"f:sub":{"k:{\"a\":1}":{}}},"k:{\"a\":1}":{}}`,
	} {
		f.Add([]byte(set), []byte(`{"sub":[{"a":1,"sub":[{"b":"x"}]},{"a":1,"b":"TCP"},{"b":null},7,null,{"a":{}}]}`))
		f.Add([]byte(set), []byte(`{"sub":{"a":1}}`))
	}
	sub := keyedList{keys: []string{"b"}, defaults: map[string]any{"b": ""}}
	types := []typed.ParseableType{
		(&keyed{gate: true, list: keyedList{keys: []string{"a", "b"}, defaults: map[string]any{"b": "TCP"}, sub: &sub}}).parseable(),
		(&keyed{gate: true, list: keyedList{keys: []string{"a", "b"}, defaults: map[string]any{"a": int64(1)}, sub: &sub}}).parseable(),
		(&keyed{list: keyedList{keys: []string{"a", "b"}, defaults: map[string]any{"b": "TCP"}, sub: &sub}}).parseable(),
		(&keyed{list: keyedList{keys: []string{"a", "b", "c"}, sub: &keyedList{keys: []string{"a"}}}}).parseable(),
		typed.DeducedParseableType,
	}
	f.Fuzz(func(t *testing.T, fields, object []byte) {
		set := fieldpath.NewSet()
		if set.FromJSON(bytes.NewReader(fields)) != nil {
			return
		}
		live, err := value.FromJSON(object)
		if err != nil {
			return
		}
		beforeLive, before := asJSONText(live.Unstructured()), set.String()
		for _, from := range types {
			for _, to := range types {
				out, moves, err := from.Rekeyer(to, live.Unstructured()).Rekey(set)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range moves {
					if !hasPlace(set, m.Old) || !hasPlace(out, m.New) || m.Why == "" {
						t.Fatalf("%+v: %s became %s", m, set, out)
					}
				}
				if again, _, err := to.Rekeyer(to, live.Unstructured()).Rekey(out); err != nil || again != out {
					t.Fatalf("again it is %s, not %s: %v", again, out, err)
				}
			}
		}
		if asJSONText(live.Unstructured()) != beforeLive || set.String() != before {
			t.Fatal("an argument was modified")
		}
	})
}

// TestRekeyer checks that one Rekeyer for several sets returns the same results as a Rekeyer
// for each set.
func TestRekeyer(t *testing.T) {
	for seed := range 300 {
		r := rekeyRand{rand.New(rand.NewPCG(uint64(seed), 12))}
		old := keyed{gate: r.IntN(3) > 0, list: r.list(2)}
		now := keyed{gate: old.gate, list: r.changed(old.list)}
		live := map[string]any{"sub": r.live(&old.list)}
		from, to := old.parseable(), now.parseable()
		all := from.Rekeyer(to, live)
		for range 4 {
			set := r.set(&old, live, false)
			want, moves, err := from.Rekeyer(to, live).Rekey(set)
			got, moved, problem := all.Rekey(set)
			if err != nil || problem != nil || !got.Equals(want) || fmt.Sprint(moved) != fmt.Sprint(moves) {
				t.Fatalf("seed %d: got %v, %v %v, want %v, %v %v", seed, got, moved, problem, want, moves, err)
			}
		}
	}
}
