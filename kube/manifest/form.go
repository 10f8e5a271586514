// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/dovetail-ssa/dovetail/internal/flow"
)

// expandAliases replaces aliases with their values. The caller must decode the document first,
// because only the decoder limits how much the aliases expand.
func expandAliases(n *yaml.Node) {
	for i, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			c = copyNode(target(c))
			n.Content[i] = c
		}
		expandAliases(c)
	}
	n.Anchor = ""
}

func copyNode(n *yaml.Node) *yaml.Node {
	c := *n
	c.Anchor = ""
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = copyNode(child)
	}
	return &c
}

var word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9./-]*$`)

// needsNoQuotes reports whether YAML reads a text as the same string with and without quotes. For
// example, it returns false for "no" and "on". It may return false negatives.
func needsNoQuotes(text string) bool {
	v, ok := flow.Unquoted(text)
	return ok && v == text && word.MatchString(text)
}

// toBlockStyle converts a node from JSON style to block style.
func toBlockStyle(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode && needsNoQuotes(n.Value) {
		n.Style &^= yaml.DoubleQuotedStyle
	}
	if len(n.Content) == 0 && n.Kind != yaml.ScalarNode {
		n.Style |= yaml.FlowStyle
	}
	for _, c := range n.Content {
		toBlockStyle(c)
	}
}

// layout is the formatting of a document. compact means that list items are not indented.
type layout struct {
	indent  int
	compact bool
}

// layoutOf detects the layout of a document.
func layoutOf(n *yaml.Node) layout {
	f := layout{indent: 2, compact: true}
	var lists, mappings bool
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && i%2 == 1 && c.Style&yaml.FlowStyle == 0 && len(c.Content) > 0 {
				by := c.Column - n.Content[i-1].Column
				hasProperties := c.Anchor != "" || c.Style&yaml.TaggedStyle != 0 // then c.Column is their column
				if hasProperties && c.Kind == yaml.MappingNode {
					by = c.Content[0].Column - n.Content[i-1].Column
				}
				switch {
				case c.Kind == yaml.SequenceNode && !lists && !hasProperties:
					lists, f.compact = true, by == 0
				case c.Kind == yaml.MappingNode && !mappings && by >= 2 && by <= 9:
					mappings, f.indent = true, by
				}
			}
			walk(c)
		}
	}
	walk(n)
	return f
}

func (f layout) render(n *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(f.indent)
	if f.compact {
		e.CompactSeqIndent()
	}
	if err := e.Encode(n); err != nil {
		return nil, err
	}
	err := e.Close()
	return out.Bytes(), err
}
