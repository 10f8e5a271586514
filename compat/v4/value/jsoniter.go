// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

import (
	"io"

	jsoniter "github.com/json-iterator/go"
)

// ReadJSONIter reads the next JSON value from iter. It returns iter.Error if reading fails, but
// ignores the error io.EOF.
func ReadJSONIter(iter *jsoniter.Iterator) (Value, error) {
	data := iter.Read()
	if err := iter.Error; err != nil && err != io.EOF {
		return nil, err
	}
	return NewValueInterface(data), nil
}

// WriteJSONStream writes v to stream as JSON. If there is an error, it sets stream.Error.
func WriteJSONStream(v Value, stream *jsoniter.Stream) {
	stream.WriteVal(v.Unstructured())
}
