// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "slices"

// volume: a PersistentVolume keeps its source, its mode, and the nodes that it is on.
func volume(c *check) {
	const hint = ".spec.persistentVolumeReclaimPolicy: Retain keeps the data"
	var except []string
	if c.was(".spec.csi.controllerExpandSecretRef") == nil {
		// It may be set once.
		except = append(except, ".spec.csi.controllerExpandSecretRef")
	}
	at, _, _ := c.both(".spec")
	atom, _ := c.t.Schema.Resolve(at.ref)
	if atom.Map != nil {
		for _, f := range atom.Map.Fields {
			if !slices.Contains(besidesSource, f.Name) {
				c.keep(".spec."+f.Name, "the source of a volume is immutable", hint, except...)
			}
		}
	}
	c.volumeNodes()
	if c.was(".spec.volumeAttributesClassName") != nil && c.is(".spec.volumeAttributesClassName") == nil {
		c.refuse(".spec.volumeAttributesClassName", "may not be unset", "name a class")
	}
}

// besidesSource are the fields of the spec of a PersistentVolume that are not its source: all
// others are, of which one is set.
var besidesSource = []string{"accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName", "volumeMode"}

// volumeNodes: the nodes that a volume is on stay, once they are said; labels of old may take
// their names of today.
func (c *check) volumeNodes() {
	at, old, next := c.both(".spec.nodeAffinity")
	if old == nil {
		return
	}
	d := &difference{check: c}
	d.value(at, ofToday(old), ofToday(next))
	if len(d.found) > 0 {
		c.refuse(".spec.nodeAffinity", fieldIsImmutable, "only beta labels may become those that took their place")
	}
}

var labelsOfToday = map[string]string{
	"beta.kubernetes.io/os":                    "kubernetes.io/os",
	"beta.kubernetes.io/arch":                  "kubernetes.io/arch",
	"beta.kubernetes.io/instance-type":         "node.kubernetes.io/instance-type",
	"failure-domain.beta.kubernetes.io/zone":   "topology.kubernetes.io/zone",
	"failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}

// ofToday is a value with labels of old named as they are today.
func ofToday(v any) any {
	switch v := v.(type) {
	case map[string]any:
		after := map[string]any{}
		for name, below := range v {
			after[name] = ofToday(below)
		}
		return after
	case []any:
		after := make([]any, len(v))
		for i := range v {
			after[i] = ofToday(v[i])
		}
		return after
	case string:
		if today, ok := labelsOfToday[v]; ok {
			return today
		}
	}
	return v
}
