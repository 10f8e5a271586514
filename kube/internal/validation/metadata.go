// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/internal/document"
)

// NameRules contains the rules for the names and finalizers of a kind. The zero value has
// the rules for custom resources.
type NameRules struct {
	// Name is the format of names, or "" for the format subdomain.
	Name string
	// KnownFinalizers is true if a finalizer without a domain must be one of Kubernetes' own
	// finalizers.
	KnownFinalizers bool
}

// maxAnnotations limits the total size of all annotations, in bytes.
const maxAnnotations = 256 << 10

// knownFinalizers lists the finalizers that are valid without a domain.
var knownFinalizers = []string{"kubernetes", "orphan", "foregroundDeletion"}

// CheckMetadata returns the values in the metadata of object that a server rejects. The argument live
// is the object being replaced, or nil for a new object. Values of a wrong type are not reported,
// because merging reports them. CheckMetadata does not modify the objects.
func CheckMetadata(object, live map[string]any, rules NameRules) []Cause {
	metadata, _ := object["metadata"].(map[string]any)
	before, _ := live["metadata"].(map[string]any)
	m := metadataCheck{metadata: metadata}
	m.names(rules)
	m.labels("metadata.labels", metadata["labels"])
	m.annotations()
	m.owners()
	m.finalizers(rules)
	if before["deletionTimestamp"] != nil {
		m.newFinalizers(texts(before["finalizers"]))
	}
	if live != nil {
		m.deletion(before)
	}
	return m.found
}

type metadataCheck struct {
	metadata map[string]any
	found    []Cause
}

func (m *metadataCheck) add(causes ...Cause) { m.found = append(m.found, causes...) }

// text checks a text against a format.
func (m *metadataCheck) text(field, text string, f format) {
	for _, why := range f(text) {
		m.add(invalid(field, text, why))
	}
}

func (m *metadataCheck) names(rules NameRules) {
	f := isSubdomain
	if rules.Name != "" {
		f = formats[rules.Name]
	}
	name, isText := m.metadata["name"].(string)
	prefix, _ := m.metadata["generateName"].(string)
	if prefix != "" {
		begin := prefix
		if len(begin) > 1 && strings.HasSuffix(begin, "-") { // a server appends more characters
			begin = begin[:len(begin)-2] + "a"
		}
		for _, why := range f(begin) {
			m.add(invalid("metadata.generateName", prefix, why))
		}
	}
	switch {
	case name != "":
		m.text("metadata.name", name, f)
	case prefix == "" && (isText || m.metadata["name"] == nil):
		m.add(required("metadata.name", "name or generateName is required"))
	}
	if namespace, _ := m.metadata["namespace"].(string); namespace != "" {
		m.text("metadata.namespace", namespace, isLabel)
	}
}

// labels checks a map of labels. For an invalid label, it reports the path of the map, as a server
// does.
func (m *metadataCheck) labels(field string, v any) { m.found = appendLabels(m.found, field, v) }

func appendLabels(found []Cause, field string, v any) []Cause {
	labels, _ := v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		for _, why := range isKey(key) {
			c := invalid(field, key, why)
			c.Key = key
			found = append(found, c)
		}
		if text, ok := labels[key].(string); ok {
			for _, why := range isLabelValue(text) {
				c := invalid(field, text, why)
				c.Key = key
				found = append(found, c)
			}
		}
	}
	return found
}

func (m *metadataCheck) annotations() {
	const field = "metadata.annotations"
	annotations, _ := m.metadata["annotations"].(map[string]any)
	size := 0
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		text, _ := annotations[key].(string)
		size += len(key) + len(text)
		for _, why := range isKey(strings.ToLower(key)) {
			c := invalid(field, key, why)
			c.Key = key
			m.add(c)
		}
	}
	if size > maxAnnotations {
		m.add(Cause{Type: TooLong, Field: field, Message: fmt.Sprintf("Too long: may not be more than %d bytes", maxAnnotations)})
	}
}

func (m *metadataCheck) owners() {
	const field = "metadata.ownerReferences"
	owners, _ := m.metadata["ownerReferences"].([]any)
	controller := ""
	for i, item := range owners {
		owner, ok := item.(map[string]any)
		if !ok {
			continue
		}
		at := field + "[" + strconv.Itoa(i) + "]"
		apiVersion, _ := owner["apiVersion"].(string)
		kind, _ := owner["kind"].(string)
		name, _ := owner["name"].(string)
		for _, part := range []string{"apiVersion", "kind", "name", "uid"} {
			if v := owner[part]; v == nil || v == "" {
				m.add(required(at+"."+part, "must not be empty"))
			}
		}
		if _, version, grouped := strings.Cut(apiVersion, "/"); grouped && (version == "" || strings.Contains(version, "/")) {
			m.add(invalid(at+".apiVersion", apiVersion, "must be <group>/<version> or <version>"))
		}
		if apiVersion == "v1" && kind == "Event" {
			m.add(invalid(at, owner, "/v1, Kind=Event is disallowed from being an owner"))
		}
		if owner["controller"] != true {
			continue
		}
		if controller != "" {
			m.add(invalid(field, owners, fmt.Sprintf("Only one reference can have Controller set to true. Found \"true\" in references for %s and %s/%s", controller, kind, name)))
		} else {
			controller = kind + "/" + name
		}
	}
}

func (m *metadataCheck) finalizers(rules NameRules) {
	const field = "metadata.finalizers"
	finalizers := texts(m.metadata["finalizers"])
	for _, f := range finalizers {
		m.text(field, f, isKey)
	}
	if slices.Contains(finalizers, "orphan") && slices.Contains(finalizers, "foregroundDeletion") {
		m.add(invalid(field, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"))
	}
	if !rules.KnownFinalizers {
		return
	}
	for i, f := range finalizers {
		if !strings.Contains(f, "/") && !slices.Contains(knownFinalizers, f) {
			m.add(invalid(field+"["+strconv.Itoa(i)+"]", f, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
}

// newFinalizers rejects new finalizers on an object that is being deleted.
func (m *metadataCheck) newFinalizers(before []string) {
	added := slices.DeleteFunc(texts(m.metadata["finalizers"]), func(f string) bool { return slices.Contains(before, f) })
	if len(added) > 0 {
		slices.Sort(added)
		m.add(forbidden("metadata.finalizers", fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", slices.Compact(added))))
	}
}

// deletion rejects new values of deletionTimestamp and deletionGracePeriodSeconds, because only a
// DELETE request can set these fields. The argument before is the metadata of the live object.
func (m *metadataCheck) deletion(before map[string]any) {
	for _, name := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		v := m.metadata[name]
		if v != nil && !document.Equal(v, before[name]) {
			m.add(invalid("metadata."+name, v, "field is immutable"))
		}
	}
}

// texts returns the strings in a list. It skips other items.
func texts(v any) (all []string) {
	items, _ := v.([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
