// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	yamlv2 "go.yaml.in/yaml/v2"
)

// YAML written in parts must equal YAML written by a single call.
func TestYAMLInParts(t *testing.T) {
	yamlv2.FutureLineWrap()
	r := rand.New(rand.NewPCG(5, 0))
	texts := []string{"", "a", "true", "12", "two\nlines\n", "  leading\nspace", "trailing \n\n\n", "a\n\n  b\n", "# x", "a: b", "- a", "\ttab\n", "x\ty\nz", "é\u2028\n", "null", "*** (1)", "{", "very long " + fmt.Sprint(make([]int, 100))}
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(8); {
		case depth > 0 && n < 3:
			m := map[string]any{}
			for range r.IntN(6) {
				m[[]string{"a", "a10", "a9", "B", "1", "true", "x y", "k: v", texts[r.IntN(len(texts))]}[r.IntN(9)]] = value(depth - 1)
			}
			return m
		case depth > 0 && n < 5:
			l := []any{}
			for range r.IntN(5) {
				l = append(l, value(depth-1))
			}
			return l
		case n == 5:
			return nil
		case n == 6:
			return int64(r.IntN(100))
		}
		return texts[r.IntN(len(texts))]
	}
	order := &Order{} // keeps the names of earlier values
	for range 5000 {
		v := map[string]any{"spec": value(4), "a": value(2), "m": map[string]any{"n": value(3)}}
		want, err := yamlv2.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := order.writePart(&got, v, "", 2+r.IntN(8)); err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Fatalf("got\n%s\nwant\n%s", got.String(), want)
		}
	}
}
