// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package fieldmanager

import (
	"github.com/dovetail-ssa/dovetail/fieldpath"
)

// written is a set and the fieldsV1 it is written as.
type written struct {
	set    *fieldpath.Set
	fields map[string]any
}

// writeFields is the decoded fieldsV1 of a set. It shares with that of before,
// if there is one, what belongs to subsets they have in common.
func writeFields(set *fieldpath.Set, before written) (map[string]any, error) {
	return writeBelow(set, false, before)
}

func writeBelow(set *fieldpath.Set, self bool, before written) (map[string]any, error) {
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

func writeChild(child fieldpath.SetNode, key string, self bool, before written) (map[string]any, error) {
	if before.set == nil {
		return writeBelow(child.Set, self, written{})
	}
	was := written{}
	if set, ok := before.set.Children.Get(child.PathElement); ok {
		was.set = set
		was.fields, _ = before.fields[key].(map[string]any)
		if _, wasSelf := was.fields["."]; set == child.Set && wasSelf == self && was.fields != nil {
			return was.fields, nil
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
