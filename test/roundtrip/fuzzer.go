// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	fuzz "github.com/google/gofuzz"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
)

// JSON is data with the Go types of decoded JSON. Integers are int64.
type JSON struct{ Data any }

// There are few names, so that random names are often equal.
var names = []string{"a", "b", "c", "name", "a.b/c", "", "<&>", "\u2028", "ü", "\x00", "\"\\", "f:a"}

// newFuzzer returns a source of random data. Equal seeds give equal data.
func newFuzzer(seed int64) *fuzz.Fuzzer {
	return fuzz.NewWithSeed(seed).NilChance(0.3).NumElements(0, 4).MaxDepth(8).Funcs(
		func(s *string, c fuzz.Continue) { *s = text(c) },
		func(j *JSON, c fuzz.Continue) { j.Data = data(c, 3, 4) },
		func(pe *fieldpath.PathElement, c fuzz.Continue) { *pe = element(c) },
		func(p *fieldpath.Path, c fuzz.Continue) {
			*p = fieldpath.Path{}
			for range 1 + c.Intn(4) {
				*p = append(*p, element(c))
			}
		},
		func(s *fieldpath.Set, c fuzz.Continue) {
			var paths []fieldpath.Path
			for range c.Intn(12) {
				var p fieldpath.Path
				c.Fuzz(&p)
				paths = append(paths, p)
			}
			*s = *fieldpath.NewSet(paths...)
		},
	)
}

func text(c fuzz.Continue) string {
	if c.Intn(3) == 0 {
		return c.RandString()
	}
	return names[c.Intn(len(names))]
}

func scalar(c fuzz.Continue) any {
	switch c.Intn(8) {
	case 0:
		return nil
	case 1:
		return c.RandBool()
	case 2:
		return int64(c.Intn(5))
	case 3:
		return int64(c.Int63()) - 1<<62
	case 4:
		return float64(c.Intn(5)) / 2
	case 5:
		return c.NormFloat64() * []float64{1, 1e-9, 1e21, 1e300}[c.Intn(4)]
	}
	return text(c)
}

// data returns random JSON data. It has at most depth levels, and at most width keys in a map.
func data(c fuzz.Continue, depth, width int) any {
	kind := c.Intn(4)
	if depth == 0 || kind > 1 {
		return scalar(c)
	}
	if kind == 0 {
		l := make([]any, c.Intn(4))
		for i := range l {
			l[i] = data(c, depth-1, width)
		}
		return l
	}
	m := map[string]any{}
	for range c.Intn(width + 1) {
		m[text(c)] = data(c, depth-1, width)
	}
	return m
}

func element(c fuzz.Continue) fieldpath.PathElement {
	switch c.Intn(6) {
	case 0:
		// structured-merge-diff prints maps in Go's random order, so a map has at most one key.
		return fieldpath.ValueElement(value.NewValueInterface(data(c, c.Intn(2), 1)))
	case 1:
		return fieldpath.IndexElement(c.Intn(7) - 2)
	case 2:
		fields := value.FieldList{}
		seen := map[string]bool{}
		for range 1 + c.Intn(3) {
			if name := text(c); !seen[name] {
				seen[name] = true
				fields = append(fields, value.Field{Name: name, Value: value.NewValueInterface(scalar(c))})
			}
		}
		fields.Sort()
		return fieldpath.KeyElement(fields...)
	}
	return fieldpath.FieldNameElement(text(c))
}
