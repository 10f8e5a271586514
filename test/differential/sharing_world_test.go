// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/schema"
	"github.com/dovetail-ssa/dovetail/test/differential/gen"
	"github.com/dovetail-ssa/dovetail/test/differential/structs"
	"github.com/dovetail-ssa/dovetail/test/differential/tree"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

// sharingWorld has the inputs of all operations.
type sharingWorld struct {
	doc      typed.YAMLObject
	schema   *schema.Schema
	ref      schema.TypeRef
	a, b     *typed.TypedValue
	data     []any // the data from which a and b were created
	structs  bool  // whether a and b are Go structs
	s, t     *fieldpath.Set
	managers fieldpath.ManagedFields
	updater  *merge.Updater
}

// newSharingWorld returns random inputs. It returns nil if they are invalid.
func newSharingWorld(s *gen.Source) *sharingWorld {
	w := &sharingWorld{}
	model, ref := gen.NewModel(s), gen.Ref{Named: "root"}
	if w.structs = s.Chance(1, 6); w.structs {
		model = gen.StructuredModel()
	}
	doc := model.Tree()
	if s.Chance(1, 4) {
		doc.(map[string]any)["declarativeDefaults"] = true
	}
	w.doc = typed.YAMLObject(tree.Text(doc))
	p, err := typed.NewParser(w.doc)
	if err != nil {
		return nil
	}
	root := "root"
	w.schema, w.ref = &p.Schema, schema.TypeRef{NamedType: &root}
	first := gen.NewObject(s, model, ref, false)
	second := gen.NewObject(s, model, ref, false)
	if s.Chance(2, 3) {
		second = gen.Tweak(s, model, ref, first)
	}
	flavor := gen.Pick(s, tree.JSON, tree.JSON, tree.AnyMap, tree.Mixed)
	if w.a = w.object(first, flavor); w.a == nil {
		return nil
	}
	if w.b = w.object(second, flavor); w.b == nil {
		return nil
	}
	w.s = w.set(gen.NewSet(s, model, ref, first))
	if w.t = w.set(gen.NewSet(s, model, ref, second)); s.Chance(1, 3) {
		// This set shares parts with the other set, and its slices have unused capacity.
		w.t = w.s.Union(w.t)
		w.t.Insert(fieldpath.MakePathOrDie("spare", "room"))
	}
	builder := merge.UpdaterBuilder{Converter: sameVersion{}, ReturnInputOnNoop: s.Chance(1, 2)}
	w.updater = builder.BuildUpdater()
	w.managers = fieldpath.ManagedFields{}
	live := w.null()
	for i, config := range []*typed.TypedValue{w.a, w.b} {
		if i > 0 && s.Chance(1, 3) {
			break // there is only one manager
		}
		merged, managers, err := w.updater.Apply(live, config, "v1", w.managers, fmt.Sprint("applier", i), true)
		if err != nil {
			continue
		}
		if w.managers = managers; merged != nil {
			live = merged
		}
	}
	if s.Chance(1, 2) {
		w.managers["claimed"] = fieldpath.NewVersionedSet(w.s, "v1", false)
	}
	return w
}

// sameVersion is a converter for objects that have only one version.
type sameVersion struct{}

func (sameVersion) Convert(object *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return object, nil
}
func (sameVersion) IsMissingVersionError(error) bool { return false }

// object returns a typed value for a tree. It returns nil if the object is invalid.
func (w *sharingWorld) object(base any, flavor tree.Flavor) *typed.TypedValue {
	var v value.Value
	var data any
	if w.structs {
		ptr, ok := structs.Build("", base, 8, nil)
		if !ok {
			return nil
		}
		var err error
		if v, err = value.NewValueReflect(ptr); err != nil {
			return nil
		}
		data = ptr
	} else {
		data = tree.Build(base, flavor)
		v = value.NewValueInterface(data)
	}
	tv, err := typed.AsTyped(v, w.schema, w.ref)
	if err != nil {
		return nil
	}
	w.data = append(w.data, data)
	return tv
}

// unused returns equal inputs with a new schema and new values, in which nothing is cached.
func (w *sharingWorld) unused() *sharingWorld {
	p, err := typed.NewParser(w.doc)
	if err != nil {
		panic(err)
	}
	out := *w
	out.schema = &p.Schema
	out.a = typed.AsTypedUnvalidated(w.a.AsValue(), out.schema, w.ref)
	out.b = typed.AsTypedUnvalidated(w.b.AsValue(), out.schema, w.ref)
	return &out
}

func (w *sharingWorld) null() *typed.TypedValue {
	return typed.AsTypedUnvalidated(value.NewValueInterface(map[string]any{}), w.schema, w.ref)
}

func (w *sharingWorld) set(text string) *fieldpath.Set {
	s := &fieldpath.Set{}
	if err := s.FromJSON(bytes.NewReader([]byte(text))); err != nil {
		return fieldpath.NewSet()
	}
	return s
}

// inputs returns the content of each input as text.
func (w *sharingWorld) inputs() []string {
	out := []string{setText(w.s), setText(w.t), managersText(w.managers)}
	for _, d := range w.data {
		if w.structs {
			out = append(out, jsonText(d))
		} else {
			out = append(out, tree.Text(d))
		}
	}
	return out
}

func setText(s *fieldpath.Set) string {
	if s == nil {
		return "no set"
	}
	return s.String()
}

func objectText(tv *typed.TypedValue) string {
	if tv == nil || tv.AsValue() == nil {
		return "no object"
	}
	return tree.Text(tv.AsValue().Unstructured())
}

func managersText(m fieldpath.ManagedFields) string {
	if m == nil {
		return "no managers"
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s %v %v {%s}\n", name, m[name].APIVersion(), m[name].Applied(), m[name].Set())
	}
	return b.String()
}

// writeInputs adds paths to the operands of set operations, next to the parts that results
// share.
func (w *sharingWorld) writeInputs() {
	insertAround(w.s)
	insertAround(w.t)
}

// run runs all operations and returns their results.
func (w *sharingWorld) run() []sharingResult {
	var out []sharingResult
	object := func(name string, tv *typed.TypedValue, fresh freshness, along *fieldpath.Set, err error) {
		out = append(out, sharingResult{name: name, object: tv, fresh: fresh, along: along, err: err})
	}
	set := func(name string, s *fieldpath.Set, own bool, err error) {
		out = append(out, sharingResult{name: name, set: s, own: own, err: err})
	}
	set("Validate", nil, false, w.a.Validate())
	fields, err := w.a.ToFieldSet()
	set("ToFieldSet", fields, true, err)
	for name, pair := range map[string][2]*typed.TypedValue{"": {w.a, w.b}, " reversed": {w.b, w.a}, " of a value with itself": {w.a, w.a}} {
		merged, err := pair[0].Merge(pair[1])
		object("Merge"+name, merged, merges, nil, err)
		c, err := pair[0].Compare(pair[1])
		if err != nil {
			c = &typed.Comparison{}
		}
		set("Compare, removed"+name, c.Removed, true, err)
		set("Compare, modified"+name, c.Modified, true, err)
		set("Compare, added"+name, c.Added, true, err)
	}
	for name, items := range map[string]*fieldpath.Set{"": w.s, " of nothing": fieldpath.NewSet()} {
		object("RemoveItems"+name, w.a.RemoveItems(items), removes, items, nil)
	}
	object("ExtractItems", w.a.ExtractItems(w.s), extracts, w.s, nil)
	object("ExtractItems with keys", w.a.ExtractItems(w.s.Leaves(), typed.WithAppendKeyFields()), extracts, w.s, nil)
	reconciled, err := typed.ReconcileFieldSetWithSchema(w.s, w.a)
	set("ReconcileFieldSetWithSchema", reconciled, false, err)

	managed := func(name string, tv *typed.TypedValue, fresh freshness, m fieldpath.ManagedFields, err error) {
		object(name, tv, fresh, nil, err)
		out = append(out, sharingResult{name: name + ", managers", managers: m, err: err})
	}
	for name, config := range map[string]*typed.TypedValue{"first": w.a, "second": w.b, "nothing": w.null()} {
		o, m, err := w.updater.Apply(w.a, config, "v1", w.managers, "applier0", true)
		managed("Apply "+name, o, merges, m, err)
		_, m, err = w.updater.Update(w.a, config, "v1", w.managers, "updater")
		managed("Update "+name, nil, isInput, m, err)
	}
	slices.SortStableFunc(out, func(x, y sharingResult) int { return bytes.Compare([]byte(x.name), []byte(y.name)) })

	set("Union", w.s.Union(w.t), false, nil)
	set("Union with itself", w.s.Union(w.s), false, nil)
	set("Intersection", w.s.Intersection(w.t), false, nil)
	set("Difference", w.s.Difference(w.t), false, nil)
	set("RecursiveDifference", w.s.RecursiveDifference(w.t), false, nil)
	set("Leaves", w.s.Leaves(), false, nil)
	set("EnsureNamedFieldsAreMembers", w.s.EnsureNamedFieldsAreMembers(w.schema, w.ref), false, nil)
	set("Copy", w.s.Copy(), true, nil)
	inserted, paths := fieldpath.NewSet(), []fieldpath.Path(nil)
	w.s.Iterate(func(p fieldpath.Path) {
		inserted.Insert(p)
		paths = append(paths, p.Copy())
	})
	set("Insert", inserted, true, nil)
	set("NewSet", fieldpath.NewSet(paths...), true, nil)
	text, err := w.s.ToJSON()
	set("FromJSON", w.set(string(text)), true, err)
	return out
}
