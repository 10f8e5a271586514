// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// param returns the object with this kind, namespace and name, or nil if the Set does not
// contain it.
func (s *Set) param(kind *v1.ParamKind, namespace, name string) map[string]any {
	for _, o := range s.params[gvkOf(kind.APIVersion, kind.Kind)] {
		if document.MetaString(o, "name") == name && document.MetaString(o, "namespace") == namespace {
			return o
		}
	}
	return nil
}

// errNoParams is the server's error if a binding needs params and none exist.
var errNoParams = errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")

// MissingError means that a policy needs an object that was not passed to New. The cluster might
// have this object.
type MissingError struct{ Policy, Message string }

func (e *MissingError) Error() string {
	if e.Policy == "" {
		return e.Message
	}
	return e.Policy + ": " + e.Message
}

// paramsOf returns the params of a binding. The policy is evaluated once for each object in the
// result. For a policy without params, the result is a list with a single nil. If the Set lacks the
// params, the error is a *MissingError.
func (r *request) paramsOf(p *policy, b *binding) ([]runtime.Object, error) {
	kind, ref := p.spec.paramKind, b.paramRef
	if kind == nil || ref == nil {
		return []runtime.Object{nil}, nil
	}
	s := r.set
	namespace := ""
	if k := s.kinds[gvkOf(kind.APIVersion, kind.Kind)]; k.Scope != openapi.ClusterWide {
		if namespace = cmp.Or(ref.Namespace, r.GetNamespace()); namespace == "" {
			return nil, errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
		}
	}
	var found []runtime.Object
	if ref.Name != "" {
		if o := s.param(kind, namespace, ref.Name); o != nil {
			found = append(found, &unstructured.Unstructured{Object: o})
		} else if !s.options.Whole {
			return nil, &MissingError{Message: fmt.Sprintf("%s is not given, but binding %q needs it", describe(kind, namespace, ref.Name), b.name)}
		}
	} else {
		selector, err := metav1.LabelSelectorAsSelector(ref.Selector)
		if err != nil {
			return nil, err
		}
		all := slices.Clone(s.params[gvkOf(kind.APIVersion, kind.Kind)])
		slices.SortFunc(all, func(a, b map[string]any) int {
			return cmp.Compare(document.MetaString(a, "name"), document.MetaString(b, "name"))
		})
		for _, o := range all {
			if document.MetaString(o, "namespace") == namespace && selector.Matches(labelsOf(o)) {
				found = append(found, &unstructured.Unstructured{Object: o})
			}
		}
	}
	if len(found) == 0 && ref.ParameterNotFoundAction != nil && *ref.ParameterNotFoundAction == v1.DenyAction {
		return nil, errNoParams
	}
	return found, nil
}
