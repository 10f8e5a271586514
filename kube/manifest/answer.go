// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import "maps"

// ReadResponse returns the object in a JSON response of an API server. The argument from describes the
// source of the response: messages show it instead of a file name. Positions have no lines. If the
// object lacks both apiVersion and kind, as an item of a list may, it gets the given apiVersion and
// kind.
func ReadResponse(from string, data []byte, apiVersion, kind string) (*Object, error) {
	d := &document{file: from, data: data, noLines: true}
	roots, errs := d.decode()
	if errs != nil {
		return nil, errs
	}
	o := &Object{}
	if len(roots) > 0 {
		o.root = roots[0]
	}
	content, ok := o.root.value.(map[string]any)
	if len(roots) != 1 || !ok {
		return nil, Errors{{File: from, Message: "want one object in the response"}}
	}
	o.Content = typedItem(content, apiVersion, kind)
	if err := o.identify(); err != nil {
		return nil, Errors{err}
	}
	return o, nil
}

// Replaced returns a copy of the object with other content, which may have a different kind.
// Positions still refer to the original text. Replaced returns an error if content is not a
// Kubernetes object.
func (o *Object) Replaced(content map[string]any) (*Object, *Error) {
	copied := *o
	copied.Content = content
	return &copied, copied.identify()
}

// InNamespace returns a copy of the object with the given namespace. If the object already
// has a namespace, or if namespace is empty, InNamespace returns the object itself. Positions
// do not change.
func (o *Object) InNamespace(namespace string) *Object {
	metadata, _ := o.Content["metadata"].(map[string]any)
	if namespace == "" || o.identity.Namespace != "" {
		return o
	}
	copied := *o
	copied.identity.Namespace = namespace
	copied.Content = maps.Clone(o.Content)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["namespace"] = namespace
	copied.Content["metadata"] = metadata
	return &copied
}
