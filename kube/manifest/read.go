// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"fmt"
)

// MaxSize is how many bytes of one file are read. The largest published
// OpenAPI document has 25 MB.
const MaxSize = 64 << 20

// Read returns the objects in data, in their order: those of all documents,
// with the items of Lists in place of the List. name is the file's name for
// messages.
//
// The error is Errors, all that was found; the objects that could be read are
// returned beside it. Empty documents are passed over.
func Read(name string, data []byte) ([]*Object, error) {
	if len(data) > MaxSize {
		return nil, Errors{{File: name, Message: fmt.Sprintf("larger than %d MiB", MaxSize>>20)}}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, Errors{{File: name, Line: 1, Message: "is UTF-16; want UTF-8"}}
	}
	var (
		objects []*Object
		errs    Errors
	)
	for _, d := range split(name, data) {
		roots, err := d.decode()
		if err != nil {
			errs = append(errs, err...)
			continue
		}
		for _, root := range roots {
			found, err := root.objects()
			objects = append(objects, found...)
			errs = append(errs, err...)
		}
	}
	if len(errs) > 0 {
		return objects, errs
	}
	return objects, nil
}

// Mappings returns the documents of data that are mappings, whatever they are, as
// objects without an identity: for documents that have no kind, of which lines are
// wanted. Errors are those of Read.
func Mappings(name string, data []byte) ([]*Object, error) {
	var (
		objects []*Object
		errs    Errors
	)
	for _, d := range split(name, data) {
		roots, err := d.decode()
		errs = append(errs, err...)
		for _, root := range roots {
			if m, ok := root.value.(map[string]any); ok {
				objects = append(objects, &Object{Content: m, root: root})
			}
		}
	}
	if len(errs) > 0 {
		return objects, errs
	}
	return objects, nil
}

// Values returns the documents of data as plain data, whatever they are:
// mappings with string keys, lists, strings, booleans, int64, float64, nil.
// Errors are those of Read.
func Values(name string, data []byte) ([]any, error) {
	var (
		values []any
		errs   Errors
	)
	for _, d := range split(name, data) {
		roots, err := d.decode()
		errs = append(errs, err...)
		for _, root := range roots {
			values = append(values, root.value)
		}
	}
	if len(errs) > 0 {
		return values, errs
	}
	return values, nil
}
