// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Cluster is a client for a cluster. It is safe for concurrent use.
type Cluster struct {
	// Host is the URL of the API server.
	Host                     string
	namespace, context, user string
	flags                    *Flags
	run                      *command.Run
	send                     func(request) ([]byte, *Problem)
	// version caches the result of Version.
	version string
	// namespaces caches, for each name, a function that returns the result of ReadNamespace.
	namespaces sync.Map
	// answered is set when the server has answered at least one request.
	answered atomic.Bool
	// wrote is set when the client has sent a request that changes something.
	wrote atomic.Bool
}

// Resource is a resource of an API server, such as deployments, with the names that its URLs
// contain.
type Resource struct {
	Group, Version, Name, Kind string
	Namespaced                 bool
}

// String returns the name of the resource and its group, such as deployments.apps. kubectl
// prints the same form.
func (r Resource) String() string {
	if r.Group == "" {
		return r.Name
	}
	return r.Name + "." + r.Group
}

func (r Resource) apiVersion() string { return joinVersion(r.Group, r.Version) }

func joinVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// prefix returns the start of the URL path for an API version, such as /apis/apps/v1.
func prefix(apiVersion string) string {
	if strings.Contains(apiVersion, "/") {
		return "/apis/" + apiVersion
	}
	return "/api/" + apiVersion
}

// path returns the URL path of an object. If name is empty, path returns the path of the list
// of all objects in the namespace. If namespace is also empty, the list contains the objects
// of all namespaces.
func (r Resource) path(namespace, name string) string {
	p := prefix(r.apiVersion())
	if r.Namespaced && namespace != "" {
		p += "/namespaces/" + namespace
	}
	p += "/" + r.Name
	if name != "" {
		p += "/" + name
	}
	return p
}

// request is one HTTP request. Messages about the request use the fields resource, namespace and
// name, which are empty if the request is not about objects.
type request struct {
	method, path        string
	query               url.Values
	accept, contentType string
	body                []byte
	resource            Resource
	namespace, name     string
	subresource         string
}

// checkPath returns a problem if the namespace or the name in the request would change the
// structure of the URL path. Names may come from files, so they cannot be trusted.
func (q request) checkPath() *Problem {
	if path.Clean(q.path) == q.path && !strings.Contains(q.namespace+q.name, "/") {
		return nil
	}
	return &Problem{Code: httpstatus.BadRequest, Reason: "BadRequest", Message: "no request was sent: a name must not contain / and must not be . or .."}
}

// get sends a GET request.
func (c *Cluster) get(q request) ([]byte, *Problem) {
	q.method = httpstatus.Get
	return c.send(q)
}

// Namespace returns the default namespace, for objects without a namespace.
func (c *Cluster) Namespace() string { return c.namespace }

// CheckNamespace rejects a namespace that differs from the namespace given with -n, as kubectl
// does.
func (c *Cluster) CheckNamespace(namespace string) error {
	if namespace != "" && c.flags.namespaceGiven() && namespace != c.namespace {
		return fmt.Errorf("differs from the namespace %s that -n selects", c.namespace)
	}
	return nil
}

// Version requests the version of the cluster. It returns the full version, such as v1.36.4,
// and the minor release, such as 1.36.
func (c *Cluster) Version() (version, release string, err error) {
	q := request{path: "/version"}
	body, problem := c.get(q)
	if problem != nil {
		return "", "", c.explain(q, problem)
	}
	var v struct{ Major, Minor, GitVersion string }
	if err := json.Unmarshal(body, &v); err != nil || v.GitVersion == "" {
		return "", "", &manifest.Error{File: c.Host, Message: "this server does not seem to be a Kubernetes API server: its /version response has no version"}
	}
	c.version = v.GitVersion
	minor := strings.TrimRightFunc(v.Minor, func(r rune) bool { return r < '0' || r > '9' })
	return v.GitVersion, v.Major + "." + minor, nil
}

// VersionName returns the full version of the cluster, or "" if Version has not been called
// yet.
func (c *Cluster) VersionName() string { return c.version }

// maxConcurrent is the number of calls that Each runs concurrently.
const maxConcurrent = 8

// Each calls work(i) for all i from 0 to n-1, several at a time. It returns when all calls have
// returned.
func Each(n int, work func(i int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxConcurrent)
	for i := range n {
		slots <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-slots; wg.Done() }()
			work(i)
		}()
	}
	wg.Wait()
}
