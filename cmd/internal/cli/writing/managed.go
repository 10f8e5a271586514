// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/prediction"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/sources"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Managed returns an item that writes only the managed fields of an object. The argument updated is
// the object with the new managed fields. If changed is false, there is nothing to write, and
// Managed returns nil. If the object cannot be written, Managed adds an error to the outcome and
// returns nil. If another client changes the object before the write, the item calls recompute,
// which computes the new managed fields again.
func Managed(t *sources.Types, o *prediction.Outcome, updated map[string]any, changed bool, recompute func(live *manifest.Object) (o *prediction.Outcome, updated map[string]any, changed bool)) *Item {
	if len(o.Errors) > 0 || !changed {
		return nil
	}
	id := o.Object.Identity()
	resource, ok := t.Resource(id)
	if !ok {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written, because the cluster's resource for this kind is unknown"))
		return nil
	}
	i := &Item{ID: id, Of: resource}
	if resource.Namespaced {
		i.Namespace = id.Namespace
	}
	how := fmt.Sprintf("merge patch of managed fields, %s, cluster %s", t.Kubernetes(), t.Cluster().VersionName())
	var err error
	if i.Change, err = i.managedChange(o.Object.Content, managedFields(updated), how); err != nil {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written: %v", err))
		return nil
	}
	i.Make = func(live *manifest.Object) (*Change, string) {
		if live == nil {
			return nil, "is not written: the object no longer exists"
		}
		o, updated, changed := recompute(live)
		if len(o.Errors) > 0 {
			return nil, o.Errors[0].Error()
		}
		if !changed {
			return nil, ""
		}
		c, err := i.managedChange(live.Content, managedFields(updated), how)
		if err != nil {
			return nil, "is not written: " + err.Error()
		}
		return c, ""
	}
	return i
}

// managedChange returns a change that writes managed fields. Its patch contains only the managed
// fields and the resourceVersion, so that it cannot change other fields of the object.
func (i *Item) managedChange(live map[string]any, updated []any, how string) (*Change, error) {
	metadata, _ := live["metadata"].(map[string]any)
	sent := updated
	if len(sent) == 0 {
		sent = []any{map[string]any{}} // a server removes all managed fields if it receives this list
	}
	patch := map[string]any{"managedFields": sent, "resourceVersion": unstructured.Text(metadata, "resourceVersion")}
	if patch["resourceVersion"] == "" {
		return nil, errors.New("the object has no resourceVersion")
	}
	body, err := json.Marshal(map[string]any{"metadata": patch})
	if err != nil {
		return nil, err
	}
	predicted := withManaged(live, updated)
	record := recordOf(i.ID, i.Of, i.Namespace, unstructured.Text(metadata, "uid"))
	record.Managed = &managedBeforeAfter{Before: managedFields(live), After: updated}
	return &Change{
		Write: cluster.Write{Form: cluster.Merge, Resource: i.Of, Namespace: i.Namespace, Name: i.ID.Name, Manager: Manager, Body: body},
		Differs: func(answer map[string]any) string {
			if d := prediction.Differences(predicted, answer, nil); len(d) > 0 {
				return prediction.BugReport(i.ID, how, d)
			}
			return ""
		},
		record: record,
	}, nil
}

// managedFields returns the managed fields of an object, or nil if it has none.
func managedFields(object map[string]any) []any {
	metadata, _ := object["metadata"].(map[string]any)
	if list, _ := metadata["managedFields"].([]any); len(list) > 0 {
		return list
	}
	return nil
}

// withManaged returns a copy of object in which list replaces the managed fields.
func withManaged(object map[string]any, list []any) map[string]any {
	out := unstructured.Shallow(object)
	metadata, _ := object["metadata"].(map[string]any)
	metadata = unstructured.Shallow(metadata)
	if delete(metadata, "managedFields"); len(list) > 0 {
		metadata["managedFields"] = list
	}
	out["metadata"] = metadata
	return out
}
