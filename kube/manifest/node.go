// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strings"

	yamlv2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

// fieldNode returns the key and the value of a field, or nil if the mapping n does not
// have the field.
func fieldNode(n *yaml.Node, name string) (key, value *yaml.Node) {
	return mergedFieldNode(n, name, 0)
}

// mergedFieldNode is like fieldNode. depth counts the nested merge keys, because their number is
// limited.
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

// field is like fieldNode. For a large mapping, it builds an index, because callers may need the
// positions of many fields of the same mapping.
func (d *document) field(n *yaml.Node, name string) (key, value *yaml.Node) {
	n = target(n)
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) < 32 {
		return fieldNode(n, name)
	}
	known, ok := d.fields.Load(n)
	if !ok {
		// The index has only the mapping's own fields, not the fields that merge keys add.
		own := make(map[string]int, len(n.Content)/2)
		merged := false
		for i := len(n.Content)&^1 - 2; i >= 0; i -= 2 {
			k := n.Content[i]
			merged = merged || k.Tag == "!!merge"
			if k.Kind == yaml.ScalarNode && k.Tag != "!!merge" {
				own[keyText(k)] = i
			}
		}
		known, _ = d.fields.LoadOrStore(n, fields{own, merged})
	}
	f := known.(fields)
	if i, ok := f.own[name]; ok {
		return n.Content[i], n.Content[i+1]
	}
	if !f.merged {
		return nil, nil
	}
	return fieldNode(n, name)
}

// fields is an index of a mapping. It contains the position of each key, and says whether the mapping
// has a merge key.
type fields struct {
	own    map[string]int
	merged bool
}

// keyText returns the field name that Kubernetes reads from the key k. For example, the name is
// "true" for the key y without quotes.
func keyText(k *yaml.Node) string {
	if quoted(k) || isWord(k.Value) {
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

// isWord reports whether a plain scalar can only be a string. The check is fast,
// because it does not parse s.
func isWord(s string) bool {
	for i, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_')) {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}

func quoted(n *yaml.Node) bool {
	return n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) != 0
}

func itemNode(n *yaml.Node, index int) *yaml.Node {
	n = target(n)
	if n == nil || n.Kind != yaml.SequenceNode || index < 0 || index >= len(n.Content) {
		return nil
	}
	return n.Content[index]
}

// target returns the node that the alias n refers to, or n itself if n is not an alias.
func target(n *yaml.Node) *yaml.Node {
	for i := 0; n != nil && n.Kind == yaml.AliasNode; i++ {
		if i == 100 {
			return nil
		}
		n = n.Alias
	}
	return n
}
