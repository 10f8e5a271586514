// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// request is a random request.
type request struct {
	endpoint
	apply   bool
	manager string
	force   bool
	object  map[string]any // the config of an apply, or the new object of an update
}

// generator generates random requests to one object.
type generator struct {
	*rand.Rand
	subject *subject
	// busy is set if most requests are updates by many managers.
	busy bool
}

var appliers = []string{"gitops", "helm", "hpa", "kubectl", `"quoted" <m>`}

var updaters = []string{
	"kubectl-client-side-apply", "kubectl-edit", "operator", "helm", "gitops", "controller",
	"u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9", "u10", "u11", "u12", "",
}

func oneOf[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// chance returns true with a probability of 1/n.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func (g *generator) request(live map[string]any) request {
	r := request{endpoint: endpoint{subject: g.subject, apiVersion: g.subject.versions[0]}}
	if len(g.subject.versions) > 1 && g.chance(2) {
		r.apiVersion = oneOf(g, g.subject.versions)
	}
	if live != nil && g.subject.hasStatus && g.chance(4) {
		r.subresource = "status"
	}
	r.apply = !g.chance(3)
	if g.busy {
		r.apply = g.chance(10)
	}
	if r.apply {
		r.manager, r.force = oneOf(g, appliers), g.chance(3)
		r.object = g.cut(g.IntN(90) + 10)
		g.name(r.object, r.apiVersion)
		return r
	}
	r.manager = oneOf(g, updaters)
	switch {
	case live == nil || !g.busy && g.chance(4):
		r.object = g.cut(g.IntN(90) + 10)
	case g.chance(6):
		r.object = deepCopy(live).(map[string]any)
	default:
		percent := g.IntN(40) + 5
		if g.busy {
			percent = 2
		}
		r.object = g.change(live, g.cut(percent)).(map[string]any)
	}
	if g.busy {
		g.label(r.object)
	}
	g.name(r.object, r.apiVersion)
	metadata := r.object["metadata"].(map[string]any)
	if live != nil {
		if uid, ok := live["metadata"].(map[string]any)["uid"]; ok {
			metadata["uid"] = uid
		}
		g.ownership(metadata, live["metadata"].(map[string]any))
	}
	if g.chance(5) {
		g.annotate(r.object, r.apiVersion)
	}
	return r
}

func (g *generator) name(object map[string]any, apiVersion string) {
	object["apiVersion"], object["kind"] = apiVersion, g.subject.kind
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	metadata["name"] = "x"
	metadata["namespace"] = "default"
}

// label sets one of many possible labels.
func (g *generator) label(object map[string]any) {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	labels, ok := metadata["labels"].(map[string]any)
	if !ok {
		labels = map[string]any{}
		metadata["labels"] = labels
	}
	labels[fmt.Sprintf("l%d", g.IntN(40))] = fmt.Sprint(g.IntN(4))
}

// cut returns a random part of the sample object. It keeps about the given percentage.
func (g *generator) cut(percent int) map[string]any {
	return g.part(g.subject.sample, percent).(map[string]any)
}

func (g *generator) part(v any, percent int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			keep := percent
			switch k {
			case "name", "port", "type", "uid", "key", "containerPort", "mountPath":
				keep = 97 // keep the keys of items in most cases
			}
			if g.IntN(100) < keep {
				out[k] = g.part(v[k], percent)
			}
		}
		if g.IntN(300) == 0 && len(out) > 0 {
			for k := range v {
				if k != "metadata" && k != "spec" {
					out[k] = nil
					break
				}
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if g.IntN(100) < max(percent, 40) {
				out = append(out, g.part(item, percent))
			}
		}
		if g.chance(6) {
			g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		if len(out) > 0 && g.IntN(150) == 0 {
			out = append(out, deepCopy(out[0]))
		}
		return out
	case string:
		if g.chance(12) && !strings.Contains("TCP UDP", v) {
			return v + oneOf(g, []string{"a", "b"})
		}
	case int64:
		if g.chance(12) {
			return v + int64(g.IntN(2)+1)
		}
	case bool:
		if g.chance(12) {
			return !v
		}
	}
	return v
}

// change merges other into v. Sometimes it also removes something.
func (g *generator) change(v, other any) any {
	a, ok := v.(map[string]any)
	b, both := other.(map[string]any)
	if !ok || !both {
		return other
	}
	out := map[string]any{}
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if k == "managedFields" || g.busy || !g.chance(10) {
			out[k] = deepCopy(a[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if w, ok := out[k]; ok {
			out[k] = g.change(w, b[k])
		} else {
			out[k] = b[k]
		}
	}
	return out
}

// ownership changes the managed fields in the object of an update.
func (g *generator) ownership(metadata, live map[string]any) {
	delete(metadata, "managedFields")
	list, _ := live["managedFields"].([]any)
	list = deepCopy(list).([]any)
	n := 24
	if g.busy {
		n = 400
	}
	switch g.IntN(n) {
	case 0:
		metadata["managedFields"] = []any{}
	case 1:
		metadata["managedFields"] = []any{map[string]any{}}
	case 2:
		metadata["managedFields"] = nil
	case 3, 4:
		if len(list) > 0 {
			i := g.IntN(len(list))
			metadata["managedFields"] = append(list[:i:i], list[i+1:]...)
		}
	case 5:
		if len(list) > 0 {
			entry := list[g.IntN(len(list))].(map[string]any)
			entry[oneOf(g, []string{"operation", "apiVersion", "fieldsType"})] = oneOf(g, []string{"", "gone/v1", "Update"})
			metadata["managedFields"] = list
		}
	case 6:
		if len(list) > 0 {
			entry := list[g.IntN(len(list))].(map[string]any)
			entry["fieldsV1"] = map[string]any{"f:spec": map[string]any{"x:y": map[string]any{}, ".": map[string]any{}, `k:{"b":1, "a":2}`: map[string]any{}, "f:a": map[string]any{}}}
			metadata["managedFields"] = list
		}
	default:
		metadata["managedFields"] = list
	}
}

// annotate adds the annotation of client-side apply.
func (g *generator) annotate(object map[string]any, apiVersion string) {
	config := g.cut(50)
	if g.chance(2) {
		config = deepCopy(object).(map[string]any)
		delete(config["metadata"].(map[string]any), "managedFields")
	}
	g.name(config, apiVersion)
	text, err := json.Marshal(config)
	if err != nil {
		panic(err)
	}
	metadata := object["metadata"].(map[string]any)
	annotations, ok := metadata["annotations"].(map[string]any)
	if !ok {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	annotations["kubectl.kubernetes.io/last-applied-configuration"] = string(text)
}

func deepCopy(v any) any { return runtime.DeepCopyJSONValue(v) }
