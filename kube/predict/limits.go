// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/internal/amount"
)

// amounts maps resource names, such as cpu, to quantities.
type amounts = map[string]any

// limitsOf returns the limits that apply in an object's namespace, as one list for each LimitRange.
// The lists are sorted by the names of the LimitRanges, although a server may use a different
// order.
func (p *PreparedRequest) limitsOf(object map[string]any) (all [][]map[string]any) {
	for _, r := range p.others("", "LimitRange") {
		if document.MetaString(r, "namespace") == document.MetaString(object, "namespace") {
			all = append(all, objectsIn(specOf(r), "limits"))
		}
	}
	return all
}

// objectsIn returns the objects in a list field. If an item of the list is not an object, the result
// has nil in its place.
func objectsIn(object map[string]any, name string) (all []map[string]any) {
	list, _ := object[name].([]any)
	for _, v := range list {
		object, _ := v.(map[string]any)
		all = append(all, object)
	}
	return all
}

func amountsIn(object map[string]any, name string) amounts {
	all, _ := object[name].(map[string]any)
	return all
}

// resourcesOf returns the requests and limits of a container, a Pod or a claim.
func resourcesOf(object map[string]any) (requests, limits amounts) {
	resources, _ := object["resources"].(map[string]any)
	return amountsIn(resources, "requests"), amountsIn(resources, "limits")
}

// withLimits adds the default requests and limits of LimitRanges to the containers of a new
// Pod (plugin LimitRanger). It also adds the plugin's annotation about these changes. If
// several LimitRanges change the Pod, the annotation describes only the changes by the last
// of them.
func (p *PreparedRequest) withLimits(pod map[string]any) map[string]any {
	for _, limits := range p.limitsOf(pod) {
		requested, limited := amounts{}, amounts{}
		for _, l := range limits {
			if l["type"] == "Container" {
				maps.Copy(requested, amountsIn(l, "defaultRequest"))
				maps.Copy(limited, amountsIn(l, "default"))
			}
		}
		var notes []string
		after, spec := field(pod, "spec")
		for _, list := range []struct{ field, name string }{{"containers", "container"}, {"initContainers", "init container"}} {
			before, _ := spec[list.field].([]any)
			containers := slices.Clone(before)
			for i, v := range containers {
				for _, kind := range []struct {
					field, name string
					missing     amounts
				}{{"requests", "request", requested}, {"limits", "limit", limited}} {
					container, set := withMissing(v, kind.field, kind.missing)
					if len(set) > 0 {
						v, containers[i] = container, container
						notes = append(notes, fmt.Sprintf("%s %s for %s %v", strings.Join(set, ", "), kind.name, list.name, container["name"]))
					}
				}
			}
			if before != nil {
				spec[list.field] = containers
			}
		}
		if len(notes) > 0 {
			var annotations map[string]any
			pod, annotations = field(after, "metadata", "annotations")
			annotations["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: " + strings.Join(notes, "; ")
		}
	}
	return pod
}

// withMissing returns a copy of a container to which it adds missing requests or limits. The argument
// "name" selects which of the two. The second result lists the names of the added resources.
func withMissing(container any, name string, missing amounts) (after map[string]any, set []string) {
	after, at := field(container, "resources", name)
	for _, resource := range slices.Sorted(maps.Keys(missing)) {
		if _, there := at[resource]; there {
			continue
		}
		if text, ok := amount.Canonical(missing[resource]); ok {
			at[resource] = text
			set = append(set, resource)
		}
	}
	return after, set
}

// checkLimits returns an error if a LimitRange forbids a new Pod or a claim (plugin
// LimitRanger).
func (p *PreparedRequest) checkLimits(object map[string]any) error {
	if p.request.Subresource != "" || !p.server.predicts(object) {
		return nil
	}
	var check func(limit, object map[string]any) []string
	switch kind := kindOf(object); {
	case kind == "Pod" && p.Live == nil:
		check = podExceeds
	case kind == "PersistentVolumeClaim" && document.MetaString(p.Live, "deletionTimestamp") == "":
		check = claimExceeds
	default:
		return nil
	}
	for _, limits := range p.limitsOf(object) {
		var all []string
		for _, l := range limits {
			for _, text := range check(l, object) {
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
		switch len(all) {
		case 0:
		case 1:
			return p.server.forbidden(object, all[0])
		default:
			return p.server.forbidden(object, "["+strings.Join(all, ", ")+"]")
		}
	}
	return nil
}

// podExceeds returns a message for each violation of a limit by a Pod.
func podExceeds(limit, pod map[string]any) (all []string) {
	spec := specOf(pod)
	switch limit["type"] {
	case "Container":
		for _, container := range slices.Concat(objectsIn(spec, "containers"), objectsIn(spec, "initContainers")) {
			requests, limits := resourcesOf(container)
			all = append(all, exceeds(limit, requests, limits)...)
		}
	case "Pod":
		if spec["resources"] != nil {
			return nil // skip this Pod, because a server first sets requests for the Pod as a whole
		}
		requests := amount.PodTotal(spec, func(c map[string]any) amounts { r, _ := resourcesOf(c); return r })
		limits := amount.PodTotal(spec, func(c map[string]any) amounts { _, l := resourcesOf(c); return l })
		return exceeds(limit, requests, limits)
	}
	return all
}

// claimExceeds returns a message for each violation of a limit by a claim. It checks only the
// claim's requests, not its limits.
func claimExceeds(limit, claim map[string]any) (all []string) {
	if limit["type"] != "PersistentVolumeClaim" {
		return nil
	}
	requests, _ := resourcesOf(specOf(claim))
	r := bound{limit["type"], requests, nil}
	all = r.each(all, amountsIn(limit, "min"), r.min)
	return r.each(all, amountsIn(limit, "max"), r.maxRequest)
}

func exceeds(limit map[string]any, requests, limits amounts) (all []string) {
	b := bound{limit["type"], requests, limits}
	all = b.each(all, amountsIn(limit, "min"), b.min)
	all = b.each(all, amountsIn(limit, "max"), b.max)
	return b.each(all, amountsIn(limit, "maxLimitRequestRatio"), b.ratio)
}

// bound compares requests and limits with one limit of a LimitRange. limitType is the type of that
// limit, such as Container.
type bound struct {
	limitType        any
	requests, limits amounts
}

// each checks one part of the limit, such as min or max, for all resources in alphabetical order. It
// calls a function for each resource, which returns a message if the limit is violated. each returns
// the list of messages with the new messages appended.
func (b *bound) each(all []string, rule amounts, check func(resource, enforced string, n comparison) string) []string {
	for _, resource := range slices.Sorted(maps.Keys(rule)) {
		enforced, ok := amount.Canonical(rule[resource])
		if !ok {
			continue
		}
		n, ok := b.compare(resource, enforced)
		if !ok {
			continue
		}
		if text := check(resource, enforced, n); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// comparison contains a request, a limit, and the amount that a LimitRange enforces. These numbers
// are integers with the same precision. hasRequest and hasLimit are true if the request and the
// limit are set.
type comparison struct {
	request, limit, enforced int64
	hasRequest, hasLimit     bool
	requestText, limitText   string
}

// compare prepares the amounts for a comparison. Like a server, it rounds up to thousandths, or to
// whole numbers if thousandths would overflow. ok is false if a value is not a quantity.
func (b *bound) compare(resource, enforced string) (n comparison, ok bool) {
	var request, limit any
	request, n.hasRequest = b.requests[resource]
	limit, n.hasLimit = b.limits[resource]
	fits := true
	var numbers [3]*big.Rat
	for i, v := range []any{request, limit, enforced} {
		if numbers[i] = amount.Number(v); numbers[i] == nil {
			return n, false
		}
		fits = fits && ceil(numbers[i]) <= math.MaxInt64/1000
	}
	if fits {
		for _, x := range numbers {
			x.Mul(x, big.NewRat(1000, 1))
		}
	}
	n.request, n.limit, n.enforced = ceil(numbers[0]), ceil(numbers[1]), ceil(numbers[2])
	n.requestText, _ = amount.Canonical(request)
	n.limitText, _ = amount.Canonical(limit)
	return n, true
}

// ceil rounds a number away from zero. It returns 2^63-1 instead of a larger result. For such a
// number, a server's result is different.
func ceil(x *big.Rat) int64 {
	n := amount.Ceil(x)
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

func (b *bound) min(resource, enforced string, n comparison) string {
	rule := fmt.Sprintf("minimum %s usage per %v is %s", resource, b.limitType, enforced)
	switch {
	case !n.hasRequest:
		return rule + ".  No request is specified"
	case n.request < n.enforced:
		return rule + ", but request is " + n.requestText
	case n.hasLimit && n.limit < n.enforced:
		return rule + ", but limit is " + n.limitText
	}
	return ""
}

func (b *bound) max(resource, enforced string, n comparison) string {
	rule := fmt.Sprintf("maximum %s usage per %v is %s", resource, b.limitType, enforced)
	switch {
	case !n.hasLimit:
		return rule + ".  No limit is specified"
	case n.limit > n.enforced:
		return rule + ", but limit is " + n.limitText
	case n.hasRequest && n.request > n.enforced:
		return rule + ", but request is " + n.requestText
	}
	return ""
}

// maxRequest is like the method max, but checks only the request and ignores the limit.
func (b *bound) maxRequest(resource, enforced string, n comparison) string {
	rule := fmt.Sprintf("maximum %s usage per %v is %s", resource, b.limitType, enforced)
	switch {
	case !n.hasRequest:
		return rule + ".  No request is specified"
	case n.request > n.enforced:
		return rule + ", but request is " + n.requestText
	}
	return ""
}

// ratio checks that a limit is not too many times larger than its request.
func (b *bound) ratio(resource, enforced string, n comparison) string {
	rule := fmt.Sprintf("%s max limit to request ratio per %v is %s, but ", resource, b.limitType, enforced)
	switch {
	case n.request == 0:
		return rule + "no request is specified or request is 0"
	case n.limit == 0:
		return rule + "no limit is specified or limit is 0"
	}
	ratio, most := float64(n.limit)/float64(n.request), amount.Number(enforced)
	shown := ratio
	if ceil(most) <= math.MaxInt64/1000 {
		ratio *= 1000
		most.Mul(most, big.NewRat(1000, 1))
	}
	if ratio > float64(ceil(most)) {
		return fmt.Sprintf("%sprovided ratio is %f", rule, shown)
	}
	return ""
}
