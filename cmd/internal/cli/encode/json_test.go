// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package encode

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// What is written is, to the byte, what encoding/json writes.
func TestWriteJSON(t *testing.T) {
	type named struct {
		Name string `json:"name"`
	}
	type outer struct {
		named
		Object  map[string]any `json:"object"`
		Time    *string        `json:"time"`
		Below   []outer        `json:"below"`
		Texts   []string       `json:"texts"`
		Text    string         `json:"text,omitempty"`
		Others  *[]outer       `json:"others,omitempty"`
		Value   *any           `json:"value,omitempty"`
		Number  int
		private int
	}
	at := "now"
	reports := []any{
		nil, (*outer)(nil), outer{}, []outer{}, []outer(nil), []map[string]any{}, []map[string]any{{"a": nil}}, map[string][]string{"b": {"c"}, "a": nil},
		outer{
			named:  named{"<b>"},
			Object: map[string]any{"a": []any{int64(1), 1.5, 1e30, "é\u2028\x01<&>\xff", true, nil, map[string]any{}, []any{}, map[string]any(nil), []any(nil)}},
			Below:  []outer{{Time: &at, Value: new(any([]any{map[string]any{"x": "y"}})), Texts: []string{"a", "b"}, Text: "a\n"}},
			Texts:  []string{}, Others: &[]outer{}, Number: 3, private: 4,
		},
		map[string]any{"raw": json.RawMessage(`{"a":[1,{}]}`), "bytes": []byte("abc"), "int": 3, "strings": []string{"a"}},
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 2))
		var value func(depth int) any
		value = func(depth int) any {
			switch n := r.IntN(8 - depth); n {
			case 0:
				return r.Int64() - math.MaxInt64/2
			case 1:
				return math.Float64frombits(r.Uint64() &^ (1 << 62))
			case 2:
				return string(rune(r.IntN(0x3000))) + "\"\\/"
			case 3:
				m := map[string]any{}
				for range r.IntN(4) {
					m[string(rune('a'+r.IntN(26)))+"<"] = value(depth + 1)
				}
				return m
			case 4:
				l := []any{}
				for range r.IntN(4) {
					l = append(l, value(depth+1))
				}
				return l
			case 5:
				return r.IntN(2) == 0
			}
			return nil
		}
		reports = append(reports, value(0))
	}
	for _, v := range reports {
		var want, got bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		if err := JSON(&got, v); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("got\n%s\nwant\n%s", got.String(), want.String())
		}
	}
	if err := JSON(&bytes.Buffer{}, []any{math.NaN()}); err == nil {
		t.Error("NaN was written")
	}
}
