// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

const template = ".spec.template"

// scheduling lists the fields of a Job's template that decide where its pods run.
var scheduling = slices.Clip([]string{
	template + ".spec.nodeSelector", template + ".spec.tolerations", template + ".spec.affinity.nodeAffinity", template + ".spec.schedulingGates",
})

// jobTemplate requires that a Job's template stays the same. While the Job is suspended
// and has no pods, the scheduling fields and resources may change.
func jobTemplate(c *check) {
	if releases.Compare(c.release.minor, "1.35") <= 0 {
		unstartedTemplate(c)
		return
	}
	if !isTrue(c.oldValue(".spec.suspend")) {
		c.requireUnchanged(template, fieldIsImmutable, "while the Job is suspended, resources and scheduling of its template may change")
		return
	}
	active, _ := document.Integer(c.oldValue(".status.active"))
	if c.oldValue(".status.startTime") != nil && !c.hasCondition("Suspended") || active != 0 {
		c.requireUnchanged(template, fieldIsImmutable, "wait until the pods of the suspended Job are gone")
		return
	}
	c.requireUnchanged(template+".spec", fieldIsImmutable, "while the Job is suspended, only resources, nodeSelector, tolerations, node affinity and scheduling gates may change",
		append(scheduling, template+".spec.containers[].resources", template+".spec.initContainers[].resources")...)
}

// unstartedTemplate checks a Job's template like Kubernetes 1.35 and earlier. If a Job is suspended
// and was never started, an update may change the scheduling fields, labels and annotations of the
// template, but not its resources.
func unstartedTemplate(c *check) {
	const hint = "while the Job is suspended and never started, only nodeSelector, tolerations, node affinity, scheduling gates, labels and annotations may change"
	if !isTrue(c.oldValue(".spec.suspend")) || c.oldValue(".status.startTime") != nil {
		c.requireUnchanged(template, fieldIsImmutable, hint)
		return
	}
	c.requireUnchanged(template, fieldIsImmutable, hint, append(scheduling, template+".metadata.labels", template+".metadata.annotations")...)
}

// hasCondition reports whether the live object has this condition with the status True.
func (c *check) hasCondition(name string) bool {
	for _, condition := range list(c.oldValue(".status.conditions")) {
		if text(child(condition, "type")) == name && text(child(condition, "status")) == "True" {
			return true
		}
	}
	return false
}

// jobCompletions requires that completions stays the same. In an Indexed Job, it may
// change together with parallelism.
func jobCompletions(c *check) {
	if text(c.newValue(".spec.completionMode")) != "Indexed" {
		c.requireUnchanged(".spec.completions", fieldIsImmutable, "in an Indexed Job, completions may change together with .spec.parallelism")
		return
	}
	completions, ok := document.Integer(c.newValue(".spec.completions"))
	parallelism, known := document.Integer(c.newValue(".spec.parallelism"))
	if ok && known && completions != parallelism && !c.equalAt(".spec.completions") {
		c.reject(".spec.completions", "can only be modified in tandem with spec.parallelism", "set .spec.parallelism to the same number")
	}
}
