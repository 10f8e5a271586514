// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var fleetGVK = schema.GroupVersionKind{Group: "fleet.example.com", Version: "v1", Kind: "Fleet"}

// fleet returns a custom resource with n items. Each item has about thirty fields.
func fleet(n int) *Workload {
	name := func(i int) string { return fmt.Sprintf("bus-%04d", i*6007%n) }
	build := func(live bool) object {
		meta := applied("booking", "night-lines", nil)
		if live {
			meta = withServerFields(meta)
		}
		o := &unstructured.Unstructured{Object: object{}}
		o.SetGroupVersionKind(fleetGVK)
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&meta)
		must(err)
		strip(m)
		o.Object["metadata"] = m
		var vehicles []any
		for i := range n {
			vehicles = append(vehicles, vehicle(name(i), i, live))
		}
		o.Object["spec"] = object{
			"suspended": false, "vehicles": vehicles, "sites": []any{"ber", "ham", "muc"},
			"overrides": object{"routing": object{"weights": []any{int64(3), int64(1)}}, "theme": "dark"},
		}
		return o.Object
	}
	live := build(true)
	var states []any
	for i := range n {
		states = append(states, object{"name": name(i), "online": true, "state": "Driving", "faults": int64(0)})
	}
	live["status"] = object{"observedGeneration": int64(4), "vehicles": states, "conditions": []any{object{
		"type": "Ready", "status": "True", "reason": "AllDriving", "message": "", "lastTransitionTime": "2026-03-14T15:09:26Z"}}}
	return newWorkload(fmt.Sprint("Fleet", n), fleetGVK, build(false), live, change{
		one: place{"spec", "vehicles", n / 2, "firmware"}, oneTo: "9.9.9",
		drop: place{"spec", "vehicles", n / 2, "telemetry"},
		next: place{"status", "vehicles", n / 2, "state"}, nextTo: "Parked",
	}, nil)
}

func vehicle(name string, i int, live bool) object {
	var links []any
	for c, label := range []string{"control", "media", "tickets"} {
		link := object{"channel": int64(c), "label": label, "metered": c == 1}
		if live {
			link["transport"] = "LTE"
		}
		links = append(links, link)
	}
	return object{
		"name": name, "firmware": fmt.Sprintf("7.%d.0", i%5), "depot": fmt.Sprintf("depot-%d", i%4), "seats": int64(30 + i%25), "range": 412.5,
		"inService": true, "tags": object{"line": "N7", "livery": "night", "euro": "6"},
		"drivers": []any{"ada", "grace", "edsger"}, "boot": []any{"--quiet", "--gps"}, "links": links,
		"telemetry": object{"endpoint": "mqtt.example.com", "intervalSeconds": int64(15), "bufferSeconds": int64(120)},
	}
}
