// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Rewritten returns the object's document after replacing the content of the object. As far as
// possible, it keeps comments, the order of keys and the quotes of scalars. It drops blank lines
// and replaces aliases with their values.
//
// To compare the result with the original, also call Rewritten with the object's own content. The
// two results then differ only in the changed values.
//
// Rewritten returns an error if the object is not the only value of a YAML document, or if YAML
// cannot express the content.
func (o *Object) Rewritten(content map[string]any) ([]byte, error) {
	d := o.root.doc
	if _, _, ok := d.json(); ok || isCBOR(d.data) || len(o.steps) > 0 || o.root.index > 0 {
		return nil, errors.New("the object is not the only value of a YAML document")
	}
	var n yaml.Node
	if err := yaml.Unmarshal(d.data, &n); err != nil {
		return nil, fmt.Errorf("the document cannot be changed: %w", err)
	}
	if len(n.Content) != 1 {
		return nil, errors.New("the document is empty")
	}
	style := layoutOf(&n)
	expandAliases(&n)
	if err := rewriteNode(n.Content[0], o.root.value, content); err != nil {
		return nil, err
	}
	text, err := style.render(&n)
	if err != nil {
		return nil, fmt.Errorf("the document cannot be written: %w", err)
	}
	if !d.hasValue(text, withYAMLNumbers(content)) {
		return nil, errors.New("the document cannot be rewritten without changing its values")
	}
	return text, nil
}

// rewriteNode changes the value of a YAML node from before to after. It keeps the parts of the node
// that are the same in both values.
func rewriteNode(n *yaml.Node, before, after any) error {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	switch before := before.(type) {
	case map[string]any:
		if after, ok := after.(map[string]any); ok && n.Kind == yaml.MappingNode {
			return rewriteMapping(n, before, after)
		}
	case []any:
		if after, ok := after.([]any); ok && n.Kind == yaml.SequenceNode && len(n.Content) == len(before) && len(after) <= len(before) {
			return rewriteList(n, before, after)
		}
	}
	return replace(n, after)
}

// replace replaces the value of a node. The comments of a scalar stay.
func replace(n *yaml.Node, v any) error {
	var made yaml.Node
	if err := made.Encode(v); err != nil {
		return fmt.Errorf("the value cannot be written: %w", err)
	}
	if made.Kind == yaml.ScalarNode {
		made.HeadComment, made.LineComment, made.FootComment = n.HeadComment, n.LineComment, n.FootComment
	}
	if n.Style&yaml.FlowStyle != 0 {
		made.Style |= yaml.FlowStyle
	}
	*n = made
	return nil
}

func rewriteMapping(n *yaml.Node, before, after map[string]any) error {
	for _, name := range sortedNames(before) {
		value := ownField(n, name)
		if value == nil {
			if v, ok := after[name]; ok && reflect.DeepEqual(before[name], v) {
				continue // the field comes from a merge key and stays the same
			}
			return fmt.Errorf("%s comes from a merge key (<<), and cannot be changed there", name)
		}
		v, ok := after[name]
		if !ok {
			removeField(n, value)
		} else if err := rewriteNode(value, before[name], v); err != nil {
			return err
		}
	}
	for _, name := range sortedNames(after) {
		if _, ok := before[name]; ok {
			continue
		}
		var key, value yaml.Node
		if err := errors.Join(key.Encode(name), value.Encode(after[name])); err != nil {
			return fmt.Errorf("the value cannot be written: %w", err)
		}
		if n.Style&yaml.FlowStyle != 0 {
			value.Style |= yaml.FlowStyle
		}
		n.Content = append(n.Content, &key, &value)
	}
	return nil
}

// rewriteList changes the items of a list from before to after. The list cannot become longer. For
// each old item in order, rewriteList either changes it to the next new item or removes it. It removes
// an old item that has nothing in common with the next new item, if enough old items remain.
func rewriteList(n *yaml.Node, before, after []any) error {
	var kept []*yaml.Node
	for i, item := range n.Content {
		switch spare := len(before) - i - (len(after) - len(kept)); {
		case spare > 0 && (len(kept) == len(after) || !maySurvive(before[i], after[len(kept)])):
			continue
		default:
			if err := rewriteNode(item, before[i], after[len(kept)]); err != nil {
				return err
			}
		}
		kept = append(kept, item)
	}
	n.Content = kept
	if len(kept) == 0 {
		n.Style |= yaml.FlowStyle
	}
	return nil
}

// maySurvive reports whether the second value could be a changed version of the first one. Both are
// list items.
func maySurvive(a, b any) bool {
	x, ok := a.(map[string]any)
	y, both := b.(map[string]any)
	if !ok || !both {
		return reflect.DeepEqual(a, b)
	}
	for name, v := range y {
		if w, ok := x[name]; ok && reflect.DeepEqual(v, w) {
			return true
		}
	}
	return len(x) == 0 && len(y) == 0
}

func sortedNames(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
