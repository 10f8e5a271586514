// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Form says how a Write changes an object: Apply, Merge or Delete.
type Form int

// These are the forms of a Write.
const (
	// Apply is a server-side apply.
	Apply Form = iota
	// Merge is a JSON merge patch. The server does not change fields that are missing
	// from the patch.
	Merge
	// Delete deletes the object.
	Delete
)

// Write is a request that changes one object.
type Write struct {
	Form                                  Form
	Resource                              Resource
	Namespace, Name, Subresource, Manager string
	// Force is for Apply only. It makes the server overwrite the fields of other managers.
	Force bool
	// Body is the config of an Apply or the patch of a Merge, as JSON.
	Body []byte
	// UID and ResourceVersion are the preconditions of a Delete.
	UID, ResourceVersion string
	// DryRun requests a dry run: the server returns the resulting object but does not store
	// it.
	DryRun bool
}

// Send sends a request that changes an object, or a dry run of such a request. It returns the
// object in the response as JSON, or a Refusal if the request failed. If the Code of the
// Refusal is 0, the server sent no response, but it may have changed the object.
func (c *Cluster) Send(w Write) (object []byte, refused *Refusal) {
	q := request{
		method: httpstatus.Patch, path: w.Resource.path(w.Namespace, w.Name), resource: w.Resource, namespace: w.Namespace, name: w.Name, subresource: w.Subresource,
		query: url.Values{}, body: w.Body,
	}
	if w.Subresource != "" {
		q.path = strings.Join([]string{q.path, w.Subresource}, "/")
	}
	switch w.Form {
	case Apply:
		q.contentType = "application/apply-patch+yaml" // JSON is valid YAML
		q.query.Set("force", strconv.FormatBool(w.Force))
	case Merge:
		q.contentType = "application/merge-patch+json"
	case Delete:
		q.method, q.contentType, q.body = httpstatus.Delete, "application/json", w.deleteOptions()
	}
	if w.Form != Delete {
		q.query.Set("fieldManager", w.Manager)
	}
	if w.DryRun {
		q.query.Set("dryRun", "All")
	} else {
		c.wrote.Store(true)
	}
	body, problem := c.send(q)
	if problem == nil {
		return body, nil
	}
	return nil, &Refusal{Problem: *problem, Text: c.describe(q, problem), Fatal: problem.fatal()}
}

// Refusal describes a write that failed or got no answer.
type Refusal struct {
	Problem
	// Text describes the problem and includes a hint.
	Text string
	// Fatal is set if all further requests will probably fail for the same reason.
	Fatal bool
}

// Forbidden reports whether the account lacks the permission for the request. It returns false
// if admission rejected the request.
func (r *Refusal) Forbidden() bool { return r.lacksPermission() }

// Changed reports whether a precondition failed because the object has changed since the
// client read it.
func (r *Refusal) Changed() bool {
	return r.Code == httpstatus.Conflict && !strings.HasPrefix(r.Message, "Apply failed with ")
}

// Explain converts a refusal to an error about the cluster.
func (c *Cluster) Explain(r *Refusal) error { return &manifest.Error{File: c.Host, Message: r.Text} }

// deleteOptions returns the body of a delete request. The body must contain dryRun, because a
// server ignores the query parameters of a delete request that has a body.
func (w *Write) deleteOptions() []byte {
	options := map[string]any{
		"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background",
		"preconditions": map[string]any{"uid": w.UID, "resourceVersion": w.ResourceVersion},
	}
	if w.DryRun {
		options["dryRun"] = []string{"All"}
	}
	body, _ := json.Marshal(options) // strings can always be encoded
	return body
}

// Account returns the name of the kubeconfig context, and the name of the user who sends the
// requests. A name is "" if it is unknown.
func (c *Cluster) Account() (context, user string) { return c.context, c.user }

// Flags returns the flags that select this cluster, as text to append to a command line. A
// space precedes each flag.
func (c *Cluster) Flags() (text string) {
	if c.flags.kubeconfig != "" {
		text = " --kubeconfig " + words.InShell(c.flags.kubeconfig)
	}
	if c.context != "" {
		text += " --context " + words.InShell(c.context)
	}
	return text
}
