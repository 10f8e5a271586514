// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// What is written is, to the byte, what encoding/json writes.
func TestWriteJSON(t *testing.T) {
	at := "now"
	reports := []any{
		nil, (*report)(nil), report{}, []report{}, []report(nil), []map[string]any{}, []map[string]any{{"a": nil}}, map[string][]string{"b": {"c"}, "a": nil},
		report{
			objectReport: objectReport{"v1", "A", "", "<b>"},
			Object:       map[string]any{"a": []any{int64(1), 1.5, 1e30, "é\u2028\x01<&>\xff", true, nil, map[string]any{}, []any{}, map[string]any(nil), []any(nil)}},
			Conflicts:    []conflictReport{{Time: &at, Yours: []any{map[string]any{"x": "y"}}, Outcomes: &outcomesReport{Force: outcomeReport{Left: []string{"a", "b"}, YAML: "a\n"}}}},
			Defaulted:    []string{}, Settled: &[]settledReport{}, Differences: &[]differenceReport{{Old: int64(1), Owners: []ownerReport{{}}}},
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
		if err := writeJSON(&got, v); err != nil {
			t.Fatal(err)
		}
		if got.String() != want.String() {
			t.Errorf("got\n%s\nwant\n%s", got.String(), want.String())
		}
	}
	if err := writeJSON(&bytes.Buffer{}, []any{math.NaN()}); err == nil {
		t.Error("NaN was written")
	}
}

func TestPieces(t *testing.T) {
	var p pieces
	var want strings.Builder
	r := rand.New(rand.NewPCG(1, 3))
	for want.Len() < 3*pieceSize {
		text := strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(40_000))
		want.WriteString(text)
		if r.IntN(2) == 0 {
			p.Write([]byte(text))
		} else {
			p.WriteString(text)
		}
	}
	var got bytes.Buffer
	if err := p.writeTo(&got); err != nil || got.String() != want.String() {
		t.Errorf("got %d bytes, want %d, error %v", got.Len(), want.Len(), err)
	}
	p.Reset()
	got.Reset()
	if err := p.writeTo(&got); err != nil || got.Len() > 0 {
		t.Errorf("got %d bytes after a reset, error %v", got.Len(), err)
	}
}
