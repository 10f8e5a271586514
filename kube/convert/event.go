// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

// eventFields lists the fields of an Event whose names differ between v1 and events.k8s.io/v1. It
// maps the name in v1 to the name in events.k8s.io/v1. On a server, both versions are the same object.
var eventFields = map[string]string{
	"count":              "deprecatedCount",
	"firstTimestamp":     "deprecatedFirstTimestamp",
	"lastTimestamp":      "deprecatedLastTimestamp",
	"source":             "deprecatedSource",
	"message":            "note",
	"involvedObject":     "regarding",
	"reportingComponent": "reportingController",
}

func eventToEvents(event map[string]any) {
	for core, events := range eventFields {
		rename(event, core, events)
	}
}

func eventToCore(event map[string]any) {
	for core, events := range eventFields {
		rename(event, events, core)
	}
}

func rename(m map[string]any, from, to string) {
	if v, ok := m[from]; ok {
		delete(m, from)
		m[to] = v
	}
}
