// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/dovetail-ssa/dovetail/kube/manifest"
)

const (
	// fewWanted is up to how many objects of a resource in a namespace are read one by one.
	fewWanted = 4
	// pageSize is how many objects are listed at once, as kubectl does.
	pageSize = 500
)

// Wanted is an object that is looked for.
type Wanted struct {
	Resource
	Namespace, Object string
}

// Answer is what came of an object that is looked for: nothing of both if there is none.
type Answer struct {
	Live *manifest.Object
	// Problem says why it cannot be read.
	Problem string
}

// Read looks for objects. Few of a resource in a namespace are read one by one, more as a list;
// what is far down a long list is read by itself, so that there are no more requests than
// objects. err is about the cluster as a whole.
func (c *Cluster) Read(wanted []Wanted) ([]Answer, error) {
	type place struct {
		of        Resource
		namespace string
	}
	var places []place
	at := map[place][]int{}
	for i, w := range wanted {
		p := place{w.Resource, w.Namespace}
		if at[p] == nil {
			places = append(places, p)
		}
		at[p] = append(at[p], i)
	}
	r := &reading{c: c, wanted: wanted, answers: make([]Answer, len(wanted))}
	var single []int
	var lists []place
	for _, p := range places {
		if len(at[p]) <= fewWanted {
			single = append(single, at[p]...)
		} else {
			lists = append(lists, p)
		}
	}
	Each(len(lists), func(i int) {
		left := r.list(lists[i].of, lists[i].namespace, at[lists[i]])
		r.mu.Lock()
		single = append(single, left...)
		r.mu.Unlock()
	})
	Each(len(single), func(i int) { r.one(single[i]) })
	return r.answers, r.err
}

// reading looks for objects.
type reading struct {
	c       *Cluster
	wanted  []Wanted
	answers []Answer
	mu      sync.Mutex
	// err ends it.
	err error
}

func (r *reading) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *reading) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// one reads an object by itself.
func (r *reading) one(i int) {
	w := r.wanted[i]
	if r.failed() {
		return
	}
	q := request{path: w.path(w.Namespace, w.Object), of: w.Resource, namespace: w.Namespace, name: w.Object}
	body, problem := r.c.get(q)
	switch {
	case problem == nil:
		r.found(i, body)
	case problem.Code == http.StatusNotFound: // there is none
	case problem.fatal():
		r.fail(r.c.explain(q, problem))
	default:
		r.answers[i].Problem = r.c.because(q, problem)
	}
}

func (r *reading) found(i int, body []byte) {
	w := r.wanted[i]
	o, err := manifest.ReadResponse(w.shown(w.Namespace, w.Object), body, w.apiVersion(), w.Kind)
	if err != nil {
		r.answers[i].Problem = err.Error()
		return
	}
	r.answers[i].Live = o
}

// list reads what is wanted of a resource in a namespace as a list, and returns what is to be
// read one by one.
func (r *reading) list(of Resource, namespace string, wanted []int) (left []int) {
	missing := make(map[string]int, len(wanted))
	for _, i := range wanted {
		missing[r.wanted[i].Object] = i
	}
	rest := func() (all []int) {
		for _, i := range wanted {
			if _, ok := missing[r.wanted[i].Object]; ok {
				all = append(all, i)
			}
		}
		return all
	}
	next := ""
	for !r.failed() {
		page, problem := r.c.page(of, namespace, "", next)
		switch {
		case problem != nil && problem.fatal():
			r.fail(r.c.explain(request{path: of.path(namespace, ""), of: of, namespace: namespace}, problem))
			return nil
		case problem != nil: // lists may be forbidden, or have changed on the way
			return rest()
		}
		for _, item := range page.Items {
			var o struct{ Metadata struct{ Name string } }
			if json.Unmarshal(item, &o) != nil {
				continue
			}
			if i, ok := missing[o.Metadata.Name]; ok {
				r.found(i, item)
				delete(missing, o.Metadata.Name)
			}
		}
		next = page.Metadata.Continue
		if next == "" {
			return nil // what is still missing is not there
		}
		if more := (page.Metadata.RemainingItemCount + pageSize - 1) / pageSize; more == 0 || more > len(missing) {
			return rest()
		}
	}
	return nil
}

// shown is what messages call the file of an object, which is in none.
func (r Resource) shown(namespace, name string) string {
	if r.Namespaced {
		name += " -n " + namespace
	}
	return r.String() + "/" + name
}

// page is a part of a list.
type page struct {
	Metadata struct {
		Continue           string
		RemainingItemCount int
	}
	Items []json.RawMessage
}

// page reads a part of the list of a resource, from where next says.
func (c *Cluster) page(of Resource, namespace, labels, next string) (*page, *Problem) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if labels != "" {
		query.Set("labelSelector", labels)
	}
	if next != "" {
		query.Set("continue", next)
	}
	body, problem := c.get(request{path: of.path(namespace, ""), query: query, of: of, namespace: namespace})
	if problem != nil {
		return nil, problem
	}
	p := &page{}
	if err := json.Unmarshal(body, p); err != nil {
		return nil, &Problem{Code: http.StatusInternalServerError, Message: fmt.Sprintf("the list cannot be read: %v", err)}
	}
	return p, nil
}

// namespaces are the Namespaces of a cluster.
var namespaces = Resource{Version: "v1", Name: "namespaces", Kind: "Namespace"}

// NoNamespace says what is wrong with a namespace that objects are to be written to; empty if
// nothing is, or if that cannot be known.
func (c *Cluster) NoNamespace(name string) string {
	body, problem := c.get(request{path: namespaces.path("", name), of: namespaces, name: name})
	if problem != nil && problem.Code == http.StatusNotFound {
		return fmt.Sprintf("there is no namespace %s in the cluster, which refuses the object", name)
	}
	var n struct {
		Metadata struct{ DeletionTimestamp string }
	}
	if problem == nil && json.Unmarshal(body, &n) == nil && n.Metadata.DeletionTimestamp != "" {
		return fmt.Sprintf("namespace %s is being deleted: the cluster refuses new objects in it", name)
	}
	return ""
}
