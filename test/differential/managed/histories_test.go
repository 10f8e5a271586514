// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
)

var (
	sequences = flag.Int("sequences", 25, "number of histories")
	seed      = flag.Uint64("seed", 1, "seed for the histories")
)

// TestHistories sends random series of requests to one object. It runs each request with the
// model of spec, and with the field managers of apimachinery and of Dovetail. All results must
// be equal.
func TestHistories(t *testing.T) {
	variants := []func(v2 *cases.Version){
		func(*cases.Version) {},
		func(v2 *cases.Version) { v2.Lacks = []string{"status"} },
		func(v2 *cases.Version) { v2.Needs = []string{"size"} },
	}
	r := rand.New(rand.NewPCG(*seed, 1))
	written, conflicts, refused, failed := 0, 0, 0, 0
	for i := range *sequences {
		g := group(t)
		v2 := g.Versions["v2"]
		variants[i%len(variants)](&v2)
		g.Versions["v2"] = v2
		m, err := g.Model()
		if err != nil {
			t.Fatal(err)
		}
		h := history{r: r, kind: kind{g.Versions}}
		for range 16 {
			c := h.request()
			want := m.Answer(c)
			for name, by := range implementations {
				got, err := by(scopes.Request{Case: c, Schema: g.Schema, Versions: g.Versions})
				if err != nil {
					got = cases.Want{Error: err.Error()}
				}
				if wrong := want.Wrong(got); wrong != "" || want.Error == "" && got.Error != "" {
					text, _ := json.Marshal(c) // c was decoded from JSON, so it can be encoded
					t.Fatalf("%s: %s\n%s", name, wrong, text)
				}
			}
			switch {
			case strings.HasPrefix(want.Error, "v2 "): // Group.Convert returned this error
				failed++
			case want.Error != "":
				refused++
			case want.Conflicts != nil:
				conflicts++
			default:
				written++
				h.live, _ = want.Object.(map[string]any)
			}
		}
	}
	t.Logf("%d requests are stored, %d conflict, %d are rejected; %d of these because a conversion fails", written, conflicts, refused+failed, failed)
	if failed < *sequences/10 {
		t.Errorf("%d conversions fail: too little was tested", failed)
	}
}

// history is one object, with a source of random requests to it.
type history struct {
	kind
	r     *rand.Rand
	live  map[string]any
	steps int
}

func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// request returns a random request.
func (h *history) request() cases.Case {
	h.steps++
	c := cases.Case{
		Level: 3, Op: pick(h.r, "apply", "apply", "update"), Manager: pick(h.r, "a", "b", "kubectl"), Force: h.r.IntN(3) == 0,
		Version: pick(h.r, first, first, "v2"), Now: time.Unix(int64(1700000000+h.steps), 0).UTC().Format(time.RFC3339),
	}
	switch h.r.IntN(6) {
	case 0:
		c.Subresource, c.Untracked = "status", json.RawMessage(`{"f:metadata":{},"f:spec":{},"f:size":{},"f:count":{}}`)
	case 1:
		c.Untracked = json.RawMessage(`{"f:status":{}}`)
	}
	if h.live != nil {
		live, err := h.convert(h.live, c.Version)
		if err != nil {
			c.Version = first
			live, _ = h.convert(h.live, first) // this version has all fields, so there is no error
		}
		c.Live = live
	}
	object := h.object(c.Version, c.Op == "update" || c.Manager != "kubectl")
	if c.Op == "update" && h.live != nil {
		// In most cases, an update changes the object that was read before.
		for name, v := range c.Live.(map[string]any) {
			if _, ok := object[name]; !ok && h.r.IntN(8) > 0 {
				object[name] = v
			}
		}
		metadata := c.Live.(map[string]any)["metadata"].(map[string]any)
		if h.r.IntN(2) == 0 {
			object["metadata"] = metadata
		}
		if h.r.IntN(20) == 0 {
			object["metadata"] = map[string]any{"name": "x", "uid": "1", "managedFields": []any{}}
		}
	}
	if c.Op == "update" {
		// After the first write, a server has set the uid.
		if _, ok := object["metadata"].(map[string]any)["uid"]; !ok && h.live != nil {
			metadata := map[string]any{"uid": "1"}
			for name, v := range object["metadata"].(map[string]any) {
				metadata[name] = v
			}
			object["metadata"] = metadata
		}
	}
	c.Object = object
	return c
}

// object returns a random object. Its fields have only a few possible values. If annotated is
// true, the object may have the annotation of client-side apply. A config that kubectl
// applies must not have this annotation. Otherwise a request could change nothing except a time in
// the managed fields, and package fieldmanager does not store such a change.
func (h *history) object(version string, annotated bool) map[string]any {
	metadata := map[string]any{"name": "x"}
	o := map[string]any{"apiVersion": version, "kind": "K", "metadata": metadata}
	some := func(in map[string]any, name string, values ...any) {
		if h.r.IntN(2) == 0 {
			in[name] = pick(h.r, values...)
		}
	}
	size := "size"
	if version != first {
		size = "count"
	}
	some(o, size, int64(1), int64(2), nil)
	some(metadata, "labels", map[string]any{"l": "1"}, map[string]any{"l": "2", "m": "1"}, map[string]any{})
	const annotation = "kubectl.kubernetes.io/last-applied-configuration"
	if annotated && h.r.IntN(4) == 0 {
		metadata["annotations"] = map[string]any{annotation: pick(h.r, "{}", `{"apiVersion":"v1","kind":"K","metadata":{"name":"x"},"size":1,"spec":{"image":"x"}}`)}
	}
	spec := map[string]any{}
	some(spec, "image", "x", "y")
	some(spec, "args", []any{"a"}, []any{"a", "b"}, []any{}, nil)
	some(spec, "selector", map[string]any{"s": "1"}, map[string]any{"t": "1"})
	some(spec, "zones", []any{"p"}, []any{"q", "p"}, []any{"r", "q"}, []any{})
	some(spec, "env", []any{map[string]any{"name": "p"}}, []any{map[string]any{"name": "q", "value": "1"}, map[string]any{"name": "p", "value": "2"}},
		[]any{map[string]any{"name": "p", "tags": []any{"a"}, "refs": []any{map[string]any{"k": "k", "v": "1"}}}})
	some(spec, "ports", []any{map[string]any{"port": int64(1)}}, []any{map[string]any{"port": int64(1), "protocol": "TCP", "name": "n"}, map[string]any{"port": int64(1), "protocol": "UDP"}})
	some(spec, "extra", map[string]any{"d": "1"}, []any{"d"}, nil)
	some(o, "spec", any(spec))
	some(o, "status", map[string]any{"phase": "x"}, map[string]any{"phase": "y", "ready": int64(1)}, map[string]any{"conditions": []any{map[string]any{"type": "t", "status": "1"}}})
	return o
}
