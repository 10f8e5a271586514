// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package immutable

import "github.com/dovetail-ssa/dovetail/internal/quantity"

// classAnnotation is how claims named their class once.
const classAnnotation = "volume.beta.kubernetes.io/storage-class"

// claim: the spec of a PersistentVolumeClaim stays as it is. It gets its volume once, and its
// class if it has none; bound, it may grow, and take another class of attributes.
func claim(c *check) {
	const message = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
	const hint = "of a bound claim, resources.requests.storage may grow"
	var except []string
	if text(c.was(".spec.volumeName")) == "" {
		except = append(except, ".spec.volumeName")
	}
	upgraded, fromNothing := c.getsClass()
	if upgraded || fromNothing {
		except = append(except, ".spec.storageClassName")
	}
	if c.was(".spec.dataSourceRef") == nil && text(c.is(".spec.dataSourceRef.namespace")) != "" {
		except = append(except, ".spec.dataSourceRef") // a server without the feature drops it
	}
	bound := text(c.was(".status.phase")) == "Bound"
	if bound {
		except = append(except, ".spec.volumeAttributesClassName", ".spec.resources.requests")
	}
	c.keep(".spec", message, hint, except...)
	if bound {
		c.boundRequests(message, hint)
	}
	if !upgraded {
		was, is := c.annotation(c.old, classAnnotation), c.annotation(c.next, classAnnotation)
		if was != is {
			at, _, _ := c.both(".metadata.annotations")
			d := differing{at: at.child(c.t.Schema, classAnnotation)}
			if was != "" {
				d.old = was
			}
			if is != "" {
				d.next = is
			}
			c.report(d, 0, fieldIsImmutable, "leave the annotation, or move its class to .spec.storageClassName")
		}
	}
	c.shrinks()
	if c.was(".status.currentVolumeAttributesClassName") != nil && !c.same(".spec.volumeAttributesClassName") && text(c.is(".spec.volumeAttributesClassName")) == "" {
		c.refuse(".spec.volumeAttributesClassName", "may not be unset once the volume has the attributes of a class", "name a class")
	}
}

func (c *check) annotation(object map[string]any, name string) string {
	return text(child(child(object["metadata"], "annotations"), name))
}

// getsClass says whether the claim gets its class: the one that its annotation named, or any
// since it had none.
func (c *check) getsClass() (upgraded, fromNothing bool) {
	was, had := c.was(".spec.storageClassName"), c.is(".spec.storageClassName")
	if was != nil || had == nil {
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

// boundRequests: of the requests of a bound claim only storage may change.
func (c *check) boundRequests(message, hint string) {
	at, old, next := c.both(".spec.resources.requests")
	was, _ := old.(map[string]any)
	is, _ := next.(map[string]any)
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
	d.value(at, without(was), without(is))
	for _, f := range d.found {
		c.report(f, 0, message, hint)
	}
}

// shrinks: what is requested does not become less, but for a claim whose growth failed, down
// to more than it has.
func (c *check) shrinks() {
	const storage = ".spec.resources.requests.storage"
	has := child(c.was(".status.capacity"), "storage")
	if has == nil {
		has = int64(0)
	}
	less, ok := quantity.Compare(c.is(storage), c.was(storage))
	beyond, known := quantity.Compare(c.is(storage), has)
	if ok && known && less < 0 && beyond <= 0 {
		c.refuse(storage, "may not become less than status.capacity", "a volume does not shrink: create another claim and copy the data")
	}
}
