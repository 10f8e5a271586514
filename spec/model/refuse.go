// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package model

import "fmt"

// Refuse returns an error if a value is not a valid value of the given type. The argument
// "duplicates" tells whether lists may contain duplicate items, as they may in updates and
// stored objects (rules T1, I2, I3).
func Refuse(v any, t *Type, duplicates bool) error {
	t = t.typeFor(v)
	if v == nil {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if t.Kind != Map {
			return fmt.Errorf("found a map, want a %s", t.Kind)
		}
		for _, name := range names(v) {
			typ, _ := t.entryType(name)
			if typ == nil {
				return fmt.Errorf("%s is not declared", name)
			}
			if err := Refuse(v[name], typ, duplicates); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	case []any:
		if t.Kind != List {
			return fmt.Errorf("found a list, want a %s", t.Kind)
		}
		for i, item := range v {
			if err := t.refuseItem(v, item, duplicates); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
	default:
		if t.Kind != Scalar {
			return fmt.Errorf("found a scalar, want a %s", t.Kind)
		}
		if is := scalar(v); t.Scalar != "" && t.Scalar != is {
			return fmt.Errorf("found a %s, want a %s", is, t.Scalar)
		}
	}
	return nil
}

func scalar(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	}
	return "number"
}

func (t *Type) refuseItem(list []any, item any, duplicates bool) error {
	if !t.Atomic {
		_, isMap := item.(map[string]any)
		_, isList := item.([]any)
		switch id := t.identity(item); {
		case item == nil, id == "k:{}":
			return fmt.Errorf("an item has no key") // rule I2
		case len(t.Keys) == 0 && (isMap || isList):
			return fmt.Errorf("an item of a set is not a scalar") // rule I1
		case !duplicates && len(t.itemsWith(list, id)) > 1:
			return fmt.Errorf("there are duplicate items") // rule I3
		}
	}
	return Refuse(item, t.Items, duplicates)
}
