// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import "maps"

// exactFields lists the fields of a device request that v1beta1 has in the request itself. Newer
// versions have them in the field exactly.
var exactFields = []string{"deviceClassName", "selectors", "allocationMode", "count", "adminAccess", "tolerations", "capacity", "derivedAttributes"}

func claimFromBeta(claim map[string]any) { eachRequest(claim, "spec", requestFromBeta) }
func claimToBeta(claim map[string]any)   { eachRequest(claim, "spec", requestToBeta) }

func claimTemplateFromBeta(template map[string]any) {
	within(template, "spec", func(spec map[string]any) { eachRequest(spec, "spec", requestFromBeta) })
}

func claimTemplateToBeta(template map[string]any) {
	within(template, "spec", func(spec map[string]any) { eachRequest(spec, "spec", requestToBeta) })
}

// eachRequest changes the device requests of a claim, whose spec is in the given field of m.
func eachRequest(m map[string]any, field string, change func(map[string]any)) {
	within(m, field, func(spec map[string]any) {
		within(spec, "devices", func(devices map[string]any) { replaceItems(devices, "requests", change) })
	})
}

func requestFromBeta(request map[string]any) {
	exactly := map[string]any{}
	for _, name := range exactFields {
		v := request[name]
		delete(request, name)
		if !isUnset(v) {
			exactly[name] = v
		}
	}
	if len(exactly) > 0 {
		if exactly["deviceClassName"] == nil {
			exactly["deviceClassName"] = "" // the field is required
		}
		request["exactly"] = exactly
	}
}

func requestToBeta(request map[string]any) {
	exactly := object(request["exactly"])
	delete(request, "exactly")
	for _, name := range exactFields {
		if v := exactly[name]; !isUnset(v) {
			request[name] = v
		}
	}
}

// isUnset reports whether v is absent or is a zero value that Go omits.
func isUnset(v any) bool {
	return v == nil || v == "" || v == int64(0) || v == float64(0)
}

func sliceFromBeta(slice map[string]any) {
	within(slice, "spec", func(spec map[string]any) {
		dropUnset(spec, "nodeName", "allNodes")
		replaceItems(spec, "devices", func(device map[string]any) {
			basic := object(device["basic"])
			delete(device, "basic")
			maps.Copy(device, basic)
		})
	})
}

// sliceFromAlpha converts a ResourceSlice from v1alpha3 to v1beta1. In v1alpha3, each capacity of a
// device is a quantity. In v1beta1, it is an object with the quantity in the field value.
func sliceFromAlpha(slice map[string]any) {
	eachCapacity(slice, func(v any) any { return map[string]any{"value": v} })
}

func sliceToAlpha(slice map[string]any) {
	eachCapacity(slice, func(v any) any { return object(v)["value"] })
}

// eachCapacity changes each capacity of each device of a ResourceSlice that has the form of v1beta1.
func eachCapacity(slice map[string]any, change func(any) any) {
	within(slice, "spec", func(spec map[string]any) {
		replaceItems(spec, "devices", func(device map[string]any) {
			within(device, "basic", func(basic map[string]any) {
				within(basic, "capacity", func(capacity map[string]any) {
					for name, v := range capacity {
						capacity[name] = change(v)
					}
				})
			})
		})
	})
}

func sliceToBeta(slice map[string]any) {
	within(slice, "spec", func(spec map[string]any) {
		dropUnset(spec, "nodeName", "allNodes")
		replaceItems(spec, "devices", func(device map[string]any) {
			basic := maps.Clone(device)
			delete(basic, "name")
			name, ok := device["name"]
			clear(device)
			if ok {
				device["name"] = name
			}
			device["basic"] = basic
		})
	})
}

// dropUnset removes fields that have a zero value.
func dropUnset(m map[string]any, fields ...string) {
	for _, name := range fields {
		if v := m[name]; isUnset(v) || v == false {
			delete(m, name)
		}
	}
}

// within replaces the map in a field of m with a changed copy.
func within(m map[string]any, field string, change func(map[string]any)) {
	if inner, ok := m[field].(map[string]any); ok {
		inner = maps.Clone(inner)
		change(inner)
		m[field] = inner
	}
}
