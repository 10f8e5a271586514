// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/crd"
	"github.com/dovetail-ssa/dovetail/kube/native"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// definitions is the resource name of CustomResourceDefinitions.
const definitions = "customresourcedefinitions"

var (
	definitionKind     = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	definitionResource = schema.GroupResource{Group: definitionKind.Group, Resource: definitions}
)

// withoutDefinitions is a native program that does not handle CustomResourceDefinitions, because
// the code of Kubernetes would remove the immutability markers from them.
type withoutDefinitions struct{ predict.Native }

func (w withoutDefinitions) Ask(r *native.Request) (*native.Response, error) {
	if apiVersion, kind := document.TypeOf(r.Object); kind == definitionKind.Kind && strings.HasPrefix(apiVersion, definitionKind.Group+"/") {
		return &native.Response{Unknown: true}, nil
	}
	return w.Native.Ask(r)
}

// addDefinitions stores the CustomResourceDefinitions in a document.
func (s *Server) addDefinitions(doc []byte) error {
	all, err := crd.Read("the definitions", doc)
	if err != nil {
		return err
	}
	for _, d := range all {
		id := d.Object().Identity()
		err := s.create(id.APIVersion, definitions, d.Object().Content)
		if err == nil {
			err = s.checkServed(id.Name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", id.Name, err)
		}
	}
	return nil
}

// validateDefinition returns an error if a server would reject the definition.
func validateDefinition(object, live map[string]any) error {
	found, err := crd.ValidateStored(object, live)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	var errs field.ErrorList
	for _, f := range found {
		errs = append(errs, &field.Error{Type: field.ErrorTypeInvalid, Field: strings.TrimPrefix(f.Path, "."), BadValue: field.OmitValueType{}, Detail: f.Message})
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(definitionKind, document.MetaString(object, "name"), errs)
	}
	return nil
}

// afterStore updates the server after an object was stored. If the object is a new definition, the
// server starts to serve its resources, unless its names conflict with another definition.
func (s *Server) afterStore(r *resource, object, live map[string]any) error {
	if !isDefinition(r) || document.MetaString(object, "deletionTimestamp") != "" {
		return nil
	}
	if live != nil && document.Equal(object["spec"], live["spec"]) {
		return nil
	}
	err := s.acceptNames(text(at(object, "spec", "group")), document.MetaString(object, "name"))
	if live != nil {
		s.store.stopAll(customGroupResource(object)) // objects can look different now, so clients must list them again
	}
	return err
}

func customGroupResource(definition map[string]any) schema.GroupResource {
	return schema.GroupResource{Group: text(at(definition, "spec", "group")), Resource: text(at(definition, "spec", "names", "plural"))}
}

// cleanup is a finalizer. While a definition is being deleted, it has this finalizer until all its
// custom resources are gone.
const cleanup = "customresourcecleanup.apiextensions.k8s.io"

// deleteDefinition marks a definition as deleted, and deletes its custom resources. If none of them has
// finalizers, it removes the definition. It returns the definition as the response to the deletion
// shows it.
func (s *Server) deleteDefinition(r *resource, live map[string]any) (map[string]any, error) {
	object, metadata := document.WithMetadata(withTerminating(live, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress", s.options.Now()))
	metadata["deletionTimestamp"] = s.options.Now().UTC().Format(time.RFC3339)
	has, _ := metadata["finalizers"].([]any)
	if !slices.Contains(has, any(cleanup)) {
		metadata["finalizers"] = append(slices.Clone(has), cleanup)
	}
	object, err := s.store.put(r.gr(), object, live)
	if err != nil {
		return nil, err
	}
	if err := s.deleteInstances(customGroupResource(object)); err != nil {
		return nil, err
	}
	return object, s.finishDefinition(customGroupResource(object))
}

// deleteInstances deletes all objects of a custom resource.
func (s *Server) deleteInstances(gr schema.GroupResource) error {
	all := s.resources().all
	i := slices.IndexFunc(all, func(r *resource) bool { return r.custom != nil && r.gr() == gr })
	if i < 0 {
		return nil // the definition was not accepted, so there are no objects
	}
	objects, _ := s.store.list(gr, "")
	for _, live := range objects {
		object, gone := deletionOf(all[i], live, &metav1.DeleteOptions{}, s.options.Now())
		var err error
		if gone {
			_, err = s.store.remove(gr, live)
		} else if !document.Equal(object, live) {
			_, err = s.store.put(gr, object, live)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finishDefinition completes the deletion of a definition when all its custom resources are gone. It
// does nothing if the definition is not being deleted.
func (s *Server) finishDefinition(gr schema.GroupResource) error {
	live := s.store.get(definitionResource, key{name: gr.String()})
	if live == nil || document.MetaString(live, "deletionTimestamp") == "" || !slices.Contains(finalizers(live), cleanup) || s.store.count(gr) > 0 {
		return nil
	}
	object, metadata := document.WithMetadata(withTerminating(live, "False", "InstanceDeletionCompleted", "removed all instances", s.options.Now()))
	has, _ := metadata["finalizers"].([]any)
	metadata["finalizers"] = slices.DeleteFunc(slices.Clone(has), func(f any) bool { return f == cleanup })
	if len(has) == 1 {
		delete(metadata, "finalizers")
		if _, err := s.store.remove(definitionResource, object); err != nil {
			return err
		}
		return s.stopServing(object)
	}
	_, err := s.store.put(definitionResource, object, live)
	return err
}

// withTerminating returns a definition with the condition Terminating.
func withTerminating(definition map[string]any, status, reason, message string, now time.Time) map[string]any {
	conditions, _ := at(definition, "status", "conditions").([]any)
	return withValue(definition, []string{"status", "conditions"}, withCondition(conditions, "Terminating", status, reason, message, now))
}

// checkTerminating returns an error if the request creates an object of a custom resource whose
// definition is being deleted.
func (q *write) checkTerminating(s *Server, live map[string]any) error {
	if live != nil || q.resource.custom == nil {
		return nil
	}
	definition := s.store.get(definitionResource, key{name: q.resource.custom.Name})
	if document.MetaString(definition, "deletionTimestamp") == "" {
		return nil
	}
	return apierrors.NewForbidden(q.resource.gr(), q.name, errors.New("create not allowed while custom resource definition is terminating"))
}

// stopServing stops serving the resources of a definition and deletes their objects. Other definitions
// can then use its names.
func (s *Server) stopServing(definition map[string]any) error {
	gr := customGroupResource(definition)
	objects, _ := s.store.list(gr, "")
	for _, object := range objects {
		if _, err := s.store.remove(gr, object); err != nil {
			return err
		}
	}
	s.types.Forget(document.MetaString(definition, "name"))
	s.refreshResources()
	s.store.stopAll(gr)
	return s.acceptNames(gr.Group)
}

// refreshResources rebuilds the list of served resources.
func (s *Server) refreshResources() {
	all := append([]*resource(nil), s.builtin...)
	seen := map[string]bool{}
	for _, k := range s.types.Kinds() {
		if d := s.types.Definition(k.APIVersion, k.Kind); d != nil && !seen[d.Name] {
			seen[d.Name] = true
			all = append(all, customResources(d)...)
		}
	}
	known := newResources(all)
	s.mu.Lock()
	s.known = known
	s.mu.Unlock()
	s.documents.forget() // forget waits for documents that are being created from the old list
}
