// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package guide_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/merge"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const gatewaySchema = `types:
- name: Gateway
  map:
    fields:
    - {name: region, type: {scalar: string, transition: immutable}}
    - {name: replicas, type: {scalar: numeric}, default: 1}
    - name: listeners
      type:
        list:
          elementRelationship: associative
          keys: [port, protocol]
          elementType: {namedType: Listener}
    - {name: extra, type: {namedType: Anything}}
- name: Listener
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: host, type: {scalar: string}}
- name: Anything
  scalar: untyped
  list: {elementRelationship: atomic, elementType: {namedType: Anything}}
  map: {elementType: {namedType: Anything}}
`

// Record has the parts of an object that a program stores.
type Record struct {
	Object json.RawMessage            `json:"object"`
	Fields map[string]json.RawMessage `json:"fields"` // the fields of each manager
}

// oneVersion is the Converter of objects that have only one version.
type oneVersion struct{}

func (oneVersion) Convert(o *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return o, nil
}

func (oneVersion) IsMissingVersionError(error) bool { return false }

// Apply merges the config of a manager into the record.
func (r *Record) Apply(t typed.ParseableType, config typed.YAMLObject, manager string, choose Choose) error {
	created := r.Object == nil
	stored := r
	if created {
		stored = &Record{Object: json.RawMessage(`{}`)}
	}
	live, err := stored.Read(t)
	if err != nil {
		return err
	}
	wanted, err := t.FromYAML(config)
	if err != nil {
		return err
	}
	managers, err := r.managers()
	if err != nil {
		return err
	}
	builder := merge.UpdaterBuilder{Converter: oneVersion{}, ReturnInputOnNoop: true}
	updater := builder.BuildUpdater()
	merged, owners, err := updater.Apply(live, wanted, "v1", managers, manager, false)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) && choose != nil {
		if wanted, err = resolveConflicts(live, wanted, managers, conflicts, choose); err != nil {
			return err
		}
		merged, owners, err = updater.Apply(live, wanted, "v1", managers, manager, false)
	}
	if errors.As(err, &conflicts) {
		paths := conflicts.ToSet()
		theirs := live.ExtractItems(paths, typed.WithAppendKeyFields())
		yours := wanted.ExtractItems(paths, typed.WithAppendKeyFields())
		return fmt.Errorf("%w\n  live:  %s\n  yours: %s", err, asJSON(theirs), asJSON(yours))
	}
	if err != nil {
		return err
	}
	if !created {
		// Package merge does not check immutable fields.
		if err := live.CheckTransition(merged, typed.TransitionOptions{}); err != nil {
			return err
		}
	}
	fields := map[string]json.RawMessage{}
	for name, owned := range owners {
		if fields[name], err = owned.Set().ToJSON(); err != nil {
			return err
		}
	}
	r.Object, r.Fields = asJSON(merged), fields
	return nil
}

// Read returns the stored object, without defaults.
func (r *Record) Read(t typed.ParseableType) (*typed.TypedValue, error) {
	d := json.NewDecoder(bytes.NewReader(r.Object))
	d.UseNumber()
	var decoded any
	if err := d.Decode(&decoded); err != nil {
		return nil, err
	}
	object, err := convertNumbers(decoded)
	if err != nil {
		return nil, err
	}
	return t.FromUnstructured(object)
}

// convertNumbers replaces each number in v with an int64 or, if that is not possible, a float64.
func convertNumbers(v any) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i, nil
		}
		return v.Float64()
	case map[string]any:
		for k := range v {
			if v[k], err = convertNumbers(v[k]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = convertNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// managers returns the field sets of all managers.
func (r *Record) managers() (fieldpath.ManagedFields, error) {
	managers := fieldpath.ManagedFields{}
	for name, data := range r.Fields {
		set := fieldpath.NewSet()
		if err := set.FromJSON(bytes.NewReader(data)); err != nil {
			return nil, err
		}
		managers[name] = fieldpath.NewVersionedSet(set, "v1", true) // true: owned by an apply
	}
	return managers, nil
}

func asJSON(tv *typed.TypedValue) []byte {
	data, err := value.ToJSON(tv.AsValue())
	if err != nil {
		log.Fatal(err) // only for values that JSON cannot represent, such as NaN
	}
	return data
}

// Two teams configure a gateway, whose type is a schema of this program.
func Example_ownTypes() {
	parser, err := typed.NewParser(gatewaySchema)
	if err != nil {
		log.Fatal(err)
	}
	if err := parser.Schema.Check(); err != nil {
		log.Fatal(err)
	}
	gateway := parser.Type("Gateway")
	record := &Record{}
	apply := func(manager string, config typed.YAMLObject) {
		err := record.Apply(gateway, config, manager, nil)
		problems := typed.Problems(err) // not empty if the config is invalid
		for _, p := range problems {
			fmt.Printf("%s: %v\n", manager, p)
		}
		switch {
		case err == nil:
			fmt.Printf("%s: %s\n", manager, record.Object)
		case len(problems) == 0:
			fmt.Printf("%s: %v\n", manager, err)
		}
	}
	apply("platform", `{region: eu, listeners: [{port: 80, host: a.example}]}`)
	// The default protocol is TCP, so this is the same listener.
	apply("app", `{listeners: [{port: 80, protocol: TCP, host: b.example}]}`)
	apply("app", `{listeners: [{port: 443, host: b.example}], extra: {tags: [a, b]}}`)
	apply("platform", `{region: us}`)
	apply("app", `{listeners: [{port: 443, host: on}]}`)
	// A field that platform no longer applies is removed, unless app owns it.
	apply("platform", `{region: eu}`)
	fmt.Printf("platform owns %s\n", record.Fields["platform"])
	stored, err := record.Read(gateway)
	if err != nil {
		log.Fatal(err)
	}
	defaulted, err := stored.Default()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("with defaults: %s\n", asJSON(defaulted))
	// Output:
	// platform: {"listeners":[{"host":"a.example","port":80}],"region":"eu"}
	// app: conflict with "platform": .listeners[port=80,protocol="TCP"].host
	//   live:  {"listeners":[{"host":"a.example","port":80}]}
	//   yours: {"listeners":[{"host":"b.example","port":80,"protocol":"TCP"}]}
	// app: {"extra":{"tags":["a","b"]},"listeners":[{"host":"a.example","port":80},{"host":"b.example","port":443}],"region":"eu"}
	// platform: region: field is immutable: changes "eu" to "us"
	// app: .listeners[port=443,protocol="TCP"].host: want a string, got the boolean true; y, yes and on without quotes are booleans in YAML 1.1, which Kubernetes reads; quote it: "true"
	// platform: {"extra":{"tags":["a","b"]},"listeners":[{"host":"b.example","port":443}],"region":"eu"}
	// platform owns {"f:region":{}}
	// with defaults: {"extra":{"tags":["a","b"]},"listeners":[{"host":"b.example","port":443,"protocol":"TCP"}],"region":"eu","replicas":1}
}

// TestLargeIntegers checks that a stored integer keeps its digits when another field changes.
func TestLargeIntegers(t *testing.T) {
	parser, err := typed.NewParser(gatewaySchema)
	if err != nil {
		t.Fatal(err)
	}
	gateway, record := parser.Type("Gateway"), &Record{}
	for manager, config := range []typed.YAMLObject{
		`{replicas: 9007199254740993, extra: [9223372036854775807, -9007199254740993, 0.5, 1e300]}`,
		`{listeners: [{port: 9007199254740993}]}`,
		`{replicas: 9007199254740993}`,
	} {
		if err := record.Apply(gateway, config, fmt.Sprint("manager", manager), nil); err != nil {
			t.Fatal(err)
		}
	}
	const want = `{"extra":[9223372036854775807,-9007199254740993,0.5,1e+300],"listeners":[{"port":9007199254740993}],"replicas":9007199254740993}`
	if string(record.Object) != want {
		t.Errorf("got  %s\nwant %s", record.Object, want)
	}
}

// Choose selects how to resolve a conflict.
type Choose func(merge.Conflict) resolve.Choice

// resolveConflicts returns the config that implements the choices. It removes the forced fields
// from managers.
func resolveConflicts(live, config *typed.TypedValue, managers fieldpath.ManagedFields, conflicts merge.Conflicts, choose Choose) (*typed.TypedValue, error) {
	yielded, shared := fieldpath.NewSet(), fieldpath.NewSet()
	for _, c := range conflicts {
		switch choose(c) {
		case resolve.Force: // the other manager no longer owns the field
			owned := managers[c.Manager]
			rest := owned.Set().Difference(fieldpath.NewSet(c.Path))
			managers[c.Manager] = fieldpath.NewVersionedSet(rest, owned.APIVersion(), owned.Applied())
		case resolve.Yield: // the config leaves out the field
			yielded.Insert(c.Path)
		case resolve.Share: // the config has the live value
			shared.Insert(c.Path)
		}
	}
	fields, err := config.ToFieldSet()
	if err != nil {
		return nil, err
	}
	config = config.ExtractItems(fields.RecursiveDifference(yielded), typed.WithAppendKeyFields())
	return config.Merge(live.ExtractItems(shared, typed.WithAppendKeyFields()))
}

// Two managers set the same field of a gateway.
func Example_ownConflicts() {
	parser, err := typed.NewParser(gatewaySchema)
	if err != nil {
		log.Fatal(err)
	}
	gateway := parser.Type("Gateway")
	for _, choice := range []resolve.Choice{resolve.Force, resolve.Yield, resolve.Share} {
		record := &Record{}
		if err := record.Apply(gateway, `{replicas: 2}`, "platform", nil); err != nil {
			log.Fatal(err)
		}
		choose := func(merge.Conflict) resolve.Choice { return choice }
		if err := record.Apply(gateway, `{replicas: 3, extra: {team: web}}`, "app", choose); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", choice, record.Object)
		for _, manager := range []string{"app", "platform"} {
			if fields, ok := record.Fields[manager]; ok {
				fmt.Printf("  %s owns %s\n", manager, fields)
			}
		}
	}
	// Output:
	// force: {"extra":{"team":"web"},"replicas":3}
	//   app owns {"f:extra":{"f:team":{}},"f:replicas":{}}
	// yield: {"extra":{"team":"web"},"replicas":2}
	//   app owns {"f:extra":{"f:team":{}}}
	//   platform owns {"f:replicas":{}}
	// share: {"extra":{"team":"web"},"replicas":2}
	//   app owns {"f:extra":{"f:team":{}},"f:replicas":{}}
	//   platform owns {"f:replicas":{}}
}
