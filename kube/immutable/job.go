// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import (
	"slices"

	"github.com/dovetail-ssa/dovetail/internal/document"
	"github.com/dovetail-ssa/dovetail/kube/internal/releases"
)

const template = ".spec.template"

// scheduling is what says in a template where its pods run.
var scheduling = slices.Clip([]string{
	template + ".spec.nodeSelector", template + ".spec.tolerations", template + ".spec.affinity.nodeAffinity", template + ".spec.schedulingGates",
})

// jobTemplate: the template of a Job stays as it is. While the Job is suspended and has no
// pods, what says where they run and which resources they have may change.
func jobTemplate(c *check) {
	if releases.Compare(c.release.minor, "1.35") <= 0 {
		unstartedTemplate(c)
		return
	}
	if !isTrue(c.was(".spec.suspend")) {
		c.keep(template, fieldIsImmutable, "while the Job is suspended, resources and scheduling of its template may change")
		return
	}
	active, _ := document.Integer(c.was(".status.active"))
	if c.was(".status.startTime") != nil && !c.hasCondition("Suspended") || active != 0 {
		c.keep(template, fieldIsImmutable, "wait until the pods of the suspended Job are gone")
		return
	}
	c.keep(template+".spec", fieldIsImmutable, "while the Job is suspended, only resources, nodeSelector, tolerations, node affinity and scheduling gates may change",
		append(scheduling, template+".spec.containers[].resources", template+".spec.initContainers[].resources")...)
}

// unstartedTemplate is what 1.35 does: resources stay, and where pods run may change, with labels and
// annotations, while the Job is suspended and never started.
func unstartedTemplate(c *check) {
	const hint = "while the Job is suspended and never started, only nodeSelector, tolerations, node affinity, scheduling gates, labels and annotations may change"
	if !isTrue(c.was(".spec.suspend")) || c.was(".status.startTime") != nil {
		c.keep(template, fieldIsImmutable, hint)
		return
	}
	c.keep(template, fieldIsImmutable, hint, append(scheduling, template+".metadata.labels", template+".metadata.annotations")...)
}

// hasCondition says whether a condition of the live object is true.
func (c *check) hasCondition(name string) bool {
	for _, condition := range list(c.was(".status.conditions")) {
		if text(child(condition, "type")) == name && text(child(condition, "status")) == "True" {
			return true
		}
	}
	return false
}

// jobCompletions: completions stay as they are, unless the Job is indexed, where they change
// together with parallelism.
func jobCompletions(c *check) {
	if text(c.is(".spec.completionMode")) != "Indexed" {
		c.keep(".spec.completions", fieldIsImmutable, "those of an Indexed Job may change with .spec.parallelism")
		return
	}
	completions, ok := document.Integer(c.is(".spec.completions"))
	parallelism, known := document.Integer(c.is(".spec.parallelism"))
	if ok && known && completions != parallelism && !c.same(".spec.completions") {
		c.refuse(".spec.completions", "can only be modified in tandem with spec.parallelism", "set .spec.parallelism to the same number")
	}
}
