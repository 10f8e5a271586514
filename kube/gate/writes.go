// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// maxLag limits how long the client remembers a write whose version it cannot compare. The client
// assumes that all informers receive a write within this time.
const maxLag = 10 * time.Minute

// manyWrites is the number of recorded writes at which the client starts to remove old ones.
const manyWrites = 4096

// writes records the writes of a Client, so that the gate does not decide based on an
// older state in the cache. It is safe for concurrent use.
type writes struct {
	mu      sync.Mutex
	objects map[objectKey]write
	// collections maps each kind and namespace to the time of the last DeleteAllOf.
	collections map[objectKey]time.Time // the keys have no name
	pruned      time.Time
}

// write is the last write of an object. version is empty if the response had no version.
type write struct {
	version string
	at      time.Time
}

func newWrites() *writes {
	return &writes{objects: map[objectKey]write{}, collections: map[objectKey]time.Time{}}
}

// note records a write of an object. version is the resource version in the response, or empty if the
// response has none.
func (w *writes) note(id objectKey, version string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, there := w.objects[id]
	if there && version != "" && last.version != "" && older(version, last.version) {
		version = last.version // concurrent writes can finish in any order, so keep the later version
	}
	now := time.Now()
	w.objects[id] = write{version, now}
	w.prune(now)
}

// noteCollection records that a request may have deleted all objects of a kind in a
// namespace.
func (w *writes) noteCollection(id objectKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.collections[id] = now
	w.prune(now)
}

// prune removes records of writes older than maxLag, but only if there are many records.
func (w *writes) prune(now time.Time) {
	if len(w.objects)+len(w.collections) < manyWrites || now.Sub(w.pruned) < time.Minute {
		return
	}
	w.pruned = now
	for id, last := range w.objects {
		if now.Sub(last.at) > maxLag {
			delete(w.objects, id)
		}
	}
	for id, at := range w.collections {
		if now.Sub(at) > maxLag {
			delete(w.collections, id)
		}
	}
}

// stale reports whether the cache may be older than the last write of an object. The argument live
// is the object in the cache, or nil if the object is not in the cache.
func (w *writes) stale(id objectKey, live map[string]any) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	last, there := w.objects[id]
	for _, namespace := range []string{id.Namespace, ""} {
		deleted, any := w.collections[objectKey{id.GroupKind, types.NamespacedName{Namespace: namespace}}]
		if any && !deleted.Before(last.at) && time.Since(deleted) < maxLag {
			return true
		}
	}
	if !there || live == nil {
		return false
	}
	version := (&unstructured.Unstructured{Object: live}).GetResourceVersion()
	switch {
	case last.version != "" && (version == last.version || older(last.version, version)):
		return false
	case last.version != "" && older(version, last.version):
		return true
	}
	return time.Since(last.at) < maxLag // the versions cannot be compared
}

// older reports whether the first resource version is known to come before the second one.
func older(a, b string) bool {
	x, err := strconv.ParseUint(a, 10, 64)
	y, err2 := strconv.ParseUint(b, 10, 64)
	return err == nil && err2 == nil && x < y
}

// idOf returns the ID of an object. ok is false if the client does not know its kind.
func (c *Client) idOf(obj client.Object) (id objectKey, ok bool) {
	gvk, err := c.GroupVersionKindFor(obj)
	return objectKey{gvk.GroupKind(), client.ObjectKeyFromObject(obj)}, err == nil
}

// keyOf returns the key of the object that an apply configuration describes.
func keyOf(configuration any) (key objectKey, ok bool) {
	body, err := json.Marshal(configuration)
	var object unstructured.Unstructured
	if err != nil || json.Unmarshal(body, &object.Object) != nil {
		return key, false
	}
	return objectKey{object.GroupVersionKind().GroupKind(), client.ObjectKeyFromObject(&object)}, true
}

// noteWrite records a write of an object, unless the write was a dry run. The argument answer is the
// object in the response, or nil. err is the error of the request.
func (c *Client) noteWrite(obj client.Object, answer any, dryRun []string, err error) {
	if id, ok := c.idOf(obj); ok && len(dryRun) == 0 {
		c.noteAnswer(id, answer, err)
	}
}

// noteAnswer records a write, unless err shows that the server rejected the write. After other
// errors, such as a timeout, the server may still have written the object.
func (c *Client) noteAnswer(id objectKey, answer any, err error) {
	version := ""
	if status := apierrors.APIStatus(nil); err != nil {
		if errors.As(err, &status) && status.Status().Code < 500 {
			return
		}
	} else if answer != nil {
		version = versionOf(answer)
	}
	c.writes.note(id, version)
}

// versionOf returns the resource version of an object or apply configuration, or "" if it
// has none.
func versionOf(object any) string {
	if o, ok := object.(client.Object); ok {
		return o.GetResourceVersion()
	}
	body, err := json.Marshal(object)
	if err != nil {
		return ""
	}
	var got struct {
		Metadata struct{ ResourceVersion string }
	}
	if json.Unmarshal(body, &got) != nil {
		return ""
	}
	return got.Metadata.ResourceVersion
}

// Create creates an object and records the write.
func (c *Client) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	o := (&client.CreateOptions{}).ApplyOptions(opts)
	err := c.Client.Create(ctx, obj, opts...)
	c.noteWrite(obj, obj, o.DryRun, err)
	return err
}

// Update updates an object and records the write.
func (c *Client) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	o := (&client.UpdateOptions{}).ApplyOptions(opts)
	err := c.Client.Update(ctx, obj, opts...)
	c.noteWrite(obj, obj, o.DryRun, err)
	return err
}

// Delete deletes an object and records the write, so that the next apply of the object is
// sent.
func (c *Client) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	o := (&client.DeleteOptions{}).ApplyOptions(opts)
	err := c.Client.Delete(ctx, obj, opts...)
	c.noteWrite(obj, nil, o.DryRun, err)
	return err
}

// DeleteAllOf deletes objects of a kind and records the write. The next apply of each
// object of this kind in the namespace is then sent.
func (c *Client) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	o := (&client.DeleteAllOfOptions{}).ApplyOptions(opts)
	err := c.Client.DeleteAllOf(ctx, obj, opts...)
	if id, ok := c.idOf(obj); ok && len(o.DryRun) == 0 {
		c.writes.noteCollection(objectKey{id.GroupKind, types.NamespacedName{Namespace: o.Namespace}})
	}
	return err
}

// Create creates a subresource, such as an eviction. It records a write, because the
// request may change or delete the object.
func (s *subresource) Create(ctx context.Context, obj, sub client.Object, opts ...client.SubResourceCreateOption) error {
	o := &client.SubResourceCreateOptions{}
	o.ApplyOptions(opts)
	err := s.SubResourceClient.Create(ctx, obj, sub, opts...)
	s.c.noteWrite(obj, nil, o.DryRun, err)
	return err
}

// Update updates a subresource of an object and records the write.
func (s *subresource) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	o := &client.SubResourceUpdateOptions{}
	o.ApplyOptions(opts)
	err := s.SubResourceClient.Update(ctx, obj, opts...)
	answer := obj
	if o.SubResourceBody != nil {
		answer = o.SubResourceBody
	}
	s.c.noteWrite(obj, answer, o.DryRun, err)
	return err
}
