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

// amounts are quantities by the names of resources.
type amounts = map[string]any

// limitsOf are the limits of the LimitRanges in the namespace of an object, by their names: a
// server asks these in any order.
func (p *PreparedRequest) limitsOf(object map[string]any) (all [][]map[string]any) {
	for _, r := range p.others("", "LimitRange") {
		if document.MetaString(r, "namespace") == document.MetaString(object, "namespace") {
			all = append(all, objectsIn(specOf(r), "limits"))
		}
	}
	return all
}

// objectsIn are the objects in a list that is a field.
func objectsIn(of map[string]any, name string) (all []map[string]any) {
	list, _ := of[name].([]any)
	for _, v := range list {
		object, _ := v.(map[string]any)
		all = append(all, object)
	}
	return all
}

func amountsIn(of map[string]any, name string) amounts {
	all, _ := of[name].(map[string]any)
	return all
}

// resourcesOf are the requests and limits of a container, a Pod or a claim.
func resourcesOf(of map[string]any) (requests, limits amounts) {
	resources, _ := of["resources"].(map[string]any)
	return amountsIn(resources, "requests"), amountsIn(resources, "limits")
}

// withLimits is a new Pod with the requests and limits that its containers get of LimitRanges,
// and a note of them (LimitRanger). The last LimitRange that writes anything leaves the note.
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

// withMissing is a container with the amounts that its requests or limits lack, which are set.
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

// beyondLimits refuses a new Pod, or a claim, that a LimitRange does not allow (LimitRanger).
func (p *PreparedRequest) beyondLimits(object map[string]any) error {
	if p.request.Subresource != "" || !p.server.predicts(object) {
		return nil
	}
	var judge func(limit, object map[string]any) []string
	switch kind := kindOf(object); {
	case kind == "Pod" && p.Live == nil:
		judge = podBeyond
	case kind == "PersistentVolumeClaim" && document.MetaString(p.Live, "deletionTimestamp") == "":
		judge = claimBeyond
	default:
		return nil
	}
	for _, limits := range p.limitsOf(object) {
		var all []string
		for _, l := range limits {
			for _, text := range judge(l, object) {
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
		switch len(all) {
		case 0:
		case 1:
			return p.forbidden(object, all[0])
		default:
			return p.forbidden(object, "["+strings.Join(all, ", ")+"]")
		}
	}
	return nil
}

// podBeyond says what of a Pod is beyond a limit.
func podBeyond(limit, pod map[string]any) (all []string) {
	spec := specOf(pod)
	switch limit["type"] {
	case "Container":
		for _, container := range slices.Concat(objectsIn(spec, "containers"), objectsIn(spec, "initContainers")) {
			requests, limits := resourcesOf(container)
			all = append(all, beyond(limit, requests, limits)...)
		}
	case "Pod":
		if spec["resources"] != nil {
			return nil // a server fills in requests of the pod as a whole
		}
		requests := amount.OfPod(spec, func(c map[string]any) amounts { r, _ := resourcesOf(c); return r })
		limits := amount.OfPod(spec, func(c map[string]any) amounts { _, l := resourcesOf(c); return l })
		return beyond(limit, requests, limits)
	}
	return all
}

// claimBeyond says what of a claim is beyond a limit: only its requests count.
func claimBeyond(limit, claim map[string]any) (all []string) {
	if limit["type"] != "PersistentVolumeClaim" {
		return nil
	}
	requests, _ := resourcesOf(specOf(claim))
	r := bound{limit["type"], requests, nil}
	all = r.each(all, amountsIn(limit, "min"), r.min)
	return r.each(all, amountsIn(limit, "max"), r.maxRequest)
}

func beyond(limit map[string]any, requests, limits amounts) (all []string) {
	b := bound{limit["type"], requests, limits}
	all = b.each(all, amountsIn(limit, "min"), b.min)
	all = b.each(all, amountsIn(limit, "max"), b.max)
	return b.each(all, amountsIn(limit, "maxLimitRequestRatio"), b.ratio)
}

// bound compares with the amounts of one limit, of a type.
type bound struct {
	of               any
	requests, limits amounts
}

// each asks about the resources of one rule, by their names.
func (b *bound) each(all []string, rule amounts, ask func(resource, enforced string, n compared) string) []string {
	for _, resource := range slices.Sorted(maps.Keys(rule)) {
		enforced, ok := amount.Canonical(rule[resource])
		if !ok {
			continue
		}
		n, ok := b.compare(resource, enforced)
		if !ok {
			continue
		}
		if text := ask(resource, enforced, n); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// compared are a request, a limit and what is enforced as integers of one precision; has tells
// which are set.
type compared struct {
	request, limit, enforced int64
	hasRequest, hasLimit     bool
	requestText, limitText   string
}

// compare rounds up to thousandths, as a server does, or to whole numbers of those that would
// be too great. It fails of what is no quantity.
func (b *bound) compare(resource, enforced string) (n compared, ok bool) {
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

// ceil is a number rounded away from zero, 2^63-1 if it is greater: a server takes sums beyond
// that for others.
func ceil(x *big.Rat) int64 {
	n := amount.Ceil(x)
	if !n.IsInt64() {
		return math.MaxInt64
	}
	return n.Int64()
}

func (b *bound) min(resource, enforced string, n compared) string {
	rule := fmt.Sprintf("minimum %s usage per %v is %s", resource, b.of, enforced)
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

func (b *bound) max(resource, enforced string, n compared) string {
	rule := fmt.Sprintf("maximum %s usage per %v is %s", resource, b.of, enforced)
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

// maxRequest is max of what has no limits.
func (b *bound) maxRequest(resource, enforced string, n compared) string {
	rule := fmt.Sprintf("maximum %s usage per %v is %s", resource, b.of, enforced)
	switch {
	case !n.hasRequest:
		return rule + ".  No request is specified"
	case n.request > n.enforced:
		return rule + ", but request is " + n.requestText
	}
	return ""
}

// ratio is how much more than its request a limit may be.
func (b *bound) ratio(resource, enforced string, n compared) string {
	rule := fmt.Sprintf("%s max limit to request ratio per %v is %s, but ", resource, b.of, enforced)
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
