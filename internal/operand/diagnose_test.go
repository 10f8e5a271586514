// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package operand_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/operand"
	"github.com/dovetail-ssa/dovetail/typed"
)

var portsParser = func() *typed.Parser {
	parser, err := typed.NewParser(`types:
- name: root
  map:
    fields:
    - name: ports
      type:
        list:
          elementRelationship: associative
          keys: [host, port, protocol]
          elementType:
            map:
              fields:
              - {name: host, type: {scalar: string}}
              - {name: port, type: {scalar: numeric}}
              - {name: protocol, type: {scalar: string}, default: TCP}
              - {name: name, type: {scalar: string}}
`)
	if err != nil {
		panic(err)
	}
	return parser
}()

// TestDiagnoseLikeSlowVersion checks that Diagnose finds the same live items as a search
// through all of them for each item of the config.
func TestDiagnoseLikeSlowVersion(t *testing.T) {
	typ := portsParser.Type("root")
	r := rand.New(rand.NewPCG(11, 0))
	items := func(n int) []any {
		var all []any
		for range n {
			item := map[string]any{}
			if r.IntN(3) > 0 {
				item["host"] = fmt.Sprint("h", r.IntN(4))
			}
			if r.IntN(3) > 0 {
				item["port"] = int64(r.IntN(4))
			}
			switch r.IntN(4) {
			case 0:
				item["protocol"] = []string{"TCP", "UDP", ""}[r.IntN(3)]
			case 1:
				item["protocol"] = "TCP"
			}
			if len(item) > 0 {
				all = append(all, item)
			}
		}
		return all
	}
	key := func(item map[string]any, name string) any {
		if v := item[name]; v != nil || name != "protocol" {
			return v
		}
		return "TCP"
	}
	names := []string{"host", "port", "protocol"}
	total := 0
	for range 3000 {
		live, config := items(r.IntN(12)), items(1+r.IntN(4))
		l, err := typ.FromUnstructured(map[string]any{"ports": live}, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		c, err := typ.FromUnstructured(map[string]any{"ports": config}, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, it := range config {
			item := it.(map[string]any)
			agreeing := func(but string) (findings []map[string]any) {
				for _, it := range live {
					other := it.(map[string]any)
					same := but == "" || key(other, but) != nil
					for _, name := range names {
						same = same && (name == but || key(item, name) == key(other, name))
					}
					if same {
						findings = append(findings, other)
					}
				}
				return findings
			}
			for _, name := range names {
				if key(item, name) != nil || len(agreeing("")) > 0 {
					continue
				}
				if others := agreeing(name); len(others) == 1 {
					want = append(want, fmt.Sprint(name, "=", others[0][name]))
				}
			}
		}
		var got []string
		for _, f := range (*operand.Value)(l).Diagnose((*operand.Value)(c)) {
			if f.Found == "" {
				continue // it is an empty key that has a default
			}
			for _, name := range names {
				if f.Message != "" && len(f.Message) > 14+len(name) && f.Message[:14+len(name)] == "lacks the key "+name {
					got = append(got, fmt.Sprint(name, "=", f.Found))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("live %v, config %v: got %v, want %v", live, config, got, want)
		}
		total += len(want)
	}
	if total < 100 {
		t.Errorf("only %d findings", total)
	}
}

// TestDiagnoseZeroKeys checks that Diagnose reports a key that is empty, 0 or false only if this
// value is not the default of the key.
func TestDiagnoseZeroKeys(t *testing.T) {
	for _, c := range []struct{ scalar, key, def, want string }{
		{"string", `""`, `TCP`, `the key k is empty, which is not the default "TCP"; leave the key out to use the default`},
		{"string", `""`, `""`, ""},
		{"string", `UDP`, `TCP`, ""},
		{"numeric", "0", "1", "the key k is 0, which is not the default 1; leave the key out to use the default"},
		{"numeric", "0", "0", ""},
		{"boolean", "false", "true", "the key k is false, which is not the default true; leave the key out to use the default"},
		{"boolean", "false", "false", ""},
	} {
		parser, err := typed.NewParser(typed.YAMLObject(`types:
- name: root
  list:
    elementRelationship: associative
    keys: [k]
    elementType: {map: {fields: [{name: k, type: {scalar: ` + c.scalar + `}, default: ` + c.def + `}]}}
`))
		if err != nil {
			t.Fatal(err)
		}
		config, err := parser.Type("root").FromYAML(typed.YAMLObject("[{k: " + c.key + "}]"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range (*operand.Value)(config.Empty()).Diagnose((*operand.Value)(config)) {
			got += f.Message
		}
		if got != c.want {
			t.Errorf("key %s, default %s: got %q, want %q", c.key, c.def, got, c.want)
		}
	}
}
