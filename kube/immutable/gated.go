// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "github.com/dovetail-ssa/dovetail/fieldpath"

// gatedPod: while a Pod has scheduling gates, its node selector and its required node affinity
// may become stricter: entries are added, none changes or goes. What was not there may be
// set; preferred node affinity may be anything.
func gatedPod(c *check) {
	const hint = "add to what is there"
	was, _ := c.was(".spec.nodeSelector").(map[string]any)
	is, _ := c.is(".spec.nodeSelector").(map[string]any)
	for name, v := range was {
		if now, ok := is[name]; !ok || text(now) != text(v) {
			c.refuse(".spec.nodeSelector", "only additions are allowed while the Pod is gated", hint)
			break
		}
	}
	const terms = ".spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
	at, old, next := c.both(terms)
	a, b := list(old), list(next)
	if len(a) == 0 {
		return
	}
	if len(a) != len(b) {
		c.refuse(terms, "terms may neither be added nor removed", hint)
		return
	}
	for i := range a {
		for _, name := range []string{"matchExpressions", "matchFields"} {
			had, has := list(child(a[i], name)), list(child(b[i], name))
			if len(had) == 0 {
				continue
			}
			d := &difference{check: c}
			d.value(at.item(c.t.Schema, fieldpath.IndexElement(i)).child(c.t.Schema, name), any(had), any(has[:min(len(had), len(has))]))
			if len(d.found) > 0 {
				c.refuse(terms, "only additions to a term are allowed while the Pod is gated", hint)
				return
			}
		}
	}
}
