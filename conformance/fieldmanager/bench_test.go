package fieldmanager

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// BenchmarkFieldManager measures whole requests on plain data through both
// field managers.
func BenchmarkFieldManager(b *testing.B) {
	loaded := builtinTypes(b)
	for _, s := range subjects {
		if s.kind != "Service" && s.kind != "Deployment" {
			continue
		}
		for _, managers := range []int{2, 20} {
			live := crowded(b, loaded, s, managers)
			for _, r := range benchRequests(live, s) {
				for _, ours := range []bool{false, true} {
					side := "theirs"
					if ours {
						side = "ours"
					}
					b.Run(fmt.Sprintf("%s/managers=%d/%s/%s", s.kind, managers, r.name, side), func(b *testing.B) {
						bench(b, loaded, r.request, live, ours)
					})
				}
			}
		}
	}
}

type benchRequest struct {
	name string
	request
}

func benchRequests(live map[string]any, s *subject) []benchRequest {
	e := endpoint{subject: s, apiVersion: s.versions[0]}
	config := deepCopy(s.sample).(map[string]any)
	g := &generator{subject: s}
	g.name(config, e.apiVersion)
	changed := deepCopy(config).(map[string]any)
	changed["metadata"].(map[string]any)["labels"].(map[string]any)["app"] = "other"
	object := deepCopy(live).(map[string]any)
	object["metadata"].(map[string]any)["labels"].(map[string]any)["app"] = "other"
	return []benchRequest{
		{"ApplyAgain", request{endpoint: e, apply: true, manager: "gitops", object: config}},
		{"ApplyOne", request{endpoint: e, apply: true, manager: "gitops", object: changed, force: true}},
		{"UpdateOne", request{endpoint: e, manager: "editor", object: object}},
		{"UpdateSame", request{endpoint: e, manager: "editor", object: deepCopy(live).(map[string]any)}},
	}
}

// crowded is the sample applied by gitops and annotated by others.
func crowded(b *testing.B, t *types, s *subject, managers int) map[string]any {
	b.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := endpoint{subject: s, apiVersion: s.versions[0]}
	m, err := e.ours(t, now)
	if err != nil {
		b.Fatal(err)
	}
	config := deepCopy(s.sample).(map[string]any)
	g := &generator{subject: s}
	g.name(config, e.apiVersion)
	r, err := m.Apply(nil, config, "gitops", true)
	for i := 1; i < managers && err == nil; i++ {
		own := deepCopy(config).(map[string]any)
		own["metadata"].(map[string]any)["annotations"] = map[string]any{fmt.Sprintf("example.com/m%d", i): "x"}
		r, err = m.Apply(r.Object, own, fmt.Sprintf("m%d", i), true)
	}
	if err != nil {
		b.Fatal(err)
	}
	live := deepCopy(r.Object).(map[string]any)
	live["metadata"].(map[string]any)["uid"] = "u"
	return live
}

func bench(b *testing.B, t *types, r request, live map[string]any, ours bool) {
	b.ReportAllocs()
	if ours {
		m, err := r.ours(t, time.Now())
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if r.apply {
				_, err = m.Apply(live, r.object, r.manager, r.force)
			} else {
				_, err = m.Update(live, r.object, r.manager)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		return
	}
	m, err := r.theirs(t)
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(r.object)
	if err != nil {
		b.Fatal(err)
	}
	liveObject := &unstructured.Unstructured{Object: live}
	for b.Loop() {
		// It changes what it is given: an update gets an object of its own.
		object := &unstructured.Unstructured{Object: r.object}
		if !r.apply {
			b.StopTimer()
			object = &unstructured.Unstructured{}
			if err := object.UnmarshalJSON(text); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			_, err = m.Update(liveObject, object, r.manager)
		} else {
			_, err = m.Apply(liveObject, object, r.manager, r.force)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
