// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/dovetail-ssa/dovetail/test/differential/gen"
)

// sharingCases is the number of random cases in an ordinary run of the tests.
const sharingCases = 2500

// TestSharing runs all operations on random inputs. Then it writes to every part of the results
// that a caller may modify. No write may change an input, another result, or a later operation.
func TestSharing(t *testing.T) {
	n := sharingCases
	if testing.Short() {
		n /= 10
	}
	var c counts
	for seed := range uint64(n) {
		checkSharing(t, func() *gen.Source { return gen.Seeded(seed) }, &c)
	}
	t.Logf("%d inputs, %d writes to objects, %d to sets, %d to managers", c.inputs, c.objects, c.sets, c.managers)
	if c.inputs < n/2 || c.objects < 10*n || c.sets < 20*n || c.managers < n {
		t.Error("the cases do not cover enough")
	}
}

// FuzzSharing makes the same check as TestSharing. The bytes of the fuzzer make the
// random choices.
func FuzzSharing(f *testing.F) {
	s := gen.Seeded(2)
	for n := range 40 {
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
		checkSharing(t, func() *gen.Source { return gen.Bytes(data) }, new(counts))
	})
}

// counts has the number of tested inputs, and of writes to objects, sets and managers.
type counts struct{ inputs, objects, sets, managers int }

// checkSharing fails if a write changes something else. First it compares everything once,
// after all writes. If it finds a change, it runs again and compares after each write, to find
// the cause.
func checkSharing(t *testing.T, source func() *gen.Source, c *counts) {
	t.Helper()
	if err := trySharing(source(), c, false); err != nil {
		if culprit := trySharing(source(), new(counts), true); culprit != nil {
			err = culprit
		}
		t.Fatal(err)
	}
}

func trySharing(s *gen.Source, c *counts, eachWrite bool) error {
	w := newSharingWorld(s)
	if w == nil {
		return nil
	}
	c.inputs++
	inputs := w.inputs()
	results := w.run()
	first := textsOf(results)
	texts := slices.Clone(first)
	look := func(after string) error {
		for i, in := range w.inputs() {
			if in != inputs[i] {
				return fmt.Errorf("%s changed an input\nfrom %s\nto   %s", after, inputs[i], in)
			}
		}
		for i, text := range textsOf(results) {
			if text != texts[i] {
				return fmt.Errorf("%s changed the result of %s\nfrom %s\nto   %s", after, results[i].name, texts[i], text)
			}
		}
		return nil
	}
	if err := look("running"); err != nil {
		return err
	}
	for i := range results {
		if text := results[i].text(); text != texts[i] {
			return fmt.Errorf("a write to another result changed that of %s\nfrom %s\nto   %s", results[i].name, texts[i], text)
		}
		for _, kind := range []write{wide, deep, copied} {
			if !results[i].write(w, kind, c) {
				continue
			}
			texts[i] = results[i].text()
			if eachWrite {
				if err := look(fmt.Sprintf("a %s write to the result of %s", kind, results[i].name)); err != nil {
					return err
				}
			}
		}
	}
	if err := look("a write to another result"); err != nil {
		return err
	}
	for i, text := range textsOf(w.run()) {
		if text != first[i] {
			return fmt.Errorf("%s: after writes to all results it returns\n%s\ninstead of\n%s", results[i].name, text, first[i])
		}
	}
	w.writeInputs()
	for i, text := range textsOf(results) {
		if text != texts[i] {
			return fmt.Errorf("writing to the operands changed the result of %s\nfrom %s\nto   %s", results[i].name, texts[i], text)
		}
	}
	return nil
}

func textsOf(results []sharingResult) []string {
	out := make([]string, len(results))
	for i := range results {
		out[i] = results[i].text()
	}
	return out
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
