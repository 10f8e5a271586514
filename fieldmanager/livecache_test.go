// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
)

// TestRememberedObjectsAreReused checks that RememberLive does not change any result. Random
// requests use the same live objects repeatedly. Their outcomes must equal the outcomes of
// requests with new copies of these objects.
func TestRememberedObjectsAreReused(t *testing.T) {
	for _, most := range []int{1, 3, 100} {
		remembers := objects.NewManager(t, fieldmanager.Options{RememberLive: most})
		anew := objects.NewManager(t, fieldmanager.Options{})
		changed, unchanged, refused := 0, 0, 0
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, uint64(most)))
			lives := []map[string]any{nil, objects.Object(t, `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a","managedFields":[{}]},"spec":{"unknown":1}}`)}
			for range 25 {
				live := lives[r.IntN(len(lives))]
				request := randomRequest(t, r, live)
				got, gotErr := request(remembers, live)
				want, wantErr := request(anew, readAnew(t, live))
				if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
					t.Fatalf("%d: %v, want %v", seed, gotErr, wantErr)
				}
				if wantErr != nil {
					refused++
					continue
				}
				if g, w := outcome(got), outcome(want); g != w {
					t.Fatalf("%d:\n%s\nwant\n%s", seed, g, w)
				}
				if !got.Changed {
					unchanged++
					continue
				}
				changed++
				if lives = append(lives, got.Object); len(lives) > 6 {
					lives = lives[1:]
				}
			}
		}
		if changed < 300 || unchanged < 300 || refused < 300 {
			t.Errorf("%d requests changed something, %d nothing, %d were refused: too few of one", changed, unchanged, refused)
		}
	}
}

// randomRequest returns an apply or an update. It starts from live, or from no object.
func randomRequest(t *testing.T, r *rand.Rand, live map[string]any) func(*fieldmanager.FieldManager, map[string]any) (*fieldmanager.Result, error) {
	spec := map[string]any{"type": []any{"NodePort", "ClusterIP"}[r.IntN(2)]}
	if r.IntN(2) == 0 {
		spec["replicas"] = int64(r.IntN(3))
	}
	if r.IntN(12) == 0 {
		spec["replicas"] = "many"
	}
	object := map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "a", "labels": map[string]any{"l": fmt.Sprint(r.IntN(2))}}, "spec": spec}
	manager := []string{"one", "two", "three"}[r.IntN(3)]
	if r.IntN(2) == 0 {
		force := r.IntN(2) == 0
		return func(m *fieldmanager.FieldManager, live map[string]any) (*fieldmanager.Result, error) {
			return m.Apply(live, readAnew(t, object), manager, force)
		}
	}
	if live != nil && r.IntN(3) > 0 { // send back the managed fields, unchanged or with a small change
		meta := readAnew(t, live)["metadata"].(map[string]any)
		if list, _ := meta["managedFields"].([]any); len(list) > 0 {
			entry := list[r.IntN(len(list))].(map[string]any)
			switch r.IntN(8) {
			case 0:
				meta["managedFields"] = list[1:]
			case 1:
				entry["manager"] = "another"
			case 2:
				entry["fieldsV1"] = map[string]any{"f:spec": map[string]any{"f:type": map[string]any{}}}
			}
		}
		object["metadata"] = meta
		if r.IntN(2) == 0 {
			object["spec"] = readAnew(t, live)["spec"]
		}
	}
	return func(m *fieldmanager.FieldManager, live map[string]any) (*fieldmanager.Result, error) {
		return m.Update(live, readAnew(t, object), manager)
	}
}

func readAnew(t *testing.T, o map[string]any) map[string]any {
	t.Helper()
	if o == nil {
		return nil
	}
	return objects.Object(t, objects.AsJSON(o))
}

func outcome(r *fieldmanager.Result) string {
	return fmt.Sprint(r.Changed, r.Reencoded, objects.AsJSON(r.Object), objects.Owners(r.Managed), r.Warnings)
}

// TestRememberedConcurrently checks that concurrent requests may use the same live object.
func TestRememberedConcurrently(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{RememberLive: 2})
	var lives []map[string]any
	for i := range 4 {
		lives = append(lives, objects.Update(t, m, nil, "creator", fmt.Sprintf(`"type":"NodePort","replicas":%d`, i)).Object)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 100 {
				live := lives[i%4]
				r, err := m.Update(live, edit(t, live, `"NodePort"`, `"ClusterIP"`), "second")
				if err != nil || !slices.Equal(objects.Owners(r.Managed), objects.Owners(r.Managed)) || !r.Changed {
					t.Error(r, err)
				}
				if r, err := m.Apply(live, objects.Object(t, `{"apiVersion":"v1","kind":"Service","spec":{"type":"NodePort"}}`), "third", false); err != nil || !r.Changed {
					t.Error(r, err)
				}
			}
		}()
	}
	wait.Wait()
}

// TestMemoryKeepsNoObjectAlive checks that the memory has at most the configured number of
// objects, and that it does not keep objects alive.
func TestMemoryKeepsNoObjectAlive(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{RememberLive: 5})
	gone := make(chan bool, 20)
	func() {
		var lives []map[string]any
		for i := range 20 {
			live := objects.Update(t, m, nil, "creator", fmt.Sprintf(`"type":"NodePort","replicas":%d`, i)).Object
			if r, err := m.Update(live, edit(t, live), "idle"); err != nil || r.Changed {
				t.Fatal(r, err)
			}
			// AddressOf returns an address inside the object. AddCleanup calls the function
			// when the object is freed, and does not keep the object alive.
			runtime.AddCleanup(fieldmanager.AddressOf(live), func(c chan bool) { c <- true }, gone)
			lives = append(lives, live)
			if n := fieldmanager.Remembered(m); n != min(i+1, 5) {
				t.Errorf("%d objects are remembered after %d", n, i+1)
			}
		}
		runtime.KeepAlive(lives)
	}()
	for range 20 {
		runtime.GC()
		if len(gone) == 20 && fieldmanager.Remembered(m) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d of 20 objects were collected, %d are remembered", len(gone), fieldmanager.Remembered(m))
}
