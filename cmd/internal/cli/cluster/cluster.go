// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dovetail-ssa/dovetail/cmd/internal/cli/command"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

// Cluster is a cluster that is read from. Its methods may be called by several goroutines.
type Cluster struct {
	// Host is where its API server is.
	Host                     string
	namespace, context, user string
	flags                    *Flags
	run                      *command.Run
	send                     func(request) ([]byte, *Problem)
	// version is what Version has returned.
	version string
	// answered says that there was an answer.
	answered atomic.Bool
	// wrote says that a request was sent that changes something.
	wrote atomic.Bool
}

// Resource is a kind of objects, as the API server has it in its URLs.
type Resource struct {
	Group, Version, Name, Kind string
	Namespaced                 bool
}

// String is the name that RBAC and kubectl know: deployments.apps.
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

// prefix is where the API server has a version of a group.
func prefix(apiVersion string) string {
	if strings.Contains(apiVersion, "/") {
		return "/apis/" + apiVersion
	}
	return "/api/" + apiVersion
}

// path is where an object is, or all of a namespace if it has no name.
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

// request is one request. of, namespace and name are for messages, if it is for objects.
type request struct {
	method, path        string
	query               url.Values
	accept, contentType string
	body                []byte
	of                  Resource
	namespace, name     string
	subresource         string
}

// strays returns what is wrong if the names in a path, which come from files, would make it another one.
func (q request) strays() *Problem {
	if path.Clean(q.path) == q.path && !strings.Contains(q.namespace+q.name, "/") {
		return nil
	}
	return &Problem{Code: http.StatusBadRequest, Reason: "BadRequest", Message: "names have no / in them, and are not . or ..; nothing was asked"}
}

// get reads a path.
func (c *Cluster) get(q request) ([]byte, *Problem) {
	q.method = http.MethodGet
	return c.send(q)
}

// Namespace is the one that objects without one are in.
func (c *Cluster) Namespace() string { return c.namespace }

// CheckNamespace refuses an object that names another namespace than -n, as kubectl does.
func (c *Cluster) CheckNamespace(namespace string) error {
	if namespace != "" && c.flags.namespaceGiven() && namespace != c.namespace {
		return fmt.Errorf("is in another namespace than that of -n, %s", c.namespace)
	}
	return nil
}

// Version is the version of the cluster, such as v1.36.4, and its minor release, 1.36.
func (c *Cluster) Version() (version, release string, err error) {
	q := request{path: "/version"}
	body, problem := c.get(q)
	if problem != nil {
		return "", "", c.explain(q, problem)
	}
	var v struct{ Major, Minor, GitVersion string }
	if err := json.Unmarshal(body, &v); err != nil || v.GitVersion == "" {
		return "", "", &manifest.Error{File: c.Host, Message: "what answers is no Kubernetes: /version says nothing of a version"}
	}
	c.version = v.GitVersion
	minor := strings.TrimRightFunc(v.Minor, func(r rune) bool { return r < '0' || r > '9' })
	return v.GitVersion, v.Major + "." + minor, nil
}

// VersionName is the version of the cluster, once Version was asked for it.
func (c *Cluster) VersionName() string { return c.version }

// atOnce is how many requests wait for answers at once.
const atOnce = 8

// Each does work for each of n, several at once.
func Each(n int, work func(i int)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range n {
		turns <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-turns; wg.Done() }()
			work(i)
		}()
	}
	wg.Wait()
}
