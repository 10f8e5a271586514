// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	yamlv2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

// fieldNode returns the key and the value of a field, nil if it is not there.
func fieldNode(n *yaml.Node, name string) (key, value *yaml.Node) {
	return mergedFieldNode(n, name, 0)
}

// mergedFieldNode is fieldNode at some depth of merged mappings.
func mergedFieldNode(n *yaml.Node, name string, depth int) (key, value *yaml.Node) {
	n = target(n)
	if n == nil || n.Kind != yaml.MappingNode || depth > 100 {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind == yaml.ScalarNode && k.Tag != "!!merge" && keyText(k) == name {
			return k, n.Content[i+1]
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		if s := target(sources[0]); s != nil && s.Kind == yaml.SequenceNode {
			sources = s.Content
		}
		for _, s := range sources {
			if key, value = mergedFieldNode(s, name, depth+1); key != nil {
				return key, value
			}
		}
	}
	return nil, nil
}

// keyText is the name that the key k has in an object: that of y is true.
func keyText(k *yaml.Node) string {
	if quoted(k) || k.Value == "" {
		return k.Value
	}
	var v any
	if yamlv2.Unmarshal([]byte(k.Value), &v) == nil {
		if name, ok := keyName(v); ok {
			return name
		}
	}
	return k.Value
}

func quoted(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0
}

func itemNode(n *yaml.Node, index int) *yaml.Node {
	n = target(n)
	if n == nil || n.Kind != yaml.SequenceNode || index >= len(n.Content) {
		return nil
	}
	return n.Content[index]
}

// target returns what an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.AliasNode; i++ {
		if i == 100 {
			return nil
		}
		n = n.Alias
	}
	return n
}
