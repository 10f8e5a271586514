// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package predict

import (
	"strconv"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// templateGeneration is the annotation that counts the changes of a DaemonSet's template.
// In the internal version of servers, it is a field.
const templateGeneration = "deprecated.daemonset.template.generation"

func isDaemonSet(object map[string]any) bool { return kindOf(object) == "DaemonSet.apps" }

// templatesCounted returns the count in an object, or "".
func templatesCounted(object map[string]any) string {
	annotations, _ := document.Metadata(object)["annotations"].(map[string]any)
	count, _ := annotations[templateGeneration].(string)
	return count
}

// withTemplatesCounted returns a DaemonSet with a count.
func withTemplatesCounted(object map[string]any, count string) map[string]any {
	if templatesCounted(object) == count {
		return object
	}
	object, annotations := field(object, "metadata", "annotations")
	annotations[templateGeneration] = count
	return object
}

// countTemplates returns a DaemonSet with the count of template changes that the server stores. A
// live DaemonSet that was never on a server does not have this count.
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

// decodedCount returns the object of an update with the count that the server adds
// when it decodes the object. Because of this, the manager of the update owns the
// count.
func (p *PreparedRequest) decodedCount(object map[string]any) map[string]any {
	if templatesCounted(object) != "" || p.Live != nil && templatesCounted(p.Live) == "" {
		return object
	}
	return withTemplatesCounted(object, "0")
}

// RemoveCounters returns an object without its counters. The counters are metadata.generation,
// and the count of template changes of a DaemonSet. A counter changes only if another field
// changes.
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
			delete(document.Metadata(object), "annotations") // field has made a copy
		}
	}
	return object
}
