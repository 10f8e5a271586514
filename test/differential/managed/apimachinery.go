// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package managed

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/dovetail-ssa/dovetail/spec/cases"
	"github.com/dovetail-ssa/dovetail/spec/model"
	"github.com/dovetail-ssa/dovetail/test/differential/scopes"
)

// Apimachinery answers a request with the field manager of API servers. This field manager
// uses the machine's clock. So Apimachinery replaces all new times by the time of the request.
func Apimachinery(c scopes.Request) (cases.Want, error) {
	var want cases.Want
	parser, err := typed.NewParser(typed.YAMLObject(c.Schema))
	if err != nil {
		return want, err
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	if c.Untracked != nil {
		untracked := fieldpath.NewSet()
		if err := untracked.FromJSON(bytes.NewReader(c.Untracked)); err != nil {
			return want, err
		}
		filters[first] = fieldpath.NewExcludeSetFilter(untracked)
		for name := range c.Versions {
			filters[fieldpath.APIVersion(name)] = fieldpath.NewExcludeSetFilter(untracked)
		}
	}
	gv := schema.GroupVersion{Version: endpoint(c)}
	s := &server{kind{c.Versions}, parser}
	fm, err := s.fieldManager(gv, c.Subresource, filters)
	if err != nil {
		return want, err
	}
	live, sent := objects(c)
	if live == nil {
		live = map[string]any{"apiVersion": gv.String(), "kind": "K"}
	}
	paths := s.pathsOf(live, sent)
	start := time.Now().Truncate(time.Second)
	was, object := &unstructured.Unstructured{Object: live}, &unstructured.Unstructured{Object: sent}
	var result runtime.Object
	if c.Op == "update" {
		result, err = fm.Update(was, object, c.Manager)
	} else {
		result, err = fm.Apply(was, object, c.Manager, c.Force)
	}
	var status *apierrors.StatusError
	if errors.As(err, &status) && status.ErrStatus.Details != nil && len(status.ErrStatus.Details.Causes) > 0 {
		for _, cause := range status.ErrStatus.Details.Causes {
			_, who, _ := strings.Cut(cause.Message, "conflict with ")
			quoted, err := strconv.QuotedPrefix(who)
			if err != nil {
				return want, err
			}
			name, _ := strconv.Unquote(quoted) // the text is quoted, so there is no error
			path, ok := paths[cause.Field]
			if !ok {
				return want, fmt.Errorf("a conflict over %s, which is not in the objects", cause.Field)
			}
			want.Conflicts = append(want.Conflicts, cases.Conflict{Manager: name, Path: path})
		}
		return want, nil
	}
	if err != nil {
		return want, err
	}
	out := result.(*unstructured.Unstructured)
	list, _ := out.Object["metadata"].(map[string]any)["managedFields"].([]any)
	for _, e := range list {
		entry := e.(map[string]any)
		at, _ := entry["time"].(string)
		if t, err := time.Parse(time.RFC3339, at); err == nil && !t.Before(start) {
			entry["time"] = c.Now
		}
	}
	want.Object = out.Object
	return want, nil
}

// server implements the interfaces of an API server that the field manager requires.
type server struct {
	kind
	parser *typed.Parser
}

// fieldManager returns apimachinery's field manager for one endpoint. The last argument contains
// the fields that the endpoint resets.
func (s *server) fieldManager(gv schema.GroupVersion, subresource string, filters map[fieldpath.APIVersion]fieldpath.Filter) (*managedfields.FieldManager, error) {
	return managedfields.NewDefaultCRDFieldManager(s, s, s, s, gv.WithKind("K"), gv, subresource, filters)
}

// pathsOf maps printed paths to their path elements, so that the printed path of a conflict can
// be decoded. It contains all paths in the live object, in the sent object and in their managed
// fields.
func (s *server) pathsOf(live, sent map[string]any) map[string][]model.Element {
	all := map[string][]model.Element{}
	add := func(p fieldpath.Path) {
		var path []model.Element
		for _, pe := range p {
			text, err := fieldpath.SerializePathElement(pe)
			if err != nil {
				return
			}
			path = append(path, model.Element(text))
		}
		all[p.String()] = path
	}
	for _, o := range []map[string]any{live, sent} {
		u := &unstructured.Unstructured{Object: o}
		if v, err := s.ObjectToTyped(u, typed.AllowDuplicates); err == nil {
			if set, err := v.ToFieldSet(); err == nil {
				set.Iterate(add)
			}
		}
		for _, e := range u.GetManagedFields() {
			if set := fieldpath.NewSet(); e.FieldsV1 != nil && set.FromJSON(e.FieldsV1.GetRawReader()) == nil {
				set.Iterate(add)
			}
		}
	}
	return all
}

func (s *server) ObjectToTyped(o runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	u := o.(*unstructured.Unstructured)
	return s.parser.Type(s.typeName(u.GetAPIVersion())).FromUnstructured(u.Object, opts...)
}

func (s *server) TypedToObject(v *typed.TypedValue) (runtime.Object, error) {
	object, ok := v.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("no object")
	}
	return &unstructured.Unstructured{Object: object}, nil
}

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
	version := target.(schema.GroupVersion).String()
	u := in.(*unstructured.Unstructured)
	if u.GetAPIVersion() == version {
		return in, nil
	}
	if s.typeName(version) == "" {
		return nil, runtime.NewNotRegisteredErrForTarget("cases", nil, target)
	}
	converted, err := s.convert(u.DeepCopy().Object, version)
	return &unstructured.Unstructured{Object: converted}, err
}
