package fieldmanager_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
)

// manyItems is a spec with a list of n items.
func manyItems(t testing.TB, n int, of string) map[string]any {
	t.Helper()
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"k":%d,%s}`, i, of)
	}
	return mixedApp(t, `{"items":[`+strings.Join(items, ",")+`]}`)
}

// within fails if f takes longer than would be usual a hundred times over; what is
// quadratic here takes minutes.
func within(t *testing.T, what string, limit time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	took := time.Since(start)
	if t.Logf("%s: %v", what, took); took > limit {
		t.Errorf("%s: took %v, want less than %v", what, took, limit)
	}
}

// The options cost in step with the number of items.
func TestManyItems(t *testing.T) {
	const n, limit = 20000, 15 * time.Second
	zero := mixedManager(t, fieldmanager.Options{ZeroIsAbsent: true})
	live := succeeds(t)(zero.Apply(nil, manyItems(t, n, `"v":0`), "a", false)).Object
	config := manyItems(t, n, `"v":0`)
	within(t, "zero values", limit, func() { succeeds(t)(zero.Apply(live, config, "b", false)) })

	union := mixedManager(t, fieldmanager.Options{Unions: true})
	live = succeeds(t)(union.Apply(nil, manyItems(t, n, `"kind":"One","one":1`), "a", false)).Object
	config = manyItems(t, n, `"kind":"Two","two":1`)
	within(t, "unions by force", limit, func() {
		r := succeeds(t)(union.Apply(live, config, "b", true))
		if len(r.Warnings) != n {
			t.Errorf("%d warnings, want %d", len(r.Warnings), n)
		}
	})
	within(t, "conflicts over unions", limit, func() {
		_, err := union.Apply(live, config, "b", false)
		var conflict *fieldmanager.ConflictError
		if !errors.As(err, &conflict) || len(conflict.Conflicts) != 2*n {
			t.Errorf("want %d conflicts, got %.200v", 2*n, err)
		}
	})
}
