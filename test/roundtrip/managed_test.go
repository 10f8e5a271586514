// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package roundtrip

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	fuzz "github.com/google/gofuzz"

	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture"
	"github.com/dovetail-ssa/dovetail/managedfields"
)

// managed returns random entries of managed fields with different owners, as decoded from JSON.
func managed(t *testing.T, from *fuzz.Fuzzer) []managedfields.Entry {
	t.Helper()
	var count uint8
	from.Fuzz(&count)
	var entries []managedfields.Entry
	seen := map[string]bool{}
	for range count % 5 {
		var e struct {
			Manager, Subresource string
			Version              uint8
			Apply, Timed         bool
			Seconds              uint32
			Set                  fieldpath.Set
		}
		from.Fuzz(&e)
		entry := managedfields.Entry{
			Owner: managedfields.Owner{Manager: e.Manager, Subresource: e.Subresource, APIVersion: []string{"v1", "apps/v1", "v1beta1"}[e.Version%3], Operation: managedfields.OperationUpdate},
			Set:   reread(t, &e.Set),
		}
		if e.Apply {
			entry.Operation = managedfields.OperationApply
		}
		if e.Timed {
			at := time.Unix(int64(e.Seconds), 0).UTC()
			entry.Time = &at
		}
		if id := entry.Owner.ID(); !seen[id] {
			seen[id] = true
			entries = append(entries, entry)
		}
	}
	return entries
}

// reread encodes a set and decodes it again.
func reread(t *testing.T, s *fieldpath.Set) *fieldpath.Set {
	t.Helper()
	text, err := s.ToJSON()
	if err != nil {
		t.Errorf("%v: %v", s, err)
	}
	back := &fieldpath.Set{}
	if err := back.FromJSON(bytes.NewReader(text)); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return back
}

func TestManagedFields(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		entries := managed(t, from)
		m, err := managedfields.New(entries)
		if err != nil {
			t.Error(err)
			return
		}
		// Store the entries in an object, as a server does.
		text, err := json.Marshal(m.EncodeInto(map[string]any{"kind": "App"}))
		if err != nil {
			t.Error(err)
			return
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Error(err)
			return
		}
		back, err := managedfields.Decode(object)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		if back.Len() != len(entries) || len(back.Warnings()) != 0 {
			t.Errorf("decoding gives %d of %d entries: %s, %v", back.Len(), len(entries), text, back.Warnings())
		}
		for _, want := range entries {
			got, ok := back.Find(want.Owner.ID())
			if !ok || got.Owner != want.Owner || !got.Set.Equals(want.Set) || (got.Time == nil) != (want.Time == nil) || got.Time != nil && !got.Time.Equal(*want.Time) {
				t.Errorf("%v owns %v at %v; after decoding, %v owns %v at %v", want.Owner, want.Set, want.Time, got.Owner, got.Set, got.Time)
			}
			owner, err := managedfields.ParseOwner(want.Owner.ID())
			if err != nil || owner.ID() != want.Owner.ID() {
				t.Errorf("%s is read as %v, %v", want.Owner.ID(), owner, err)
			}
		}
		again, err := json.Marshal(back.EncodeInto(map[string]any{"kind": "App"}))
		if err != nil || string(again) != string(text) {
			t.Errorf("the first encoding is\n%s\nand the second is\n%s, %v", text, again, err)
		}
		if !back.Fields().Equals(m.Fields()) || !reflect.DeepEqual(back.Fields().Difference(m.Fields()), fieldpath.ManagedFields{}) {
			t.Errorf("%s: %v, want %v", text, back.Fields(), m.Fields())
		}
	})
}

// TestOwnersInFixtures writes owners in the readable form of fixtures and reads them again.
func TestOwnersInFixtures(t *testing.T) {
	each(t, func(t *testing.T, from *fuzz.Fuzzer) {
		owners := fieldpath.ManagedFields{}
		for _, e := range managed(t, from) {
			owners[e.Manager] = fieldpath.NewVersionedSet(e.Set, fieldpath.APIVersion(e.APIVersion), e.Operation == managedfields.OperationApply)
		}
		text := fixture.FormatOwners(owners)
		back, err := fixture.ParseOwners(text)
		if err != nil || !back.Equals(owners) || fixture.FormatOwners(back) != text {
			t.Errorf("%v is encoded as\n%s\nand decoded as %v, %v", owners, text, back, err)
		}
	})
}
