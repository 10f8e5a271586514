// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/openapi"
)

// ErrUnknown means that the conversion of this kind between these versions is not
// implemented.
var ErrUnknown = errors.New("conversion between these versions is not implemented")

// Builtin converts an object of a built-in kind to another version of its group, and an Event of
// v1 to events.k8s.io/v1 or back. It does not modify object. The result shares unchanged parts
// with object, and is object itself if the apiVersion is already the requested one.
//
// types must contain the kind in both versions; otherwise, Builtin returns an error. If the
// conversion is not implemented, the error is [ErrUnknown].
func Builtin(types *openapi.Catalog, object map[string]any, apiVersion string) (map[string]any, error) {
	from, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	if from == apiVersion {
		return object, nil
	}
	a, known := types.Type(from, kind)
	b, wanted := types.Type(apiVersion, kind)
	if !known || !wanted {
		missing := apiVersion
		if !known {
			missing = from
		}
		return nil, fmt.Errorf("%s cannot be converted from %s to %s: the types do not include %s %s", kind, from, apiVersion, missing, kind)
	}
	change := rules[rule{kind, from, apiVersion}]
	if of, ok := strings.CutSuffix(kind, "List"); ok && rules[rule{of, from, apiVersion}] != nil {
		change = eachItem(rules[rule{of, from, apiVersion}])
	}
	if change == nil && (group(from) != group(apiVersion) || !sameShape(a, b)) {
		return nil, fmt.Errorf("%s from %s to %s: %w", kind, from, apiVersion, ErrUnknown)
	}
	converted := maps.Clone(object)
	converted["apiVersion"] = apiVersion
	if change != nil {
		change(converted)
	}
	return converted, nil
}

// rule identifies a conversion by kind, old version and new version.
type rule struct{ kind, from, to string }

// rules converts objects between versions whose fields differ. A rule gets a shallow copy of the
// object, so it may set top-level fields, but must not modify the maps inside.
var rules = map[rule]func(map[string]any){
	{"HorizontalPodAutoscaler", "autoscaling/v1", "autoscaling/v2"}: scalerToV2,
	{"HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v1"}: scalerToV1,
	{"Event", "v1", "events.k8s.io/v1"}:                             eventToEvents,
	{"Event", "events.k8s.io/v1", "v1"}:                             eventToCore,

	{"ResourceClaim", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"}:         claimFromBeta,
	{"ResourceClaim", "resource.k8s.io/v1beta1", "resource.k8s.io/v1"}:              claimFromBeta,
	{"ResourceClaim", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1"}:         claimToBeta,
	{"ResourceClaim", "resource.k8s.io/v1", "resource.k8s.io/v1beta1"}:              claimToBeta,
	{"ResourceClaimTemplate", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"}: claimTemplateFromBeta,
	{"ResourceClaimTemplate", "resource.k8s.io/v1beta1", "resource.k8s.io/v1"}:      claimTemplateFromBeta,
	{"ResourceClaimTemplate", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1"}: claimTemplateToBeta,
	{"ResourceClaimTemplate", "resource.k8s.io/v1", "resource.k8s.io/v1beta1"}:      claimTemplateToBeta,
	{"ResourceSlice", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"}:         sliceFromBeta,
	{"ResourceSlice", "resource.k8s.io/v1beta1", "resource.k8s.io/v1"}:              sliceFromBeta,
	{"ResourceSlice", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1"}:         sliceToBeta,
	{"ResourceSlice", "resource.k8s.io/v1", "resource.k8s.io/v1beta1"}:              sliceToBeta,

	// Kubernetes 1.33 serves v1alpha3.
	{"ResourceClaim", "resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta2"}:         claimFromBeta,
	{"ResourceClaim", "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3"}:         claimToBeta,
	{"ResourceClaimTemplate", "resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta2"}: claimTemplateFromBeta,
	{"ResourceClaimTemplate", "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3"}: claimTemplateToBeta,
	{"ResourceSlice", "resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta1"}:         sliceFromAlpha,
	{"ResourceSlice", "resource.k8s.io/v1beta1", "resource.k8s.io/v1alpha3"}:         sliceToAlpha,
	{"ResourceSlice", "resource.k8s.io/v1alpha3", "resource.k8s.io/v1beta2"}:         both(sliceFromAlpha, sliceFromBeta),
	{"ResourceSlice", "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3"}:         both(sliceToBeta, sliceToAlpha),

	{"PodCertificateRequest", "certificates.k8s.io/v1beta1", "certificates.k8s.io/v1"}: certificateFromBeta,
	{"PodCertificateRequest", "certificates.k8s.io/v1", "certificates.k8s.io/v1beta1"}: func(map[string]any) {}, // v1beta1 has all fields of v1
}

// both returns a conversion that consists of two conversions.
func both(first, second func(map[string]any)) func(map[string]any) {
	return func(object map[string]any) { first(object); second(object) }
}

// eachItem applies change to each item of a list. Like a server, it also removes the apiVersion and
// the kind of the items.
func eachItem(change func(map[string]any)) func(map[string]any) {
	return func(list map[string]any) {
		replaceItems(list, "items", func(item map[string]any) {
			delete(item, "apiVersion")
			delete(item, "kind")
			change(item)
		})
	}
}

// replaceItems replaces the maps in a list with changed copies. The list is the given field of m.
func replaceItems(m map[string]any, field string, change func(map[string]any)) {
	all, ok := m[field].([]any)
	if !ok {
		return
	}
	items := make([]any, len(all))
	for i := range all {
		items[i] = all[i]
		if item := maps.Clone(object(all[i])); item != nil {
			change(item)
			items[i] = item
		}
	}
	m[field] = items
}

func group(apiVersion string) string {
	if g, _, ok := strings.Cut(apiVersion, "/"); ok {
		return g
	}
	return ""
}
