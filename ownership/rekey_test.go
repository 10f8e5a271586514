// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package ownership_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/managedfields"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/typed"
)

func appObject(spec, managedFields string) map[string]any {
	return parse(fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "App", "metadata": {"name": "web", "managedFields": [%s]}, "spec": {%s}}`, managedFields, spec))
}

func fieldsOf(manager, version, spec string) string {
	return fmt.Sprintf(`{"manager": %q, "operation": "Apply", "apiVersion": "example.com/%s", "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {%s}}}`, manager, version, spec)
}

func showMoves(moves []ownership.OwnerMove) string {
	var b strings.Builder
	for _, m := range moves {
		fmt.Fprintf(&b, "%s: %s: %s is %s: %s\n", m.Owner.Manager, m.Reason, m.Old, m.New, m.Why)
	}
	return b.String()
}

func TestRekey(t *testing.T) {
	object := appObject(
		`"ports": [{"port": 80, "name": "http"}, {"port": 81, "protocol": "UDP"}]`,
		fieldsOf("a", "v1", `"f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}, "f:name": {}}}`)+","+
			fieldsOf("b", "v1", `"f:ports": {"k:{\"port\":81,\"protocol\":\"UDP\"}": {".": {}, "f:port": {}, "f:protocol": {}}}`)+","+
			strings.Replace(fieldsOf("c", "v1", `"f:ports": {"k:{\"port\":80}": {"f:name": {}}}`), "Apply", "Update", 1))
	before := objects.AsJSON(object)
	r, err := ownership.Rekey(object, ownership.RekeyOptions{
		Old: objects.AppTypes(t, true, "", objects.Relation(objects.Granular)),
		New: objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular)),
	})
	if err != nil {
		t.Fatal(err)
	}
	const move = `rekeyed: .spec.ports[port=80] is .spec.ports[port=80,protocol="TCP"]: protocol now has the default "TCP"` + "\n"
	want := "a: " + move + "c: " + move
	if got := showMoves(r.Moves); got != want || !r.Changed || len(r.Warnings) > 0 {
		t.Errorf("changed %v, warnings %v, moves\n%s", r.Changed, r.Warnings, got)
	}
	if objects.AsJSON(object) != before {
		t.Error("the object was written to")
	}
	after := strings.ReplaceAll(before, `k:{\"port\":80}`, `k:{\"port\":80,\"protocol\":\"TCP\"}`)
	if got := objects.AsJSON(r.Object); got != after {
		t.Errorf("got  %s\nwant %s", got, after)
	}
}

// TestApplyAfterRekeying changes the default of a key after an object was stored. The same
// managers apply again under the new default. There must be no conflict, and no item may be
// stored twice.
func TestApplyAfterRekeying(t *testing.T) {
	old, now := objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular)), objects.AppTypes(t, true, objects.UDP, objects.Relation(objects.Granular))
	config := func(port int) map[string]any {
		return parse(fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "App", "metadata": {"name": "web"}, "spec": {"ports": [{"port": %d}]}}`, port))
	}
	created, err := objects.NewManager(t, fieldmanager.Options{Types: old}).Apply(nil, config(90), "c", false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ownership.Rekey(created.Object, ownership.RekeyOptions{Old: old, New: now})
	if err != nil || len(r.Moves) != 1 || r.Moves[0].Reason != typed.MoveRekeyed {
		t.Fatalf("%v, moves %s", err, showMoves(r.Moves))
	}
	m := objects.NewManager(t, fieldmanager.Options{Types: now, Clock: objects.At("2027-01-01T00:00:00Z")})
	again, err := m.Apply(r.Object, config(90), "c", false)
	if err != nil || again.Changed {
		t.Errorf("%v, changed to %s", err, objects.AsJSON(again.Object))
	}
	// Without Rekey, the config of the owner identifies another item than the item that it
	// owns.
	lost, err := m.Apply(created.Object, config(90), "c", false)
	if err != nil || !lost.Changed {
		t.Errorf("%v, changed %v", err, lost.Changed)
	}
}

// TestRekeyReportsMissingKeys checks managers whose manifests omit the protocol of an item,
// while the stored item has the protocol. Rekey must report such a manager, because the same
// manifest now identifies another item. It must not report updates.
func TestRekeyReportsMissingKeys(t *testing.T) {
	object := appObject(
		`"ports": [{"port": 80, "protocol": "TCP"}]`,
		fieldsOf("short", "v1", `"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}`)+","+
			fieldsOf("long", "v1", `"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}, "f:protocol": {}}}`)+","+
			strings.Replace(fieldsOf("update", "v1", `"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:name": {}}}`), "Apply", "Update", 1))
	old := objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular))
	for protocol, want := range map[string]string{
		objects.UDP: `the default of protocol changed from "TCP" to "UDP"; a config that leaves the key out now refers to [port=80,protocol="UDP"]`,
		"":          `protocol no longer has the default "TCP"; a config that leaves the key out now refers to [port=80]`,
	} {
		r, err := ownership.Rekey(object, ownership.RekeyOptions{Old: old, New: objects.AppTypes(t, true, protocol, objects.Relation(objects.Granular))})
		if err != nil || r.Changed {
			t.Fatalf("%v, changed to %s", err, objects.AsJSON(r.Object))
		}
		if len(r.Moves) != 1 || r.Moves[0].Owner.Manager != "short" || r.Moves[0].Reason != typed.MoveLeftOut || r.Moves[0].Why != want {
			t.Errorf("moves\n%s", showMoves(r.Moves))
		}
	}
}

// TestRekeyOfAnObjectWithTheNewDefault checks an object that got the new default before
// Rekey. It is then unclear which items the entries of the object identify. Rekey must
// report this, and must not change the entries.
func TestRekeyOfAnObjectWithTheNewDefault(t *testing.T) {
	object := appObject(`"ports": [{"port": 80, "protocol": "UDP"}]`,
		fieldsOf("a", "v1", `"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}`))
	r, err := ownership.Rekey(object, ownership.RekeyOptions{
		Old: objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular)),
		New: objects.AppTypes(t, true, objects.UDP, objects.Relation(objects.Granular)),
	})
	if err != nil || r.Changed {
		t.Fatalf("%v, changed to %s", err, objects.AsJSON(r.Object))
	}
	if len(r.Moves) != 1 || r.Moves[0].Reason != typed.MoveNoItem || !strings.Contains(r.Moves[0].Why, `[port=80,protocol="UDP"] exists`) {
		t.Errorf("moves\n%s", showMoves(r.Moves))
	}
}

func TestRekeyGateOffAndOnRestoresTheBytes(t *testing.T) {
	on, off := objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular)), objects.AppTypes(t, false, objects.TCP, objects.Relation(objects.Granular))
	object := appObject(
		`"ports": [{"port": 80, "protocol": null, "name": "x"}, {"port": 81}]`,
		fieldsOf("a", "v1", `"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}, "k:{\"port\":81,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}`)+","+
			fieldsOf("b", "v1", `"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:name": {}}}`))
	without, err := ownership.Rekey(object, ownership.RekeyOptions{Old: on, New: off})
	if err != nil || len(without.Moves) != 2 {
		t.Fatalf("%v, moves\n%s", err, showMoves(without.Moves))
	}
	back, err := ownership.Rekey(without.Object, ownership.RekeyOptions{Old: off, New: on})
	if err != nil || len(back.Moves) != 2 || objects.AsJSON(back.Object) != objects.AsJSON(object) {
		t.Errorf("%v, got %s, moves\n%s", err, objects.AsJSON(back.Object), showMoves(back.Moves))
	}
}

func TestRekeyFromAtomicToGranular(t *testing.T) {
	atomic, items := objects.AppTypes(t, true, objects.TCP, objects.Relation("")), objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular))
	object := appObject(`"vars": [{"name": "a", "value": "1"}, {"name": "old", "value": "x"}]`,
		fieldsOf("capi", "v1", `"f:vars": {}`)+","+fieldsOf("other", "v1", `"f:vars": {}`))
	r, err := ownership.Rekey(object, ownership.RekeyOptions{Old: atomic, New: items})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Managed.Entries() {
		if got := e.Set.Size(); got != 6 {
			t.Errorf("%s owns %s", e.Manager, e.Set)
		}
	}
	if got := showMoves(r.Moves); strings.Count(got, "became-granular") != 2 {
		t.Errorf("moves\n%s", got)
	}
	back, err := ownership.Rekey(r.Object, ownership.RekeyOptions{Old: items, New: atomic})
	if err != nil || objects.AsJSON(back.Object) != objects.AsJSON(object) || strings.Count(showMoves(back.Moves), "became-atomic") != 2 {
		t.Errorf("%v, got %s, moves\n%s", err, objects.AsJSON(back.Object), showMoves(back.Moves))
	}
	// A list whose items have no unique identities is still owned as a whole.
	odd := appObject(`"vars": [{"value": "1"}]`, fieldsOf("capi", "v1", `"f:vars": {}`))
	r, err = ownership.Rekey(odd, ownership.RekeyOptions{Old: atomic, New: items})
	if err != nil || r.Changed || len(r.Moves) != 1 || !strings.Contains(r.Moves[0].Why, "stays owned as a whole") {
		t.Errorf("%v, changed %v, moves\n%s", err, r.Changed, showMoves(r.Moves))
	}
	// The reason shows an invalid value as YAML, not as a Go value.
	for vars, want := range map[string]string{
		`[{"name": true}]`: `stays owned as a whole: [name=true].name: want a string, got the boolean true`,
		`{"name": "a"}`:    `stays owned as a whole: want a list, got the mapping {name: a}`,
	} {
		invalid := appObject(`"vars": `+vars, fieldsOf("capi", "v1", `"f:vars": {}`))
		r, err = ownership.Rekey(invalid, ownership.RekeyOptions{Old: atomic, New: items})
		if err != nil || r.Changed || len(r.Moves) != 1 || !strings.HasSuffix(r.Moves[0].Why, want) {
			t.Errorf("%s: %v, changed %v, moves\n%s", vars, err, r.Changed, showMoves(r.Moves))
		}
	}
}

func TestRekeyVersions(t *testing.T) {
	old, now := objects.AppTypes(t, true, "", objects.Relation(objects.Granular)), objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular))
	object := appObject(`"ports": [{"port": 80}]`,
		fieldsOf("a", "v1", `"f:ports": {"k:{\"port\":80}": {".": {}}}`)+","+
			fieldsOf("b", "v2", `"f:ports": {"k:{\"port\":80}": {".": {}}}`)+","+
			fieldsOf("gone", "v0", `"f:ports": {"k:{\"port\":80}": {".": {}}}`))
	r, err := ownership.Rekey(object, ownership.RekeyOptions{Old: old, New: now, Converter: fieldmanager.NoneConverter})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Moves) != 2 || r.Moves[0].Owner.APIVersion != "example.com/v1" || r.Moves[1].Owner.APIVersion != "example.com/v2" {
		t.Errorf("moves\n%s", showMoves(r.Moves))
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Message, "is not changed") || r.Managed.Len() != 3 {
		t.Errorf("warnings %v, entries %v", r.Warnings, r.Managed.Entries())
	}
	if _, err := ownership.Rekey(object, ownership.RekeyOptions{Old: old, New: now}); err == nil || !strings.Contains(err.Error(), "no converter") {
		t.Errorf("without a converter: %v", err)
	}
}

func TestRekeyErrors(t *testing.T) {
	types := objects.AppTypes(t, true, objects.TCP, objects.Relation(objects.Granular))
	for object, want := range map[string]string{
		`{}`:                               "object has no apiVersion or kind: invalid object type: /, Kind=",
		`{"apiVersion": "example.com/v1"}`: "object has no apiVersion or kind: invalid object type: example.com/v1, Kind=",
		`{"kind": "App"}`:                  "object has no apiVersion or kind: invalid object type: /, Kind=App",
	} {
		if _, err := ownership.Rekey(parse(object), ownership.RekeyOptions{Old: types, New: types}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", object, err, want)
		}
	}
	bad := appObject("", `{"manager": "a", "operation": "Apply", "apiVersion": "example.com/v1", "fieldsType": "FieldsV1", "fieldsV1": {"nonsense": {}}}`)
	var wrong *managedfields.EntryError
	if _, err := ownership.Rekey(bad, ownership.RekeyOptions{Old: types, New: types}); !errors.As(err, &wrong) {
		t.Errorf("got %v", err)
	}
	none := parse(`{"apiVersion": "example.com/v1", "kind": "App"}`)
	if r, err := ownership.Rekey(none, ownership.RekeyOptions{Old: types, New: types}); err != nil || r.Changed || len(r.Moves) > 0 {
		t.Errorf("without managed fields: %v, %+v", err, r)
	}
}

// keyedTypes returns a TypeSource for the type App. keys are the keys of the list items of
// App. The text c is added to the schema of the key with that name.
func keyedTypes(t testing.TB, keys, c string) fieldmanager.TypeSource {
	t.Helper()
	parser, err := typed.NewParser(typed.YAMLObject(fmt.Sprintf(`declarativeDefaults: true
types:
- name: App
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {elementType: {scalar: untyped, list: {elementRelationship: atomic, elementType: {scalar: untyped}}, map: {elementType: {scalar: untyped}}}}}}
    - name: spec
      type:
        map:
          fields:
          - name: items
            type:
              list:
                elementRelationship: associative
                keys: [%s]
                elementType:
                  map:
                    fields:
                    - {name: a, type: {scalar: string}}
                    - {name: c, type: {scalar: string}%s}
                    - {name: v, type: {scalar: string}}
          - name: labels
            type: {map: {elementType: {scalar: string}}}
          - name: atomic
            type: {list: {elementRelationship: atomic, elementType: {namedType: App}}}
`, keys, c)))
	if err != nil {
		t.Fatal(err)
	}
	return func(string, string) (typed.ParseableType, error) { return parser.Type("App"), nil }
}

func filled(t testing.TB, types fieldmanager.TypeSource) fieldmanager.Defaulter {
	return func(object map[string]any) (map[string]any, error) {
		typ, err := types("", "")
		if err != nil {
			return nil, err
		}
		out, err := typ.Default(parse(objects.AsJSON(object)))
		if err != nil {
			return nil, err
		}
		return out.(map[string]any), nil
	}
}

// TestNobodyLosesAnItemWhenADefaultChanges checks that changing or removing the default of a
// key does not affect managers that do not use the default. They must be able to apply as
// before, and the stored object must have the values that they apply.
func TestNobodyLosesAnItemWhenADefaultChanges(t *testing.T) {
	config := func(spec string) map[string]any {
		return parse(`{"apiVersion": "example.com/v1", "kind": "App", "metadata": {"name": "web"}, "spec": ` + spec + `}`)
	}
	for _, test := range []struct {
		name, keys, was, is string
		stored              string // stored by an update, before any manager applies
		m2, m3              string // the configs that m2 and m3 apply
		want                string // the result of the second apply by m3
	}{{
		name: "m3 has an item that the new default names", keys: "a, c", was: ", default: TCP", is: ", default: UDP",
		m2: `{"items":[{"a":"80","v":"h"}]}`, m3: `{"items":[{"a":"80","c":"UDP"}]}`,
		want: `{"items":[{"a":"80","c":"TCP","v":"h"},{"a":"80","c":"UDP"}]}`,
	}, {
		name: "one key", keys: "c", was: ", default: old", is: ", default: new",
		stored: `{"items":[{"v":"x"}]}`,
		m3:     `{"items":[{"c":"new"}]}`,
		want:   `{"items":[{"c":"old","v":"x"},{"c":"new"}]}`,
	}, {
		name: "the default is gone, and m3 has no item", keys: "c", was: ", default: x", is: "",
		m2: `{"items":[{}]}`, m3: `{"labels":{}}`,
		want: `{"items":[{"c":"x"}],"labels":{}}`,
	}, {
		name: "the default is gone, and m3 applies an empty list", keys: "c", was: ", default: x", is: "",
		m2: `{"items":[{}]}`, m3: `{"items":[]}`,
		want: `{"items":[{"c":"x"}]}`,
	}} {
		for _, fill := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, filled %v", test.name, fill), func(t *testing.T) {
				old, now := keyedTypes(t, test.keys, test.was), keyedTypes(t, test.keys, test.is)
				m := objects.NewManager(t, fieldmanager.Options{Types: old, Defaulter: filled(t, old)})
				var live map[string]any
				if test.stored != "" {
					object, err := filled(t, old)(config(test.stored))
					if err != nil {
						t.Fatal(err)
					}
					r, err := m.Update(nil, object, "u")
					if err != nil {
						t.Fatal(err)
					}
					live = r.Object
				}
				for i, spec := range []string{test.m2, test.m3} {
					if spec == "" {
						continue
					}
					r, err := m.Apply(live, config(spec), []string{"m2", "m3"}[i], false)
					if err != nil {
						t.Fatal(err)
					}
					live = r.Object
				}
				carried, err := ownership.Rekey(live, ownership.RekeyOptions{Old: old, New: now})
				if err != nil {
					t.Fatal(err)
				}
				o := fieldmanager.Options{Types: now}
				if fill {
					o.Defaulter = filled(t, now)
				}
				live = carried.Object
				for range 2 {
					r, err := objects.NewManager(t, o).Apply(live, config(test.m3), "m3", false)
					if err != nil {
						t.Fatal(err)
					}
					if got := objects.AsJSON(r.Object["spec"]); got != test.want {
						t.Fatalf("got  %s\nwant %s", got, test.want)
					}
					live = r.Object
				}
			})
		}
	}
}

// TestRekeyReportsAllMissingKeys checks managers that apply the same config again. If the
// config then identifies or writes fields that the manager does not own, Rekey must report
// the manager. It must not report other managers.
func TestRekeyReportsAllMissingKeys(t *testing.T) {
	config := func(spec string) map[string]any {
		return parse(`{"apiVersion": "example.com/v1", "kind": "App", "metadata": {"name": "web"}, "spec": ` + spec + `}`)
	}
	const was, is = ", default: old", ", default: new"
	for _, test := range []struct {
		name           string
		keys, nowKeys  string
		was, is        string
		spec           string
		reported       string // the paths that Rekey reports, with the reasons
		changesNothing bool   // whether the second apply changes nothing
	}{
		{name: "nothing is written of the item", keys: "c", nowKeys: "c", was: was, is: is, spec: `{"items":[{}]}`,
			reported: `.spec.items[c="old"]: the default of c changed from "old" to "new"; a config that leaves the key out now refers to [c="new"]`},
		{name: "the default is gone", keys: "c", nowKeys: "c", was: was, spec: `{"items":[{}]}`,
			reported: `.spec.items[c="old"]: c no longer has the default "old"; a config that leaves the key out now refers to no item, so the apply fails`},
		{name: "the key is left out", keys: "a, c", nowKeys: "a, c", was: was, is: is, spec: `{"items":[{"a":"x"}]}`,
			reported: `.spec.items[a="x",c="old"]: the default of c changed from "old" to "new"; a config that leaves the key out now refers to [a="x",c="new"]`},
		{name: "a key is new, and has another default", keys: "a", nowKeys: "a, c", was: was, is: is, spec: `{"items":[{"a":"x"}]}`,
			reported: `.spec.items[a="x",c="old"]: the keys were [a] and are now [a, c]; a config that leaves the key out now refers to [a="x",c="new"]`},
		{name: "a key is gone, and the other has another default", keys: "a, c", nowKeys: "c", was: was, is: is, spec: `{"items":[{"a":"x"}]}`,
			reported: `.spec.items[c="old"]: the keys were [a, c] and are now [c]; a config that leaves the key out now refers to [c="new"]`},
		{name: "within an atomic list", keys: "c", nowKeys: "c", was: was, is: is, spec: `{"atomic":[{"spec":{"items":[{"a":"x"}]}}]}`,
			reported: `.spec.atomic: the value contains an item with the old default of the key c: the default of c changed from "old" to "new"; if a config leaves the key out, applying the config again changes the value`},
		{name: "the key is written", keys: "c", nowKeys: "c", was: was, is: is, spec: `{"items":[{"c":"old"}]}`, changesNothing: true},
		{name: "another key is written", keys: "c", nowKeys: "c", was: was, is: is, spec: `{"items":[{"c":"x"}]}`, changesNothing: true},
		{name: "a key is new, and its default as it was", keys: "a", nowKeys: "a, c", was: was, is: was, spec: `{"items":[{"a":"x"}]}`, changesNothing: true},
		{name: "a key is gone", keys: "a, c", nowKeys: "a", was: was, is: is, spec: `{"items":[{"a":"x"}]}`, changesNothing: true},
		{name: "within an atomic list, written", keys: "c", nowKeys: "c", was: was, is: is, spec: `{"atomic":[{"spec":{"items":[{"c":"x"}]}}]}`, changesNothing: true},
		// The owned path of an item is the same whether its key is null or has the default
		// value, so Rekey cannot distinguish the two cases.
		{name: "null is written", keys: "c", nowKeys: "c", was: was, is: is, spec: `{"items":[{"c":null}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, now := keyedTypes(t, test.keys, test.was), keyedTypes(t, test.nowKeys, test.is)
			applied, err := objects.NewManager(t, fieldmanager.Options{Types: old, Defaulter: filled(t, old)}).Apply(nil, config(test.spec), "m", false)
			if err != nil {
				t.Fatal(err)
			}
			carried, err := ownership.Rekey(applied.Object, ownership.RekeyOptions{Old: old, New: now})
			if err != nil {
				t.Fatal(err)
			}
			reported := ""
			for _, m := range carried.Moves {
				if m.Reason == typed.MoveLeftOut {
					reported += fmt.Sprintf("%s: %s", m.New, m.Why)
				}
			}
			if reported != test.reported {
				t.Errorf("reported %q, want %q", reported, test.reported)
			}
			again, err := objects.NewManager(t, fieldmanager.Options{Types: now}).Apply(carried.Object, config(test.spec), "m", false)
			if unchanged := err == nil && objects.AsJSON(again.Object["spec"]) == objects.AsJSON(applied.Object["spec"]); unchanged != test.changesNothing {
				t.Errorf("applying again changes nothing: %v, %v\nbefore %s", unchanged, err, objects.AsJSON(applied.Object["spec"]))
			}
		})
	}
}

// TestRekeyKeepsDuplicates checks an object in which an update stored two items with the
// same identity. With the new default, their identities differ. Both items must stay when
// another manager applies.
func TestRekeyKeepsDuplicates(t *testing.T) {
	config := func(spec string) map[string]any {
		return parse(`{"apiVersion": "example.com/v1", "kind": "App", "metadata": {"name": "web"}, "spec": ` + spec + `}`)
	}
	old, now := keyedTypes(t, "a, c", ", default: old"), keyedTypes(t, "a, c", ", default: new")
	m := objects.NewManager(t, fieldmanager.Options{Types: old})
	r, err := m.Update(nil, config(`{"items":[{"a":"q"},{"a":"q","c":"old"},{"v":"w"}]}`), "u")
	if err != nil {
		t.Fatal(err)
	}
	if r, err = m.Apply(r.Object, config(`{"items":[{"v":"w"}]}`), "m", false); err != nil {
		t.Fatal(err)
	}
	carried, err := ownership.Rekey(r.Object, ownership.RekeyOptions{Old: old, New: now})
	if err != nil {
		t.Fatal(err)
	}
	r, err = objects.NewManager(t, fieldmanager.Options{Types: now}).Apply(carried.Object, config(`{"items":[{"v":"w"}]}`), "m", false)
	if err != nil || objects.AsJSON(r.Object["spec"]) != `{"items":[{"a":"q"},{"a":"q","c":"old"},{"v":"w"}]}` {
		t.Errorf("%v, got %s", err, objects.AsJSON(r.Object["spec"]))
	}
}
