// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Client-side apply stores the applied object in an annotation. A server treats the fields in
// that annotation as fields of the applier only if the applier is named kubectl (rule L13).
const (
	kubectl    = "kubectl"
	annotation = "kubectl.kubernetes.io/last-applied-configuration"
)

func lastApplied(object any) string {
	s, _ := field(field(field(object, "metadata"), "annotations"), annotation).(string)
	return s
}

// clientSide returns the fields that client-side apply manages. These are the fields of the
// object in the annotation that still have the same value in the live object. The set is empty
// if the annotation is missing or not valid.
func (e Endpoint) clientSide(live any) Set {
	var config any
	if err := json.Unmarshal([]byte(lastApplied(live)), &config); err != nil {
		return nil
	}
	t := e.Types[e.Version]
	if field(config, "apiVersion") != e.Version || cmp.Or(Refuse(config, t, false), Refuse(live, t, false)) != nil {
		return nil
	}
	c := Compare(config, live, t)
	return difference(FieldSet(config, t), union(union(c.Modified, c.Added), c.Removed))
}

func conflictsOutside(conflicts []Conflict, own Set) []Conflict {
	var out []Conflict
	for _, c := range conflicts {
		if !own[c.Path] {
			out = append(out, c)
		}
	}
	return out
}

// synced returns the object. If the object has the annotation of client-side apply, the result
// is a copy whose annotation contains the config.
func synced(object, config any) any {
	if lastApplied(object) == "" {
		return object
	}
	b, err := json.Marshal(put(config, Absent, "metadata", "annotations", annotation))
	if err != nil {
		panic(fmt.Sprintf("%v is not a value", config))
	}
	return put(object, string(b)+"\n", "metadata", "annotations", annotation)
}
