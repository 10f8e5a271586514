// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// matched is the resource and kind for which a policy is evaluated. They can differ from the resource
// and kind of the request: a policy can also match an equivalent kind, such as another version.
type matched struct {
	resource schema.GroupVersionResource
	kind     gvk
}

// matches reports whether the match resources of a policy or binding select the request. It also
// returns the resource and kind that matched.
func (r *request) matches(m *v1.MatchResources) (found matched, ok bool, err error) {
	// A missing Namespace matters only if all other conditions match.
	inNamespace, namespaceErr := r.namespaceMatches(m.NamespaceSelector)
	if !inNamespace && namespaceErr == nil {
		return matched{}, false, nil
	}
	if ok, err := r.objectMatches(m.ObjectSelector); !ok || err != nil {
		return matched{}, false, err
	}
	if _, excluded, err := r.ruleMatches(m.ExcludeResourceRules, m.MatchPolicy); excluded || err != nil {
		return matched{}, false, err
	}
	found, ok = matched{r.resource, r.kind}, true
	if len(m.ResourceRules) > 0 {
		found, ok, err = r.ruleMatches(m.ResourceRules, m.MatchPolicy)
	}
	if ok && err == nil {
		err = namespaceErr
	}
	return found, ok && err == nil, err
}

// namespaceMatches reports whether a selector selects the Namespace of the request. A
// cluster-scoped request always matches.
func (r *request) namespaceMatches(s *metav1.LabelSelector) (bool, error) {
	ofNamespace := r.isNamespace()
	if r.GetNamespace() == "" && !ofNamespace {
		return true, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil || selector.Empty() {
		return err == nil, err
	}
	if ofNamespace && r.GetSubresource() == "" {
		return selector.Matches(labelsOf(r.object)), nil
	}
	if ns := r.set.namespaces[r.GetNamespace()]; ns != nil {
		return selector.Matches(labels.Set(ns.Labels)), nil
	}
	// Servers label every Namespace with its name. So the value of this label is known even if the
	// other labels of the Namespace are not.
	requirements, _ := selector.Requirements()
	if slices.ContainsFunc(requirements, func(q labels.Requirement) bool { return q.Key() != nameLabel }) {
		return false, r.missingNamespace("namespaceSelector needs its labels")
	}
	return selector.Matches(labels.Set{nameLabel: r.GetNamespace()}), nil
}

// objectMatches reports whether a selector selects the new object or the live object.
func (r *request) objectMatches(s *metav1.LabelSelector) (bool, error) {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil || selector.Empty() {
		return err == nil, err
	}
	return selector.Matches(labelsOf(r.object)) || r.live != nil && selector.Matches(labelsOf(r.live)), nil
}

func labelsOf(object map[string]any) labels.Set {
	all := labels.Set{}
	metadata, _ := object["metadata"].(map[string]any)
	found, _ := metadata["labels"].(map[string]any)
	for name, v := range found {
		all[name], _ = v.(string)
	}
	return all
}

// ruleMatches reports whether one of the rules matches the request. With the match policy
// Equivalent, a rule for an equivalent kind also matches the request.
func (r *request) ruleMatches(all []v1.NamedRuleWithOperations, policy *v1.MatchPolicyType) (matched, bool, error) {
	fits := func(rule *v1.NamedRuleWithOperations, a admission.Attributes) bool {
		m := rules.Matcher{Rule: rule.RuleWithOperations, Attr: a}
		return m.Matches() && (len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, r.GetName()))
	}
	for i := range all {
		if fits(&all[i], r.Attributes) {
			return matched{r.resource, r.kind}, true, nil
		}
	}
	if policy == nil || *policy == v1.Exact {
		return matched{}, false, nil
	}
	for i := range all {
		for _, k := range r.equivalents {
			at := gvkOf(k.APIVersion, k.Kind)
			resource := at.GroupVersion().WithResource(k.Resource)
			if fits(&all[i], withResource{r.Attributes, resource}) {
				return matched{resource, at}, true, nil
			}
		}
	}
	return matched{}, false, nil
}

// withResource contains the attributes of a request, but with a different resource.
type withResource struct {
	admission.Attributes
	resource schema.GroupVersionResource
}

func (o withResource) GetResource() schema.GroupVersionResource { return o.resource }

// equivalents returns the other kinds under which a server serves the same objects. These are the
// other versions of the kind. A built-in kind is also equivalent to built-in kinds of other groups
// with the same resource name.
func (s *Set) equivalents(kind openapi.Kind) (all []openapi.Kind) {
	at := gvkOf(kind.APIVersion, kind.Kind)
	for _, k := range s.options.Kinds {
		other := gvkOf(k.APIVersion, k.Kind)
		if k.Resource == kind.Resource && other != at && (other.Group == at.Group || k.Source == "" && kind.Source == "") {
			all = append(all, k)
		}
	}
	return all
}

// isExempt reports whether a resource is exempt from policies. The result is true for
// policies themselves, and for reviews such as TokenReviews, because reviews are not stored.
func isExempt(r schema.GroupVersionResource) bool {
	switch r.Group {
	case group:
		return true
	case "authentication.k8s.io":
		return r.Resource == "tokenreviews" || r.Resource == "selfsubjectreviews"
	case "authorization.k8s.io":
		return true
	}
	return false
}

func (r *request) missingNamespace(why string) error {
	return &MissingError{Message: fmt.Sprintf("the Namespace %s is not given, but %s", r.GetNamespace(), why)}
}
