// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dovetail-ssa/dovetail/test/cluster/internal/e2e"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
	"github.com/dovetail-ssa/dovetail/test/internal/plain"
)

// cluster is an etcd with the API servers that currently use it.
type cluster struct {
	name, dir string
	programs  Programs
	etcd      *server.Etcd
	servers   map[Turn]*running
	before    map[string]state // the last known states of objects, by key in etcd
}

type running struct {
	*server.Server
	rest rest.Interface
}

func startCluster(name string, p Programs, dir string) (*cluster, error) {
	etcd, err := server.StartEtcd(p.Etcd, dir)
	return &cluster{name: name, dir: dir, programs: p, etcd: etcd, servers: map[Turn]*running{}, before: map[string]state{}}, err
}

// runOnly starts the servers for the given turns, and then stops all other servers. Old and new
// servers run at the same time for a moment, as in a rolling upgrade.
func (c *cluster) runOnly(ctx context.Context, turns []Turn) error {
	for _, t := range turns {
		if c.servers[t] != nil {
			continue
		}
		name := t.Release + "-smd"
		if t.Ours {
			name = t.Release + "-dovetail"
		}
		s, err := server.StartOn(ctx, c.etcd, name, c.programs.Servers[t], c.dir)
		if err != nil {
			return err
		}
		client, err := kubernetes.NewForConfig(s.Config())
		if err != nil {
			return errors.Join(err, s.Stop())
		}
		c.servers[t] = &running{s, client.RESTClient()}
	}
	for t := range c.servers {
		if !slices.Contains(turns, t) {
			if err := c.end(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// end stops a server. It fails if the server's log has errors that no client received.
func (c *cluster) end(t Turn) error {
	s := c.servers[t]
	delete(c.servers, t)
	err := s.Stop()
	lines, lerr := s.Swallowed()
	if len(lines) > 0 {
		lerr = fmt.Errorf("the log of %s, %s, contains errors that no client received:\n%s", c.name, t, lines[0])
	}
	return errors.Join(err, lerr)
}

func (c *cluster) stop() error {
	if c == nil {
		return nil
	}
	var err error
	for t := range c.servers {
		err = errors.Join(err, c.end(t))
	}
	return errors.Join(err, c.etcd.Stop())
}

// state is the state of an object between two writes.
type state struct {
	revision string
	object   string // JSON without managed fields, and without values that always differ between clusters
	owners   owners
}

// outcome is the result of a write on one cluster.
type outcome struct {
	answer        e2e.Answer // has a body only if the server rejected the write
	before, after state
}

func (c *cluster) do(ctx context.Context, t Turn, w write) (out outcome, err error) {
	s := c.servers[t]
	out.before = c.before[w.key()]
	status, body, err := c.send(ctx, s.rest, w)
	if err != nil {
		return out, err
	}
	out.answer = e2e.Answer{Status: status}
	if status >= 300 {
		if out.answer, err = e2e.NewAnswer(status, body); err != nil {
			return out, err
		}
	}
	if out.after, err = c.readState(ctx, s.rest, w); err != nil {
		return out, err
	}
	c.before[w.key()] = out.after
	return out, nil
}

func (c *cluster) send(ctx context.Context, client rest.Interface, w write) (int, []byte, error) {
	body := w.body
	var req *rest.Request
	switch w.how {
	case apply, force:
		req = client.Patch(types.ApplyPatchType)
		if w.how == force {
			req = req.Param("force", "true")
		}
	case merge:
		req = client.Patch(types.MergePatchType)
	case strategic:
		req = client.Patch(types.StrategicMergePatchType)
	case put:
		status, live, err := e2e.Send(ctx, client.Get().AbsPath(w.path()), nil)
		if err != nil || status != 200 {
			return status, live, err
		}
		var object map[string]any
		if err := json.Unmarshal(live, &object); err != nil {
			return 0, nil, err
		}
		text, err := json.Marshal(w.body) // each cluster needs its own copy of the patch, because merging may share parts of it
		if err != nil {
			return 0, nil, err
		}
		var patch m
		if err := json.Unmarshal(text, &patch); err != nil {
			return 0, nil, err
		}
		body = plain.MergePatch(object, patch)
		req = client.Put().SetHeader("Content-Type", "application/json")
	}
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	return e2e.Send(ctx, req.AbsPath(w.path()).Param("fieldManager", w.manager), text)
}

// readState reads an object from the server, and its managed fields from etcd.
func (c *cluster) readState(ctx context.Context, client rest.Interface, w write) (s state, err error) {
	status, body, err := e2e.Send(ctx, client.Get().AbsPath(w.kind.path(w.kind.versions[0])+"/"+w.name), nil)
	if err != nil || status == 404 {
		return s, err
	}
	var object map[string]any
	if err := json.Unmarshal(body, &object); err != nil || status != 200 {
		return s, errors.Join(err, fmt.Errorf("status %d: %s", status, body))
	}
	metadata, _ := object["metadata"].(map[string]any)
	s.revision, _ = metadata["resourceVersion"].(string)
	delete(metadata, "managedFields")
	text, err := json.Marshal(object)
	if err != nil {
		return s, err
	}
	a, err := e2e.NewAnswer(status, text)
	if err != nil {
		return s, err
	}
	s.object = a.Body
	stored, err := c.etcd.Get(ctx, w.key())
	if err != nil {
		return s, err
	}
	s.owners, err = decode(stored)
	return s, err
}

// prepare creates the namespace and the custom resource definition. Only one server runs at
// this time.
func (c *cluster) prepare(ctx context.Context) error {
	for _, s := range c.servers {
		for _, o := range []struct {
			path   string
			object m
		}{
			{"/api/v1/namespaces", m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": namespace}}},
			{"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition},
		} {
			text, err := json.Marshal(o.object)
			if err != nil {
				return err
			}
			status, body, err := e2e.Send(ctx, s.rest.Post().AbsPath(o.path), text)
			if err == nil && status != 201 {
				err = fmt.Errorf("%s: status %d: %s", o.path, status, body)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// waitUntilServed waits until each server serves the custom resource.
func (c *cluster) waitUntilServed(ctx context.Context) error {
	for t, s := range c.servers {
		ok := false
		for try := 0; try < 300 && !ok; try++ {
			status, _, err := e2e.Send(ctx, s.rest.Get().AbsPath(widgets.path("v1")), nil)
			if err != nil {
				return err
			}
			if ok = status == 200; !ok {
				time.Sleep(100 * time.Millisecond)
			}
		}
		if !ok {
			return fmt.Errorf("%s: the custom type is not served", t)
		}
	}
	return nil
}
