// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"reflect"
)

// systemMetadata is object with the metadata that only an API server writes as it is in
// the live object, nil of a new one, whatever a request says; object itself if that is
// no change. whole says that object is all that an update sends, which may leave out what
// the live object has.
func systemMetadata(object, live map[string]any, whole bool) map[string]any {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	was, _ := live["metadata"].(map[string]any)
	after := shallow(metadata)
	for _, field := range systemFields {
		switch v := was[field]; {
		case v != nil:
			after[field] = v
		case live == nil, metadata[field] == nil, field == "generation", field == "selfLink":
			delete(after, field)
		}
	}
	switch {
	case live == nil && whole:
		delete(after, "uid")
	case live == nil:
		delete(after, "resourceVersion")
	case whole:
		for _, field := range []string{"uid", "resourceVersion"} {
			if v := was[field]; v != nil && text(after, field) == "" {
				after[field] = v
			}
		}
	}
	if reflect.DeepEqual(after, metadata) {
		return object
	}
	object = shallow(object)
	object["metadata"] = after
	return object
}

// systemFields are the fields of metadata that no request changes.
var systemFields = []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"}

// noteSystemMetadata notes what the request says of metadata that only an API server
// writes, if that is not what it says itself.
func (o *outcome) noteSystemMetadata() {
	sent, _ := o.sent()["metadata"].(map[string]any)
	stored, _ := systemMetadata(o.sent(), o.before, false)["metadata"].(map[string]any)
	for _, field := range systemFields {
		if v := sent[field]; v != nil && !reflect.DeepEqual(v, stored[field]) {
			o.warn(".metadata."+field, "is left out: only the API server writes it")
		}
	}
}

// clearNamespace takes the namespace out of an object that is in none, as the API server
// does.
func (t *types) clearNamespace(o *outcome) {
	id := o.object.Identity()
	if id.Namespace == "" || !t.clusterWide(id) {
		return
	}
	o.single = withoutNamespace(o.sent())
	o.warn(".metadata.namespace", fmt.Sprintf("is left out: objects of kind %s have no namespace", id.Kind))
}

func withoutNamespace(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	if _, there := metadata["namespace"]; !there {
		return object
	}
	object, metadata = shallow(object), shallow(metadata)
	delete(metadata, "namespace")
	object["metadata"] = metadata
	return object
}
