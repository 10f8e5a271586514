// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/test/differential/engine/ours"
	"github.com/dovetail-ssa/dovetail/test/differential/engine/upstream"
	"github.com/dovetail-ssa/dovetail/test/differential/gen"
	"github.com/dovetail-ssa/dovetail/test/differential/run"
	"github.com/dovetail-ssa/dovetail/test/differential/scenario"
)

// FuzzSequences lets the bytes of the fuzzer make the random choices of a case, and compares
// the engines.
func FuzzSequences(f *testing.F) {
	s := gen.Seeded(1)
	for n := 0; n < 40; n++ {
		data := make([]byte, 50+n*20)
		for i := range data {
			data[i] = byte(s.N(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4000 {
			t.Skip("more bytes than a case uses")
		}
		report(t, gen.FromBytes(data))
	})
}

// FuzzFieldsV1 reads the bytes of the fuzzer as FieldsV1 with both engines.
func FuzzFieldsV1(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"f:a":{"f:b":{}},"f:c":{".":{},"k:{\"name\":\"x\",\"port\":80}":{"f:y":{}}}}`,
		`{"v:\"\\u003ca\\u2028\"":{},"v:1.50":{},"v:1e21":{},"v:null":{},"v:[1,{\"a\":2}]":{},"i:3":{},"i:-1":{}}`,
		`{"k:{\"b\":1,\"a\":true}":null,"x:y":{"f:a":{}},".":{}}`, `null`, `{"f:a":[]}`, `{"f:a":{}} x`, `{"k:{}":{}}`, `{"k:1":{}}`,
	} {
		f.Add(seed, "f:a")
	}
	f.Fuzz(func(t *testing.T, set, element string) {
		report(t, &scenario.Case{
			Schemas:  []scenario.Schema{{}},
			Versions: []scenario.Version{{Name: "v1", Type: "__untyped_deduced_"}},
			Steps: []scenario.Step{
				{Op: "codec", Set: set},
				{Op: "element", Manager: element},
				{Op: "decode", Set: set},
			},
		})
	})
}

func report(t *testing.T, c *scenario.Case) {
	r := run.New(upstream.New(), ours.New())
	if d := r.Check(c); d != nil {
		t.Fatal(r.Shrink(d, 5*time.Second))
	}
}
