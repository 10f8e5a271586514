// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Client is a controller-runtime client that sends an apply only if a gate decides to send it. An apply
// is a call of Apply, or of Patch with client.Apply, on the Client or on Status(). If the gate skips an
// apply, the client returns the object from the cache, because the server's response would be the same.
//
// All other calls go to the wrapped client. The Client records the objects that it writes. While
// the cache may be older than a write, the Client sends every apply of the written object.
//
// Pass the field owner in the options of each call. Do not wrap this client in
// client.WithFieldOwner, because that bypasses the gate.
type Client struct {
	client.Client
	gate *Gate
	live client.Reader
	// answerDryRuns makes the client answer dry runs with predictions.
	answerDryRuns bool
	// writes records this client's writes, because the cache may show them only later.
	writes *writes
}

// objectKey identifies an object.
type objectKey struct {
	schema.GroupKind
	types.NamespacedName
}

// ClientOptions configures a Client. The zero value is suitable for the client of a
// controller manager.
type ClientOptions struct {
	// Live reads live objects, with their managed fields, from informers. In a controller, use the
	// manager's cache (mgr.GetCache()). If Live is nil, the wrapped client reads the live objects.
	//
	// Objects are read as Go types if the scheme of the wrapped client has the type, otherwise as
	// unstructured objects. The wrapped client reads unstructured objects from its cache only if
	// its own options enable that.
	Live client.Reader
	// AnswerDryRuns makes the client answer dry runs of applies with Gate.Predict, without sending them
	// to the server. This option helps callers that find differences by dry runs, such as the
	// ResourceManager of fluxcd/pkg/ssa. Reading the live object may still need a request. If the gate
	// cannot predict a dry run, for example for the reasons Unsure and Stale, the client sends it.
	AnswerDryRuns bool
}

// NewClient returns a client that sends an apply through c only if the gate g
// decides to send it.
func NewClient(c client.Client, g *Gate, o ClientOptions) *Client {
	live := o.Live
	if live == nil {
		live = c
	}
	return &Client{Client: c, gate: g, live: live, answerDryRuns: o.AnswerDryRuns, writes: newWrites()}
}

// Apply applies a configuration as owner if it would change something. It returns the
// gate's decision.
func Apply(ctx context.Context, c *Client, obj runtime.ApplyConfiguration, owner string, opts ...client.ApplyOption) (Decision, error) {
	return c.apply(ctx, obj, append([]client.ApplyOption{client.FieldOwner(owner)}, opts...))
}

// Apply applies a configuration if it would change something.
func (c *Client) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	_, err := c.apply(ctx, obj, opts)
	return err
}

func (c *Client) apply(ctx context.Context, obj runtime.ApplyConfiguration, opts []client.ApplyOption) (Decision, error) {
	o := (&client.ApplyOptions{}).ApplyOptions(opts)
	return c.applyThroughGate(ctx, obj, request{owner: o.FieldManager, dryRun: len(o.DryRun) > 0, force: o.Force}, func() ([]byte, error) {
		return json.Marshal(obj)
	}, func() error { return c.Client.Apply(ctx, obj, opts...) })
}

// Patch patches an object. It sends a patch of type client.Apply only if the patch would
// change something.
func (c *Client) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	o := (&client.PatchOptions{}).ApplyOptions(opts)
	if patch.Type() != types.ApplyPatchType {
		err := c.Client.Patch(ctx, obj, patch, opts...)
		c.noteWrite(obj, obj, o.DryRun, err)
		return err
	}
	_, err := c.applyThroughGate(ctx, obj, request{owner: o.FieldManager, dryRun: len(o.DryRun) > 0, force: o.Force}, func() ([]byte, error) {
		return patch.Data(obj)
	}, func() error { return c.Client.Patch(ctx, obj, patch, opts...) })
	return err
}

// request has the options of an apply.
type request struct {
	owner, subresource string
	// dryRun is true if the request is a dry-run.
	dryRun bool
	force  *bool
}

// applyThroughGate sends an apply of obj if the gate decides to send it. If the gate skips the apply,
// applyThroughGate sets obj to the predicted response. The function data returns the request body, and
// the function send sends the request.
func (c *Client) applyThroughGate(ctx context.Context, obj any, r request, data func() ([]byte, error), send func() error) (Decision, error) {
	if r.dryRun && (!c.answerDryRuns || r.subresource != "") {
		return Decision{Reason: Asked}, send()
	}
	body, err := data()
	if err != nil {
		return Decision{Refused, err}, send()
	}
	var applied map[string]any
	if err := utiljson.Unmarshal(body, &applied); err != nil {
		return Decision{Refused, err}, send()
	}
	o := unstructured.Unstructured{Object: applied}
	id := objectKey{o.GroupVersionKind().GroupKind(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
	live, d := c.decide(ctx, &o, id, r)
	if r.dryRun {
		return c.predict(obj, live, applied, r, d, send)
	}
	c.gate.Count(o.GetAPIVersion(), o.GetKind(), d)
	if !d.Send() {
		return d, setResponse(obj, live)
	}
	err = send()
	c.noteAnswer(id, obj, err)
	return d, err
}

// predict answers a dry run with a prediction. It sends the dry run if there is no prediction.
func (c *Client) predict(obj any, live, applied map[string]any, r request, d Decision, send func() error) (Decision, error) {
	switch d.Reason {
	case Unchanged, Changed, NotFound, Conflict, Refused:
		predicted, err := c.gate.Predict(live, applied, r.owner, r.force != nil && *r.force)
		if status := apierrors.APIStatus(nil); err != nil && !errors.As(err, &status) {
			break // send the dry run, because the server's message is better
		}
		if err != nil {
			return d, err
		}
		return d, setResponse(obj, predicted)
	}
	return d, send()
}

// decide reads the live object and asks the gate for a decision.
func (c *Client) decide(ctx context.Context, applied *unstructured.Unstructured, id objectKey, r request) (map[string]any, Decision) {
	if c.gate.alwaysSends(applied.GetAPIVersion(), applied.GetKind()) {
		return nil, Decision{Reason: Asked} // there is no need to read the live object
	}
	live, err := c.read(ctx, applied.GroupVersionKind(), id.NamespacedName)
	if err != nil {
		return nil, Decision{Unread, err}
	}
	if c.writes.stale(id, live) {
		return nil, Decision{Reason: Stale}
	}
	return live, c.gate.Check(live, applied.Object, r.owner, r.subresource)
}

// read returns an object from the cache, or nil if the object is not in the
// cache.
func (c *Client) read(ctx context.Context, gvk schema.GroupVersionKind, key types.NamespacedName) (map[string]any, error) {
	object := client.Object(&unstructured.Unstructured{})
	if typed, err := c.Scheme().New(gvk); err == nil {
		if o, ok := typed.(client.Object); ok {
			object = o
		}
	}
	object.GetObjectKind().SetGroupVersionKind(gvk)
	if err := c.live.Get(ctx, key, object); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if u, ok := object.(*unstructured.Unstructured); ok {
		return u.Object, nil
	}
	live, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	live["apiVersion"], live["kind"] = gvk.GroupVersion().String(), gvk.Kind // objects from a cache of Go types lack these fields
	return live, nil
}

// setResponse sets obj to the object live, which the server would return.
func setResponse(obj any, live map[string]any) error {
	if u, ok := obj.(interface{ SetUnstructuredContent(map[string]any) }); ok { // apply configurations can also be unstructured
		u.SetUnstructuredContent(runtime.DeepCopyJSON(live))
		return nil
	}
	body, err := json.Marshal(live)
	if err != nil {
		return err
	}
	if _, typed := obj.(client.Object); typed {
		// Decode into a new object, because decoding into obj would keep fields that the response
		// lacks.
		made := reflect.New(reflect.TypeOf(obj).Elem())
		if err := json.Unmarshal(body, made.Interface()); err != nil {
			return err
		}
		reflect.ValueOf(obj).Elem().Set(made.Elem())
		return nil
	}
	return json.Unmarshal(body, obj)
}

// Status returns the client for the status subresource. Its applies also go through the
// gate.
func (c *Client) Status() client.SubResourceWriter { return c.SubResource("status") }

// SubResource returns the client for a subresource. Applies to status go through the gate.
func (c *Client) SubResource(name string) client.SubResourceClient {
	return &subresource{c.Client.SubResource(name), c, name}
}

type subresource struct {
	client.SubResourceClient
	c    *Client
	name string
}

func (s *subresource) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	o := &client.SubResourceApplyOptions{}
	o.ApplyOpts(opts)
	send := func() error { return s.SubResourceClient.Apply(ctx, obj, opts...) }
	if s.name != "status" || o.SubResourceBody != nil {
		err := send()
		if key, ok := keyOf(obj); ok && len(o.DryRun) == 0 {
			s.c.noteAnswer(key, nil, err)
		}
		return err
	}
	_, err := s.c.applyThroughGate(ctx, obj, request{owner: o.FieldManager, subresource: s.name, dryRun: len(o.DryRun) > 0}, func() ([]byte, error) { return json.Marshal(obj) }, send)
	return err
}

func (s *subresource) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	o := &client.SubResourcePatchOptions{}
	o.ApplyOptions(opts)
	send := func() error { return s.SubResourceClient.Patch(ctx, obj, patch, opts...) }
	if s.name != "status" || o.SubResourceBody != nil || patch.Type() != types.ApplyPatchType {
		err := send()
		answer := obj
		if o.SubResourceBody != nil {
			answer = o.SubResourceBody
		}
		s.c.noteWrite(obj, answer, o.DryRun, err)
		return err
	}
	_, err := s.c.applyThroughGate(ctx, obj, request{owner: o.FieldManager, subresource: s.name, dryRun: len(o.DryRun) > 0}, func() ([]byte, error) { return patch.Data(obj) }, send)
	return err
}

var _ client.Client = (*Client)(nil)
