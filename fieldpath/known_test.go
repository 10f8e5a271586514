// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldpath

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/internal/jsoniter"
	"github.com/dovetail-ssa/dovetail/value"
)

// TestKnownElements decodes the same elements several times. Sets that are decoded later must
// share these elements, and must be correct.
func TestKnownElements(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"f:known":{".":{}`)
	for i := range 300 {
		fmt.Fprintf(&text, `,"f:known-%d":{},"k:{\"name\":\"known-%d\",\"port\":%d}":{"f:name":{}},"v:\"known\\u002d%d\"":{}`, i, i, i, i)
	}
	text.WriteString("}}")
	want := fromJSON(t, text.String())
	var was *Set
	shared := 0
	for range 100 {
		set := fromJSON(t, text.String())
		if !set.Equals(want) || toJSON(t, set) != toJSON(t, want) {
			t.Fatalf("got %s", toJSON(t, set))
		}
		if was != nil {
			shared = 0
			old := was.WithPrefix(FieldNameElement("known")).Members.Sorted()
			for i, e := range set.WithPrefix(FieldNameElement("known")).Members.Sorted() {
				if e == old[i] {
					shared++
				}
			}
		}
		was = set
	}
	if shared < 500 {
		t.Errorf("%d of 600 elements are shared after many decodings", shared)
	}
}

// TestKnownElementsAreCopies checks that a caller may change a document after decoding it,
// whether or not its elements are in the cache.
func TestKnownElementsAreCopies(t *testing.T) {
	const text = `{"f:copied":{"k:{\"name\":\"copied\"}":{"f:x":{}},"v:\"copied\"":{},"f:\u0063opied":{}}}`
	want := toJSON(t, fromJSON(t, text))
	for range 6 {
		b := []byte(text)
		set := &Set{}
		if err := set.FromJSON(reader(b)); err != nil {
			t.Fatal(err)
		}
		clear(b)
		other := &Set{}
		if err := other.FromJSON(strings.NewReader(strings.Repeat(" ", len(text)-2) + "{}")); err != nil {
			t.Fatal(err)
		}
		if got := toJSON(t, set); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

// TestKnownElementsAreNotWrittenTo changes the elements of a decoded set, which is not
// allowed. It checks that this does not affect sets that are decoded later.
func TestKnownElementsAreNotWrittenTo(t *testing.T) {
	const text = `{"f:writable":{},"k:{\"a\":\"writable\",\"b\":1}":{},"v:\"writable\"":{}}`
	want := toJSON(t, fromJSON(t, text))
	writes := []func(pe *PathElement){
		func(pe *PathElement) {
			if pe.FieldName != nil {
				*pe.FieldName = "evil"
			}
		},
		func(pe *PathElement) {
			if pe.Key != nil {
				(*pe.Key)[0].Name = "evil"
			}
		},
		func(pe *PathElement) {
			if pe.Key != nil {
				(*pe.Key)[1].Value = value.NewValueInterface("evil")
			}
		},
		func(pe *PathElement) {
			if pe.Key != nil {
				*pe.Key = append(*pe.Key, (*pe.Key)[0])
			}
		},
		func(pe *PathElement) {
			if pe.Value != nil {
				*pe.Value = value.NewValueInterface([]any{"evil"})
			}
		},
	}
	for i, write := range writes {
		for range 200 { // repeat until the elements are in the cache
			set := fromJSON(t, text)
			if got := toJSON(t, set); got != want {
				t.Fatalf("write %d: got %s, want %s", i, got, want)
			}
			set.Members.Iterate(func(pe PathElement) { write(&pe) })
		}
	}
}

// TestCacheDoesNotChangeSets checks that random documents are decoded to the same sets with the
// cache and without it.
func TestCacheDoesNotChangeSets(t *testing.T) {
	for seed := range int64(300) {
		r := rand.New(rand.NewSource(seed))
		from := randomElements(r)
		text := toJSON(t, NewSet(randomPaths(r, from)...))
		want, err := replaySet(jsoniter.Source{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if got := fromJSON(t, text); !got.Equals(&want) || toJSON(t, got) != text {
				t.Fatalf("%d: %s is read as\n%v\nwant\n%v", seed, text, got, &want)
			}
		}
	}
}
