// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
)

// manyItems returns a spec with a list of n items. Each item has a key, and the fields in
// the JSON text fields.
func manyItems(t testing.TB, n int, fields string) map[string]any {
	t.Helper()
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"k":%d,%s}`, i, fields)
	}
	return objects.MixedApp(t, `{"items":[`+strings.Join(items, ",")+`]}`)
}

// TestManyItems checks that the cost of the options is linear in the number of items. With
// quadratic cost, the test would take minutes.
func TestManyItems(t *testing.T) {
	const n = 20000
	zero := objects.MixedManager(t, fieldmanager.Options{ZeroIsAbsent: true})
	live := objects.Succeeds(t)(zero.Apply(nil, manyItems(t, n, `"v":0`), "a", false)).Object
	config := manyItems(t, n, `"v":0`)
	objects.Succeeds(t)(zero.Apply(live, config, "b", false))

	union := objects.MixedManager(t, fieldmanager.Options{Unions: true})
	live = objects.Succeeds(t)(union.Apply(nil, manyItems(t, n, `"kind":"One","one":1`), "a", false)).Object
	config = manyItems(t, n, `"kind":"Two","two":1`)
	if r := objects.Succeeds(t)(union.Apply(live, config, "b", true)); len(r.Warnings) != n {
		t.Errorf("%d warnings, want %d", len(r.Warnings), n)
	}
	_, err := union.Apply(live, config, "b", false)
	var conflict *fieldmanager.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Conflicts) != 2*n {
		t.Errorf("want %d conflicts, got %.200v", 2*n, err)
	}
}
