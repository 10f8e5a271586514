// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package fieldmanager_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/typed"
)

var (
	growth     = flag.Bool("growth", false, "measure how every operation grows, see TestGrowth")
	growthRun  = flag.String("growth.run", "", "operations to measure whose names have this in them")
	growthMost = flag.Int("growth.most", 1<<16, "largest size")
)

const growthSchema = `types:
- name: object
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {namedType: Any}}
    - {name: data, type: {map: {elementType: {scalar: string}}}}
    - {name: fixed, type: {map: {elementType: {scalar: string}}}}
    - {name: set, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: items, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [name, protocol]}}}
    - {name: loose, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [name, port]}}}
    - {name: tree, type: {map: {elementType: {namedType: branch}}}}
- name: branch
  map:
    fields:
    - {name: items, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [name, protocol]}}}
- name: item
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: value, type: {scalar: string}, default: v}
` + anyType

// growthShapes are objects of size n; v is what their values are.
var growthShapes = map[string]func(n int, v string) map[string]any{
	"fields": func(n int, v string) map[string]any {
		data := map[string]any{}
		for i := range n {
			data[fmt.Sprint("k", i)] = v
		}
		return map[string]any{"data": data}
	},
	"set": func(n int, v string) map[string]any {
		return map[string]any{"set": listOf(n, func(i int) any { return fmt.Sprint("s", i) }), "data": map[string]any{"x": v}}
	},
	"items": func(n int, v string) map[string]any {
		return map[string]any{"items": listOf(n, func(i int) any {
			return map[string]any{"name": fmt.Sprint("i", i), "protocol": []string{"TCP", "UDP"}[i%2], "value": v}
		})}
	},
	"bare": func(n int, v string) map[string]any { // keys that are defaults are not written
		return map[string]any{"items": listOf(n, func(i int) any { return map[string]any{"name": fmt.Sprint("i", i), "value": v} })}
	},
	"loose": func(n int, v string) map[string]any { // keys without default are not there
		return map[string]any{"loose": listOf(n, func(i int) any { return map[string]any{"name": fmt.Sprint("i", i), "value": v} })}
	},
	"tree": func(n int, v string) map[string]any {
		tree, side := map[string]any{}, int(math.Sqrt(float64(n)))
		for j := range side {
			tree[fmt.Sprint("b", j)] = map[string]any{"items": listOf(side, func(i int) any {
				return map[string]any{"name": fmt.Sprint("i", i), "value": v}
			})}
		}
		return map[string]any{"tree": tree}
	},
}

// listOf is a list of n items in no order.
func listOf(n int, item func(i int) any) []any {
	list := make([]any, n)
	for i, at := range rand.New(rand.NewPCG(uint64(n), 3)).Perm(n) {
		list[at] = item(i)
	}
	return list
}

type growthWorld struct {
	m     *fieldmanager.FieldManager
	typ   typed.ParseableType
	shape func(v string) map[string]any
	n     int
}

func (w *growthWorld) object(v string) map[string]any {
	o := w.shape(v)
	o["apiVersion"], o["kind"], o["metadata"] = "v1", "object", map[string]any{"name": "x"}
	return o
}

// fail is for what must not fail: growth would be that of an error.
func noError[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("%.500v", err))
	}
	return v
}

func (w *growthWorld) update(live map[string]any, manager, v string) map[string]any {
	object := w.object(v)
	if live != nil {
		object["metadata"] = live["metadata"]
	}
	return noError(w.m.Update(live, object, manager)).Object
}

func (w *growthWorld) apply(live map[string]any, manager, v string) map[string]any {
	return noError(w.m.Apply(live, w.object(v), manager, true)).Object
}

func (w *growthWorld) conflicts(live map[string]any, manager, v string) *fieldmanager.ConflictError {
	var e *fieldmanager.ConflictError
	if _, err := w.m.Apply(live, w.object(v), manager, false); !errors.As(err, &e) {
		panic(fmt.Sprint(err))
	}
	return e
}

// paths are those of the conflicts, each by itself.
func conflictPaths(e *fieldmanager.ConflictError) (all []fieldpath.Path) {
	for i := range e.Conflicts {
		all = append(all, e.Conflicts[i].Path)
	}
	return all
}

// growthOps set up what is measured, for a size.
var growthOps = map[string]func(w *growthWorld) func(){
	"Decode": func(w *growthWorld) func() {
		live := w.apply(nil, "a", "v")
		return func() { noError(fieldmanager.Decode(live)) }
	},
	"Blame": func(w *growthWorld) func() {
		live := w.update(w.apply(nil, "a", "v"), "b", "w")
		return func() { noError(w.m.Blame(live)) }
	},
	"Extract": func(w *growthWorld) func() {
		live := w.apply(nil, "a", "v")
		return func() { noError(w.m.Extract(live, "a")) }
	},
	"ExtractOwner": func(w *growthWorld) func() {
		live := w.update(w.apply(nil, "a", "v"), "b", "w")
		owner := fieldmanager.Owner{Manager: "b", Operation: fieldmanager.OperationUpdate, APIVersion: "v1"}
		return func() { noError(w.m.ExtractOwner(live, owner)) }
	},
	"Examine": func(w *growthWorld) func() {
		live := w.update(w.apply(nil, "a", "w"), "b", "v")
		return func() { noError(w.m.Examine(live, fieldmanager.ExamineOptions{Defaults: true})) }
	},
	"ExamineLost": func(w *growthWorld) func() {
		was := w.update(nil, "b", "v")
		live := map[string]any{"apiVersion": "v1", "kind": "object", "metadata": was["metadata"], "data": map[string]any{"x": "y"}}
		if w.n%2 == 0 {
			live["items"], live["tree"] = []any{}, map[string]any{}
		}
		return func() { noError(w.m.Examine(live, fieldmanager.ExamineOptions{Defaults: true})) }
	},
	"ExamineClientSide": func(w *growthWorld) func() {
		live := w.update(nil, "kubectl-client-side-apply", "v")
		live = noError(w.m.Apply(live, map[string]any{"apiVersion": "v1", "kind": "object", "metadata": map[string]any{"name": "x", "labels": map[string]any{"a": "b"}}}, "kubectl", true)).Object
		return func() { noError(w.m.Examine(live, fieldmanager.ExamineOptions{Defaults: true, Stale: time.Second})) }
	},
	"Migrate": func(w *growthWorld) func() {
		live := w.update(nil, "b", "v")
		return func() { noError(w.m.Migrate(live, fieldmanager.Migration{From: []string{"b"}, To: "a"})) }
	},
	"ApplyAgain": func(w *growthWorld) func() {
		live, config := w.apply(nil, "a", "v"), w.object("v")
		return func() { noError(w.m.Apply(live, config, "a", false)) }
	},
	"ApplyForce": func(w *growthWorld) func() {
		live, config := w.update(nil, "a", "v"), w.object("w")
		return func() { noError(w.m.Apply(live, config, "b", true)) }
	},
	"ApplyFirst": func(w *growthWorld) func() {
		live, config := w.object("v"), w.object("v")
		return func() { noError(w.m.Apply(live, config, "b", true)) }
	},
	"ApplyNothing": func(w *growthWorld) func() {
		live, config := w.apply(nil, "a", "v"), map[string]any{"apiVersion": "v1", "kind": "object", "metadata": map[string]any{"name": "x"}}
		return func() { noError(w.m.Apply(live, config, "a", false)) }
	},
	"ApplyConflicts": func(w *growthWorld) func() {
		live := w.update(nil, "a", "v")
		return func() { _ = w.conflicts(live, "b", "w").Error() }
	},
	"UpdateAll": func(w *growthWorld) func() {
		live, object := w.apply(nil, "a", "v"), w.object("w")
		return func() { noError(w.m.Update(live, object, "b")) }
	},
	"UpdateNone": func(w *growthWorld) func() {
		live := w.apply(nil, "a", "v")
		object := w.object("v")
		object["metadata"] = live["metadata"]
		return func() { noError(w.m.Update(live, object, "b")) }
	},
	"ResolvePaths": func(w *growthWorld) func() {
		live, config := w.update(nil, "a", "v"), w.object("w")
		all := conflictPaths(w.conflicts(live, "b", "w"))
		choices := fieldmanager.Choices{Match: all}
		return func() { noError(w.m.Resolve(live, config, "b", choices)) }
	},
	"ResolveMixed": func(w *growthWorld) func() {
		live, config := w.update(nil, "a", "v"), w.object("w")
		all := conflictPaths(w.conflicts(live, "b", "w"))
		choices := fieldmanager.Choices{}
		for i, p := range all {
			to := []*[]fieldpath.Path{&choices.Match, &choices.Drop, &choices.Force}[i%3]
			*to = append(*to, p)
		}
		return func() { _, _ = w.m.Resolve(live, config, "b", choices) }
	},
	"ResolveRefused": func(w *growthWorld) func() {
		live, config := w.update(nil, "a", "v"), w.object("w")
		all := conflictPaths(w.conflicts(live, "b", "w"))
		return func() { _, _ = w.m.Resolve(live, config, "b", fieldmanager.Choices{Drop: all[:(len(all)+1)/2]}) }
	},
	"Outcome": func(w *growthWorld) func() {
		e := w.conflicts(w.update(nil, "a", "v"), "b", "w")
		return func() { _, _ = e.Conflicts[0].Outcome(fieldmanager.Drop); noError(e.Outcome(fieldmanager.Match)) }
	},
	"CheckUpdate": func(w *growthWorld) func() {
		live, object := w.object("v"), w.object("w")
		typ := immutableType(w.typ)
		return func() {
			if err := fieldmanager.CheckUpdate(typ, live, object); err == nil {
				panic("nothing is immutable")
			} else {
				_ = err.Error()
			}
		}
	},
	"CheckUpdateGone": func(w *growthWorld) func() {
		live, object := w.object("v"), map[string]any{"apiVersion": "v1", "kind": "object", "metadata": map[string]any{"name": "x"}}
		typ := immutableType(w.typ)
		return func() { _ = fieldmanager.CheckUpdate(typ, live, object) }
	},
	"Rekey": func(w *growthWorld) func() {
		live := w.update(w.apply(nil, "a", "v"), "b", "w")
		source := func(typ typed.ParseableType) fieldmanager.TypeSource {
			return func(string, string) (typed.ParseableType, error) { return typ, nil }
		}
		now := growthType(strings.ReplaceAll(growthSchema, "default: TCP", "default: UDP"))
		return func() { noError(fieldmanager.Rekeying{Old: source(w.typ), New: source(now)}.Rekey(live)) }
	},
	"Respell": func(w *growthWorld) func() {
		live, object := w.object("v"), w.object("w")
		return func() { fieldmanager.Respell(w.typ, live, object) }
	},

	// Of many managers, each of which has one place.
	"managers/Decode": func(w *growthWorld) func() {
		live := w.managers(1)
		return func() { noError(fieldmanager.Decode(live)) }
	},
	"managers/Blame": func(w *growthWorld) func() {
		live := w.managers(1)
		return func() { noError(w.m.Blame(live)) }
	},
	"managers/Examine": func(w *growthWorld) func() {
		live := w.managers(1)
		return func() { noError(w.m.Examine(live, fieldmanager.ExamineOptions{Defaults: true, Stale: time.Second})) }
	},
	"managers/ExamineApplied": func(w *growthWorld) func() {
		live := w.managers(2)
		return func() { noError(w.m.Examine(live, fieldmanager.ExamineOptions{Defaults: true})) }
	},
	"managers/ExamineOneTool": func(w *growthWorld) func() {
		live := w.managers(3)
		return func() { noError(w.m.Examine(live, fieldmanager.ExamineOptions{})) }
	},
	"managers/ExamineDuplicates": func(w *growthWorld) func() {
		live := w.managers(4)
		return func() { noError(w.m.Examine(live, fieldmanager.ExamineOptions{})) }
	},
	"managers/Extract": func(w *growthWorld) func() {
		live := w.managers(2)
		return func() { noError(w.m.Extract(live, "m0")) }
	},
	"managers/Migrate": func(w *growthWorld) func() {
		live := w.managers(1)
		var from []string
		for i := range w.n {
			from = append(from, fmt.Sprint("m", i))
		}
		return func() { noError(w.m.Migrate(live, fieldmanager.Migration{From: from, To: "a"})) }
	},
	"managers/Upgrade": func(w *growthWorld) func() {
		managed := noError(fieldmanager.Decode(w.managers(1)))
		var from []string
		for i := range w.n {
			from = append(from, fmt.Sprint("m", i))
		}
		return func() {
			if _, _, err := managed.Upgrade(from, "a", ""); err != nil {
				panic(err)
			}
		}
	},
	"managers/Update": func(w *growthWorld) func() {
		live, object := w.managers(1), w.object("v")
		object["data"] = map[string]any{"new": "x"}
		return func() { noError(w.m.Update(live, object, "b")) }
	},
	"managers/Apply": func(w *growthWorld) func() {
		live, object := w.managers(1), w.object("v")
		object["data"] = map[string]any{"new": "x"}
		return func() { noError(w.m.Apply(live, object, "b", false)) }
	},
	"managers/ApplyConflicts": func(w *growthWorld) func() {
		live, object := w.managers(2), w.object("w")
		return func() {
			var e *fieldmanager.ConflictError
			if _, err := w.m.Apply(live, object, "b", false); !errors.As(err, &e) || len(e.Conflicts) != w.n {
				panic(fmt.Sprintf("%.300v", err))
			}
			_ = e.Error()
		}
	},
	"managers/ResolveForce": func(w *growthWorld) func() {
		live, object := w.managers(2), w.object("w")
		return func() {
			noError(w.m.Resolve(live, object, "b", fieldmanager.Choices{Choose: func(*fieldmanager.Conflict) fieldmanager.Choice { return fieldmanager.Force }}))
		}
	},
	"managers/Rekey": func(w *growthWorld) func() {
		live := w.managers(1)
		source := func(string, string) (typed.ParseableType, error) { return w.typ, nil }
		return func() { noError(fieldmanager.Rekeying{Old: source, New: source}.Rekey(live)) }
	},
}

func growthType(text string) typed.ParseableType {
	p := noError(typed.NewParser(typed.YAMLObject(text)))
	p.Schema.DeclarativeDefaults = true
	return p.Type("object")
}

// immutableType is t in which values and items may not change.
func immutableType(t typed.ParseableType) typed.ParseableType {
	s := schema.Schema{}
	t.Schema.CopyInto(&s)
	s.Types = append([]schema.TypeDef(nil), s.Types...)
	for i := range s.Types {
		m := s.Types[i].Map
		if m == nil {
			continue
		}
		fields := append([]schema.StructField(nil), m.Fields...)
		for j := range fields {
			switch fields[j].Name {
			case "value", "data":
				fields[j].Type.Transition = schema.Immutable
			case "items", "loose", "set":
				fields[j].Type.Transition = schema.AdditionOnly
			}
		}
		s.Types[i].Map = &schema.Map{Fields: fields, ElementType: m.ElementType, ElementRelationship: m.ElementRelationship}
	}
	return typed.ParseableType{Schema: &s, TypeRef: t.TypeRef}
}

// managers is an object of fields of which each has a manager of its own: of updates,
// of applies (2), of applies by one tool under many names (3), all of the same name (4).
func (w *growthWorld) managers(how int) map[string]any {
	live := growthShapes["fields"](w.n, "v")
	live["apiVersion"], live["kind"] = "v1", "object"
	list := make([]any, w.n)
	for i := range list {
		name, operation := fmt.Sprint("m", i), "Update"
		if how > 1 {
			operation = "Apply"
		}
		switch how {
		case 3:
			name = fmt.Sprint("tool-", i)
			if i == 0 {
				name = "tool"
			}
		case 4:
			name = "m"
		}
		list[i] = map[string]any{
			"manager": name, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1", "time": "2026-01-01T00:00:00Z",
			"fieldsV1": map[string]any{"f:data": map[string]any{fmt.Sprint("f:k", i): map[string]any{}}},
		}
	}
	live["metadata"] = map[string]any{"name": "x", "managedFields": list}
	return live
}

// cpu is the CPU time that this process has taken.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestGrowth measures the CPU time of all operations over objects of doubled sizes:
//
//	go test ./fieldmanager -run TestGrowth -growth -v
//
// An exponent of 1 is linear; sorting and a growing share of cache misses add some
// tenths. Without -growth every operation runs once, over a small object.
func TestGrowth(t *testing.T) {
	for _, op := range slices.Sorted(maps.Keys(growthOps)) {
		shapes := slices.Sorted(maps.Keys(growthShapes))
		if strings.HasPrefix(op, "managers/") {
			shapes = []string{"fields"}
		}
		for _, shape := range shapes {
			name := op + " of " + shape
			switch {
			case !*growth:
				newGrowthWorld(t, op, shape, 64).run(op)
			case strings.Contains(name, *growthRun):
				measureGrowth(t, name, op, shape)
			}
		}
	}
}

func newGrowthWorld(t *testing.T, op, shape string, n int) *growthWorld {
	w := &growthWorld{typ: growthType(growthSchema), n: n}
	w.shape = func(v string) map[string]any { return growthShapes[shape](n, v) }
	o := fieldmanager.Options{Types: func(string, string) (typed.ParseableType, error) { return w.typ, nil }, MaxUpdateManagers: 1 << 20}
	if op == "managers/Update" {
		o.MaxUpdateManagers = 0 // most are folded into one
	}
	w.m = newManager(t, o)
	return w
}

func (w *growthWorld) run(op string) { growthOps[op](w)() }

func measureGrowth(t *testing.T, name, op, shape string) {
	const patience = 3 * time.Second
	var line strings.Builder
	last := time.Duration(0)
	for n := 1 << 12; n <= *growthMost; n *= 4 {
		run := growthOps[op](newGrowthWorld(t, op, shape, n))
		best := time.Duration(math.MaxInt64)
		for range 2 {
			runtime.GC()
			start := cpu()
			run()
			best = min(best, cpu()-start)
		}
		fmt.Fprintf(&line, " %6d: %8.1f ms", n, float64(best.Microseconds())/1000)
		if last > 0 {
			exponent := math.Log(float64(best)/float64(last)) / math.Log(4)
			if fmt.Fprintf(&line, " (%.2f)", exponent); exponent > 1.7 && best > time.Second {
				t.Errorf("%s is not linear", name)
			}
		}
		if last = best; best > patience {
			line.WriteString("  too much")
			break
		}
	}
	t.Logf("%-32s%s", name, line.String())
}
