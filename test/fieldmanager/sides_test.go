// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	smdpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// endpoint is the endpoint to which a request is sent.
type endpoint struct {
	subject     *subject
	apiVersion  string
	subresource string
}

// ignored returns the fields that the endpoint resets. Nobody owns these fields.
func (e endpoint) ignored() [][]string {
	switch {
	case !e.subject.hasStatus:
		return nil
	case e.subresource == "status":
		return [][]string{{"metadata"}, {"spec"}}
	}
	return [][]string{{"status"}}
}

func (e endpoint) hub() string { return e.subject.versions[0] }

// theirs returns apimachinery's field manager for an endpoint.
func (e endpoint) theirs(t *types) (*managedfields.FieldManager, error) {
	gv, err := schema.ParseGroupVersion(e.apiVersion)
	if err != nil {
		return nil, err
	}
	hub, err := schema.ParseGroupVersion(e.hub())
	if err != nil {
		return nil, err
	}
	filters := map[smdpath.APIVersion]smdpath.Filter{}
	if fields := e.ignored(); fields != nil {
		set := smdpath.NewSet()
		for _, path := range fields {
			set.Insert(smdpath.MakePathOrDie(anys(path)...))
		}
		for _, v := range e.subject.versions {
			filters[smdpath.APIVersion(v)] = smdpath.NewExcludeSetFilter(set)
		}
	}
	s := &server{subject: e.subject}
	return managedfields.NewDefaultFieldManager(t.theirs, s, s, s, gv.WithKind(e.subject.kind), hub, e.subresource, filters)
}

// ours returns Dovetail's field manager for an endpoint.
func (e endpoint) ours(t *types, now time.Time) (*fieldmanager.FieldManager, error) {
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	if fields := e.ignored(); fields != nil {
		set := fieldpath.NewSet()
		for _, path := range fields {
			set.Insert(fieldpath.MakePathOrDie(anys(path)...))
		}
		for _, v := range e.subject.versions {
			filters[fieldpath.APIVersion(v)] = fieldpath.NewExcludeSetFilter(set)
		}
	}
	return fieldmanager.New(fieldmanager.Options{
		Types:        t.find,
		APIVersion:   e.apiVersion,
		Kind:         e.subject.kind,
		Subresource:  e.subresource,
		IgnoreFilter: filters,
		Clock:        func() time.Time { return now },
		Converter: func(object map[string]any, apiVersion string) (map[string]any, error) {
			if !e.subject.serves(apiVersion) {
				return nil, fmt.Errorf("%s: %w", apiVersion, fieldmanager.ErrUnknownVersion)
			}
			return fieldmanager.NoneConverter(object, apiVersion)
		},
	})
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}

// server implements the interfaces of an API server that apimachinery's field manager requires.
// Its versions differ only in their names.
type server struct{ subject *subject }

func (s *server) Default(runtime.Object) {}

func (s *server) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(kind)
	return u, nil
}

func (s *server) Convert(_, _, _ any) error { return errors.New("not used") }

func (s *server) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("not used")
}

func (s *server) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	gv, ok := target.(schema.GroupVersion)
	if !ok {
		return nil, fmt.Errorf("unexpected target %v", target)
	}
	u := in.(*unstructured.Unstructured)
	if u.GetAPIVersion() == gv.String() {
		return in, nil
	}
	if !s.subject.serves(gv.String()) {
		return nil, runtime.NewNotRegisteredErrForTarget("test", nil, gv)
	}
	u = u.DeepCopy()
	u.SetAPIVersion(gv.String())
	return u, nil
}

// settleTimes replaces the times of new entries by the time of the test, because apimachinery
// uses the machine's clock. An entry is new if its time is after start. ok is false if the
// clock reached the next second between two entries.
func settleTimes(object *unstructured.Unstructured, start, now time.Time) (ok bool) {
	list := object.GetManagedFields()
	var written *metav1.Time
	ok = true
	for i := range list {
		at := list[i].Time
		if at == nil || at.Before(&metav1.Time{Time: start.Truncate(time.Second)}) {
			continue
		}
		if written != nil && !written.Equal(at) {
			ok = false
		}
		written = at
		list[i].Time = &metav1.Time{Time: now}
	}
	if written != nil {
		object.SetManagedFields(list)
	}
	return ok
}
