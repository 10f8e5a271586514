// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "slices"

// persistentVolume rejects changes of a PersistentVolume's source and node affinity. It also
// rejects removing volumeAttributesClassName.
func persistentVolume(c *check) {
	const hint = "set .spec.persistentVolumeReclaimPolicy: Retain to keep the data"
	var except []string
	if c.oldValue(".spec.csi.controllerExpandSecretRef") == nil {
		// An update may set this field if it is missing.
		except = append(except, ".spec.csi.controllerExpandSecretRef")
	}
	at, _, _ := c.valuesAt(".spec")
	atom, _ := c.t.Schema.Resolve(at.ref)
	if atom.Map != nil {
		for _, f := range atom.Map.Fields {
			if !slices.Contains(notSource, f.Name) {
				c.requireUnchanged(".spec."+f.Name, "the source of a volume is immutable", hint, except...)
			}
		}
	}
	c.volumeNodes()
	if c.oldValue(".spec.volumeAttributesClassName") != nil && c.newValue(".spec.volumeAttributesClassName") == nil {
		c.reject(".spec.volumeAttributesClassName", "may not be unset", "set it to the name of a class")
	}
}

// notSource lists the fields of a PersistentVolume's spec that do not describe its source. Every other
// field is a kind of source, such as nfs. Each volume sets exactly one kind of source.
var notSource = []string{"accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName", "volumeAttributesClassName", "volumeMode"}

// volumeNodes rejects changes of a volume's node affinity, with two exceptions. A missing affinity may
// be set, and deprecated labels in the affinity may be replaced with their current names.
func (c *check) volumeNodes() {
	at, old, next := c.valuesAt(".spec.nodeAffinity")
	if old == nil {
		return
	}
	d := &difference{check: c}
	d.value(at, withCurrentLabels(old), withCurrentLabels(next))
	if len(d.found) > 0 {
		c.reject(".spec.nodeAffinity", fieldIsImmutable, "only deprecated labels may be replaced by their current names")
	}
}

var currentLabels = map[string]string{
	"beta.kubernetes.io/os":                    "kubernetes.io/os",
	"beta.kubernetes.io/arch":                  "kubernetes.io/arch",
	"beta.kubernetes.io/instance-type":         "node.kubernetes.io/instance-type",
	"failure-domain.beta.kubernetes.io/zone":   "topology.kubernetes.io/zone",
	"failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}

// withCurrentLabels returns a copy of v with deprecated labels replaced with their current
// names.
func withCurrentLabels(v any) any {
	switch v := v.(type) {
	case map[string]any:
		after := map[string]any{}
		for name, below := range v {
			after[name] = withCurrentLabels(below)
		}
		return after
	case []any:
		after := make([]any, len(v))
		for i := range v {
			after[i] = withCurrentLabels(v[i])
		}
		return after
	case string:
		if today, ok := currentLabels[v]; ok {
			return today
		}
	}
	return v
}
