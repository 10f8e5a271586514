// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// pod: of the spec of a Pod only a few fields may change, most of them in one direction. A Pod
// that is gated, which is not scheduled yet, may be made to fit fewer nodes.
func pod(c *check) {
	const message = "pod updates may not change it"
	const hint = "of .spec, only images, activeDeadlineSeconds (to less), tolerations (to more) and schedulingGates (to fewer) may change, resources by the subresource resize"
	except := []string{".spec.containers[].image", ".spec.initContainers[].image", ".spec.activeDeadlineSeconds", ".spec.tolerations", ".spec.schedulingGates"}
	grace, _ := document.Integer(c.was(".spec.terminationGracePeriodSeconds"))
	now, _ := document.Integer(c.is(".spec.terminationGracePeriodSeconds"))
	if grace < 0 || now < 0 { // the server makes 1 of it
		except = append(except, ".spec.terminationGracePeriodSeconds")
	}
	gated := len(list(c.was(".spec.schedulingGates"))) > 0
	if gated {
		except = append(except, ".spec.nodeSelector", ".spec.affinity.nodeAffinity")
	}
	c.keep(".spec", message, hint, except...)
	if gated {
		gatedPod(c)
	}

	deadline, had := document.Integer(c.was(".spec.activeDeadlineSeconds"))
	next, has := document.Integer(c.is(".spec.activeDeadlineSeconds"))
	switch {
	case had && !has:
		c.refuse(".spec.activeDeadlineSeconds", "may not be unset", "set it to 0 or more, and not more than it was")
	case had && next > deadline:
		c.refuse(".spec.activeDeadlineSeconds", "may not become more", "")
	}
	if !keepsTolerations(c) {
		c.refuse(".spec.tolerations", "a toleration may not change, but for its tolerationSeconds, nor go", "add the one that is wanted, and leave the others")
	}
	gates := func(v any) (names []string) {
		for _, gate := range list(v) {
			names = append(names, text(child(gate, "name")))
		}
		return names
	}
	were := gates(c.was(".spec.schedulingGates"))
	for _, gate := range gates(c.is(".spec.schedulingGates")) {
		if !slices.Contains(were, gate) {
			c.refuse(".spec.schedulingGates", "a scheduling gate may only be removed", "")
			break
		}
	}
	podAnnotations(c)
}

// keepsTolerations says whether each toleration is still there, with whatever seconds.
func keepsTolerations(c *check) bool {
	at, old, next := c.both(".spec.tolerations")
	seconds := at.pattern + "[].tolerationSeconds"
	for _, was := range list(old) {
		there := slices.ContainsFunc(list(next), func(is any) bool {
			d := &difference{check: c, except: []string{seconds}}
			d.value(at, []any{was}, []any{is})
			return len(d.found) == 0
		})
		if !there {
			return false
		}
	}
	return true
}

// podAnnotations: two kinds of annotations stay as they are.
func podAnnotations(c *check) {
	at, old, next := c.both(".metadata.annotations")
	was, _ := old.(map[string]any)
	is, _ := next.(map[string]any)
	fixed := func(name string) bool {
		return name == "kubernetes.io/config.mirror" || strings.HasPrefix(name, "container.apparmor.security.beta.kubernetes.io/")
	}
	for name, v := range was {
		if now, ok := is[name]; fixed(name) && (!ok || text(now) != text(v)) {
			c.report(differing{at.child(c.t.Schema, name), v, now}, 0, "the annotation may not change", "")
		}
	}
	for name, v := range is {
		if _, ok := was[name]; fixed(name) && !ok {
			c.report(differing{at.child(c.t.Schema, name), nil, v}, 0, "the annotation may not be added", "")
		}
	}
}
