// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package differential

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/value"
	upath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	uvalue "sigs.k8s.io/structured-merge-diff/v6/value"
)

// These tests are like those in intended_test.go, for differences of field sets.

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// TestReaderWithoutProgress decodes a set from a reader that never returns any bytes
// (reader-progress in DIFFERENCES.md). structured-merge-diff never returns, so only Dovetail runs.
func TestReaderWithoutProgress(t *testing.T) {
	if err := new(fieldpath.Set).FromJSON(silent{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("the reader returns %v", err)
	}
}

// TestNilElements tests nil values that make structured-merge-diff panic (nil-elements in
// DIFFERENCES.md).
func TestNilElements(t *testing.T) {
	if value.NewValueInterface(map[string]any{"a": 1}).AsMap().Equals(nil) {
		t.Error("a map and nil are equal")
	}
	if panicOf(func() { uvalue.NewValueInterface(map[string]any{"a": 1}).AsMap().Equals(nil) }) == "" {
		t.Error("structured-merge-diff has changed: comparing a map with nil does not panic")
	}
}

// TestStreamErrors tests which bytes ToJSONStream has written when an error occurs
// (stream-errors in DIFFERENCES.md).
func TestStreamErrors(t *testing.T) {
	for _, size := range []int{1, 10, 1000} {
		// The last element of the set cannot be encoded.
		s, u := fieldpath.NewSet(), upath.NewSet()
		for i := range size {
			name := fmt.Sprintf("field-%06d", i)
			s.Insert(fieldpath.MakePathOrDie(name, "x"))
			u.Insert(upath.MakePathOrDie(name, "x"))
		}
		whole, err := s.ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		s.Insert(fieldpath.Path{fieldpath.PathElement{}, fieldpath.PathElement{}})
		u.Insert(upath.Path{upath.PathElement{}, upath.PathElement{}})
		var own, theirs writes
		if err := s.ToJSONStream(&own); err == nil || len(own) > 0 {
			t.Errorf("a set of %d elements: wrote %q, error %v", size, own, err)
		}
		// structured-merge-diff may write a part of a small set before it returns the
		// error. The size of this part depends on its buffers.
		err = u.ToJSONStream(&theirs)
		part := strings.Join(theirs, "")
		if err == nil || !strings.HasPrefix(string(whole), part) || size == 1000 && len(part) < len(whole)-8192 {
			t.Errorf("structured-merge-diff has changed: for %d elements, it writes %d of %d bytes, error %v", size, len(part), len(whole), err)
		}
	}
	// Without an error, Dovetail calls Write once. structured-merge-diff calls it several
	// times.
	var own, theirs writes
	s, u := fieldpath.NewSet(), upath.NewSet()
	for i := range 1000 {
		s.Insert(fieldpath.MakePathOrDie(i, "x"))
		u.Insert(upath.MakePathOrDie(i, "x"))
	}
	if err := s.ToJSONStream(&own); err != nil || len(own) != 1 {
		t.Errorf("Dovetail calls Write %d times, error %v", len(own), err)
	}
	if err := u.ToJSONStream(&theirs); err != nil || len(theirs) < 2 {
		t.Errorf("structured-merge-diff has changed: it calls Write %d times, error %v", len(theirs), err)
	}
	if own[0] != strings.Join(theirs, "") {
		t.Error("the written bytes differ")
	}
}

// writes records the bytes of each call of Write.
type writes []string

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, string(b))
	return len(b), nil
}

// TestSharedElements tests a known limit. Path elements that occur often are shared by decoded
// sets. A program must not write to such an element. If it does, the sets that share the
// element change. Sets that are decoded later do not change.
func TestSharedElements(t *testing.T) {
	const text = `{"f:shared element":{}}`
	first := func(members func(func(name *string))) (name *string) {
		members(func(n *string) { name = n })
		return name
	}
	var theirs, ours []*string
	decode := func() {
		u, s := new(upath.Set), new(fieldpath.Set)
		if err := errors.Join(u.FromJSON(strings.NewReader(text)), s.FromJSON(strings.NewReader(text))); err != nil {
			t.Fatal(err)
		}
		theirs = append(theirs, first(func(f func(*string)) { u.Members.Iterate(func(pe upath.PathElement) { f(pe.FieldName) }) }))
		ours = append(ours, first(func(f func(*string)) { s.Members.Iterate(func(pe fieldpath.PathElement) { f(pe.FieldName) }) }))
	}
	for range 1000 { // decode often, so that the element gets into the cache
		decode()
	}
	*theirs[999], *ours[999] = "written", "written"
	decode()
	count := func(names []*string) (n int) {
		for _, name := range names {
			if *name == "written" {
				n++
			}
		}
		return n
	}
	if n := count(theirs); n != 1 {
		t.Errorf("structured-merge-diff has changed: the write changes %d sets", n)
	}
	if n := count(ours); n == 1 {
		t.Error("separately decoded sets no longer share elements: the limit is gone")
	}
	if *ours[1000] == "written" {
		t.Error("the write changes a set that was decoded later")
	}
}
