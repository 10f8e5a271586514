// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// podSpec rejects changes of a Pod's spec, except in a few fields. Most of these fields may change
// in only one direction; for example, tolerations may only be added. If the Pod has scheduling
// gates, its node selector and node affinity may become stricter.
func podSpec(c *check) {
	const message = "pod updates may not change this field"
	const hint = "in .spec, only these may change: images, activeDeadlineSeconds (decrease), tolerations (add), schedulingGates (remove), and resources through the resize subresource"
	except := []string{".spec.containers[].image", ".spec.initContainers[].image", ".spec.activeDeadlineSeconds", ".spec.tolerations", ".spec.schedulingGates"}
	grace, _ := document.Integer(c.oldValue(".spec.terminationGracePeriodSeconds"))
	now, _ := document.Integer(c.newValue(".spec.terminationGracePeriodSeconds"))
	if grace < 0 || now < 0 { // a server replaces a negative value with 1
		except = append(except, ".spec.terminationGracePeriodSeconds")
	}
	gated := len(list(c.oldValue(".spec.schedulingGates"))) > 0
	if gated {
		except = append(except, ".spec.nodeSelector", ".spec.affinity.nodeAffinity")
	}
	c.requireUnchanged(".spec", message, hint, except...)
	if gated {
		gatedPod(c)
	}

	deadline, had := document.Integer(c.oldValue(".spec.activeDeadlineSeconds"))
	next, has := document.Integer(c.newValue(".spec.activeDeadlineSeconds"))
	switch {
	case had && !has:
		c.reject(".spec.activeDeadlineSeconds", "may not be unset", "set it to 0 or more, at most to the old value")
	case had && next > deadline:
		c.reject(".spec.activeDeadlineSeconds", "may not increase", "")
	}
	if !keepsTolerations(c) {
		c.reject(".spec.tolerations", "existing tolerations may not be removed or changed, except for tolerationSeconds", "keep the existing tolerations, and add a new one")
	}
	gates := func(v any) (names []string) {
		for _, gate := range list(v) {
			names = append(names, text(child(gate, "name")))
		}
		return names
	}
	oldGates := gates(c.oldValue(".spec.schedulingGates"))
	for _, gate := range gates(c.newValue(".spec.schedulingGates")) {
		if !slices.Contains(oldGates, gate) {
			c.reject(".spec.schedulingGates", "a scheduling gate may only be removed", "")
			break
		}
	}
	podAnnotations(c)
}

// keepsTolerations reports whether the new object still has every old toleration. It
// ignores tolerationSeconds.
func keepsTolerations(c *check) bool {
	at, old, next := c.valuesAt(".spec.tolerations")
	seconds := at.pattern + "[].tolerationSeconds"
	for _, before := range list(old) {
		kept := slices.ContainsFunc(list(next), func(after any) bool {
			d := &difference{check: c, except: []string{seconds}}
			d.value(at, []any{before}, []any{after})
			return len(d.found) == 0
		})
		if !kept {
			return false
		}
	}
	return true
}

// podAnnotations rejects changes of the annotations that a Pod cannot change.
func podAnnotations(c *check) {
	at, old, next := c.valuesAt(".metadata.annotations")
	before, _ := old.(map[string]any)
	after, _ := next.(map[string]any)
	isFixed := func(name string) bool {
		return name == "kubernetes.io/config.mirror" || strings.HasPrefix(name, "container.apparmor.security.beta.kubernetes.io/")
	}
	for name, v := range before {
		if now, ok := after[name]; isFixed(name) && (!ok || text(now) != text(v)) {
			c.report(changedValue{at.child(c.t.Schema, name), v, now}, 0, "the annotation may not change", "")
		}
	}
	for name, v := range after {
		if _, ok := before[name]; isFixed(name) && !ok {
			c.report(changedValue{at.child(c.t.Schema, name), nil, v}, 0, "the annotation may not be added", "")
		}
	}
}
