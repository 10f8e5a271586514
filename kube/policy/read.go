// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

const (
	group          = "admissionregistration.k8s.io"
	validatingKind = "ValidatingAdmissionPolicy"
	mutatingKind   = "MutatingAdmissionPolicy"
	bindingSuffix  = "Binding"
)

type gvk = schema.GroupVersionKind

func gvkOf(apiVersion, kind string) gvk { return schema.FromAPIVersionAndKind(apiVersion, kind) }

// isPolicy reports whether an object is a policy or a policy binding.
func isPolicy(object map[string]any) bool {
	apiVersion, kind := document.TypeOf(object)
	kind = strings.TrimSuffix(kind, bindingSuffix)
	return gvkOf(apiVersion, kind).Group == group && (kind == validatingKind || kind == mutatingKind)
}

// reader builds a Set from objects, one after the other.
type reader struct {
	set      *Set
	policies map[[2]string]*policy // the keys contain a kind and a name
	pending  []pending
	errs     []*ObjectError
}

// pending is a binding that is added to its policy after all objects are read.
type pending struct {
	at           int
	name         string
	kind, policy string
	binding      binding
}

func (r *reader) failf(at int, name, path, format string, args ...any) {
	r.errs = append(r.errs, &ObjectError{Object: at, Name: name, Path: path, Message: fmt.Sprintf(format, args...)})
}

// read reads one object.
func (r *reader) read(at int, object map[string]any) {
	apiVersion, kind := document.TypeOf(object)
	if !isPolicy(object) {
		r.addObject(object)
		return
	}
	name := kind + " " + fmt.Sprintf("%q", document.MetaString(object, "name"))
	if version := gvkOf(apiVersion, kind).Version; version != "v1" && version != "v1beta1" && version != "v1alpha1" {
		r.failf(at, name, ".apiVersion", "want %s/v1, found %s", group, apiVersion)
		return
	}
	if document.MetaString(object, "name") == "" {
		r.failf(at, name, ".metadata.name", "is required")
		return
	}
	d := &objectDecoder{reader: r, at: at, name: name}
	switch kind {
	case validatingKind:
		var p v1.ValidatingAdmissionPolicy
		if d.decode(object, &p) {
			r.add(d, kind, p.Name, spec{p.Spec.ParamKind, p.Spec.MatchConstraints, orFail(p.Spec.FailurePolicy)}, func(to *policy) { d.validating(to, &p) })
		}
	case mutatingKind:
		var p v1.MutatingAdmissionPolicy
		if d.decode(object, &p) {
			r.add(d, kind, p.Name, spec{p.Spec.ParamKind, p.Spec.MatchConstraints, orFail(p.Spec.FailurePolicy)}, func(to *policy) { d.mutating(to, &p) })
		}
	case validatingKind + bindingSuffix:
		var b v1.ValidatingAdmissionPolicyBinding
		if d.decode(object, &b) {
			if len(b.Spec.ValidationActions) == 0 {
				d.failf(".spec.validationActions", "is required: one or more of Deny, Warn and Audit")
			}
			r.pending = append(r.pending, pending{at, name, validatingKind, b.Spec.PolicyName, binding{b.Name, b.Spec.ParamRef, withMatchDefaults(b.Spec.MatchResources), b.Spec.ValidationActions}})
		}
	case mutatingKind + bindingSuffix:
		var b v1.MutatingAdmissionPolicyBinding
		if d.decode(object, &b) {
			r.pending = append(r.pending, pending{at, name, mutatingKind, b.Spec.PolicyName, binding{b.Name, b.Spec.ParamRef, withMatchDefaults(b.Spec.MatchResources), nil}})
		}
	}
}

// add checks the common fields of a policy, and adds the policy. It calls compile to compile the
// expressions of the policy.
func (r *reader) add(d *objectDecoder, kind, name string, s spec, compile func(*policy)) {
	key := [2]string{kind, name}
	if r.policies[key] != nil {
		d.failf(".metadata.name", "another policy has the same name")
		return
	}
	if s.constraints == nil || len(s.constraints.ResourceRules) == 0 {
		d.failf(".spec.matchConstraints.resourceRules", "is required: list the resources to which the policy applies")
	}
	if k := s.paramKind; k != nil && (k.APIVersion == "" || k.Kind == "") {
		d.failf(".spec.paramKind", "want apiVersion and kind")
	} else if k != nil {
		if _, ok := r.set.kinds[gvkOf(k.APIVersion, k.Kind)]; !ok {
			d.failf(".spec.paramKind", "unknown kind %s in %s", k.Kind, k.APIVersion)
		}
	}
	s.constraints = withMatchDefaults(s.constraints)
	p := &policy{name: name, kind: kind, spec: s}
	compile(p)
	r.policies[key] = p
}

// addObject adds an object that can serve as params or as a Namespace. If several objects have
// the same name, it keeps the first one.
func (r *reader) addObject(object map[string]any) {
	apiVersion, kind := document.TypeOf(object)
	name := document.MetaString(object, "name")
	if name == "" || isPolicy(object) {
		return
	}
	if apiVersion == "v1" && kind == "Namespace" && r.set.namespaces[name] == nil {
		if ns, err := namespaceOf(object); err == nil {
			r.set.namespaces[name] = ns
		}
	}
	key := gvkOf(apiVersion, kind)
	namespace := document.MetaString(object, "namespace")
	for _, other := range r.set.params[key] {
		if document.MetaString(other, "name") == name && document.MetaString(other, "namespace") == namespace {
			return
		}
	}
	r.set.params[key] = append(r.set.params[key], plainObject(object))
}

// nameLabel is the label that contains the name of a Namespace. Servers set it.
const nameLabel = corev1.LabelMetadataName

func namespaceOf(object map[string]any) (*corev1.Namespace, error) {
	ns := &corev1.Namespace{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(plainObject(object), ns); err != nil {
		return nil, err
	}
	if ns.Labels == nil {
		ns.Labels = map[string]string{}
	}
	ns.Labels[nameLabel] = ns.Name
	if ns.Status.Phase == "" {
		ns.Status.Phase = corev1.NamespaceActive
	}
	return ns, nil
}

// bind adds all pending bindings to their policies.
func (r *reader) bind() {
	for _, b := range r.pending {
		p := r.policies[[2]string{b.kind, b.policy}]
		if p == nil {
			r.failf(b.at, b.name, ".spec.policyName", "there is no %s %q", b.kind, b.policy)
			continue
		}
		r.checkParams(p, &b)
		p.bindings = append(p.bindings, b.binding)
	}
}

// checkParams checks a binding's reference to params.
func (r *reader) checkParams(p *policy, b *pending) {
	ref, kind := b.binding.paramRef, p.spec.paramKind
	if ref == nil || kind == nil {
		return
	}
	k, known := r.set.kinds[gvkOf(kind.APIVersion, kind.Kind)]
	switch {
	case !known:
	case (ref.Name == "") == (ref.Selector == nil):
		r.failf(b.at, b.name, ".spec.paramRef", "want either a name or a selector")
	case ref.Namespace != "" && k.Scope == openapi.ClusterWide:
		r.failf(b.at, b.name, ".spec.paramRef.namespace", "objects of kind %s have no namespace", kind.Kind)
	case ref.ParameterNotFoundAction == nil:
		r.failf(b.at, b.name, ".spec.paramRef.parameterNotFoundAction", "is required: Allow or Deny")
	case r.set.options.Whole || ref.Name == "" || ref.Namespace == "" && k.Scope != openapi.ClusterWide:
		// If the object is missing, evaluating a request causes an error.
	case r.set.param(kind, ref.Namespace, ref.Name) == nil:
		r.failf(b.at, b.name, ".spec.paramRef", "%s is not given", describe(kind, ref.Namespace, ref.Name))
	}
}

func describe(kind *v1.ParamKind, namespace, name string) string {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return kind.Kind + " " + name
}

// objectDecoder decodes one object into its Go type and reports errors with the name of
// the object.
type objectDecoder struct {
	*reader
	at   int
	name string
}

func (d *objectDecoder) failf(path, format string, args ...any) {
	d.reader.failf(d.at, d.name, path, format, args...)
}

// decode decodes an object into a Go value. It reports an unknown field as an error. It returns
// false after an error.
func (d *objectDecoder) decode(object map[string]any, into any) bool {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(plainObject(object), into, true); err != nil {
		message := err.Error()
		if strict, ok := runtime.AsStrictDecodingError(err); ok {
			var all []string
			for _, e := range strict.Errors() {
				all = append(all, e.Error())
			}
			message = strings.Join(all, "; ")
		}
		d.failf("", "%s", message)
		return false
	}
	return true
}

func orFail(p *v1.FailurePolicyType) v1.FailurePolicyType {
	if p == nil {
		return v1.Fail
	}
	return *p
}

// withMatchDefaults returns a copy of match resources with the defaults that a server sets.
func withMatchDefaults(m *v1.MatchResources) *v1.MatchResources {
	if m == nil {
		return nil
	}
	m = m.DeepCopy()
	if m.MatchPolicy == nil {
		equivalent := v1.Equivalent
		m.MatchPolicy = &equivalent
	}
	if m.NamespaceSelector == nil {
		m.NamespaceSelector = &metav1.LabelSelector{}
	}
	if m.ObjectSelector == nil {
		m.ObjectSelector = &metav1.LabelSelector{}
	}
	return m
}

// plainObject returns a copy of an object with the number types that the Kubernetes libraries
// expect: int64 for whole numbers and float64 for other numbers.
func plainObject(object map[string]any) map[string]any {
	copied, _ := plain(object).(map[string]any) // plain returns a map for a map
	return copied
}

func plain(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, below := range x {
			out[k] = plain(below)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, below := range x {
			out[i] = plain(below)
		}
		return out
	case int:
		return int64(x)
	case int32:
		return int64(x)
	case float64:
		if whole := int64(x); float64(whole) == x {
			return whole
		}
	case interface{ Int64() (int64, error) }: // json.Number
		if whole, err := x.Int64(); err == nil {
			return whole
		}
		if f, ok := v.(interface{ Float64() (float64, error) }); ok {
			if number, err := f.Float64(); err == nil {
				return number
			}
		}
	}
	return v
}
