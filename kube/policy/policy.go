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

// Set is a set of compiled policies. It is safe for concurrent use if the functions in its
// options are safe for concurrent use.
type Set struct {
	options    Options
	kinds      map[gvk]openapi.Kind
	mutating   []*policy
	validating []*policy
	namespaces map[string]*corev1.Namespace
	params     map[gvk][]map[string]any
	warnings   []string
}

// Options configures a Set.
type Options struct {
	// Kinds lists the kinds that the server serves. Catalog.Kinds returns them.
	Kinds []openapi.Kind
	// Types returns the types for merging apply configurations.
	Types fieldmanager.TypeSource
	// Convert converts an object to the version of the kind that a policy matches. If
	// Convert is nil, a request in any other version causes an error.
	Convert fieldmanager.Converter
	// User is the user who makes the requests, or nil if the user is not known.
	User *User
	// Others lists additional objects, which can be params and Namespaces. Policies among them are
	// ignored.
	Others []map[string]any
	// Whole is true if the objects include all params and Namespaces of the cluster. A missing
	// object then does not exist in the cluster. If Whole is false, a missing object causes an
	// error.
	Whole bool
}

// User is the user who makes a request.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// A policy is a validating or a mutating policy with its bindings.
type policy struct {
	name     string
	kind     string
	spec     spec
	bindings []binding
	uses     uses

	mutation   *mutation
	validation *validation
}

// spec contains the fields that are common to validating and mutating policies.
type spec struct {
	paramKind   *v1.ParamKind
	constraints *v1.MatchResources
	failure     v1.FailurePolicyType
}

// binding is a binding of a validating or a mutating policy.
type binding struct {
	name      string
	paramRef  *v1.ParamRef
	resources *v1.MatchResources
	actions   []v1.ValidationAction
}

// ObjectError is an error in one of the objects passed to New.
type ObjectError struct {
	// Object is the index of the object with the error.
	Object int
	// Path is the invalid field, such as ".spec.validations[0].expression".
	Path, Message string
	// Name is the kind and name of the object.
	Name string
}

func (e *ObjectError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %s", e.Name, e.Message)
	}
	return fmt.Sprintf("%s: %s: %s", e.Name, e.Path, e.Message)
}

// New returns a Set of the policies, bindings, params and Namespaces in objects. Its error
// joins an *ObjectError for each error in an object.
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
		r.addObject(object)
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
			s.warnings = append(s.warnings, fmt.Sprintf("%s %q has no binding and therefore no effect", p.kind, p.name))
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

// Warnings returns a warning for each object that has no effect.
func (s *Set) Warnings() []string { return s.warnings }

// Len returns how many policies of the Set have an effect.
func (s *Set) Len() int { return len(s.mutating) + len(s.validating) }
