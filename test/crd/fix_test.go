// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// TestFixes checks that the fixes of lint are safe. With the fixed CRD, a server must accept
// all objects that it accepted before, and must store them as before. There are two
// exceptions. First, a list key may get the default protocol. Second, two items may become
// duplicates if only one item has the protocol. The finding warns about the second case.
func TestFixes(t *testing.T) {
	said, fixes, objects, filled, joined := map[string]int{}, 0, 0, 0, 0
	for seed := *first; seed < *first+*crds/4; seed++ {
		g := &generator{rand.New(rand.NewPCG(seed, 10)), 30}
		doc := g.crd()
		for range 1 + g.IntN(2) {
			g.mistake(doc)
		}
		before, after, says := fixed(t, doc)
		if says == nil {
			continue
		}
		fixes++
		for _, s := range says {
			said[s]++
		}
		old := versionsOf(t, doc)
		for i, v := range versionsOf(t, after) {
			where := fmt.Sprintf("seed %d, %s: %v", seed, v.name, says)
			for range 20 {
				object := g.sample(v.root)
				maps.Copy(object, meta(before, v.name))
				if spec, ok := object["spec"].(map[string]any); ok && g.chance(4) {
					if ports, ok := spec["p"].([]any); ok {
						spec["p"] = append(ports, map[string]any{"port": int64(80)}, map[string]any{"port": int64(80), "protocol": "TCP"})
					}
				}
				was, why := old[i].admit(object, nil)
				if was == nil || len(why) > 0 {
					continue
				}
				objects++
				is, why := v.admit(object, nil)
				switch {
				case strings.Contains(fmt.Sprint(why), "Duplicate value") && strings.Contains(plain.Text(was), `"TCP"`):
					joined++
				case len(why) > 0:
					t.Fatalf("%s: after the fix, the CRD rejects an object that it accepted before: %s: %v\n%s", where, plain.Text(object), why, plain.Text(doc))
				default:
					n, diff := added(was, is)
					filled += n
					if diff != "" {
						t.Fatalf("%s: after the fix, %s is stored differently: %s\n%s", where, plain.Text(object), diff, plain.Text(doc))
					}
				}
			}
		}
	}
	t.Logf("%d CRDs fixed, %v; %d objects, %d protocols filled in, %d rejected because items became duplicates", fixes, said, objects, filled, joined)
	if len(said) != 2 || objects < fixes || filled*joined == 0 {
		t.Error("too little was tested")
	}
}

// mistake adds a mistake to a CRD that lint can fix. Sometimes it also adds something that
// makes the fix unsafe, so lint must not fix the mistake.
func (g *generator) mistake(doc map[string]any) {
	versions := doc["spec"].(map[string]any)["versions"].([]any)
	v, _ := versions[g.IntN(len(versions))].(map[string]any)
	schema, _ := v["schema"].(map[string]any)
	root, _ := schema["openAPIV3Schema"].(map[string]any)
	props, _ := root["properties"].(map[string]any)
	spec, _ := props["spec"].(map[string]any)
	if spec["type"] != "object" || spec["properties"] == nil {
		spec = map[string]any{"type": "object", "properties": map[string]any{}}
		if props != nil {
			props["spec"] = spec
		}
	}
	fields := spec["properties"].(map[string]any)
	switch g.IntN(3) {
	case 0: // make a schema in which the default of an object lacks a required field that has its own default
		o := map[string]any{"type": "object", "default": map[string]any{}, "required": []any{"x"}, "properties": map[string]any{
			"x": map[string]any{"type": "string", "default": "v", "nullable": g.chance(4)}, "y": g.schema(1),
		}}
		if g.chance(4) {
			o["allOf"] = []any{map[string]any{"required": []any{"x"}}}
		}
		if g.chance(4) {
			o["x-kubernetes-validations"] = []any{map[string]any{"rule": "has(self.x)"}}
		}
		fields["o"] = o
	case 1: // make a list whose key has no default
		key := map[string]any{"type": "string"}
		if g.chance(3) {
			maps.Copy(key, pick(g, map[string]any{"enum": []any{"TCP", "UDP"}}, map[string]any{"enum": []any{"UDP"}}, map[string]any{"minLength": 4},
				map[string]any{"maxLength": 2}, map[string]any{"pattern": "^[a-z]*$"}, map[string]any{"format": "ipv4"}, map[string]any{"not": map[string]any{"enum": []any{"TCP"}}},
				map[string]any{"x-kubernetes-validations": []any{map[string]any{"rule": "self != 'TCP'"}}}, map[string]any{"minLength": 1}))
		}
		item := map[string]any{"type": "object", "required": []any{"port"}, "properties": map[string]any{
			"port": map[string]any{"type": "integer", "enum": []any{80, 81}}, "protocol": key, "a": map[string]any{"type": "string"},
		}}
		list := map[string]any{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"port", "protocol"}, "items": item}
		absent := map[string]any{"not": map[string]any{"required": []any{"protocol"}}}
		rule := func(on map[string]any, rule string) {
			on["x-kubernetes-validations"] = []any{map[string]any{"rule": rule}}
		}
		if g.chance(2) {
			ways := []func(){
				func() { item["maxProperties"] = 2 },
				func() { item["anyOf"] = []any{absent, map[string]any{"required": []any{"a"}}} },
				func() {
					item["oneOf"] = []any{map[string]any{"required": []any{"protocol"}}, map[string]any{"required": []any{"port"}}}
				},
				func() { list["maxItems"] = 4; rule(item, "!has(self.protocol) || has(self.a)") },
				func() { list["maxItems"] = 4; rule(list, "self.all(x, !has(x.protocol))") },
				func() { list["maxItems"] = 4; list["allOf"] = []any{map[string]any{"items": absent}} },
				func() { list["maxItems"] = 4; rule(spec, "!has(self.p) || self.p.all(x, !has(x.protocol))") },
				func() {
					spec["allOf"] = []any{map[string]any{"properties": map[string]any{"p": map[string]any{"items": absent}}}}
				},
				func() { item["enum"] = []any{map[string]any{"port": 80}, map[string]any{"port": 81}} },
				func() { list["enum"] = []any{[]any{map[string]any{"port": 80}}, []any{}} },
			}
			pick(g, ways...)()
		}
		fields["p"] = list
	default: // make a field that is a member of a union, or that turns a feature on
		a := map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string", "default": "v"}}}
		fields["m"], fields["n"] = a, map[string]any{"type": "object"}
		if g.chance(2) {
			spec["oneOf"] = []any{map[string]any{"required": []any{"m"}}, map[string]any{"required": []any{"n"}}}
		}
	}
}

// fixed returns a CRD with all fixes of lint, and the descriptions of the fixes. It returns nil
// if there are no fixes, or if the CRD has other mistakes.
func fixed(t *testing.T, doc map[string]any) (d *crd.Definition, after map[string]any, says []string) {
	t.Helper()
	defs, err := crd.Read("crd", []byte(plain.Text(doc)))
	if err != nil {
		t.Fatalf("%v in %s", err, plain.Text(doc))
	}
	for _, f := range defs[0].Validate() {
		if f.Fix == nil {
			return nil, nil, nil
		}
	}
	after, says = lintFix(t, "crd", doc)
	return defs[0], after, says
}

// lintFix returns a CRD as dovetail lint --fix writes it, and the descriptions of its fixes.
func lintFix(t *testing.T, name string, doc map[string]any) (after map[string]any, says []string) {
	t.Helper()
	return edited(t, name, doc, func(_ *manifest.Object, d *crd.Definition) (changes []manifest.Change) {
		done := map[string]bool{}
		for _, f := range append(d.Validate(), d.Lint()...) {
			if f.Fix != nil && !done[fmt.Sprint(f.Fix.Change.Steps, f.Fix.Summary)] {
				done[fmt.Sprint(f.Fix.Change.Steps, f.Fix.Summary)] = true
				changes, says = append(changes, f.Fix.Change), append(says, f.Fix.Summary)
			}
		}
		return changes
	}), says
}

// edited returns a document after change has modified it.
func edited(t *testing.T, name string, doc map[string]any, change func(o *manifest.Object, d *crd.Definition) []manifest.Change) map[string]any {
	t.Helper()
	data, err := manifest.Edit(name, []byte(plain.Text(doc)), func(o *manifest.Object) ([]manifest.Change, error) {
		return change(o, crd.New(o)), nil
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	values, err := manifest.ReadValues(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return values[0].(map[string]any)
}

// served is a version of a CRD, as the API server serves it.
type served struct {
	name string
	root map[string]any
	server
}

func versionsOf(t *testing.T, doc map[string]any) (all []served) {
	t.Helper()
	def, err := internal(t, doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range doc["spec"].(map[string]any)["versions"].([]any) {
		v := v.(map[string]any)
		name := v["name"].(string)
		all = append(all, served{name, v["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any), serve(t, def, name)})
	}
	return all
}

// added compares an old object, was, with a new object, is. n is the number of protocols that
// only the new object has. diff describes any other difference.
func added(was, is any) (n int, diff string) {
	switch is := is.(type) {
	case map[string]any:
		old, _ := was.(map[string]any)
		for _, k := range sortedKeys(is) {
			v, there := old[k]
			if !there && k == "protocol" && is[k] == "TCP" {
				n++
				continue
			}
			if !there {
				return n, fmt.Sprintf("%s: %s is new", k, plain.Text(is[k]))
			}
			more, diff := added(v, is[k])
			if n += more; diff != "" {
				return n, k + "." + diff
			}
		}
		for _, k := range sortedKeys(old) {
			if _, there := is[k]; !there {
				return n, k + " is missing"
			}
		}
		return n, ""
	case []any:
		old, _ := was.([]any)
		if len(old) != len(is) {
			return 0, "the length"
		}
		for i := range is {
			more, diff := added(old[i], is[i])
			if n += more; diff != "" {
				return n, fmt.Sprint(i, ".", diff)
			}
		}
		return n, ""
	}
	if plain.Text(was) != plain.Text(is) {
		return 0, plain.Text(was) + " became " + plain.Text(is)
	}
	return 0, ""
}

// meta returns the fields that every object of a CRD has, such as kind.
func meta(d *crd.Definition, version string) map[string]any {
	m := map[string]any{"name": "x", "resourceVersion": "1"}
	if d.Namespaced {
		m["namespace"] = "y"
	}
	return runtime.DeepCopyJSON(map[string]any{"apiVersion": d.Group + "/" + version, "kind": d.Kind, "metadata": m})
}
