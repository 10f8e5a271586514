// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"fmt"
	"github.com/dovetail-ssa/dovetail/kube/crd/internal/tree"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
)

// slowSplitPath is a simple version of splitPath that tries every possible name.
func slowSplitPath(v any, path string) (steps []any, complete bool) {
	for len(path) > 0 && path[0] == '.' {
		path = path[1:]
	}
	if path == "" {
		return nil, true
	}
	cut := func(name string) (rest string, ok bool) {
		for _, prefix := range []string{name, "[" + name + "]"} {
			if len(path) >= len(prefix) && path[:len(prefix)] == prefix {
				if rest = path[len(prefix):]; rest == "" || rest[0] == '.' || rest[0] == '[' {
					return rest, true
				}
			}
		}
		return "", false
	}
	best := []any{path}
	switch v := v.(type) {
	case map[string]any:
		length := -1
		for _, name := range tree.SortedKeys(v) {
			rest, ok := cut(name)
			if !ok || name == "" {
				continue
			}
			below, complete := slowSplitPath(v[name], rest)
			if complete {
				return append([]any{name}, below...), true
			}
			if len(name) > length {
				best, length = append([]any{name}, below...), len(name)
			}
		}
	case []any:
		for i := range v {
			if rest, ok := cut(strconv.Itoa(i)); ok {
				below, complete := slowSplitPath(v[i], rest)
				return append([]any{i}, below...), complete
			}
		}
	}
	return best, false
}

func TestSuccessor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "b", "a.b", "a[0]", "0", "1", "a.b.c", "c[b]"}
	var value func(depth int) any
	value = func(depth int) any {
		if depth == 0 || r.IntN(4) == 0 {
			return "x"
		}
		if r.IntN(3) == 0 {
			return []any{value(depth - 1), value(depth - 1)}
		}
		m := map[string]any{}
		for range 1 + r.IntN(5) {
			m[names[r.IntN(len(names))]] = value(depth - 1)
		}
		return m
	}
	complete := 0
	for range 20_000 {
		v, path := value(4), ""
		for range 1 + r.IntN(4) {
			path += fmt.Sprintf([]string{".%s", "[%s]", "%s"}[r.IntN(3)], names[r.IntN(len(names))])
		}
		got, ok := splitPath(v, path)
		want, wantOK := slowSplitPath(v, path)
		if ok != wantOK || !reflect.DeepEqual(got, want) && !slices.Equal(got, want) {
			t.Fatalf("%s in %v: got %v %t, want %v %t", path, v, got, ok, want, wantOK)
		}
		if ok {
			complete++
		}
	}
	if complete < 1000 {
		t.Errorf("%d paths are complete", complete)
	}
}
