// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// Set are policies that are ready to judge requests. It is safe for concurrent use if what its
// options call is.
type Set struct {
	options    Options
	kinds      map[gvk]openapi.Kind
	mutating   []*policy
	validating []*policy
	namespaces map[string]*corev1.Namespace
	params     map[gvk][]map[string]any
	warnings   []string
}

// Options say what policies are to know besides the objects that they come with.
type Options struct {
	// Kinds are those that are served, as a Catalog lists them.
	Kinds []openapi.Kind
	// Types finds the types that apply configurations are merged by.
	Types fieldmanager.TypeSource
	// Convert converts objects for policies that match another version of a kind than
	// requests are made in. Nil refuses such requests.
	Convert fieldmanager.Converter
	// User is who makes the requests, nil if that is not known.
	User *User
	// Others are objects that may be params and Namespaces as well. Policies among them
	// do not count.
	Others []map[string]any
	// Whole says that there are no other params and Namespaces in the cluster than those
	// given: one that is missing is missing there. Otherwise it is an error.
	Whole bool
}

// User is who makes a request.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// A policy is a policy of either sort with its bindings.
type policy struct {
	name     string
	kind     string // of the policy
	spec     spec
	bindings []binding
	uses     uses

	mutation   *mutation
	validation *validation
}

// spec is what policies of both sorts have.
type spec struct {
	paramKind   *v1.ParamKind
	constraints *v1.MatchResources
	failure     v1.FailurePolicyType
}

// binding is a binding of either sort.
type binding struct {
	name      string
	paramRef  *v1.ParamRef
	resources *v1.MatchResources
	actions   []v1.ValidationAction
}

// ObjectError is something that is wrong with one of the objects that a Set is made of.
type ObjectError struct {
	// Object is its index.
	Object int
	// Path is where, such as ".spec.validations[0].expression".
	Path, Message string
	// Name is that of the object, with its kind.
	Name string
}

func (e *ObjectError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %s", e.Name, e.Message)
	}
	return fmt.Sprintf("%s: %s: %s", e.Name, e.Path, e.Message)
}

// New makes a Set of policies, their bindings, their params and Namespaces. All that is wrong
// with them is joined in the error, each an *ObjectError.
func New(objects []map[string]any, o Options) (*Set, error) {
	s := &Set{
		options: o, kinds: map[gvk]openapi.Kind{},
		namespaces: map[string]*corev1.Namespace{}, params: map[gvk][]map[string]any{},
	}
	for _, k := range o.Kinds {
		s.kinds[gvkOf(k.APIVersion, k.Kind)] = k
	}
	r := &reader{set: s, policies: map[[2]string]*policy{}}
	for i, object := range objects {
		r.read(i, object)
	}
	for _, object := range o.Others {
		r.other(object)
	}
	r.bind()
	if len(r.errs) > 0 {
		slices.SortStableFunc(r.errs, func(a, b *ObjectError) int { return cmp.Compare(a.Object, b.Object) })
		all := make([]error, len(r.errs))
		for i, e := range r.errs {
			all[i] = e
		}
		return nil, errors.Join(all...)
	}
	for _, p := range r.policies {
		slices.SortFunc(p.bindings, func(a, b binding) int { return cmp.Compare(a.name, b.name) })
		switch {
		case len(p.bindings) == 0:
			s.warnings = append(s.warnings, fmt.Sprintf("%s %q has no binding, and so no effect", p.kind, p.name))
		case p.mutation != nil:
			s.mutating = append(s.mutating, p)
		default:
			s.validating = append(s.validating, p)
		}
	}
	byName := func(a, b *policy) int { return cmp.Compare(a.name, b.name) }
	slices.SortFunc(s.mutating, byName)
	slices.SortFunc(s.validating, byName)
	slices.Sort(s.warnings)
	return s, nil
}

// Warnings say what of the objects has no effect.
func (s *Set) Warnings() []string { return s.warnings }

// Len is how many policies have an effect.
func (s *Set) Len() int { return len(s.mutating) + len(s.validating) }
