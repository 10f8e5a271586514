// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

// eventFields has the names of the fields of an Event that differ between v1 and events.k8s.io/v1.
// Both versions are the same object on a server.
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
