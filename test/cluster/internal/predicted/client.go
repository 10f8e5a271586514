// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predicted

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/test/cluster/internal/server"
)

type object = map[string]any

// client sends requests to a server and receives answers, as plain data.
type client struct{ rest rest.Interface }

func newClient(s *server.Server) (*client, error) {
	c, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return nil, err
	}
	return &client{c.RESTClient()}, nil
}

// answer is the server's answer to a request.
type answer struct {
	status   int
	body     object
	warnings []string
}

// panicked stands for the status of a request that made the server panic. The server then closes
// the stream of the request without a response.
const panicked = 599

// message returns the message of a Status body.
func (a answer) message() string { return text(a.body["message"]) }

func (a answer) ok() bool { return a.status/100 == 2 }

func (c *client) do(ctx context.Context, r *rest.Request) (answer, error) {
	var a answer
	res := r.SetHeader("Accept", "application/json").Do(ctx).StatusCode(&a.status)
	body, err := res.Raw()
	for _, w := range res.Warnings() {
		a.warnings = append(a.warnings, w.Text)
	}
	if a.status == 0 && err != nil && strings.Contains(err.Error(), "INTERNAL_ERROR; received from peer") {
		return answer{status: panicked, body: object{"message": "the server panicked"}}, nil
	}
	if a.status == 0 {
		return a, err
	}
	if err := utiljson.Unmarshal(body, &a.body); err != nil {
		if !a.ok() {
			a.body = object{"message": string(body)} // the body is plain text, for example if the server does not serve the path
			return a, nil
		}
		return a, fmt.Errorf("status %d: %w: %.200s", a.status, err, body)
	}
	return a, nil
}

// send sends a request for an object.
func (c *client) send(ctx context.Context, r *request) (answer, error) {
	data, err := json.Marshal(r.body)
	if err != nil {
		return answer{}, err
	}
	var req *rest.Request
	switch r.method {
	case http.MethodPost:
		req = c.rest.Post().AbsPath(collection(r.kind, r.body))
	case http.MethodPut:
		req = c.rest.Put()
	case apply:
		req = c.rest.Patch(types.ApplyPatchType)
	case patch:
		req = c.rest.Patch(types.MergePatchType)
	}
	if r.method != http.MethodPost {
		path := r.path
		if r.subresource != "" {
			path += "/" + r.subresource
		}
		req = req.AbsPath(path)
	}
	req = req.Param("fieldManager", r.manager)
	if r.force {
		req = req.Param("force", "true")
	}
	return c.do(ctx, req.Body(data))
}

// These constants are methods of requests, in addition to the HTTP methods. They stand for an
// apply and for a merge patch.
const (
	apply = "apply"
	patch = "patch"
)

func (c *client) get(ctx context.Context, path string) (object, error) {
	a, err := c.do(ctx, c.rest.Get().AbsPath(path))
	switch {
	case err != nil:
		return nil, err
	case a.ok():
		return a.body, nil
	case a.status == http.StatusNotFound:
		return nil, nil
	}
	return nil, fmt.Errorf("%s: status %d: %s", path, a.status, a.message())
}

// remove deletes an object. It first removes the finalizers.
func (c *client) remove(ctx context.Context, path string) error {
	for range 5 {
		if _, err := c.do(ctx, c.rest.Delete().AbsPath(path).Param("gracePeriodSeconds", "0")); err != nil {
			return err
		}
		live, err := c.get(ctx, path)
		if live == nil || err != nil {
			return err
		}
		_, err = c.do(ctx, c.rest.Patch(types.MergePatchType).AbsPath(path).Body([]byte(`{"metadata":{"finalizers":null}}`)))
		if err != nil {
			return err
		}
	}
	return nil
}

// collection returns the URL path for POST requests that create objects of the same kind and
// namespace as the given object.
func collection(k openapi.Kind, o object) string {
	path := "/apis/" + k.APIVersion
	if k.APIVersion == "v1" {
		path = "/api/v1"
	}
	if k.Scope == openapi.Namespaced {
		path += "/namespaces/" + text(metadata(o)["namespace"])
	}
	return path + "/" + k.Resource
}

func metadata(o object) object { m, _ := o["metadata"].(object); return m }

func text(v any) string { s, _ := v.(string); return s }
