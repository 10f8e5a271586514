// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package value

// Batch hands out values of plain data, like NewValueInterface, for a fraction
// of the allocations: their memory is taken in chunks. The zero Batch is ready
// for use. A Batch must not be used by several goroutines at once; the values
// it gave out may be.
//
// A value stays valid for as long as anything refers to it, and keeps the data
// of its whole chunk, at most 128 values, from being collected. So a Batch is
// for values that live and die together, such as the keys of one field set.
type Batch struct {
	chunk []valueUnstructured
}

const (
	firstChunk = 4
	lastChunk  = 128
)

// Value wraps v like NewValueInterface.
func (b *Batch) Value(v any) Value {
	if len(b.chunk) == cap(b.chunk) {
		n := min(max(2*cap(b.chunk), firstChunk), lastChunk)
		b.chunk = make([]valueUnstructured, 0, n)
	}
	b.chunk = append(b.chunk, valueUnstructured{Value: v})
	return &b.chunk[len(b.chunk)-1]
}
