// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/cel-go/cel"
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	plugin "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/dovetail-ssa/dovetail/fieldmanager"
	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// mutation is a compiled MutatingAdmissionPolicy.
type mutation struct {
	conditions matchconditions.Matcher
	variables  *plugin.CompositedCompiler
	patches    []patcher
	reinvoke   bool // whether reinvocationPolicy is IfNeeded
}

// mutating compiles a MutatingAdmissionPolicy.
func (d *objectDecoder) mutating(p *policy, from *v1.MutatingAdmissionPolicy) {
	c := d.newCompiler(p, from.Spec.Variables)
	if c == nil {
		return
	}
	m := &mutation{conditions: c.conditions(from.Spec.MatchConditions), variables: c.CompositedCompiler}
	switch from.Spec.ReinvocationPolicy {
	case v1.IfNeededReinvocationPolicy:
		m.reinvoke = true
	case v1.NeverReinvocationPolicy:
	default:
		d.failf(".spec.reinvocationPolicy", "want %s or %s", v1.NeverReinvocationPolicy, v1.IfNeededReinvocationPolicy)
	}
	if len(from.Spec.Mutations) == 0 {
		d.failf(".spec.mutations", "is required")
	}
	has := c.has
	has.HasPatchTypes = true
	for i, mutation := range from.Spec.Mutations {
		at := fmt.Sprintf(".spec.mutations[%d]", i)
		var e *expression
		var patch func(plugin.MutatingEvaluator) patcher
		switch a, j := mutation.ApplyConfiguration, mutation.JSONPatch; {
		case mutation.PatchType == v1.PatchTypeApplyConfiguration && a != nil && j == nil:
			e, at = &expression{a.Expression, []*cel.Type{configType}}, at+".applyConfiguration.expression"
			patch = func(e plugin.MutatingEvaluator) patcher { return &applyConfiguration{e} }
		case mutation.PatchType == v1.PatchTypeJSONPatch && j != nil && a == nil:
			e, at = &expression{j.Expression, []*cel.Type{cel.ListType(patchType)}}, at+".jsonPatch.expression"
			patch = func(e plugin.MutatingEvaluator) patcher { return &jsonPatch{e} }
		default:
			d.failf(at+".patchType", "want ApplyConfiguration with applyConfiguration, or JSONPatch with jsonPatch")
			continue
		}
		c.check(at, e.text, c.CompileCELExpression(e, has, environment.StoredExpressions))
		m.patches = append(m.patches, patch(c.CompileMutatingEvaluator(e, has, environment.StoredExpressions)))
	}
	p.mutation = m
}

// invocation is one evaluation of a policy, for one binding and one of its params.
type invocation struct {
	policy  *policy
	binding *binding
	on      matched
	param   runtime.Object
	key     [4]string
}

// refused is the reason why a policy denies a request.
type refused struct {
	policy  *policy
	binding string
	err     error
}

func (f *refused) String() string {
	if f.binding == "" {
		return fmt.Sprintf("policy %q denied request: %v", f.policy.name, f.err)
	}
	return fmt.Sprintf("policy '%s' with binding '%s' denied request: %v", f.policy.name, f.binding, f.err)
}

// Mutate runs the mutating policies on an object. If a policy denies the request, the
// error is a *fieldmanager.RequestError.
func (s *Set) Mutate(a *predict.Admission) (*predict.AdmissionResult, error) {
	answer := &predict.AdmissionResult{Object: a.Object}
	if len(s.mutating) == 0 {
		return answer, nil
	}
	r := s.newRequest(a)
	if r == nil {
		return answer, nil
	}
	m := &mutator{request: r, reinvoke: map[[4]string]bool{}, invoked: map[[4]string]bool{}}
	if err := m.pass(); err != nil {
		return nil, err
	}
	answer.Unknown = r.unknown
	if m.changed {
		// If a policy changed the object, a server runs all policies a second time. There is no
		// third time.
		m.second = true
		if err := m.pass(); err != nil {
			return nil, err
		}
		answer.Object = m.object
	}
	return answer, nil
}

// mutator runs the mutating policies on one request.
type mutator struct {
	*request
	// reinvoke contains the policies that must run again. invoked contains the policies with the
	// reinvocationPolicy IfNeeded that have run since the last change. If the object changes, they
	// must run again, too.
	reinvoke, invoked map[[4]string]bool
	changed, second   bool
	refused           []refused
}

// requireAgain marks all policies in m.invoked, so that they run again.
func (m *mutator) requireAgain() {
	for key := range m.invoked {
		m.reinvoke[key] = true
	}
	clear(m.invoked)
}

// refuse records that a policy denies the request, unless the failurePolicy of the policy is Ignore.
// If err says that the input of the policy is missing, refuse returns an error and records nothing.
func (m *mutator) refuse(p *policy, binding string, err error) error {
	if missing := p.missingInput(err); missing != nil {
		return missing
	}
	if p.spec.failure != v1.Ignore {
		m.refused = append(m.refused, refused{p, binding, err})
	}
	return nil
}

// pass runs the policies one after the other. All policies are matched against the object at the
// beginning of the pass.
func (m *mutator) pass() error {
	m.refused = nil
	m.setAttributes(m.GetName(), m.GetNamespace())
	all, err := m.invocations()
	if err != nil {
		return err
	}
	var at *admission.VersionedAttributes
	dirty := false
	for i := range all {
		v := &all[i]
		if at == nil || at.VersionedKind != v.on.kind {
			if err := m.commit(at); err != nil {
				return err
			}
			if at, err = m.versioned(v.on.kind); err != nil {
				return err
			}
		}
		if err := m.invoke(v, at); err != nil {
			return err
		}
		dirty = dirty || at.Dirty
	}
	if err := m.commit(at); err != nil {
		return err
	}
	if dirty {
		m.requireAgain()
		m.changed = true
	}
	if len(m.refused) > 0 {
		return m.denial(m.refused[0].String())
	}
	return nil
}

// commit replaces the object of the request with the object that policies have changed. It converts the
// changed object from the version that the policies use to the version of the request. If policies use
// several versions, a server stores only the last result.
func (m *mutator) commit(at *admission.VersionedAttributes) (err error) {
	if at != nil && at.Dirty {
		m.object, err = m.convert(contentOf(at), m.kind)
	}
	return err
}

func contentOf(a *admission.VersionedAttributes) map[string]any {
	return a.VersionedObject.Object().(*unstructured.Unstructured).Object
}

func (m *mutator) denial(message string) error {
	return &fieldmanager.RequestError{Status: http.StatusForbidden, Message: message}
}

// invocations returns the policies to run, each with its params.
func (m *mutator) invocations() (all []invocation, err error) {
	for _, p := range m.set.mutating {
		on, ok, err := m.matches(p.spec.constraints)
		if err != nil {
			err = m.refuse(p, "", fmt.Errorf("failed to configure policy: %w", err))
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		for i := range p.bindings {
			found, err := m.invocationsBy(p, &p.bindings[i], on)
			if err != nil {
				if err = m.refuse(p, p.bindings[i].name, fmt.Errorf("failed to configure binding: %w", err)); err != nil {
					return nil, err
				}
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// invocationsBy returns the invocations of a policy for one of its bindings.
func (m *mutator) invocationsBy(p *policy, b *binding, on matched) (all []invocation, err error) {
	if b.resources != nil {
		if _, ok, err := m.matches(b.resources); !ok || err != nil {
			return nil, err
		}
	}
	if known, err := m.canEvaluate(p); !known || err != nil {
		return nil, err
	}
	params, err := m.paramsOf(p, b)
	for _, param := range params {
		v := invocation{p, b, on, param, [4]string{p.name, b.name}}
		if u, ok := param.(*unstructured.Unstructured); ok {
			v.key[2], v.key[3] = u.GetNamespace(), u.GetName()
		}
		all = append(all, v)
	}
	return all, err
}

// invoke runs one policy.
func (m *mutator) invoke(v *invocation, at *admission.VersionedAttributes) error {
	p := v.policy.mutation
	ctx := p.variables.CreateContext(context.Background())
	if p.conditions != nil {
		found := p.conditions.Match(ctx, at, v.param, nil)
		if found.Error != nil {
			return m.refuse(v.policy, v.binding.name, found.Error)
		}
		if !found.Matches {
			return nil
		}
	}
	if m.second && !m.reinvoke[v.key] {
		return nil
	}
	before := contentOf(at)
	for _, patch := range p.patches {
		after, err := patch.patch(ctx, m, v, at)
		if err == nil {
			after, err = m.defaulted(after, v.on.kind)
		}
		var whole *fieldmanager.RequestError
		if errors.As(err, &whole) {
			return whole
		}
		if err != nil {
			if err = m.refuse(v.policy, v.binding.name, err); err != nil {
				return err
			}
			continue
		}
		at.UpdateObject(&unstructured.Unstructured{Object: after})
	}
	if !document.Equal(before, contentOf(at)) {
		m.requireAgain()
		m.changed = true
	}
	if p.reinvoke {
		m.invoked[v.key] = true
	}
	return nil
}

// defaulted sets defaults in an object that a policy has changed. The argument kind is the version of
// the object's kind that the policy uses. The result has the same version.
func (m *mutator) defaulted(object map[string]any, kind gvk) (map[string]any, error) {
	object, err := m.convert(object, m.kind)
	if err != nil {
		return nil, err
	}
	if object, err = m.admission.Default(object); err != nil {
		return nil, err
	}
	return m.convert(plainObject(object), kind)
}

// evaluate evaluates an expression whose result is a patch.
func (m *mutator) evaluate(ctx context.Context, e plugin.MutatingEvaluator, v *invocation, at *admission.VersionedAttributes, budget int64) (plugin.EvaluationResult, error) {
	asked := plugin.CreateAdmissionRequest(at.Attributes, metav1.GroupVersionResource(v.on.resource), metav1.GroupVersionKind(v.on.kind))
	result, _, err := e.ForInput(ctx, at, asked, plugin.OptionalVariableBindings{VersionedParams: v.param}, m.namespace(), budget)
	if err == nil {
		err = result.Error
	}
	return result, err
}
