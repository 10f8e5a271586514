// SPDX-FileCopyrightText: The Dovetail authors
// SPDX-License-Identifier: Apache-2.0

package compact

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/dovetail-ssa/dovetail/schema"
)

// Table is an encoded set of types. It is safe for concurrent use.
type Table struct {
	release string
	body    string
	size    int
	open    func() *index
	types   sync.Map // the decoded types by name, as values of type schema.TypeDef
}

// Open returns the table in data, which must be the output of Encode. The data is decoded on first
// use. If the data is invalid, Open or the methods of the table panic. If types refer to
// __untyped_atomic_ or __untyped_deduced_, the data must contain these types.
func Open(data string) *Table {
	t := &Table{}
	t.release, t.size, t.body = cutHeader(data)
	t.open = sync.OnceValue(t.inflate)
	return t
}

func cutHeader(data string) (release string, size int, body string) {
	rest, ok := strings.CutPrefix(data, magic)
	if !ok {
		panic("compact: not a stored set of types")
	}
	r := reader{data: rest}
	n := r.number()
	release = r.data[r.at : r.at+n]
	r.at += n
	size = r.number()
	return release, size, r.data[r.at:]
}

// Release returns the Kubernetes release of the types.
func (t *Table) Release() string { return t.release }

// Kinds returns the kinds, sorted by group, version and kind. Callers must not change the
// result.
func (t *Table) Kinds() []Kind { return t.open().kinds }

// Names returns the names of the types in alphabetical order. Callers must not change the
// result.
func (t *Table) Names() []string { return t.open().names }

// Type returns the type with this name, and decodes only this type. It returns false if
// the type does not exist. Callers must not change the result, because other results
// share parts of it.
func (t *Table) Type(name string) (schema.TypeDef, bool) {
	if td, ok := t.types.Load(name); ok {
		return td.(schema.TypeDef), true
	}
	ix := t.open()
	i, ok := ix.numbers[name]
	if !ok {
		return schema.TypeDef{}, false
	}
	r := reader{index: ix, data: ix.records, at: ix.starts[i]}
	td := schema.TypeDef{Name: ix.names[i], Atom: r.atom(), Default: r.value()}
	if end := ix.starts[i+1]; r.at != end {
		panic(fmt.Sprintf("compact: the record of %s ends at %d, not at %d", name, r.at, end))
	}
	stored, _ := t.types.LoadOrStore(name, td)
	return stored.(schema.TypeDef), true
}

// index contains the parts of a table that are decoded on first use.
type index struct {
	strings []string
	kinds   []Kind
	names   []string
	numbers map[string]int
	starts  []int // the start of each record, and the end of the last one
	records string

	mu     sync.Mutex
	values map[int]any
}

func (t *Table) inflate() *index {
	var b strings.Builder
	b.Grow(t.size)
	if _, err := io.Copy(&b, flate.NewReader(strings.NewReader(t.body))); err != nil || b.Len() != t.size {
		panic(fmt.Sprintf("compact: want %d bytes, got %d: %v", t.size, b.Len(), err))
	}
	ix := &index{values: map[int]any{}}
	r := reader{index: ix, data: b.String()}
	r.strings()
	r.kinds()
	r.names()
	return ix
}

type reader struct {
	index *index
	data  string
	at    int
}

func (r *reader) number() int {
	// Most numbers fit in one byte.
	if c := r.data[r.at]; c < 0x80 {
		r.at++
		return int(c)
	}
	var buf [binary.MaxVarintLen64]byte
	n := copy(buf[:], r.data[r.at:])
	u, size := binary.Uvarint(buf[:n])
	if size <= 0 {
		panic("compact: bad number")
	}
	r.at += size
	return int(u)
}

func (r *reader) text() string { return r.index.strings[r.number()] }

func (r *reader) strings() {
	ix := r.index
	ix.strings = make([]string, r.number())
	lengths := make([]int, len(ix.strings))
	for i := range lengths {
		lengths[i] = r.number()
	}
	for i, n := range lengths {
		ix.strings[i] = r.data[r.at : r.at+n]
		r.at += n
	}
}

func (r *reader) kinds() {
	kinds := make([]Kind, r.number())
	for i := range kinds {
		k := &kinds[i]
		for _, s := range []*string{&k.Group, &k.Version, &k.Kind, &k.Type, &k.Resource} {
			*s = r.text()
		}
		k.Scope = uint8(r.number())
		for range r.number() {
			k.Subresources = append(k.Subresources, r.text())
		}
	}
	r.index.kinds = kinds
}

func (r *reader) names() {
	ix := r.index
	n := r.number()
	ix.names = make([]string, n)
	ix.numbers = make(map[string]int, n)
	ix.starts = make([]int, n+1)
	for i := range n {
		ix.names[i] = r.text()
		ix.numbers[ix.names[i]] = i
		ix.starts[i+1] = ix.starts[i] + r.number()
	}
	ix.records = r.data[r.at:]
}

// value reads a default. Equal defaults share one value.
func (r *reader) value() any { return r.index.value(r.number()) }

func (ix *index) value(n int) any {
	if n == 0 {
		return nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if v, ok := ix.values[n]; ok {
		return v
	}
	d := json.NewDecoder(bytes.NewReader([]byte(ix.strings[n-1])))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("compact: default: %v", err))
	}
	v = integers(v)
	ix.values[n] = v
	return v
}

// integers replaces each json.Number with an int64 if it is an integer, otherwise with a
// float64.
func integers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, err := v.Float64()
		if err != nil {
			panic(fmt.Sprintf("compact: default: %v", err))
		}
		return f
	case map[string]any:
		for k, e := range v {
			v[k] = integers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = integers(e)
		}
	}
	return v
}
