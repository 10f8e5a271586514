// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package merge_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/typed"
)

var (
	gateSteps = flag.Int("gate.steps", 20000, "how many steps TestLawsOfDeclarativeDefaults takes")
	gateSeed  = flag.Uint64("gate.seed", 1, "the first seed of TestLawsOfDeclarativeDefaults")
)

// step is one operation on an object. Steps do not depend on each other, so a history without
// some of its steps is still valid.
type step struct {
	Do      string // apply, force, update, rekey, pin, or neither; neither is a schema change without rekey or pin
	Manager string `json:",omitempty"`
	V2      bool   `json:",omitempty"`
	Object  any    `json:",omitempty"` // the sent object, in v1
	Model   *model `json:",omitempty"` // the new schema, for a schema change
	Why     string `json:",omitempty"`
}

// world is one object together with the state that its server keeps.
type world struct {
	model    *model
	fill     bool // true if the server fills in defaults
	v1, v2   typed.ParseableType
	live     any // the live object, in v1
	managers fieldpath.ManagedFields
	applied  map[string]step // the last apply of each applier; removed when another manager takes one of its fields
	count    map[string]int
}

func newWorld(m *model, fill bool) *world {
	return &world{model: m, fill: fill, v1: m.types(false), v2: m.types(true), live: map[string]any{},
		managers: fieldpath.ManagedFields{}, applied: map[string]step{}, count: map[string]int{}}
}

func (w *world) typeOf(v2 bool) typed.ParseableType {
	if v2 {
		return w.v2
	}
	return w.v1
}

func versionOf(v2 bool) fieldpath.APIVersion {
	if v2 {
		return "v2"
	}
	return "v1"
}

// typed converts object, which is given in v1, to a typed value. If v2 is true, the result
// has version v2, and otherwise v1.
func (w *world) typed(object any, v2 bool) (*typed.TypedValue, error) {
	object = deepCopied(object)
	if v2 {
		object = w.model.converted(w.model.Root, object, true)
	}
	return w.typeOf(v2).FromUnstructured(object, typed.AllowDuplicates)
}

// Convert converts an object between the two versions.
func (w *world) Convert(tv *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	v2 := version == "v2"
	if tv.Schema() == w.typeOf(v2).Schema {
		return tv, nil
	}
	var object any
	if v := tv.AsValue(); v != nil {
		object = w.model.converted(w.model.Root, deepCopied(v.Unstructured()), v2)
	}
	return w.typeOf(v2).FromUnstructured(object, typed.AllowDuplicates)
}

func (w *world) IsMissingVersionError(error) bool { return false }

// stored converts an object to the form in which it is stored, in v1.
func (w *world) stored(tv *typed.TypedValue, v2 bool) (any, error) {
	var object any
	if v := tv.AsValue(); v != nil {
		object = deepCopied(v.Unstructured())
	}
	if v2 {
		object = w.model.converted(w.model.Root, object, false)
	}
	return w.filled(object)
}

func (w *world) filled(object any) (any, error) {
	if !w.fill {
		return object, nil
	}
	return w.v1.Default(deepCopied(object))
}

// brokenLaw is the error for an invariant that is violated.
type brokenLaw struct{ law, text string }

func (b *brokenLaw) Error() string { return b.law + ": " + b.text }

func violation(law, format string, args ...any) error {
	return &brokenLaw{law, fmt.Sprintf(format, args...)}
}

// errSkip is returned for a step that is impossible: the sent object is invalid, or the live
// object is invalid under the current schema.
var errSkip = errors.New("skipped")

func (w *world) updater() *merge.Updater {
	return (&merge.UpdaterBuilder{Converter: w, ReturnInputOnNoop: true}).BuildUpdater()
}

// run runs a step and checks the invariants.
func (w *world) run(s step) error {
	switch s.Do {
	case "apply", "force":
		return w.apply(s)
	case "update":
		return w.update(s)
	}
	return w.change(s)
}

type outcome struct {
	live     any
	managers fieldpath.ManagedFields
}

// send sends an apply, and then changes the object as a server does, for example by filling
// in defaults.
func (w *world) send(s step, force bool) (out outcome, err error) {
	live, err := w.typed(w.live, s.V2)
	if err != nil {
		return out, errSkip
	}
	object := deepCopied(s.Object)
	if s.V2 {
		object = w.model.converted(w.model.Root, object, true)
	}
	config, err := w.typeOf(s.V2).FromUnstructured(object)
	if err != nil {
		return out, errSkip
	}
	tv, managers, err := w.updater().Apply(live, config, versionOf(s.V2), w.managers, s.Manager, force)
	if err != nil {
		return out, err
	}
	stored, err := w.stored(tv, s.V2)
	return outcome{stored, managers}, err
}

func (w *world) apply(s step) error {
	before := *w
	out, err := w.send(s, false)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) && s.Do == "force" {
		out, err = w.send(s, true)
	}
	switch {
	case err == errSkip:
		return err
	case errors.As(err, &conflicts) && s.Do != "force":
		w.count["conflict"]++
		return nil
	case err != nil:
		return violation("an apply is refused for conflicts only", "%v", err)
	}
	w.count[s.Do]++
	w.live, w.managers = out.live, out.managers
	w.managers = maps.Clone(w.managers)
	for name := range w.applied {
		if a, ok := w.managers[name]; !ok || before.managers[name] == nil || !a.Set().Equals(before.managers[name].Set()) {
			delete(w.applied, name)
		}
	}
	w.applied[s.Manager] = s

	owned := func(at string) bool {
		for manager, m := range w.managers {
			if manager != s.Manager && slices.ContainsFunc(paths(m.Set()), func(p fieldpath.Path) bool { return strings.HasPrefix(plainPath(p), at) }) {
				return true
			}
		}
		return false
	}
	if wrong := w.model.within(w.model.Root, nil, s.Object, w.live, true, "", owned); wrong != "" {
		return violation("the result has the applied values", "%s", wrong)
	}
	if err := w.checkWritten(s); err != nil {
		return err
	}
	if err := before.checkOthers(w, s.Manager, conflicts); err != nil {
		return err
	}
	if err := w.sound(); err != nil {
		return err
	}
	again, err := w.send(s, false)
	if err != nil {
		return violation("applying again does not conflict", "%v", err)
	}
	if !reflect.DeepEqual(again.live, w.live) {
		return violation("applying again changes nothing", "from %s\nto   %s", jsonText(w.live), jsonText(again.live))
	}
	if !again.managers.Equals(w.managers) {
		return violation("applying again changes no manager", "from %v\nto   %v", w.managers, again.managers)
	}
	return nil
}

// checkWritten checks that the manager owns exactly the fields that it wrote in step s.
func (w *world) checkWritten(s step) error {
	config, err := w.typed(s.Object, s.V2)
	if err != nil {
		return err
	}
	all, err := config.ToFieldSet()
	if err != nil {
		return err
	}
	owned := fieldpath.NewSet()
	if m, ok := w.managers[s.Manager]; ok {
		owned = m.Set()
	}
	// A null that the type does not allow is owned only if the object does not have the field.
	// A container with only such nulls still exists, and its path is owned.
	nulls := nullsOf(config.AsValue().Unstructured(), all)
	if less := all.Difference(nulls).Difference(owned); !less.Empty() {
		return violation("what one writes one owns", "%s wrote and does not own\n%v", s.Manager, less)
	}
	if more := owned.Difference(all); !more.Empty() {
		for _, p := range paths(more) {
			if !nulls.Empty() && isEmptied(p, nulls) {
				continue
			}
			return violation("what one owns one wrote", "%s owns and did not write %v", s.Manager, p)
		}
	}
	return nil
}

func paths(s *fieldpath.Set) (out []fieldpath.Path) {
	s.Iterate(func(p fieldpath.Path) { out = append(out, p.Copy()) })
	return out
}

// isEmptied reports whether a null in the set nulls is below p.
func isEmptied(p fieldpath.Path, nulls *fieldpath.Set) bool {
	return slices.ContainsFunc(paths(nulls), func(q fieldpath.Path) bool { return len(q) > len(p) && q[:len(p)].Equals(p) })
}

// nullsOf returns the paths in all that have the value null in v. It compares only the last
// name of a path, so it may also return paths that are not null.
func nullsOf(v any, all *fieldpath.Set) *fieldpath.Set {
	names := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, c := range v {
				if c == nil {
					names[name] = true
				}
				walk(c)
			}
		case []any:
			for _, c := range v {
				walk(c)
			}
		}
	}
	walk(v)
	out := fieldpath.NewSet()
	for _, p := range paths(all) {
		if last := p[len(p)-1]; last.FieldName != nil && names[*last.FieldName] {
			out.Insert(p)
		}
	}
	return out
}

// plainPath returns a path as text, in the form that the method parts uses for its keys.
func plainPath(p fieldpath.Path) string { return strings.ReplaceAll(p.String(), "q", "") }

// lostWithItem reports whether a path was lost in one of two allowed ways. In the first way,
// the writer gave up an item or a map value that nobody else owned. In the second way, the
// schema allows any value, and the writer replaced a map by a list or a scalar.
// structured-merge-diff allows both ways, too. A manager may own the fields inside an item or a
// map without owning the item or the map itself.
func (w *world) lostWithItem(before *world, lost fieldpath.Path, writer string, from, to map[string]part) bool {
	for i := 1; i <= len(lost); i++ {
		at := plainPath(lost[:i])
		if p, q := from[at], to[at]; i < len(lost) && p.container && p.shape.Kind == "anything" && q.shape != nil && !q.container {
			return true
		}
		if !from[at].loose {
			continue
		}
		had, has := false, false
		for manager, m := range before.managers {
			had = had || manager == writer && hasPath(m.Set(), at)
		}
		for _, m := range w.managers {
			has = has || hasPath(m.Set(), at)
		}
		if _, is := to[at]; had && (!has || !is) {
			return true
		}
	}
	return false
}

func hasPath(s *fieldpath.Set, at string) bool {
	return slices.ContainsFunc(paths(s), func(p fieldpath.Path) bool { return plainPath(p) == at })
}

// checkOthers checks that a request of writer changed the other managers only in allowed ways.
// w is the state before the request, and after is the state after it. A manager may lose a
// field only if another manager takes the field. A manager must gain nothing, and the fields
// that it owns must keep their values.
func (w *world) checkOthers(after *world, writer string, conflicts merge.Conflicts) error {
	from, to := w.model.parts(w.live), after.model.parts(after.live)
	for _, manager := range slices.Sorted(maps.Keys(w.managers)) {
		if manager == writer {
			continue
		}
		owned := w.managers[manager]
		v2 := owned.APIVersion() == "v2"
		live, err := w.typed(w.live, v2)
		if err != nil {
			return err
		}
		is, err := after.typed(after.live, v2)
		if err != nil {
			return err
		}
		had := owned.Set()
		if today, err := typed.ReconcileFieldSetWithSchema(had, live); err != nil {
			return err
		} else if today != nil {
			had = today
		}
		has := fieldpath.NewSet()
		if m, ok := after.managers[manager]; ok {
			has = m.Set()
		}
		taken := fieldpath.NewSet()
		for _, c := range conflicts {
			if c.Manager == manager {
				taken.Insert(c.Path)
			}
		}
		if conflicts != nil || writer == "" {
			c, err := live.Compare(is)
			if err != nil {
				return err
			}
			taken = taken.Union(c.Removed)
			if writer == "" {
				taken = taken.Union(c.Modified).Union(c.Added)
			}
		}
		for _, lost := range paths(had.Difference(has).Difference(taken)) {
			if !after.lostWithItem(w, lost, writer, from, to) {
				return violation("a manager loses a field only if another takes it", "%s lost %v", manager, lost)
			}
		}
		if more := has.Difference(had); !more.Empty() {
			return violation("a manager gains only fields that it writes", "%s gained\n%v", manager, more)
		}
		for _, path := range paths(has) {
			p, ok := from[plainPath(path)]
			if !ok {
				continue
			}
			q, ok := to[plainPath(path)]
			if ok && (writer == "" && p.container && q.value == nil || q.container && p.value == nil) {
				continue // if the value is null, the writer sets nothing in the container, so nobody takes the fields in it
			}
			if !ok && after.model.isDefault(p) {
				continue
			}
			if wrong := !ok || p.container != q.container; wrong || !p.container && !after.model.alike(p, q) {
				return violation("owned fields keep their values", "%s of %s: from %s to %s (%v)", path, manager, jsonText(p.value), jsonText(q.value), ok)
			}
		}
	}
	return nil
}

// sound checks the properties that every live object has.
func (w *world) sound() error {
	for _, v2 := range []bool{false, true} {
		tv, err := w.typed(w.live, v2)
		if err != nil {
			return violation("the stored object is valid", "%v", err)
		}
		once, err := tv.Default()
		if err != nil {
			return violation("defaults end", "%v", err)
		}
		twice, err := once.Default()
		if err != nil || jsonText(once.AsValue().Unstructured()) != jsonText(twice.AsValue().Unstructured()) {
			return violation("Default is idempotent", "from %s\nto   %s", jsonText(once.AsValue().Unstructured()), jsonText(twice.AsValue().Unstructured()))
		}
		for _, c := range [][2]*typed.TypedValue{{tv, once}, {once, tv}} {
			d, err := c[0].Compare(c[1])
			if err != nil || !d.IsSame() {
				return violation("explicit and implicit defaults are equal", "%v\n%v\n%s", err, d, jsonText(tv.AsValue().Unstructured()))
			}
		}
		if v2 {
			continue
		}
		got, _ := w.model.canonical(w.model.Root, nil, deepCopied(once.AsValue().Unstructured()), true)
		want, _ := w.model.canonical(w.model.Root, nil, deepCopied(w.live), true)
		if !reflect.DeepEqual(got, want) {
			return violation("Default fills in the defaults", "%s\nis %s\nnot %s", jsonText(w.live), jsonText(got), jsonText(want))
		}
	}
	return nil
}

func (w *world) update(s step) error {
	object, err := w.filled(deepCopied(s.Object))
	if err != nil {
		return errSkip
	}
	before := *w
	for range 2 {
		live, err := w.typed(w.live, s.V2)
		if err != nil {
			return errSkip
		}
		is, err := w.typed(object, s.V2)
		if err != nil {
			return errSkip
		}
		c, err := live.Compare(is)
		if err != nil {
			return violation("an update is not refused", "%v", err)
		}
		_, managers, err := w.updater().Update(live, is, versionOf(s.V2), w.managers, s.Manager)
		if err != nil {
			return violation("an update is not refused", "%v", err)
		}
		owned := fieldpath.NewSet()
		if m, ok := managers[s.Manager]; ok {
			owned = m.Set()
		}
		if less := c.Modified.Union(c.Added).Difference(owned); !less.Empty() {
			return violation("what one writes one owns", "%s wrote and does not own\n%v", s.Manager, less)
		}
		w.live, w.managers = object, managers
	}
	for name := range w.applied {
		if a, ok := w.managers[name]; !ok || before.managers[name] == nil || !a.Set().Equals(before.managers[name].Set()) {
			delete(w.applied, name)
		}
	}
	w.count["update"]++
	if err := w.sound(); err != nil {
		return err
	}
	// Compare the changes of the writer in the versions of the other managers.
	one := *w
	return before.keptByUpdate(&one, s.Manager)
}

func (w *world) keptByUpdate(after *world, writer string) error {
	others := *w
	others.managers = maps.Clone(w.managers)
	delete(others.managers, writer)
	return others.checkOthers(after, "", nil)
}

// change runs a step that changes the schema.
func (w *world) change(s step) error {
	old := *w
	next := newWorld(s.Model, w.fill)
	if s.Do == "pin" {
		next.model = pinnedModel(s.Model, w.model)
		next.v1, next.v2 = next.v1.PinKeys(w.v1), next.v2.PinKeys(w.v2)
	}
	if _, err := next.typed(w.live, false); err != nil {
		return errSkip // the stored object is invalid under the new schema
	}
	if _, err := next.v1.FromUnstructured(deepCopied(w.live)); err != nil {
		return errSkip // under the new schema, two items have the same identity
	}
	w.model, w.v1, w.v2 = next.model, next.v1, next.v2
	w.managers = maps.Clone(w.managers)
	reported := map[string]bool{}
	if s.Do == "rekey" {
		for _, manager := range slices.Sorted(maps.Keys(w.managers)) {
			owned := w.managers[manager]
			v2 := owned.APIVersion() == "v2"
			live := deepCopied(w.live)
			if v2 {
				live = old.model.converted(old.model.Root, live, true)
			}
			set, moves, err := old.typeOf(v2).Rekeyer(w.typeOf(v2), live).Rekey(owned.Set())
			if err != nil {
				return violation("sets can be rekeyed", "%v", err)
			}
			reported[manager] = len(moves) > 0
			if reported[manager] {
				delete(w.applied, manager)
			}
			w.managers[manager] = fieldpath.NewVersionedSet(set, owned.APIVersion(), owned.Applied())
		}
	}
	w.count[s.Do]++
	if s.Do == "rekey" {
		for _, manager := range slices.Sorted(maps.Keys(w.applied)) {
			if nullKey(w.model.Root, w.model, w.applied[manager].Object) {
				continue // a null key is owned like a key with a value, so the set does not show the difference
			}
			if err := w.checkSame(w.applied[manager], reported[manager]); err != nil {
				return err
			}
		}
	} else {
		w.applied = map[string]step{}
	}
	return w.sound()
}

// nullKey reports whether v has a list item with a null key.
func nullKey(s *shape, m *model, v any) bool {
	s = m.resolve(s)
	switch v := v.(type) {
	case map[string]any:
		for name, c := range v {
			if p := s.field(name); p != nil && nullKey(p.Type, m, c) || s.Elem != nil && nullKey(s.Elem, m, c) {
				return true
			}
		}
	case []any:
		for _, c := range v {
			item, _ := c.(map[string]any)
			for name, k := range item {
				if k == nil && (name == "k" || name == "l") {
					return true
				}
			}
			if s.Elem != nil && nullKey(s.Elem, m, c) {
				return true
			}
		}
	}
	return false
}

// checkSame checks that applying the same config again would give the manager the same fields
// as before. It checks nothing if reported is true, which means that Rekey reported a
// difference.
func (w *world) checkSame(s step, reported bool) error {
	if reported {
		return nil
	}
	object := deepCopied(s.Object)
	if s.V2 {
		object = w.model.converted(w.model.Root, object, true)
	}
	config, err := w.typeOf(s.V2).FromUnstructured(object)
	if err != nil {
		return violation("paths that cannot be converted are reported", "%s cannot apply again: %v", s.Manager, err)
	}
	set, err := config.ToFieldSet()
	if err != nil {
		return err
	}
	owned := fieldpath.NewSet()
	if m, ok := w.managers[s.Manager]; ok {
		owned = m.Set()
	}
	nulls := nullsOf(object, set.Union(owned))
	if d := set.Difference(owned).Difference(nulls); !d.Empty() {
		return violation("paths that cannot be converted are reported", "%s applies and does not own\n%v", s.Manager, d)
	}
	for _, p := range paths(owned.Difference(set).Difference(nulls)) {
		if !isEmptied(p, nulls) {
			return violation("paths that cannot be converted are reported", "%s owns and does not apply %v", s.Manager, p)
		}
	}
	return nil
}

// pinnedModel returns a copy of now in which some keys have their defaults from old. These
// are the keys of each list that has the same keys in both models.
func pinnedModel(now, old *model) *model {
	out := now.clone()
	var walk func(a, b *shape, keys []string)
	walk = func(a, b *shape, keys []string) {
		if a == nil || b == nil || a.Kind != b.Kind {
			return
		}
		for i := range a.Fields {
			p, q := &a.Fields[i], b.field(a.Fields[i].Name)
			if q == nil {
				continue
			}
			if slices.Contains(keys, p.Name) {
				p.Default = q.Default
			}
			walk(p.Type, q.Type, nil)
		}
		keys = nil
		if a.Kind == "list" && slices.Equal(a.Keys, b.Keys) && !a.Atomic {
			keys = a.Keys
		}
		walk(a.Elem, b.Elem, keys)
	}
	walk(out.Root, old.Root, nil)
	for name := range out.Types {
		walk(out.Types[name], old.Types[name], nil)
	}
	return out
}

// story is a history: a first model and a list of steps.
type story struct {
	Model *model
	Fill  bool
	Steps []step
}

// play runs all steps, and returns the first invariant that is violated.
func (s *story) play(w *world) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = violation("nothing panics", "%v", r)
		}
	}()
	for i := range s.Steps {
		if err := w.run(s.Steps[i]); err != nil && err != errSkip {
			return err
		}
	}
	return nil
}

// randomStory generates a random history. It runs each step before it generates the next step,
// because updates start from the live object.
func randomStory(seed uint64, length int, count map[string]int) (*story, error) {
	r := gateRand{rand.New(rand.NewPCG(seed, 0))}
	s := &story{Model: r.model(), Fill: r.oneIn(2)}
	w := newWorld(s.Model, s.Fill)
	w.count = count
	for range length {
		next := step{Do: "apply", Manager: []string{"m", "n", "o"}[r.IntN(3)], V2: r.oneIn(4)}
		depth, nulls := 4, []int{1000, 12}[r.IntN(2)]
		switch k := r.IntN(20); {
		case k < 3:
			next.Do, next.Manager = "update", []string{"u", "v"}[r.IntN(2)]
			if next.V2 {
				next.Manager += "2" // a manager that updates has a separate entry for each version
			}
			next.Object = r.mutated(w.model, w.live)
		case k < 5:
			next.Do = []string{"rekey", "rekey", "pin", "neither"}[r.IntN(4)]
			next.Manager, next.V2 = "", false
			next.Model, next.Why = r.changed(w.model)
		case k < 9:
			next.Do = "force"
		}
		switch before, ok := w.applied[next.Manager]; {
		case next.Model != nil || next.Object != nil:
		case ok && r.oneIn(4):
			next.Object = before.Object
		case ok && r.oneIn(2):
			next.Object = r.mutated(w.model, before.Object)
		default:
			next.Object = r.value(w.model, w.model.Root, depth, nulls)
		}
		if next.Model == nil {
			if _, ok := next.Object.(map[string]any); !ok {
				next.Object = map[string]any{}
			}
		}
		s.Steps = append(s.Steps, next)
		one := story{s.Model, s.Fill, []step{next}}
		if err := one.play(w); err != nil {
			return s, err
		}
	}
	return s, nil
}

// mutated returns v with a few changes.
func (r gateRand) mutated(m *model, v any) any {
	out, ok := deepCopied(v).(map[string]any)
	if !ok {
		out = map[string]any{}
	}
	for range 1 + r.IntN(3) {
		if len(m.Root.Fields) == 0 {
			break
		}
		p := m.Root.Fields[r.IntN(len(m.Root.Fields))]
		if r.oneIn(3) {
			delete(out, p.Name)
		} else {
			out[p.Name] = r.value(m, p.Type, 3, 1000)
		}
	}
	return out
}

// smallest returns the shortest history that it finds for a violated invariant. It removes
// each part of the history that is not needed to violate the invariant.
func (s *story) smallest(law string) *story {
	fails := func(t *story) bool {
		var b *brokenLaw
		return errors.As(t.copy().play(newWorld(t.copy().Model, t.Fill)), &b) && b.law == law
	}
	best := s.copy()
	for shrunk := true; shrunk; {
		shrunk = false
		for i := len(best.Steps) - 1; i >= 0; i-- {
			t := best.copy()
			t.Steps = slices.Delete(t.Steps, i, i+1)
			if fails(t) {
				best, shrunk = t, true
			}
		}
		for i := range best.Steps {
			for _, simpler := range simpler(best.Steps[i].Object) {
				t := best.copy()
				t.Steps[i].Object = simpler
				if fails(t) {
					best, shrunk = t, true
					break
				}
			}
			for _, change := range []func(*step){
				func(p *step) { p.V2 = false },
				func(p *step) {
					if p.Do == "force" {
						p.Do = "apply"
					}
				},
			} {
				t := best.copy()
				change(&t.Steps[i])
				if jsonText(t) != jsonText(best) && fails(t) {
					best, shrunk = t, true
				}
			}
		}
		for _, name := range []string{"a", "b", "c", "d", "e", "k", "l"} {
			t := best.copy()
			for _, m := range t.models() {
				m.each(func(s *shape) {
					if !slices.Contains(keysOfAll(m), name) {
						s.Fields = slices.DeleteFunc(s.Fields, func(p place) bool { return p.Name == name })
					}
				})
			}
			if jsonText(t) != jsonText(best) && fails(t) {
				best, shrunk = t, true
			}
		}
		for i := range best.Model.Root.Fields {
			t := best.copy()
			name := t.Model.Root.Fields[i].Name
			for _, m := range t.models() {
				m.Root.Fields = slices.DeleteFunc(m.Root.Fields, func(p place) bool { return p.Name == name })
			}
			if fails(t) {
				best, shrunk = t, true
				break
			}
		}
		if best.Fill {
			t := best.copy()
			t.Fill = false
			if fails(t) {
				best, shrunk = t, true
			}
		}
	}
	return best
}

func keysOfAll(m *model) (keys []string) {
	m.each(func(s *shape) { keys = append(keys, s.Keys...) })
	return keys
}

func (s *story) models() []*model {
	out := []*model{s.Model}
	for i := range s.Steps {
		if s.Steps[i].Model != nil {
			out = append(out, s.Steps[i].Model)
		}
	}
	return out
}

func (s *story) copy() *story {
	out := &story{Model: s.Model.clone(), Fill: s.Fill}
	for _, p := range s.Steps {
		p.Object = deepCopied(p.Object)
		if p.Model != nil {
			p.Model = p.Model.clone()
		}
		out.Steps = append(out.Steps, p)
	}
	return out
}

// simpler returns copies of v. In each copy, one part is missing.
func simpler(v any) (out []any) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c := maps.Clone(v)
			delete(c, name)
			out = append(out, c)
			for _, s := range simpler(v[name]) {
				c := maps.Clone(v)
				c[name] = s
				out = append(out, c)
			}
		}
	case []any:
		for i := range v {
			out = append(out, slices.Delete(slices.Clone(v), i, i+1))
			for _, s := range simpler(v[i]) {
				c := slices.Clone(v)
				c[i] = s
				out = append(out, c)
			}
		}
	}
	return out
}

func (s *story) String() string {
	var b strings.Builder
	show := func(m *model) string {
		text, _ := json.Marshal(m.Root)
		types, _ := json.Marshal(m.Types)
		return string(text) + "\n    types " + string(types)
	}
	fmt.Fprintf(&b, "filled %v, model %s\n", s.Fill, show(s.Model))
	for _, p := range s.Steps {
		if p.Model != nil {
			fmt.Fprintf(&b, "  %s: %s: %s\n", p.Do, p.Why, show(p.Model))
		} else {
			fmt.Fprintf(&b, "  %s %s v2=%v %s\n", p.Do, p.Manager, p.V2, jsonText(p.Object))
		}
	}
	return b.String()
}

// TestLawsOfDeclarativeDefaults checks these laws on random schemas and histories:
//
//	applying twice changes nothing and does not conflict
//	a manager owns the fields that it writes
//	a manager loses a field only if another manager takes it
//	the result has the applied values
//	Default is idempotent
//	explicit and implicit defaults are equal
//
// The schemas have untyped, nullable and recursive types. They have two versions with
// different names for all fields. During a history, the schema changes with Rekey, with
// PinKeys or with neither.
//
//	go test ./merge -run LawsOfDeclarative -gate.steps 1000000 -timeout 0
//	go test ./merge -run LawsOfDeclarative -gate.steps 1 -gate.seed 17
func TestLawsOfDeclarativeDefaults(t *testing.T) {
	const length = 8
	count := map[string]int{}
	failed := map[string]int{}
	for steps, seed := 0, *gateSeed; steps < *gateSteps; steps, seed = steps+length, seed+1 {
		s, err := randomStory(seed, length, count)
		var b *brokenLaw
		if err == nil {
			continue
		}
		if !errors.As(err, &b) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if failed[b.law]++; failed[b.law] > 3 {
			continue
		}
		least := s.smallest(b.law)
		t.Errorf("seed %d: %v\nthe smallest history:\n%v%v", seed, err, least, least.copy().play(newWorld(least.copy().Model, least.Fill)))
	}
	t.Logf("steps %v, failed %v", count, failed)
	for _, kind := range []string{"apply", "force", "update", "conflict", "rekey", "pin", "neither"} {
		if *gateSteps > 10000 && count[kind] < *gateSteps/300 {
			t.Errorf("of %d steps %d are %s: too few to test anything", *gateSteps, count[kind], kind)
		}
	}
}
