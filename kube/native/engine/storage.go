// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"io"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// store replaces etcd. It holds at most one object: the live object of the current request.
// Nothing is ever written to it, because every request is a dry run.
type store struct {
	// This interface is nil. A dry run calls only methods that the type store defines itself.
	storage.Interface
	live runtime.Object
	// written is the last object that a dry run would have written.
	written runtime.Object
}

// GetRESTOptions returns options that make every resource use the store.
func (s *store) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.Config{Codec: s}
	return generic.RESTOptions{
		StorageConfig:  config.ForResource(resource),
		ResourcePrefix: resource.String(),
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object,
			func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
			return s, func() {}, nil
		},
	}, nil
}

func (s *store) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (s *store) ReadinessCheck() error { return nil }

// Get copies the live object to out, if both have the same type.
func (s *store) Get(_ context.Context, key string, options storage.GetOptions, out runtime.Object) error {
	if s.live != nil && reflect.TypeOf(s.live) == reflect.TypeOf(out) {
		return set(out, s.live.DeepCopyObject())
	}
	if options.IgnoreNotFound {
		return runtime.SetZeroValue(out)
	}
	return storage.NewKeyNotFoundError(key, 0)
}

// Encode remembers the object that a dry run would write, instead of writing it. Decode returns a
// copy of this object. The registry encodes and decodes an object only to copy it.
func (s *store) Encode(object runtime.Object, _ io.Writer) error {
	s.written = object
	return nil
}

// Decode copies the last encoded object to out.
func (s *store) Decode(_ []byte, _ *schema.GroupVersionKind, out runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	return out, nil, set(out, s.written)
}

func (s *store) Identifier() runtime.Identifier { return "one object" }

// set copies one object over another. Both arguments must be pointers to the same struct
// type.
func set(to, from runtime.Object) error {
	if reflect.TypeOf(to) != reflect.TypeOf(from) {
		return fmt.Errorf("expected an object of type %T, got %T", to, from)
	}
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
	return nil
}
