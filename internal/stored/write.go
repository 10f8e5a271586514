// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package stored

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// Written is a set and the fieldsV1 it is written as.
type Written struct {
	Set    *fieldpath.Set
	Fields map[string]any
}

// Write is the decoded fieldsV1 of a set. It shares with that of before,
// if there is one, what belongs to subsets they have in common.
func Write(set *fieldpath.Set, before Written) (map[string]any, error) {
	return writeBelow(set, false, before)
}

func writeBelow(set *fieldpath.Set, self bool, before Written) (map[string]any, error) {
	members, children := set.Members.Sorted(), set.Children.Sorted()
	out := make(map[string]any, len(members)+len(children)+1)
	if self && len(members)+len(children) > 0 {
		out["."] = map[string]any{}
	}
	for len(members)+len(children) > 0 {
		order := 0
		switch {
		case len(members) == 0:
			order = 1
		case len(children) == 0:
			order = -1
		default:
			order = members[0].Compare(children[0].PathElement)
		}
		if order < 0 {
			key, err := elementKey(members[0])
			if err != nil {
				return nil, err
			}
			out[key] = map[string]any{}
			members = members[1:]
			continue
		}
		child := children[0]
		key, err := elementKey(child.PathElement)
		if err != nil {
			return nil, err
		}
		below, err := writeChild(child, key, order == 0, before)
		if err != nil {
			return nil, within(key, err)
		}
		out[key] = below
		children = children[1:]
		if order == 0 {
			members = members[1:]
		}
	}
	return out, nil
}

func writeChild(child fieldpath.SetNode, key string, self bool, before Written) (map[string]any, error) {
	if before.Set == nil {
		return writeBelow(child.Set, self, Written{})
	}
	was := Written{}
	if set, ok := before.Set.Children.Get(child.PathElement); ok {
		was.Set = set
		was.Fields, _ = before.Fields[key].(map[string]any)
		if _, wasSelf := was.Fields["."]; set == child.Set && wasSelf == self && was.Fields != nil {
			return was.Fields, nil
		}
	}
	return writeBelow(child.Set, self, was)
}

func elementKey(e fieldpath.PathElement) (string, error) {
	if e.FieldName != nil {
		return "f:" + *e.FieldName, nil
	}
	return fieldpath.SerializePathElement(e)
}
