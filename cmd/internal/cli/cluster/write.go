// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Form is how a request changes an object.
type Form int

// The forms of a Write.
const (
	// Apply is a server-side apply.
	Apply Form = iota
	// Merge is a JSON merge patch: what it does not name stays as it is.
	Merge
	// Delete takes the object away.
	Delete
)

// Write is a request that changes one object.
type Write struct {
	Form                                  Form
	Of                                    Resource
	Namespace, Name, Subresource, Manager string
	// Force is that of an apply.
	Force bool
	// Body is JSON: the config, or the patch.
	Body []byte
	// UID and ResourceVersion are those of the object that is to be deleted, and no other.
	UID, ResourceVersion string
	// Trial asks for a dry run, which the server answers and does not store.
	Trial bool
}

// Send sends a request that changes an object, or is to be answered as if it did. What the server
// refuses is in refused; its Code is 0 if nobody knows what became of it, since there was no
// answer.
func (c *Cluster) Send(w Write) (object []byte, refused *Refusal) {
	q := request{
		method: http.MethodPatch, path: w.Of.path(w.Namespace, w.Name), of: w.Of, namespace: w.Namespace, name: w.Name, subresource: w.Subresource,
		query: url.Values{}, body: w.Body,
	}
	if w.Subresource != "" {
		q.path = strings.Join([]string{q.path, w.Subresource}, "/")
	}
	switch w.Form {
	case Apply:
		q.contentType = "application/apply-patch+yaml" // JSON is YAML
		q.query.Set("force", strconv.FormatBool(w.Force))
	case Merge:
		q.contentType = "application/merge-patch+json"
	case Delete:
		q.method, q.contentType, q.body = http.MethodDelete, "application/json", w.deletion()
	}
	if w.Form != Delete {
		q.query.Set("fieldManager", w.Manager)
	}
	if w.Trial {
		q.query.Set("dryRun", "All")
	} else {
		c.wrote.Store(true)
	}
	body, problem := c.send(q)
	if problem == nil {
		return body, nil
	}
	return nil, &Refusal{Problem: *problem, Told: c.because(q, problem), Fatal: problem.fatal()}
}

// Refusal is why a request that changes an object did not, or why that is not known.
type Refusal struct {
	Problem
	// Told says what is wrong and what helps.
	Told string
	// Fatal says that other requests will fare no better.
	Fatal bool
}

// Forbidden says whether the account may not make the request; a policy that denies it is no
// such thing.
func (r *Refusal) Forbidden() bool {
	return r.Code == http.StatusForbidden && !strings.Contains(r.Message, "denied")
}

// Changed says whether the object is not any more what the request was made for.
func (r *Refusal) Changed() bool {
	return r.Code == http.StatusConflict && !strings.HasPrefix(r.Message, "Apply failed with ")
}

// Explain is the refusal as an error about the cluster.
func (c *Cluster) Explain(r *Refusal) error { return &manifest.Error{File: c.Host, Message: r.Told} }

// deletion is the body of a Delete. Where there is one, a server does not ask the query for a dry
// run.
func (w *Write) deletion() []byte {
	options := map[string]any{
		"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background",
		"preconditions": map[string]any{"uid": w.UID, "resourceVersion": w.ResourceVersion},
	}
	if w.Trial {
		options["dryRun"] = []string{"All"}
	}
	body, _ := json.Marshal(options) // texts can be encoded
	return body
}

// Account names the context and the user that requests are made with, as far as they are known.
func (c *Cluster) Account() (context, user string) { return c.context, c.user }

// Flags are flags that name the cluster, each behind a space, as somebody types them.
func (c *Cluster) Flags() (text string) {
	if c.flags.kubeconfig != "" {
		text = " --kubeconfig " + words.InShell(c.flags.kubeconfig)
	}
	if c.context != "" {
		text += " --context " + words.InShell(c.context)
	}
	return text
}
