// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "github.com/dovetail-ssa/dovetail/internal/quantity"

// classAnnotation is the old annotation for the storage class of a claim.
const classAnnotation = "volume.beta.kubernetes.io/storage-class"

// claimSpec rejects changes to the spec of a PersistentVolumeClaim, with some exceptions. A missing
// volume name or storage class may be set. In a bound claim, the requested size may grow, and the
// attributes class may change.
func claimSpec(c *check) {
	const message = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
	const hint = "for a bound claim, resources.requests.storage may increase"
	var except []string
	if text(c.oldValue(".spec.volumeName")) == "" {
		except = append(except, ".spec.volumeName")
	}
	upgraded, fromNothing := c.allowedClassChange()
	if upgraded || fromNothing {
		except = append(except, ".spec.storageClassName")
	}
	if c.oldValue(".spec.dataSourceRef") == nil && text(c.newValue(".spec.dataSourceRef.namespace")) != "" {
		except = append(except, ".spec.dataSourceRef") // a server that does not know dataSourceRef drops it
	}
	bound := text(c.oldValue(".status.phase")) == "Bound"
	if bound {
		except = append(except, ".spec.volumeAttributesClassName", ".spec.resources.requests")
	}
	c.requireUnchanged(".spec", message, hint, except...)
	if bound {
		c.boundRequests(message, hint)
	}
	if !upgraded {
		before, after := c.annotation(c.old, classAnnotation), c.annotation(c.next, classAnnotation)
		if before != after {
			at, _, _ := c.valuesAt(".metadata.annotations")
			d := changedValue{at: at.child(c.t.Schema, classAnnotation)}
			if before != "" {
				d.old = before
			}
			if after != "" {
				d.next = after
			}
			c.report(d, 0, fieldIsImmutable, "keep the annotation, or move its value to .spec.storageClassName")
		}
	}
	c.rejectShrinking()
	if c.oldValue(".status.currentVolumeAttributesClassName") != nil && !c.equalAt(".spec.volumeAttributesClassName") && text(c.newValue(".spec.volumeAttributesClassName")) == "" {
		c.reject(".spec.volumeAttributesClassName", "may not be unset once the volume has the attributes of a class", "set it to the name of a class")
	}
}

func (c *check) annotation(object map[string]any, name string) string {
	return text(child(child(object["metadata"], "annotations"), name))
}

// allowedClassChange reports whether an update may set the storage class of a claim that has none. The
// result upgraded is true if the update sets the class that the claim's annotation already names.
// fromNothing is true if the claim has no such annotation, because servers then allow any class. If
// both results are false, servers reject the change.
func (c *check) allowedClassChange() (upgraded, fromNothing bool) {
	before, had := c.oldValue(".spec.storageClassName"), c.newValue(".spec.storageClassName")
	if before != nil || had == nil {
		return false, false
	}
	annotations, _ := child(c.old["metadata"], "annotations").(map[string]any)
	class, annotated := annotations[classAnnotation]
	if !annotated {
		return false, true
	}
	after, _ := child(c.next["metadata"], "annotations").(map[string]any)
	now, still := after[classAnnotation]
	return text(had) == text(class) && (!still || text(now) == text(class)), false
}

// boundRequests rejects changes of a bound claim's resource requests, except for storage.
func (c *check) boundRequests(message, hint string) {
	at, old, next := c.valuesAt(".spec.resources.requests")
	before, _ := old.(map[string]any)
	after, _ := next.(map[string]any)
	without := func(m map[string]any) map[string]any {
		rest := map[string]any{}
		for name, v := range m {
			if name != "storage" {
				rest[name] = v
			}
		}
		return rest
	}
	d := &difference{check: c}
	d.value(at, without(before), without(after))
	for _, f := range d.found {
		c.report(f, 0, message, hint)
	}
}

// rejectShrinking rejects a smaller storage request. As an exception, it allows a smaller request that
// is still larger than the actual capacity. Servers allow this so that users can correct a failed
// expansion.
func (c *check) rejectShrinking() {
	const storage = ".spec.resources.requests.storage"
	has := child(c.oldValue(".status.capacity"), "storage")
	if has == nil {
		has = int64(0)
	}
	less, ok := quantity.Compare(c.newValue(storage), c.oldValue(storage))
	beyond, known := quantity.Compare(c.newValue(storage), has)
	if ok && known && less < 0 && beyond <= 0 {
		c.reject(storage, "may not become less than status.capacity", "a volume cannot shrink; create another claim and copy the data")
	}
}
