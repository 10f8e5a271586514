// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Client is a client of controller-runtime whose applies go through a gate: Apply, Patch with
// client.Apply, and both of Status(). One that is not sent answers with the object that the cache has,
// as the server would. Everything else is the client's own.
//
// The field owner has to be among the options of the call: a client.WithFieldOwner goes around
// this client, not into it.
type Client struct {
	client.Client
	gate *Gate
	live client.Reader
	// answers says that dry-runs are answered by predictions.
	answers bool

	mu sync.Mutex
	// written are the versions that were written last, of objects whose cache may be older.
	written map[written]uint64
}

// written is an object that the client wrote.
type written struct {
	schema.GroupKind
	types.NamespacedName
}

// ClientOptions say how a Client works. The zero value is right for the client of a manager.
type ClientOptions struct {
	// Live has the objects of the informers, such as the cache of a manager, with their managed
	// fields. Nil is the client itself. Objects are read as Go types if the scheme of the client
	// has them, else as unstructured ones, which a client reads from the cache only if it is told
	// to.
	Live client.Reader
	// AnswerDryRuns answers dry-runs of applies by Gate.Predict, without a request besides those
	// that Live makes. The ResourceManager of fluxcd/pkg/ssa makes a dry-run for each object, to
	// find out what differs. Dry-runs that the gate cannot decide (Unsure, Unowned, Ending) are
	// sent to the server.
	AnswerDryRuns bool
}

// NewClient returns c with its applies going through g.
func NewClient(c client.Client, g *Gate, o ClientOptions) *Client {
	live := o.Live
	if live == nil {
		live = c
	}
	return &Client{Client: c, gate: g, live: live, answers: o.AnswerDryRuns, written: map[written]uint64{}}
}

// Apply has c apply a configuration as owner, if that would change something, and tells what was
// decided.
func Apply(ctx context.Context, c *Client, obj runtime.ApplyConfiguration, owner string, opts ...client.ApplyOption) (Decision, error) {
	return c.apply(ctx, obj, append([]client.ApplyOption{client.FieldOwner(owner)}, opts...))
}

// Apply applies a configuration if that would change something.
func (c *Client) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	_, err := c.apply(ctx, obj, opts)
	return err
}

func (c *Client) apply(ctx context.Context, obj runtime.ApplyConfiguration, opts []client.ApplyOption) (Decision, error) {
	o := (&client.ApplyOptions{}).ApplyOptions(opts)
	return c.through(ctx, obj, request{owner: o.FieldManager, dryRun: len(o.DryRun) > 0, force: o.Force}, func() ([]byte, error) {
		return json.Marshal(obj)
	}, func() error { return c.Client.Apply(ctx, obj, opts...) })
}

// Patch patches an object, with client.Apply only if that would change something.
func (c *Client) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if patch.Type() != types.ApplyPatchType {
		return c.Client.Patch(ctx, obj, patch, opts...)
	}
	o := (&client.PatchOptions{}).ApplyOptions(opts)
	_, err := c.through(ctx, obj, request{owner: o.FieldManager, dryRun: len(o.DryRun) > 0, force: o.Force}, func() ([]byte, error) {
		return patch.Data(obj)
	}, func() error { return c.Client.Patch(ctx, obj, patch, opts...) })
	return err
}

// request is an apply on its way.
type request struct {
	owner, subresource string
	// dryRun says that it asks what would be.
	dryRun bool
	force  *bool
}

// through sends an apply of obj, which data has as it is sent, or answers it.
func (c *Client) through(ctx context.Context, obj any, r request, data func() ([]byte, error), send func() error) (Decision, error) {
	if r.dryRun && (!c.answers || r.subresource != "") {
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
	id := written{o.GroupVersionKind().GroupKind(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
	live, d := c.decide(ctx, &o, id, r)
	if r.dryRun {
		return c.predict(obj, live, applied, r, d, send)
	}
	c.gate.Count(o.GetAPIVersion(), o.GetKind(), d)
	if !d.Send() {
		return d, answer(obj, live)
	}
	if err = send(); err == nil {
		c.wrote(id, obj)
	}
	return d, err
}

// predict answers a dry-run, or has it sent.
func (c *Client) predict(obj any, live, applied map[string]any, r request, d Decision, send func() error) (Decision, error) {
	switch d.Reason {
	case Unchanged, Changed, NotFound, Conflict, Refused:
		predicted, err := c.gate.Predict(live, applied, r.owner, r.force != nil && *r.force)
		if status := apierrors.APIStatus(nil); err != nil && !errors.As(err, &status) {
			break // the server says it better
		}
		if err != nil {
			return d, err
		}
		return d, answer(obj, predicted)
	}
	return d, send()
}

// decide reads the live object and asks the gate.
func (c *Client) decide(ctx context.Context, applied *unstructured.Unstructured, id written, r request) (map[string]any, Decision) {
	if c.gate.always(applied.GetAPIVersion(), applied.GetKind()) {
		return nil, Decision{Reason: Asked} // and nothing is read
	}
	live, err := c.read(ctx, applied.GroupVersionKind(), id.NamespacedName)
	if err != nil {
		return nil, Decision{Unread, err}
	}
	if c.stale(id, live) {
		return nil, Decision{Reason: Stale}
	}
	return live, c.gate.Check(live, applied.Object, r.owner, r.subresource)
}

// read is an object as the cache has it, nil if it has none.
func (c *Client) read(ctx context.Context, gvk schema.GroupVersionKind, key types.NamespacedName) (map[string]any, error) {
	object := client.Object(&unstructured.Unstructured{})
	if made, err := c.Scheme().New(gvk); err == nil {
		if of, ok := made.(client.Object); ok {
			object = of
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
	live["apiVersion"], live["kind"] = gvk.GroupVersion().String(), gvk.Kind // a typed cache leaves them out
	return live, nil
}

// stale says whether the cache has an older version than the one that was written last.
func (c *Client) stale(id written, live map[string]any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, there := c.written[id]
	if !there {
		return false
	}
	version, err := strconv.ParseUint((&unstructured.Unstructured{Object: live}).GetResourceVersion(), 10, 64)
	if live != nil && err == nil && version < last {
		return true
	}
	delete(c.written, id)
	return false
}

// wrote notes the version of an object that was written, if it tells one.
func (c *Client) wrote(id written, obj any) {
	body, err := json.Marshal(obj)
	if err != nil {
		return
	}
	var got struct {
		Metadata struct{ ResourceVersion string }
	}
	if json.Unmarshal(body, &got) != nil {
		return
	}
	version, err := strconv.ParseUint(got.Metadata.ResourceVersion, 10, 64)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written[id] = max(version, c.written[id])
}

// answer writes a live object into what was applied, as the answer of a server would be.
func answer(obj any, live map[string]any) error {
	if u, ok := obj.(interface{ SetUnstructuredContent(map[string]any) }); ok { // a configuration may be one, too
		u.SetUnstructuredContent(runtime.DeepCopyJSON(live))
		return nil
	}
	body, err := json.Marshal(live)
	if err != nil {
		return err
	}
	if _, typed := obj.(client.Object); typed {
		// Fields that the answer lacks are not to stay.
		made := reflect.New(reflect.TypeOf(obj).Elem())
		if err := json.Unmarshal(body, made.Interface()); err != nil {
			return err
		}
		reflect.ValueOf(obj).Elem().Set(made.Elem())
		return nil
	}
	return json.Unmarshal(body, obj)
}

// Status is the client of status, whose applies go through the gate, too.
func (c *Client) Status() client.SubResourceWriter { return c.SubResource("status") }

// SubResource is the client of a subresource. Applies to status go through the gate.
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
		return send()
	}
	_, err := s.c.through(ctx, obj, request{owner: o.FieldManager, subresource: s.name, dryRun: len(o.DryRun) > 0}, func() ([]byte, error) { return json.Marshal(obj) }, send)
	return err
}

func (s *subresource) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	o := &client.SubResourcePatchOptions{}
	o.ApplyOptions(opts)
	send := func() error { return s.SubResourceClient.Patch(ctx, obj, patch, opts...) }
	if s.name != "status" || o.SubResourceBody != nil || patch.Type() != types.ApplyPatchType {
		return send()
	}
	_, err := s.c.through(ctx, obj, request{owner: o.FieldManager, subresource: s.name, dryRun: len(o.DryRun) > 0}, func() ([]byte, error) { return patch.Data(obj) }, send)
	return err
}

var _ client.Client = (*Client)(nil)
