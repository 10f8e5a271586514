// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "github.com/dovetail-ssa/dovetail/fieldpath"

// gatedPod checks the node selector and the required node affinity of a Pod with scheduling gates. If
// they are missing, an update may set them. If they exist, an update may only add entries. Changes of
// the preferred affinity are not restricted.
func gatedPod(c *check) {
	const hint = "keep the existing entries, and add others"
	before, _ := c.oldValue(".spec.nodeSelector").(map[string]any)
	after, _ := c.newValue(".spec.nodeSelector").(map[string]any)
	for name, v := range before {
		if now, ok := after[name]; !ok || text(now) != text(v) {
			c.reject(".spec.nodeSelector", "only additions are allowed while the Pod is gated", hint)
			break
		}
	}
	const terms = ".spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
	at, old, next := c.valuesAt(terms)
	a, b := list(old), list(next)
	if len(a) == 0 {
		return
	}
	if len(a) != len(b) {
		c.reject(terms, "terms may neither be added nor removed", hint)
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
				c.reject(terms, "only additions to a term are allowed while the Pod is gated", hint)
				return
			}
		}
	}
}
