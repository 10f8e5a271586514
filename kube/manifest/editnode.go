// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// change makes a change in the syntax of a document.
func (d *document) change(n *yaml.Node, c Change) *Error {
	for _, s := range c.Steps {
		above := n
		switch s := s.(type) {
		case string:
			n = ownField(n, s)
		case int:
			n = itemNode(n, s)
		}
		if n == nil {
			return &Error{File: d.file, Line: above.Line, Column: above.Column, Message: fmt.Sprintf("%v is merged in with <<, and cannot be changed there; write it out", s)}
		}
	}
	if n.Kind != yaml.MappingNode {
		return &Error{File: d.file, Line: n.Line, Column: n.Column, Message: "want a mapping to change"}
	}
	for _, f := range append([]string{c.Field, c.Set}, c.Remove...) {
		if merged, _ := fieldNode(n, f); merged != nil && ownField(n, f) == nil {
			return &Error{File: d.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf("%s is merged in with <<, and cannot be changed there; write it out", f)}
		}
	}
	for _, f := range c.Remove {
		removeField(n, ownField(n, f))
	}
	if c.Set != "" {
		value := &yaml.Node{}
		if err := value.Encode(c.Value); err != nil {
			return &Error{File: d.file, Line: n.Line, Message: err.Error()}
		}
		if ownField(n, c.Set) != nil {
			return &Error{File: d.file, Line: n.Line, Message: fmt.Sprintf("%s is there already", c.Set)}
		}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.Set}, value)
	}
	if c.Field == "" {
		return nil
	}
	list := ownField(n, c.Field)
	if list == nil {
		list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: n.Style & yaml.FlowStyle}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: c.Field}, list)
	}
	kept := list.Content[:0:0]
	for _, item := range list.Content {
		if c.Drop == nil || !c.Drop(plainNode(item)) {
			kept = append(kept, item)
		}
	}
	if list.Kind != yaml.SequenceNode {
		*list = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"} // null
		kept = nil
	}
	list.Content = kept
	for _, add := range c.Add {
		item := &yaml.Node{}
		if err := item.Encode(add); err != nil {
			return &Error{File: d.file, Line: n.Line, Column: n.Column, Message: err.Error()}
		}
		list.Content = append(list.Content, item)
	}
	if len(list.Content) == 0 {
		removeField(n, list)
	}
	return nil
}

// removeField removes the field with a value from a mapping.
func removeField(n, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1] == value {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}

// ownField is the value of a field that a mapping has without merging.
func ownField(n *yaml.Node, name string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	_, value := ownEntry(n, name)
	return value
}

// plainNode is a node as Kubernetes reads it, nil if it cannot.
func plainNode(n *yaml.Node) any {
	text, err := yaml.Marshal(n)
	if err != nil {
		return nil
	}
	values, err := Values("", text)
	if err != nil || len(values) != 1 {
		return nil
	}
	return values[0]
}
