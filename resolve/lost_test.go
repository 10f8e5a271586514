// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package resolve_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
	"github.com/dovetail-ssa/dovetail/internal/fixture/objects"
	"github.com/dovetail-ssa/dovetail/resolve"
)

// TestResolveLosesNothing checks that no field is lost silently. Yielding a field can also
// remove another field from the config. If the other field has the choice Force, or no
// choice, this must be an error.
func TestResolveLosesNothing(t *testing.T) {
	unions := objects.UnionManager(t, fieldmanager.Options{})
	switched, err := unions.Apply(nil, objects.App(t, `{"replicas":1,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}`), "two", false)
	objects.Accepted(t, switched, err)
	ports := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, ports, nil, "two", `"ports":[{"port":80,"name":"a"}]`).Object
	live["spec"] = map[string]any{"ports": []any{}} // the item was removed from the live object, but manager two still owns it

	const kind, surge = ".spec.strategy.type", ".spec.strategy.rollingUpdate.maxSurge"
	const item = `.spec.ports[port=80,protocol="TCP"]`
	for _, tc := range []struct {
		name           string
		fm             *fieldmanager.FieldManager
		live, config   map[string]any
		force, yield   string
		share          string
		left, resolved string
	}{
		{name: "forced, with a member yielded", fm: unions, live: switched.Object, config: objects.App(t, objects.Recreate), force: kind, yield: surge, left: kind},
		{name: "refused, with a member shared", fm: unions, live: switched.Object, config: objects.App(t, objects.Recreate), share: surge, left: kind},
		{name: "lost and refused", fm: unions, live: switched.Object, config: objects.App(t, `{"strategy":{"type":"Recreate"},"replicas":2}`), yield: surge, left: ".spec.replicas " + kind},
		{name: "both yielded", fm: unions, live: switched.Object, config: objects.App(t, objects.Recreate), yield: kind + " " + surge, resolved: kind + " " + surge},
		{name: "refused, with a key yielded", fm: ports, live: live, config: objects.Object(t, `"ports":[{"port":80,"name":"b"}]`), yield: item + ".port", left: item + " " + item + ".name"},
		{name: "forced, with a key yielded", fm: ports, live: live, config: objects.Object(t, `"ports":[{"port":80,"name":"b"}]`), force: item + ".name", yield: item + " " + item + ".port", left: item + ".name"},
		{name: "all of an item yielded", fm: ports, live: live, config: objects.Object(t, `"ports":[{"port":80,"name":"b"}]`), yield: item, resolved: item + " " + item + ".name " + item + ".port"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := resolve.New(tc.fm, tc.live, tc.config, "you").Apply(resolve.Choices{
				Force: pathsOf(t, tc.force), Yield: pathsOf(t, tc.yield), Share: pathsOf(t, tc.share),
			})
			var left *fieldmanager.ConflictError
			if tc.left == "" {
				if err != nil {
					t.Fatal(err)
				}
				var resolved []string
				for _, s := range got.Resolutions {
					resolved = append(resolved, s.Conflict.Path.String())
				}
				if text := strings.Join(resolved, " "); text != tc.resolved {
					t.Errorf("resolved %s, want %s", text, tc.resolved)
				}
				return
			}
			if !errors.As(err, &left) {
				t.Fatalf("got %v, %v", got, err)
			}
			var paths []string
			for _, c := range left.Conflicts {
				paths = append(paths, c.Path.String())
				if lost := c.Path.String() != ".spec.replicas"; lost != strings.Contains(c.Hint, "yielding or sharing another field removes this field from your config") {
					t.Errorf("%v: hint %q", c.Path, c.Hint)
				}
			}
			if text := strings.Join(paths, " "); text != tc.left {
				t.Errorf("left %s, want %s", text, tc.left)
			}
			if got.Result != nil {
				t.Error("there is a result in spite of the error")
			}
		})
	}
}

// TestYieldOfAnyKeyRemovesTheItem checks that yielding any required key of an item removes
// the item. Without the key, the item would be another item.
func TestYieldOfAnyKeyRemovesTheItem(t *testing.T) {
	m := objects.NewManager(t, fieldmanager.Options{})
	live := objects.Apply(t, m, nil, "two", `"ports":[{"port":80,"protocol":"UDP","name":"a"}]`).Object
	live["spec"] = map[string]any{"ports": []any{}} // the item was removed from the live object, but manager two still owns it
	config := objects.Object(t, `"replicas":1,"ports":[{"port":80,"protocol":"UDP","name":"b"}]`)
	for _, key := range []string{"port", "protocol"} {
		got, err := resolve.New(m, live, config, "you").Apply(resolve.Choices{Yield: pathsOf(t, `.spec.ports[port=80,protocol="UDP"].`+key)})
		var left *fieldmanager.ConflictError
		if !errors.As(err, &left) || len(left.Conflicts) != 3 || specJSON(got.Config) != `{"replicas":1}` {
			t.Errorf("%s: got %s, %v", key, specJSON(got.Config), err)
		}
	}
}

func pathsOf(t *testing.T, texts string) (paths []fieldpath.Path) {
	for _, text := range strings.Fields(texts) {
		paths = append(paths, pathOf(t, text))
	}
	return paths
}
