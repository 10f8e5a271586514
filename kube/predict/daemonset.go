// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"strconv"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// templateGeneration is the annotation that counts the changes of a DaemonSet's pod template.
// In a server's internal version of a DaemonSet, the count is a field.
const templateGeneration = "deprecated.daemonset.template.generation"

func isDaemonSet(object map[string]any) bool { return kindOf(object) == "DaemonSet.apps" }

// templatesCounted returns the template generation of a DaemonSet, which is the number of changes of
// its pod template. It returns "" if the DaemonSet has no template generation.
func templatesCounted(object map[string]any) string {
	annotations, _ := document.Metadata(object)["annotations"].(map[string]any)
	count, _ := annotations[templateGeneration].(string)
	return count
}

// withTemplatesCounted returns a DaemonSet with the given template generation.
func withTemplatesCounted(object map[string]any, count string) map[string]any {
	if templatesCounted(object) == count {
		return object
	}
	object, annotations := field(object, "metadata", "annotations")
	annotations[templateGeneration] = count
	return object
}

// countTemplates returns a DaemonSet with the template generation that the server stores.
// If the live DaemonSet was never on a server, it has no template generation.
// countTemplates then returns object unchanged.
func (p *PreparedRequest) countTemplates(object map[string]any) map[string]any {
	was := "0"
	if p.Live != nil {
		was = templatesCounted(p.Live)
	} else if sent := templatesCounted(object); sent != "" {
		was = sent
	}
	n, err := strconv.ParseInt(was, 10, 64)
	if err != nil {
		return object
	}
	if p.Live == nil {
		n = max(n, 1)
	} else {
		next, _ := p.fromStore(object)
		live, next := p.comparableForms(next)
		if !equalInGo(specOf(live)["template"], specOf(next)["template"]) {
			n++
		}
	}
	return withTemplatesCounted(object, strconv.FormatInt(n, 10))
}

// decodedCount adds the annotation with the template generation to the DaemonSet in an update. A server
// adds the annotation when it decodes the object, so the manager of the update owns the annotation.
func (p *PreparedRequest) decodedCount(object map[string]any) map[string]any {
	if templatesCounted(object) != "" || p.Live != nil && templatesCounted(p.Live) == "" {
		return object
	}
	return withTemplatesCounted(object, "0")
}

// RemoveCounters returns an object without its counters: metadata.generation, and the
// annotation with the template generation of a DaemonSet. A counter changes only if
// another field changes.
func RemoveCounters(object map[string]any) map[string]any {
	if document.Metadata(object)["generation"] != nil {
		var metadata map[string]any
		object, metadata = document.WithMetadata(object)
		delete(metadata, "generation")
	}
	if isDaemonSet(object) && templatesCounted(object) != "" {
		var annotations map[string]any
		object, annotations = field(object, "metadata", "annotations")
		if delete(annotations, templateGeneration); len(annotations) == 0 {
			delete(document.Metadata(object), "annotations") // this is a copy of the metadata, so the object stays unchanged
		}
	}
	return object
}
