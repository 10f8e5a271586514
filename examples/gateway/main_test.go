// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

func Example() {
	main()
	// Output:
	// platform: {"region": "eu", "listeners": [{"port": 80, "host": "a.example"}]}
	//   {"listeners":[{"host":"a.example","port":80,"protocol":"TCP"}],"region":"eu","replicas":1}
	// app: {"listeners": [{"port": 80, "protocol": "TCP", "host": "b.example"}]}
	//   .listeners[port=80,protocol="TCP"].host is a.example, set by platform; this config has b.example
	// app: {"replicas": 2, "extra": {"tags": ["a", "b"]}}
	//   {"extra":{"tags":["a","b"]},"listeners":[{"host":"a.example","port":80,"protocol":"TCP"}],"region":"eu","replicas":2}
	// platform: {"region": "us"}
	//   .region: field is immutable: changes "eu" to "us"
	// app: {"replicas": "2"}
	//   .replicas: want a number, got the string "2"; did you mean 2?
	//   .extra.tags is owned by app
	//   .listeners[port=80,protocol="TCP"] is owned by platform
	//   .listeners[port=80,protocol="TCP"].host is owned by platform
	//   .listeners[port=80,protocol="TCP"].port is owned by platform
	//   .region is owned by platform
	//   .replicas is owned by app
	// platform: {"region": "eu"}
	//   {"extra":{"tags":["a","b"]},"region":"eu","replicas":2}
	// yield:
	// scaler: {"replicas": 3}
	//   {"extra":{"tags":["a","b"]},"region":"eu","replicas":2}
	//   .extra.tags is owned by app
	//   .region is owned by platform
	//   .replicas is owned by app
	// share:
	// scaler: {"replicas": 3}
	//   {"extra":{"tags":["a","b"]},"region":"eu","replicas":2}
	//   .extra.tags is owned by app
	//   .region is owned by platform
	//   .replicas is owned by app and scaler
	// force:
	// scaler: {"replicas": 3}
	//   {"extra":{"tags":["a","b"]},"region":"eu","replicas":3}
	//   .extra.tags is owned by app
	//   .region is owned by platform
	//   .replicas is owned by scaler
}

// replace stores a whole document that a person has edited, and returns the object to store.
func replace(fm *fieldmanager.FieldManager, stored []byte, manager, document string) ([]byte, error) {
	live, err := value.DecodeObject(stored)
	if err != nil {
		return nil, err
	}
	object, err := value.DecodeObject([]byte(document))
	if err != nil {
		return nil, err
	}
	object["apiVersion"] = "v1"
	object["kind"] = "Gateway"
	object["metadata"] = map[string]any{"name": "edge"}
	result, err := fm.Update(live, object, manager)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result.Object)
}

func Example_replace() {
	fm, err := newFieldManager()
	if err != nil {
		log.Fatal(err)
	}
	stored, err := apply(fm, nil, "platform", `{"region": "eu", "replicas": 2}`, refuse)
	if err != nil {
		log.Fatal(err)
	}
	for _, document := range []string{
		`{"region": "eu", "replicas": 3, "listeners": [{"port": 80}]}`,
		`{"region": "us", "replicas": 3}`,
		`{"replicas": 3}`,
	} {
		next, err := replace(fm, stored, "admin", document)
		if err != nil {
			fmt.Println(explain(err))
			continue
		}
		stored = next
		text, err := owners(fm, stored)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(text)
	}
	// The update and the apply are different managers, although both have the name admin.
	_, err = apply(fm, stored, "admin", `{"replicas": 4}`, refuse)
	fmt.Println(explain(err))
	// Output:
	//   .listeners is owned by admin
	//   .listeners[port=80,protocol="TCP"] is owned by admin
	//   .listeners[port=80,protocol="TCP"].port is owned by admin
	//   .region is owned by platform
	//   .replicas is owned by admin
	// .region: field is immutable: changes "eu" to "us"
	// .region: field is immutable: removes "eu"; keep it in your config
	// .replicas is 3, set by admin; this config has 4
}

func Example_manyEditors() {
	fm, err := newFieldManager()
	if err != nil {
		log.Fatal(err)
	}
	options := fm.Options()
	options.MaxUpdateManagers = 2
	if fm, err = fieldmanager.New(options); err != nil {
		log.Fatal(err)
	}
	stored, err := apply(fm, nil, "platform", `{}`, refuse)
	if err != nil {
		log.Fatal(err)
	}
	for _, edit := range []struct{ manager, document string }{
		{"kim", `{"extra": {"kim": 1}}`},
		{"lee", `{"extra": {"kim": 1, "lee": 1}}`},
		{"max", `{"extra": {"kim": 1, "lee": 1, "max": 1}}`},
	} {
		if stored, err = replace(fm, stored, edit.manager, edit.document); err != nil {
			log.Fatal(err)
		}
	}
	text, err := owners(fm, stored)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	//   .extra is owned by ancient-changes
	//   .extra.kim is owned by ancient-changes
	//   .extra.lee is owned by ancient-changes
	//   .extra.max is owned by max
}

// refuse refuses all conflicts.
var refuse = resolve.Choices{}

// gateways is a stored object and its field manager.
type gateways struct {
	fm     *fieldmanager.FieldManager
	stored []byte
}

func newGateways(t *testing.T) *gateways {
	t.Helper()
	fm, err := newFieldManager()
	if err != nil {
		t.Fatal(err)
	}
	return &gateways{fm: fm}
}

// apply applies a config and stores the result. If the apply fails, the stored object stays.
func (g *gateways) apply(manager, config string, choices resolve.Choices) error {
	next, err := apply(g.fm, g.stored, manager, config, choices)
	if err == nil {
		g.stored = next
	}
	return err
}

func (g *gateways) mustApply(t *testing.T, manager, config string) {
	t.Helper()
	if err := g.apply(manager, config, refuse); err != nil {
		t.Fatalf("%s applies %s: %v", manager, config, err)
	}
}

// check compares the stored fields and their owners.
func (g *gateways) check(t *testing.T, fields, owned string) {
	t.Helper()
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(g.stored, &stored); err != nil {
		t.Fatal(err)
	}
	delete(stored, "apiVersion")
	delete(stored, "kind")
	delete(stored, "metadata")
	got, err := json.Marshal(stored)
	if err != nil || string(got) != fields {
		t.Errorf("stored %s, %v, want %s", got, err, fields)
	}
	lines, err := owners(g.fm, g.stored)
	if lines = strings.TrimSpace(lines); err != nil || lines != owned {
		t.Errorf("owners:\n%s, %v, want\n%s", lines, err, owned)
	}
}

// TestEmptyConfig checks that a manager cannot remove a field with setOnce and then set it again:
// neither a config without fields nor one with null is an exception.
func TestEmptyConfig(t *testing.T) {
	g := newGateways(t)
	g.mustApply(t, "a", `{}`)
	g.check(t, `{}`, "")
	g.mustApply(t, "a", `{"region": "eu"}`)
	for _, config := range []string{`{}`, `{"region": null}`, `{"region": "us"}`, `{"replicas": 2}`} {
		var immutable typed.TransitionErrors
		if err := g.apply("a", config, refuse.Rest(resolve.Force)); !errors.As(err, &immutable) || len(immutable) != 1 || immutable[0].Field != "region" {
			t.Errorf("%s: %v", config, err)
		}
	}
	g.check(t, `{"region":"eu"}`, ".region is owned by a")
}

// TestMixedChoices checks that no owner loses a field if the apply forces the conflict with one
// owner and yields to another.
func TestMixedChoices(t *testing.T) {
	g := newGateways(t)
	g.mustApply(t, "a", `{"replicas": 2}`)
	g.mustApply(t, "b", `{"replicas": 2}`)
	err := g.apply("c", `{"replicas": 3}`, resolve.Choices{Choose: func(c *fieldmanager.Conflict) resolve.Choice {
		if c.Manager == "a" {
			return resolve.Force
		}
		return resolve.Yield
	}})
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	g.check(t, `{"replicas":2}`, ".replicas is owned by a and b")
}

// TestNull checks that null means an absent field, and that a key cannot be null.
func TestNull(t *testing.T) {
	g := newGateways(t)
	g.mustApply(t, "a", `{"replicas": null, "listeners": null, "extra": null}`)
	text, err := content(g.fm, g.stored)
	if want := `{"extra":null,"replicas":1}`; err != nil || string(text) != want { // extra allows any value
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
	for _, config := range []string{`{"listeners": [{"port": null}]}`, `{"listeners": [{"host": "x"}]}`} {
		if err := g.apply("a", config, refuse); err == nil || !strings.HasSuffix(explain(err), "because it lacks the key port") {
			t.Errorf("%s: %v", config, err)
		}
	}
}

// TestMalformed checks that malformed configs cause an error and change nothing.
func TestMalformed(t *testing.T) {
	g := newGateways(t)
	g.mustApply(t, "a", `{"replicas": 2}`)
	before := string(g.stored)
	for _, config := range []string{``, `null`, `[]`, `{replicas: .nan}`, `{"replicas": NaN}`, `{"replicas": 1e999}`, `{"replicas": 3, "replicas": 4}`, `{"extra": "` + "\xff" + `"}`, `{"unknown": 1}`} {
		if err := g.apply("a", config, refuse); err == nil || explain(err) == "" {
			t.Errorf("%q: %v", config, err)
		}
	}
	if string(g.stored) != before {
		t.Errorf("stored %s, want %s", g.stored, before)
	}
}

// TestConstants checks that a config cannot replace the name or the managed fields.
func TestConstants(t *testing.T) {
	g := newGateways(t)
	g.mustApply(t, "a", `{"replicas": 2, "kind": "Other", "metadata": {"name": "other", "managedFields": []}}`)
	g.check(t, `{"replicas":2}`, ".replicas is owned by a")
	if !strings.Contains(string(g.stored), `"name":"edge"`) {
		t.Errorf("stored %s", g.stored)
	}
}

// TestLargeIntegers checks that a stored integer keeps its digits when another field changes.
func TestLargeIntegers(t *testing.T) {
	g := newGateways(t)
	g.mustApply(t, "a", `{"replicas": 9007199254740993, "extra": [9223372036854775807, -9007199254740993, 0.5, 1e300]}`)
	g.mustApply(t, "b", `{"listeners": [{"port": 9007199254740993}]}`)
	g.mustApply(t, "c", `{"replicas": 9007199254740993}`)
	g.check(t, `{"extra":[9223372036854775807,-9007199254740993,0.5,1e+300],"listeners":[{"port":9007199254740993}],"replicas":9007199254740993}`,
		`.extra is owned by a
  .listeners[port=9007199254740993,protocol="TCP"] is owned by b
  .listeners[port=9007199254740993,protocol="TCP"].port is owned by b
  .replicas is owned by a and c`)
}

// BenchmarkApply measures an apply that changes nothing, in relation to json.Marshal of the stored
// object. Two managers own half of the listeners each.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		fm, err := newFieldManager()
		if err != nil {
			b.Fatal(err)
		}
		var live, config map[string]any
		for m, manager := range []string{"a", "b"} {
			var listeners []any
			for i := range n / 2 {
				listeners = append(listeners, map[string]any{"port": int64(m*n + i), "protocol": "TCP", "host": "a.example"})
			}
			config = map[string]any{"apiVersion": "v1", "kind": "Gateway", "metadata": map[string]any{"name": "edge"}, "listeners": listeners}
			result, err := fm.Apply(live, config, manager, false)
			if err != nil {
				b.Fatal(err)
			}
			live = result.Object
		}
		b.Run(fmt.Sprintf("apply/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := fm.Apply(live, config, "b", false); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("marshal/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := json.Marshal(live); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
