// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import "maps"

// ReadResponse returns an object that an API server answered with, JSON that is in no file: nothing
// in it has a line. from is what messages call the file. apiVersion and kind are those of an
// item of a list, which leaves them out; an object that has its own keeps them.
func ReadResponse(from string, data []byte, apiVersion, kind string) (*Object, error) {
	d := &document{file: from, data: data, lineless: true}
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
		return nil, Errors{{File: from, Message: "want one object"}}
	}
	o.Content = typedItem(content, apiVersion, kind)
	if err := o.identify(); err != nil {
		return nil, Errors{err}
	}
	return o, nil
}

// InNamespace returns the object in a namespace, if it names none; else itself. Positions stay.
func (o *Object) InNamespace(namespace string) *Object {
	metadata, _ := o.Content["metadata"].(map[string]any)
	if namespace == "" || o.identity.Namespace != "" {
		return o
	}
	in := *o
	in.identity.Namespace = namespace
	in.Content = maps.Clone(o.Content)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["namespace"] = namespace
	in.Content["metadata"] = metadata
	return &in
}
