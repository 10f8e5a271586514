// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// ordered is a value that is written as JSON with its fields in the order of the Go types in
// autoscaling/v1. API servers write annotations in this order.
type ordered struct {
	v any
	// sorted is true for a map with arbitrary keys, which are written in alphabetical order.
	sorted bool
}

// order lists field names in the order in which MarshalJSON writes them.
var order = strings.Fields(`
	type status lastTransitionTime reason message observedGeneration
	object pods resource containerResource external
	kind name apiVersion target metricName metricSelector
	targetValue targetAverageUtilization targetAverageValue
	currentValue currentAverageUtilization currentAverageValue
	selector averageValue container
	matchLabels matchExpressions key operator values
	ScaleUp ScaleDown StabilizationWindowSeconds SelectPolicy Policies Tolerance Type Value PeriodSeconds`)

// MarshalJSON writes the fields of an object in the order of the Go types.
func (o ordered) MarshalJSON() ([]byte, error) {
	switch v := o.v.(type) {
	case []any:
		items := make([]ordered, len(v))
		for i := range v {
			items[i].v = v[i]
		}
		return json.Marshal(items)
	case map[string]any:
		if o.sorted {
			return json.Marshal(v)
		}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
		var out bytes.Buffer
		for i, name := range names {
			out.WriteByte("{,"[min(i, 1)])
			text, err := json.Marshal(name)
			if err != nil {
				return nil, err
			}
			value, err := json.Marshal(ordered{v[name], name == "matchLabels"})
			if err != nil {
				return nil, err
			}
			out.Write(text)
			out.WriteByte(':')
			out.Write(value)
		}
		if len(names) == 0 {
			out.WriteByte('{')
		}
		out.WriteByte('}')
		return out.Bytes(), nil
	}
	return json.Marshal(o.v)
}
