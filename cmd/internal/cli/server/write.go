// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"fmt"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/cluster"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/unstructured"
	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// CheckWrite refuses requests that cannot be sent to a cluster as they are predicted.
func (q *Requests) CheckWrite() error {
	switch {
	case len(q.Live.Names) > 0:
		return command.Usagef("--write applies to the live objects of a cluster: leave out --live")
	case q.Chosen():
		return command.Usagef("--write applies what it is given, as it is: leave out --%s, and paths of --%s; -o report has the config that they make", command.YieldFlag, command.ForceFlag)
	case q.subresource != "":
		return command.Usagef("--write applies objects, and could not undo what was written to a subresource: leave out --subresource")
	}
	return nil
}

// noVersion is the resourceVersion of an apply that is to make an object: no object has it, so it
// is refused if there is one by then.
const noVersion = "1"

// Write is the request as a cluster takes it, for the state of the live object that was read. ok
// is false if nothing is to be written.
func (o *Outcome) Write(masks *unstructured.Masks) (w cluster.Write, ok bool) {
	m := o.Maker
	if m == nil || o.Status() != command.StatusDone || o.Result == nil || !o.Result.Changed {
		return w, false
	}
	id := o.Object.Identity()
	of, known := m.Types.Resource(id)
	if !known {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written: it is not known how the cluster calls its resource"))
		return w, false
	}
	version := noVersion
	if o.Live != nil {
		metadata, _ := o.Live.Content["metadata"].(map[string]any)
		version = unstructured.Text(metadata, "resourceVersion")
	}
	config := unstructured.Shallow(masks.Reveal(o.Sent()))
	metadata, _ := config["metadata"].(map[string]any)
	metadata = unstructured.Shallow(metadata)
	config["metadata"], metadata["resourceVersion"] = metadata, version
	body, err := json.Marshal(config)
	if err != nil || version == "" || unstructured.Masked(config) {
		o.Errors = append(o.Errors, o.Object.Errorf("", "is not written: it cannot be sent as it is"))
		return w, false
	}
	return m.applied(of, id, body), true
}

// applied is the request of an apply.
func (m *Requester) applied(of cluster.Resource, id manifest.Identity, body []byte) cluster.Write {
	return cluster.Write{Form: cluster.Apply, Of: of, Namespace: inNamespace(of, id.Namespace), Name: id.Name, Subresource: m.subresource, Manager: m.Manager, Force: m.force.all, Body: body}
}

// Why says in a line why nothing comes of the request; empty if something does.
func (o *Outcome) Why() string {
	switch {
	case len(o.Errors) > 0:
		return o.Errors[0].Error()
	case len(o.Conflicts) > 0:
		c := o.Conflicts[0]
		return fmt.Sprintf("is not written: %s is owned by %s by now, see dovetail diff", c.Path, words.Owner(c.Owner, nil))
	case len(o.Immutable) > 0:
		return fmt.Sprintf("is not written: %s may not change: %s", o.Immutable[0].Path, o.Immutable[0].Message)
	}
	return ""
}
