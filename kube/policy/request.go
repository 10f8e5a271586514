// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/openapi"
	"github.com/dovetail-ssa/dovetail/kube/predict"
)

// UserError means that a policy reads the user of the request, but the user is not known.
type UserError struct{ Policy, Path string }

func (e *UserError) Error() string {
	return fmt.Sprintf("%s uses request.userInfo in %s, but the user of the request is unknown", e.Policy, e.Path)
}

// request is the request that policies are evaluated for.
type request struct {
	admission.Attributes
	set         *Set
	admission   *predict.Admission
	resource    schema.GroupVersionResource
	kind        gvk
	equivalents []openapi.Kind
	object      map[string]any
	live        map[string]any
	unknown     []string
}

// defaultNamespace is the namespace of objects that do not name one, as in kubectl.
const defaultNamespace = "default"

// newRequest returns a request for policies, or nil if policies never apply to the kind of the
// object.
func (s *Set) newRequest(a *predict.Admission) *request {
	apiVersion, kind := document.TypeOf(a.Object)
	r := &request{set: s, admission: a, kind: gvkOf(apiVersion, kind)}
	k, ok := s.kinds[r.kind]
	r.resource = r.kind.GroupVersion().WithResource(k.Resource)
	if !ok || k.Resource == "" || isExempt(r.resource) {
		return nil
	}
	r.equivalents = s.equivalents(k)
	name, namespace := document.MetaString(a.Object, "name"), ""
	switch {
	case r.isNamespace():
		namespace = name
	case k.Scope != openapi.ClusterWide:
		namespace = cmp.Or(document.MetaString(a.Object, "namespace"), document.MetaString(a.Live, "namespace"), defaultNamespace)
	}
	r.object, r.live = plainObject(a.Object), plainObject(a.Live)
	if a.Live == nil {
		r.live = nil
	}
	r.setAttributes(name, namespace)
	return r
}

func (r *request) isNamespace() bool {
	return r.resource == corev1.SchemeGroupVersion.WithResource("namespaces")
}

// setAttributes sets the attributes of the request according to its current object.
func (r *request) setAttributes(name, namespace string) {
	var live runtime.Object
	operation := admission.Create
	var options runtime.Object = &metav1.CreateOptions{TypeMeta: metaType("CreateOptions"), FieldManager: r.admission.Request.Manager}
	if r.live != nil {
		live, operation = &unstructured.Unstructured{Object: r.live}, admission.Update
		options = &metav1.UpdateOptions{TypeMeta: metaType("UpdateOptions"), FieldManager: r.admission.Request.Manager}
	}
	var who user.Info
	if u := r.set.options.User; u != nil {
		who = &user.DefaultInfo{Name: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
	}
	r.Attributes = admission.NewAttributesRecord(&unstructured.Unstructured{Object: r.object}, live, r.kind, namespace, name, r.resource, r.admission.Request.Subresource, operation, options, false, who)
}

func metaType(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: kind}
}

// versioned returns the attributes of the request for a policy. It converts the objects of the request
// to the kind and version that the policy matches.
func (r *request) versioned(kind gvk) (*admission.VersionedAttributes, error) {
	a := &admission.VersionedAttributes{Attributes: r.Attributes, VersionedKind: kind}
	object, err := r.convert(r.object, kind)
	if err != nil {
		return nil, err
	}
	a.VersionedObject = admission.NewLazyObject(&unstructured.Unstructured{Object: object})
	if r.live == nil {
		return a, nil
	}
	if object, err = r.convert(r.live, kind); err != nil {
		return nil, err
	}
	a.VersionedOldObject = admission.NewLazyObject(&unstructured.Unstructured{Object: object})
	return a, nil
}

func (r *request) convert(object map[string]any, kind gvk) (map[string]any, error) {
	apiVersion := kind.GroupVersion().String()
	if is, _ := document.TypeOf(object); is == apiVersion {
		return object, nil
	}
	if r.set.options.Convert == nil {
		return nil, fmt.Errorf("objects cannot be converted to %s: there is no converter", apiVersion)
	}
	converted, err := r.set.options.Convert(plainObject(object), apiVersion)
	if err != nil {
		return nil, err
	}
	return plainObject(converted), nil
}

// namespace returns the Namespace that contains the object of the request, or nil if there is none.
func (r *request) namespace() *corev1.Namespace {
	if r.isNamespace() {
		return nil
	}
	name := r.GetNamespace()
	if ns := r.set.namespaces[name]; ns != nil || name == "" {
		return ns
	}
	// The Namespace is not known, but no expression uses more than its name and this label.
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{nameLabel: name}}}
}

// canEvaluate reports whether this package can evaluate a policy. If only a server can evaluate the
// policy, canEvaluate adds the policy to the unknown policies. If the Set lacks data that the caller
// could provide, canEvaluate returns an error.
func (r *request) canEvaluate(p *policy) (bool, error) {
	name := fmt.Sprintf("%s %q", p.kind, p.name)
	switch u := &p.uses; {
	case u.authorizer != "":
		r.reportUnknown(fmt.Sprintf("%s: %s uses the authorizer", name, u.authorizer))
		return false, nil
	case r.GetSubresource() == "scale":
		r.reportUnknown(name + ": policies are not evaluated for the subresource scale")
		return false, nil
	case u.user != "" && r.set.options.User == nil:
		return false, &UserError{name, u.user}
	case u.namespace != "" && !r.isNamespace() && r.GetNamespace() != "" && r.set.namespaces[r.GetNamespace()] == nil:
		return false, r.missingNamespace(u.namespace + " uses it (namespaceObject)")
	}
	return true, nil
}

func (r *request) reportUnknown(what string) {
	if !slices.Contains(r.unknown, what) { // the second pass may report the same policy again
		r.unknown = append(r.unknown, what)
	}
}

// missingInput returns err if it is about an object or a user that the caller did not provide. It
// returns nil for all other errors, because a server would return them, too.
func (p *policy) missingInput(err error) error {
	var missing *MissingError
	var who *UserError
	switch {
	case errors.As(err, &missing):
		return &MissingError{fmt.Sprintf("%s %q", p.kind, p.name), missing.Message}
	case errors.As(err, &who):
		return who
	}
	return nil
}
