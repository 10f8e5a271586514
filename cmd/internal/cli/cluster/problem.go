// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/words"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Problem is why a request has no answer, or a refusal.
type Problem struct {
	// Code is the status of HTTP, 0 if no server answered.
	Code            int
	Reason, Message string
}

// fatal says whether others of our requests will fare no better.
func (p *Problem) fatal() bool {
	return p.Code == 0 || p.Code == http.StatusUnauthorized || p.Code == http.StatusTooManyRequests
}

// explain says what is wrong and what helps.
func (c *Cluster) explain(q request, p *Problem) *manifest.Error {
	return &manifest.Error{File: c.Host, Message: c.because(q, p)}
}

func (c *Cluster) because(q request, p *Problem) string {
	switch p.Code {
	case 0:
		if c.answered.Load() {
			rest := "what is not printed is not known, and nothing was written"
			switch {
			case q.changes():
				rest = "whether it was done is not known"
			case c.wrote.Load():
				rest = "what was written is told"
			}
			return fmt.Sprintf("the cluster does not answer any more, to %s: %s; %s", q, p.Message, rest)
		}
		return fmt.Sprintf("the cluster does not answer: %s; is it the right --context, and can it be reached from here?", p.Message)
	case http.StatusUnauthorized:
		return fmt.Sprintf("the cluster does not know the credentials of %s: they have expired, or are wrong (401); log in again, or give another --context", c.account())
	case http.StatusForbidden:
		return fmt.Sprintf("%s may not %s (403): %s; it needs a role with %s", c.account(), q, strings.TrimSuffix(p.Message, "."), q.rule())
	case http.StatusTooManyRequests:
		return fmt.Sprintf("the cluster has too many requests (429), and refused to %s though it was asked again as it wants: %s; try again later", q, p.Message)
	case http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		if q.group() != "" {
			return fmt.Sprintf("the API %s does not work (%d): %s; kubectl get apiservice says more of one that is aggregated", q.groupVersion(), p.Code, p.Message)
		}
	}
	return fmt.Sprintf("cannot %s (%d): %s", q, p.Code, p.Message)
}

// account names who asks.
func (c *Cluster) account() string {
	if c.user == "" {
		return "the account"
	}
	return "user " + words.Flow(c.user)
}

// String says what a request is for: list deployments.apps in namespace shop.
func (q request) String() string {
	if q.of.Name == "" {
		return "read " + q.path
	}
	s := q.verb() + " " + q.resource(q.of.String())
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
	case q.method == http.MethodPatch:
		return "patch"
	case q.method == http.MethodDelete:
		return "delete"
	case q.name == "":
		return "list"
	}
	return "get"
}

// changes says whether the request changes something.
func (q request) changes() bool {
	return q.method != http.MethodGet && q.query.Get("dryRun") == ""
}

// resource is what RBAC calls the resource of that name, or its subresource.
func (q request) resource(name string) string {
	if q.subresource != "" {
		name += "/" + q.subresource
	}
	return name
}

// rule is the RBAC rule that allows the request.
func (q request) rule() string {
	if q.of.Name == "" {
		return fmt.Sprintf("{nonResourceURLs: [%s], verbs: [get]}", q.path)
	}
	return fmt.Sprintf("{apiGroups: [%q], resources: [%s], verbs: [%s]}", q.of.Group, q.resource(q.of.Name), q.verb())
}

func (q request) group() string { return q.of.Group }

func (q request) groupVersion() string { return q.of.apiVersion() }
