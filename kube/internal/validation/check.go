// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-ssa/dovetail/kube/internal/amount"
)

// maxDepth limits how deep the walk descends into an object.
const maxDepth = 100

// quantityDetail is the server's message for text that is not a quantity.
const quantityDetail = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

// Names returns the rules for the names and finalizers of a kind. It returns false if the
// release does not have the kind.
func (r *Release) Names(apiVersion, kind string) (NameRules, bool) {
	k, ok := r.table().kinds[[2]string{apiVersion, kind}]
	if !ok {
		return NameRules{}, false
	}
	return k.names, true
}

// CheckValues returns the values of a built-in object that a server rejects, in the order
// of the type's fields. CheckValues does not check metadata. It does not report values of
// a wrong type, because merging reports such values. It does not modify the object.
func (r *Release) CheckValues(object map[string]any) []Cause {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	t := r.table()
	k, ok := t.kinds[[2]string{apiVersion, kind}]
	if !ok {
		return nil
	}
	t.mu.Lock()
	root := t.find(k.typeName)
	t.mu.Unlock()
	w := &walk{kind: k.number, secret: kind == "Secret"}
	if root != nil {
		w.fields(root, "", object, 0)
	}
	w.selectors(apiVersion, kind, object)
	w.dependent(apiVersion, kind, object)
	if kind == "StatefulSet" && len(w.found) > 0 {
		w.dropReplacedVolumes(object)
	}
	return w.found
}

// dropReplacedVolumes drops findings about volumes of a StatefulSet that have the same name as a
// claim template, because the claim replaces such a volume.
func (w *walk) dropReplacedVolumes(object map[string]any) {
	spec := mapOf(object["spec"])
	for i, volume := range listOf(mapOf(mapOf(spec["template"])["spec"])["volumes"]) {
		replaced := slices.ContainsFunc(listOf(spec["volumeClaimTemplates"]), func(claim any) bool {
			name := mapOf(mapOf(claim)["metadata"])["name"]
			return name != nil && name == mapOf(volume)["name"]
		})
		if replaced {
			at := "spec.template.spec.volumes[" + strconv.Itoa(i) + "]"
			w.found = slices.DeleteFunc(w.found, func(c Cause) bool { return strings.HasPrefix(c.Field, at) })
		}
	}
}

// walk checks the values of one object.
type walk struct {
	kind int
	// secret is true if messages must not show values.
	secret bool
	found  []Cause
}

func (w *walk) add(c Cause) { w.found = append(w.found, c) }

func (w *walk) fields(s *structRules, at string, object map[string]any, depth int) {
	if depth > maxDepth {
		return
	}
	for i := range s.fields {
		f := &s.fields[i]
		v := object[f.name]
		if f.required == nil && v == nil {
			continue
		}
		field := f.name
		if at != "" {
			field = at + "." + f.name
		}
		if f.required != nil && f.required.appliesTo(w.kind) && f.missing(v) {
			w.add(required(field, f.required.detail))
			continue
		}
		w.value(&f.valueRules, field, "", "", v, depth+1)
	}
}

// missing reports whether v, the value of a required field, counts as missing.
func (f *fieldRules) missing(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" && f.shape != quantityLeaf && !slices.ContainsFunc(f.rules, func(r rule) bool {
			return r.class == isEnum || r.class == isOneOf || r.class == hasFormat || r.class == isNonempty
		})
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0 && f.shape == mapping
	}
	return false
}

// value checks one value of an object. The argument at is the path of the value. For a value in a map
// or a list, whole is the path of that map or list, and key is the key in the map.
func (w *walk) value(r *valueRules, at, whole, key string, v any, depth int) {
	if v == nil {
		return
	}
	for i := range r.rules {
		if r.rules[i].appliesTo(w.kind) {
			w.check(&r.rules[i], at, whole, key, v)
		}
	}
	switch r.shape {
	case structure:
		if m, ok := v.(map[string]any); ok && r.fields != nil {
			w.fields(r.fields, at, m, depth)
		}
	case list:
		if items, ok := v.([]any); ok && r.below.useful() {
			for i, item := range items {
				w.value(r.below, at+"["+strconv.Itoa(i)+"]", at, "", item, depth)
			}
		}
	case mapping:
		if m, ok := v.(map[string]any); ok && r.below.useful() {
			for _, key := range slices.Sorted(maps.Keys(m)) {
				w.value(r.below, at+"["+key+"]", at, key, m[key], depth)
			}
		}
	case quantityLeaf:
		if _, ok := amount.Canonical(v); !ok {
			w.add(CannotDecode(at, v, quantityDetail))
		}
	case bytesLeaf:
		if text, ok := v.(string); ok {
			if _, err := base64.StdEncoding.DecodeString(text); err != nil {
				w.add(w.notBase64(at))
			}
		}
	}
}

// notBase64 returns the cause for an invalid base64 value.
func (w *walk) notBase64(at string) Cause {
	message := "Invalid value: illegal base64 data"
	if w.secret {
		message = "Invalid value: not base64; use stringData for plain text"
	}
	return undecodable(Cause{Type: Invalid, Field: at, Message: message})
}

// undecodable marks a cause as a value that Go cannot decode.
func undecodable(c Cause) Cause {
	c.Undecodable = true
	return c
}

// CannotDecode returns the cause for a value that Go cannot decode. problem says why.
func CannotDecode(field string, value any, problem string) Cause {
	return undecodable(invalid(field, value, problem))
}

// useful reports whether there are rules for a value or for something inside it.
func (r *valueRules) useful() bool { return r.shape != leaf || len(r.rules) > 0 }
