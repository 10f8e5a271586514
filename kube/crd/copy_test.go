// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// A copy equals the object after a round trip through JSON. It shares no memory with the
// object.
func TestCopyIsJSON(t *testing.T) {
	direct, through, null := 0, 0, 0
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 1))
		object := randomObject(r, 3)
		want, wantErr := throughJSON(object)
		got, nulls, err := copyObject(object)
		if wantErr != nil || err != nil {
			if wantErr == nil || err == nil || err.Error() != wantErr.Error() {
				t.Fatalf("%d: %v, want %v, of %#v", seed, err, wantErr, object)
			}
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d: got\n%#v\nwant\n%#v", seed, got, want)
		}
		if has := hasNull(want); has && !nulls {
			t.Fatalf("%d: a null in %#v was not reported", seed, want)
		} else if has {
			null++
		}
		if _, ok := new(copier).value(object, 0); !ok {
			through++
		} else {
			direct++
			overwrite(got)
			if again, err := throughJSON(object); err != nil || !reflect.DeepEqual(again, want) {
				t.Fatalf("%d: the copy shares memory with the object: %#v", seed, object)
			}
		}
	}
	if direct < 5000 || through < 1000 || null < 1000 {
		t.Errorf("%d copied directly, %d through JSON, %d with nulls: one of these is too low", direct, through, null)
	}
}

func randomObject(r *rand.Rand, depth int) map[string]any {
	object := map[string]any{}
	for range r.IntN(4) {
		object[[]string{"a", "b", "ü<", "\xff"}[min(r.IntN(40)/13, 3)]] = randomValue(r, depth-1)
	}
	return object
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n < 3 && depth > 0:
		return randomObject(r, depth)
	case n < 5 && depth > 0:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	}
	usual := []any{"", "a", "<&>\u2028", int64(1), int64(math.MinInt64), 7, true, 1.5, 3.0, -2e9, 1e-9, 1 << 53, nil, map[string]any(nil), []any(nil)}
	odd := []any{"\xff", 0.0, math.Copysign(0, -1), 1e18, 1e20, 1e21, math.MaxFloat64, math.NaN(), math.Inf(1), int32(3), uint8(4), float32(0.1),
		[]string{"a"}, map[string]string{"a": "b"}, map[any]any{"a": 1}, struct{ A int }{1}, make(chan int)}
	if r.IntN(12) == 0 {
		return odd[r.IntN(len(odd))]
	}
	return usual[r.IntN(len(usual))]
}

func hasNull(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, c := range x {
			if hasNull(c) {
				return true
			}
		}
	case []any:
		for _, c := range x {
			if hasNull(c) {
				return true
			}
		}
	}
	return false
}

// overwrite writes to all containers of a value.
func overwrite(v any) {
	switch x := v.(type) {
	case map[string]any:
		for _, c := range x {
			overwrite(c)
		}
		x["scribbled"] = true
	case []any:
		for i, c := range x {
			overwrite(c)
			x[i] = "scribbled"
		}
	}
}

// For an object that contains itself or is nested too deeply, the error must equal the
// error of encoding/json.
func TestCopyTooDeep(t *testing.T) {
	round := map[string]any{}
	round["a"] = []any{round}
	deep := map[string]any{}
	for range 20000 {
		deep = map[string]any{"a": deep}
	}
	for name, object := range map[string]map[string]any{"contains itself": round, "deep": deep} {
		_, want := throughJSON(object)
		if _, _, err := copyObject(object); want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	deep = map[string]any{}
	for range 600 {
		deep = map[string]any{"a": deep}
	}
	if got, nulls, err := copyObject(deep); err != nil || !nulls || !reflect.DeepEqual(got, deep) {
		t.Errorf("600 levels: %v", err)
	}
}
