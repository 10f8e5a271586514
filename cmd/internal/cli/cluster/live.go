// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"sync"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/internal/httpstatus"
	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

const (
	// maxSingleReads is the maximum number of objects of one resource and namespace that the
	// client reads one by one. If it needs more objects, it reads a list.
	maxSingleReads = 4
	// pageSize is the number of objects in one page of a list. kubectl uses the same number.
	pageSize = 500
)

// Wanted names an object to read.
type Wanted struct {
	Resource
	Namespace, Object string
}

// Answer is the result of reading one object. If the cluster does not have the object, Live is
// nil and Problem is empty.
type Answer struct {
	Live *manifest.Object
	// Problem explains why the object cannot be read. It is empty if the read succeeded.
	Problem string
}

// Read reads the wanted objects, and returns the answers in the same order. If at most
// maxSingleReads objects of a resource and namespace are wanted, it reads them one by one.
// Otherwise, it lists the resource. Read stops listing if the number of remaining pages is unknown
// or exceeds the number of missing objects. It then reads the missing objects one by one. A problem
// with a single object is part of its answer. The error reports a problem with the whole cluster.
func (c *Cluster) Read(wanted []Wanted) ([]Answer, error) {
	type group struct {
		resource  Resource
		namespace string
	}
	var groups []group
	members := map[group][]int{}
	for i, w := range wanted {
		g := group{w.Resource, w.Namespace}
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], i)
	}
	r := &reader{c: c, wanted: wanted, answers: make([]Answer, len(wanted))}
	var single []int
	var lists []group
	for _, g := range groups {
		if len(members[g]) <= maxSingleReads {
			single = append(single, members[g]...)
		} else {
			lists = append(lists, g)
		}
	}
	Each(len(lists), func(i int) {
		rest := r.readList(lists[i].resource, lists[i].namespace, members[lists[i]])
		r.mu.Lock()
		single = append(single, rest...)
		r.mu.Unlock()
	})
	Each(len(single), func(i int) { r.readSingle(single[i]) })
	return r.answers, r.err
}

// A reader holds the state of one call of Read.
type reader struct {
	c       *Cluster
	wanted  []Wanted
	answers []Answer
	mu      sync.Mutex
	// err is the error that made Read stop.
	err error
}

func (r *reader) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// readSingle reads one object.
func (r *reader) readSingle(i int) {
	w := r.wanted[i]
	if r.failed() {
		return
	}
	q := request{path: w.path(w.Namespace, w.Object), resource: w.Resource, namespace: w.Namespace, name: w.Object}
	body, problem := r.c.get(q)
	switch {
	case problem == nil:
		r.record(i, body)
	case problem.Code == httpstatus.NotFound: // the answer remains empty
	case problem.fatal():
		r.fail(r.c.explain(q, problem))
	default:
		r.answers[i].Problem = r.c.describe(q, problem)
	}
}

func (r *reader) record(i int, body []byte) {
	w := r.wanted[i]
	o, err := manifest.ReadResponse(w.displayName(w.Namespace, w.Object), body, w.apiVersion(), w.Kind)
	if err != nil {
		r.answers[i].Problem = err.Error()
		return
	}
	r.answers[i].Live = o
}

// readList finds wanted objects by listing a resource in a namespace. The argument wanted and the
// result contain indexes in r.wanted. The result lists the objects that readList has not found, and
// that the caller must read one by one.
func (r *reader) readList(resource Resource, namespace string, wanted []int) (rest []int) {
	missing := make(map[string]int, len(wanted))
	for _, i := range wanted {
		missing[r.wanted[i].Object] = i
	}
	stillMissing := func() (all []int) {
		for _, i := range wanted {
			if _, ok := missing[r.wanted[i].Object]; ok {
				all = append(all, i)
			}
		}
		return all
	}
	next := ""
	for !r.failed() {
		page, problem := r.c.page(resource, namespace, "", next)
		switch {
		case problem != nil && problem.fatal():
			r.fail(r.c.explain(request{path: resource.path(namespace, ""), resource: resource, namespace: namespace}, problem))
			return nil
		case problem != nil: // the account has no permission to list, or the token of the next page has expired
			return stillMissing()
		}
		for _, item := range page.Items {
			var o struct{ Metadata struct{ Name string } }
			if json.Unmarshal(item, &o) != nil {
				continue
			}
			if i, ok := missing[o.Metadata.Name]; ok {
				r.record(i, item)
				delete(missing, o.Metadata.Name)
			}
		}
		next = page.Metadata.Continue
		if next == "" {
			return nil // objects that are not in the list do not exist
		}
		if more := (page.Metadata.RemainingItemCount + pageSize - 1) / pageSize; more == 0 || more > len(missing) {
			return stillMissing()
		}
	}
	return nil
}

// displayName returns a name for an object in the cluster, which messages show instead of a
// file name.
func (r Resource) displayName(namespace, name string) string {
	if r.Namespaced {
		name += " -n " + namespace
	}
	return r.String() + "/" + name
}

// page is one page of a list.
type page struct {
	Metadata struct {
		Continue           string
		RemainingItemCount int
	}
	Items []json.RawMessage
}

// page reads one page of a list. The token of the page comes from the previous page. It is empty
// for the first page.
func (c *Cluster) page(resource Resource, namespace, labels, token string) (*page, *Problem) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if labels != "" {
		query.Set("labelSelector", labels)
	}
	if token != "" {
		query.Set("continue", token)
	}
	body, problem := c.get(request{path: resource.path(namespace, ""), query: query, resource: resource, namespace: namespace})
	if problem != nil {
		return nil, problem
	}
	p := &page{}
	if err := json.Unmarshal(body, p); err != nil {
		return nil, &Problem{Code: httpstatus.Internal, Message: fmt.Sprintf("the response of the server is not a list: %v", err)}
	}
	return p, nil
}

// namespaces describes the resource with which the client reads Namespace objects.
var namespaces = Resource{Version: "v1", Name: "namespaces", Kind: "Namespace"}

// ReadNamespace reads a Namespace. Further calls with the same name return the first result.
func (c *Cluster) ReadNamespace(name string) Answer {
	read, _ := c.namespaces.LoadOrStore(name, sync.OnceValue(func() Answer {
		answers, err := c.Read([]Wanted{{Resource: namespaces, Object: name}})
		if err != nil {
			return Answer{Problem: err.Error()}
		}
		return answers[0]
	}))
	return read.(func() Answer)()
}

// NoNamespace returns a message if objects cannot be created in a namespace, because the namespace
// does not exist or is being deleted. It returns "" if they can be created, or if the Namespace
// cannot be read.
func (c *Cluster) NoNamespace(name string) string {
	switch a := c.ReadNamespace(name); {
	case a.Problem != "":
		return ""
	case a.Live == nil:
		return fmt.Sprintf("the cluster has no namespace %s, so it rejects the object: create the namespace first", name)
	case document.MetaString(a.Live.Content, "deletionTimestamp") != "":
		return fmt.Sprintf("namespace %s is being deleted, so the cluster rejects new objects in it", name)
	}
	return ""
}
