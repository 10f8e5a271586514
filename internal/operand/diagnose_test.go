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
