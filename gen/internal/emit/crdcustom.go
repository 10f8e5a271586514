// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package emit

import "go/types"

// embeddedMeta is the metadata of objects within others: what a user sets of it.
func embeddedMeta() *Schema {
	text := &Schema{Type: "string"}
	texts := &Schema{Type: "object", Additional: text}
	return &Schema{Type: "object", Properties: map[string]*Schema{
		"name": text, "namespace": text, "labels": texts, "annotations": texts,
		"finalizers": {Type: "array", Items: text},
	}}
}

func (b *structural) custom(t types.Type) *Schema {
	k, ok := b.src.Known(t)
	s := &Schema{Type: k.Type, Format: k.Format}
	switch {
	case !ok && isStruct(t):
		// As a rule it takes more than its fields, and gives these.
		return b.object(t.Underlying().(*types.Struct), t)
	case !ok:
		s.set("x-kubernetes-preserve-unknown-fields", true)
	case k.IntOrString:
		s = intOrString()
		if k.Pattern != "" {
			s.bound("pattern", k.Pattern)
		}
	case k.Preserve:
		s.set("x-kubernetes-preserve-unknown-fields", true)
	}
	return s
}

func intOrString() *Schema {
	return &Schema{AnyOf: []*Schema{{Type: "integer"}, {Type: "string"}}, X: map[string]any{"x-kubernetes-int-or-string": true}}
}
