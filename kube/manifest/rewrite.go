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

// Rewritten returns the document of the object with other content in it: with its
// comments, the order of its keys and how scalars are quoted, as far as they stay.
// Blank lines go, and aliases become what they stand for. With the object's own
// content it is the document as it is compared with others.
//
// There is an error if the object is not alone in its document, or the document is
// not YAML that can be written so that it means the content.
func (o *Object) Rewritten(content map[string]any) ([]byte, error) {
	d := o.root.doc
	if _, _, ok := d.json(); ok || isCBOR(d.data) || len(o.steps) > 0 || o.root.index > 0 {
		return nil, errors.New("the object is not a YAML document of its own")
	}
	var n yaml.Node
	if err := yaml.Unmarshal(d.data, &n); err != nil {
		return nil, fmt.Errorf("cannot be changed: %w", err)
	}
	if len(n.Content) != 1 {
		return nil, errors.New("the document is empty")
	}
	form := formOf(&n)
	expand(&n)
	if err := become(n.Content[0], o.root.value, content); err != nil {
		return nil, err
	}
	text, err := form.render(&n)
	if err != nil {
		return nil, fmt.Errorf("cannot be written: %w", err)
	}
	if !d.means(text, mapped(content)) {
		return nil, errors.New("cannot be written in another way that means the same")
	}
	return text, nil
}

// become makes the syntax of the value before that of after.
func become(n *yaml.Node, before, after any) error {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	switch before := before.(type) {
	case map[string]any:
		if after, ok := after.(map[string]any); ok && n.Kind == yaml.MappingNode {
			return becomeMapping(n, before, after)
		}
	case []any:
		if after, ok := after.([]any); ok && n.Kind == yaml.SequenceNode && len(n.Content) == len(before) && len(after) <= len(before) {
			return becomeList(n, before, after)
		}
	}
	return replace(n, after)
}

// replace puts a value in place of another; comments beside a scalar stay.
func replace(n *yaml.Node, v any) error {
	var made yaml.Node
	if err := made.Encode(v); err != nil {
		return fmt.Errorf("cannot be written: %w", err)
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

func becomeMapping(n *yaml.Node, before, after map[string]any) error {
	for _, name := range sortedNames(before) {
		value := ownField(n, name)
		if value == nil {
			if v, ok := after[name]; ok && reflect.DeepEqual(before[name], v) {
				continue // merged in with <<
			}
			return fmt.Errorf("%s does not stand where it would have to change", name)
		}
		v, ok := after[name]
		if !ok {
			removeField(n, value)
		} else if err := become(value, before[name], v); err != nil {
			return err
		}
	}
	for _, name := range sortedNames(after) {
		if _, ok := before[name]; ok {
			continue
		}
		var key, value yaml.Node
		if err := errors.Join(key.Encode(name), value.Encode(after[name])); err != nil {
			return fmt.Errorf("cannot be written: %w", err)
		}
		if n.Style&yaml.FlowStyle != 0 {
			value.Style |= yaml.FlowStyle
		}
		n.Content = append(n.Content, &key, &value)
	}
	return nil
}

// becomeList keeps, drops and changes items, in order. Those that go are found by
// what they have in common with the ones that come next.
func becomeList(n *yaml.Node, before, after []any) error {
	var kept []*yaml.Node
	for i, item := range n.Content {
		switch spare := len(before) - i - (len(after) - len(kept)); {
		case spare > 0 && (len(kept) == len(after) || !akin(before[i], after[len(kept)])):
			continue
		default:
			if err := become(item, before[i], after[len(kept)]); err != nil {
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

// akin says whether b may be what became of a.
func akin(a, b any) bool {
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
