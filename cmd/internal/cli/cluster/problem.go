// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Problem describes a request that failed or got no answer.
type Problem struct {
	// Code is the HTTP status, or 0 if no server answered.
	Code            int
	Reason, Message string
}

// fatal reports whether all further requests will probably fail for the same reason.
func (p *Problem) fatal() bool {
	return p.Code == 0 || p.Code == httpstatus.Unauthorized || p.Code == httpstatus.TooManyRequests
}

// lacksPermission reports whether the server rejected the request because the account lacks a
// permission. It also looks at the message, because admission rejects requests with the same
// status, 403. A message about a missing permission starts with the name of the user.
func (p *Problem) lacksPermission() bool {
	if p.Code != httpstatus.Forbidden || strings.Contains(p.Message, "denied") {
		return false
	}
	_, why, found := strings.Cut(p.Message, " is forbidden: ")
	return !found || strings.HasPrefix(why, "User ")
}

// explain converts the problem of a request to an error about the cluster. The error includes
// a hint.
func (c *Cluster) explain(q request, p *Problem) *manifest.Error {
	return &manifest.Error{File: c.Host, Message: c.describe(q, p)}
}

// describe returns a message about the problem of a request. The message includes a hint.
func (c *Cluster) describe(q request, p *Problem) string {
	switch p.Code {
	case 0:
		if c.answered.Load() {
			state := "the output is incomplete, and nothing was written"
			switch {
			case q.changes():
				state = "the request may or may not have taken effect"
			case c.wrote.Load():
				state = "the objects written so far are listed"
			}
			return fmt.Sprintf("the cluster stopped answering a request to %s: %s; %s", q, p.Message, state)
		}
		return fmt.Sprintf("the cluster does not answer: %s; check --context, and whether this machine can reach the cluster", p.Message)
	case httpstatus.Unauthorized:
		return fmt.Sprintf("the cluster does not accept the credentials of %s: they are wrong or have expired (401); log in again, or use another --context", c.account())
	case httpstatus.Forbidden:
		if !p.lacksPermission() {
			break
		}
		return fmt.Sprintf("%s may not %s (403): %s; it needs a role with %s", c.account(), q, strings.TrimSuffix(p.Message, "."), q.rule())
	case httpstatus.TooManyRequests:
		return fmt.Sprintf("the cluster is too busy (429) and repeatedly refused to %s: %s; try again later", q, p.Message)
	case httpstatus.ServiceUnavailable, httpstatus.BadGateway, httpstatus.GatewayTimeout:
		if q.group() != "" {
			return fmt.Sprintf("the API %s is unavailable (%d): %s; if it is an aggregated API, check its status with \"kubectl get apiservice\"", q.groupVersion(), p.Code, p.Message)
		}
	}
	return fmt.Sprintf("cannot %s (%d): %s", q, p.Code, p.Message)
}

// account describes the user who sends the requests, for messages.
func (c *Cluster) account() string {
	if c.user == "" {
		return "the account"
	}
	return "user " + words.Flow(c.user)
}

// String describes the request, as in "list deployments.apps in namespace shop".
func (q request) String() string {
	if q.resource.Name == "" {
		return "read " + q.path
	}
	s := q.verb() + " " + q.withSubresource(q.resource.String())
	if q.name != "" {
		s += " " + words.Flow(q.name)
	}
	if q.namespace != "" {
		s += " in namespace " + words.Flow(q.namespace)
	}
	return s
}

func (q request) verb() string {
	switch {
	case q.method == httpstatus.Patch:
		return "patch"
	case q.method == httpstatus.Delete:
		return "delete"
	case q.name == "":
		return "list"
	}
	return "get"
}

// changes reports whether the request can change the cluster. A dry run cannot.
func (q request) changes() bool {
	return q.method != httpstatus.Get && q.query.Get("dryRun") == ""
}

// withSubresource appends the subresource of the request to a resource name, as RBAC rules do.
func (q request) withSubresource(name string) string {
	if q.subresource != "" {
		name += "/" + q.subresource
	}
	return name
}

// rule returns an RBAC rule that allows the request.
func (q request) rule() string {
	if q.resource.Name == "" {
		return fmt.Sprintf("{nonResourceURLs: [%s], verbs: [get]}", q.path)
	}
	return fmt.Sprintf("{apiGroups: [%q], resources: [%s], verbs: [%s]}", q.resource.Group, q.withSubresource(q.resource.Name), q.verb())
}

func (q request) group() string { return q.resource.Group }

func (q request) groupVersion() string { return q.resource.apiVersion() }
