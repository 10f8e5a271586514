// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

// Gateway merges the configs of two teams into one document. The document has a schema of its own,
// and nothing here needs Kubernetes. docs/library.md explains this program.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/ownership"
	"github.com/dovetail-ssa/dovetail/resolve"
	"github.com/dovetail-ssa/dovetail/typed"
	"github.com/dovetail-ssa/dovetail/value"
)

const gatewaySchema = `
declarativeDefaults: true # null means the same as an absent field
missingKeys: strict       # rejects a listener without a port
types:
- name: Gateway
  map:
    fields:
    - {name: apiVersion, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: metadata, type: {map: {fields: [{name: name, type: {scalar: string}}]}}}
    - {name: region, type: {scalar: string, transition: setOnce}}
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

// newFieldManager returns a FieldManager for gateways.
func newFieldManager() (*fieldmanager.FieldManager, error) {
	parser, err := typed.NewParser(gatewaySchema)
	if err != nil {
		return nil, err
	}
	if err := parser.Schema.Check(); err != nil {
		return nil, err
	}
	gateway := parser.Type("Gateway")
	return fieldmanager.New(fieldmanager.Options{
		Types:            func(_, _ string) (typed.ParseableType, error) { return gateway, nil },
		CheckTransitions: true, // enforces setOnce
	})
}

// apply merges a config into the stored object, and returns the object to store. Both are JSON. The
// argument stored is nil if the object does not exist yet.
func apply(fm *fieldmanager.FieldManager, stored []byte, manager, config string, choices resolve.Choices) ([]byte, error) {
	var live map[string]any
	if stored != nil {
		var err error
		if live, err = value.DecodeObject(stored); err != nil {
			return nil, err
		}
	}
	wanted, err := value.DecodeObject([]byte(config))
	if err != nil {
		return nil, err
	}
	wanted["apiVersion"] = "v1"
	wanted["kind"] = "Gateway"
	wanted["metadata"] = map[string]any{"name": "edge"}
	outcome, err := resolve.New(fm, live, wanted, manager).Apply(choices)
	if err != nil {
		return nil, err
	}
	return json.Marshal(outcome.Result.Object)
}

// content returns the stored object with defaults, and without the fields that apply adds.
func content(fm *fieldmanager.FieldManager, stored []byte) ([]byte, error) {
	object, err := value.DecodeObject(stored)
	if err != nil {
		return nil, err
	}
	gateway, err := fm.Type("v1", "Gateway")
	if err != nil {
		return nil, err
	}
	if _, err := gateway.Default(object); err != nil {
		return nil, err
	}
	delete(object, "apiVersion")
	delete(object, "kind")
	delete(object, "metadata")
	return json.Marshal(object)
}

// owners returns a line for each field with its owners.
func owners(fm *fieldmanager.FieldManager, stored []byte) (string, error) {
	object, err := value.DecodeObject(stored)
	if err != nil {
		return "", err
	}
	blame, err := ownership.Blame(fm, object)
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for path, place := range blame.All() {
		if place.State != ownership.Owned {
			continue
		}
		var names []string
		for _, i := range place.Owners {
			names = append(names, blame.Entries[i].Manager)
		}
		slices.Sort(names)
		fmt.Fprintf(&lines, "  %s is owned by %s\n", path, strings.Join(names, " and "))
	}
	return lines.String(), nil
}

// explain describes an error of apply to the author of the config.
func explain(err error) string {
	var lines []string
	var conflict *fieldmanager.ConflictError
	var immutable typed.TransitionErrors
	if errors.As(err, &conflict) {
		for _, c := range conflict.Conflicts {
			lines = append(lines, fmt.Sprintf("%s is %v, set by %s; this config has %v", c.Path, c.Live, c.Manager, c.Yours))
		}
	}
	if errors.As(err, &immutable) {
		for _, e := range immutable {
			line := "." + e.Error()
			if e.New == nil {
				line += "; keep it in your config"
			}
			lines = append(lines, line)
		}
	}
	for _, p := range typed.Problems(err) { // the config is invalid
		lines = append(lines, p.Error())
	}
	if len(lines) == 0 {
		return err.Error()
	}
	return strings.Join(lines, "\n  ")
}

func main() {
	fm, err := newFieldManager()
	if err != nil {
		log.Fatal(err)
	}
	var stored []byte
	try := func(manager, config string, choices resolve.Choices) {
		fmt.Printf("%s: %s\n", manager, config)
		next, err := apply(fm, stored, manager, config, choices)
		if err != nil {
			fmt.Printf("  %s\n", explain(err))
			return
		}
		stored = next
		text, err := content(fm, stored)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("  %s\n", text)
	}
	show := func() {
		text, err := owners(fm, stored)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(text)
	}
	refuse := resolve.Choices{} // refuses all conflicts
	try("platform", `{"region": "eu", "listeners": [{"port": 80, "host": "a.example"}]}`, refuse)
	// The default protocol is TCP, so this is the same listener.
	try("app", `{"listeners": [{"port": 80, "protocol": "TCP", "host": "b.example"}]}`, refuse)
	try("app", `{"replicas": 2, "extra": {"tags": ["a", "b"]}}`, refuse)
	try("platform", `{"region": "us"}`, refuse)
	try("app", `{"replicas": "2"}`, refuse)
	show()
	// platform gives up its listener. No other manager owns it, so the apply removes it.
	try("platform", `{"region": "eu"}`, refuse)
	for _, choice := range []resolve.Choice{resolve.Yield, resolve.Share, resolve.Force} {
		fmt.Printf("%s:\n", choice)
		try("scaler", `{"replicas": 3}`, refuse.Rest(choice))
		show()
	}
}
