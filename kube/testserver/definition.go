// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package testserver

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	if r.custom != nil || r.gvk().GroupKind() != definitionKind || document.MetaString(object, "deletionTimestamp") != "" {
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
